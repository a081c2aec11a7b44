"""Documents that are given up never appear later, and late returns are found before a new plan."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import (
    GRANTED,
    PLANNINGS,
    execute,
    executed,
    items_of_different_suppliers,
    plain_items,
    plan,
    reprocess,
    returns_of,
    states,
)
from returns_company import administrator_of

from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, CommitLate, Delay, Drop, Fault, Refuse, When
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

NO_STOCK = Refuse(status=400, code=-10, text="Quantity falls into negative inventory")
PERIOD = Refuse(status=400, code=-4013, text="Posting period locked; specify an alternative date")


def returned_quantity(sim: Simulator, planning_id: int) -> Decimal:
    """Return the total quantity in the ERP's returns of a planning."""
    return sum(
        (
            Decimal(str(line["Quantity"]))
            for row in returns_of(sim, planning_id)
            for line in row["DocumentLines"]
        ),
        Decimal(0),
    )


def planned(detail: dict[str, Any]) -> Decimal:
    parts = (part for line in detail["lineas"] for part in line["asignaciones"])
    return sum((Decimal(str(part["cantidadDocumento"])) for part in parts), Decimal(0))


async def read(browser: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await browser.get(f"{PLANNINGS}/{detail['id']}")).json()
    return found


# --- a post without a reply that commits later


@pytest.mark.parametrize("then", ["reprocesar", "replanificar", "cerrar"])
async def test_a_document_given_up_after_a_lost_reply_can_no_longer_appear(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock, then: str
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), path="$batch"))
    assert states(await executed(bodega, detail)) == ["incierto"]
    clock.advance(200)
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    refused = await reprocess(bodega, detail)
    assert (states(refused), refused["documentos"][0]["clase"]) == (["error"], "stock")
    if then == "cerrar":
        assert (await bodega.post(f"{PLANNINGS}/{detail['id']}/cerrar", json={})).status_code == 200
    elif then == "replanificar":
        body = {"version": refused["version"]}
        anew = await bodega.post(f"{PLANNINGS}/{detail['id']}/replanificar", json=body)
        assert set(states(await executed(bodega, anew.json()))) == {"omitido", "creado"}
    else:
        assert set(states(await reprocess(bodega, refused))) == {"omitido", "creado"}
    await stocked.sim.late_commits()
    assert returned_quantity(stocked.sim, detail["id"]) == (0 if then == "cerrar" else planned(detail))


async def test_a_retryable_failure_is_posted_again_although_its_first_key_is_used_up(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=BadGateway(), path="$batch"))
    assert states(await executed(bodega, detail)) == ["incierto"]
    clock.advance(200)
    stocked.sim.faults.add(Fault(action=PERIOD, path="$batch"))
    assert states(await reprocess(bodega, detail)) == ["error"]
    assert states(await reprocess(bodega, detail)) == ["creado"]
    assert returned_quantity(stocked.sim, detail["id"]) == planned(detail)


@pytest.mark.parametrize("fence", ["on", "off"])
async def test_a_refusal_caused_by_the_document_itself_is_not_a_failure(
    open_service: "OpenService", clock: ManualClock, fence: str
) -> None:
    """The first post commits between the lookup and the second post, which then lacks stock."""
    error = json.dumps({"error": {"code": -10, "message": {"lang": "en-us", "value": NO_STOCK.text}}})
    lost = Answer(status=400, body=error, content_type="application/json", when=When.AFTER_WORK)
    post = "$batch" if fence == "on" else "PurchaseReturns"
    async with (
        run_sim(seed="returns", switches=Switches(sql_grants=GRANTED)) as sim,
        open_service(sim, EXECUTION_FENCE=fence) as service,
        service.signed_in("manager") as manager,
    ):
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        detail = await plan(manager, *plain_items(sim, 1))
        sim.faults.add(Fault(action=BadGateway(), method="POST", path=post))
        assert states(await executed(manager, detail)) == ["incierto"]
        clock.advance(200)
        sim.faults.add(Fault(action=lost, method="POST", path=post))
        assert states(await reprocess(manager, detail)) == ["creado"]
        assert returned_quantity(sim, detail["id"]) == planned(detail)


# --- replanning that is not possible yet


async def test_a_stop_before_replanning_leaves_the_failures_to_the_next_run(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    for nth, refusal in enumerate((NO_STOCK, PERIOD), 1):
        stocked.sim.faults.add(Fault(action=refusal, path="$batch", nth=nth))
    failed = await executed(bodega, detail)
    assert [each["clase"] for each in failed["documentos"]] == ["stock", "periodo"]
    stocked.components.execution.stop()
    stopped = await reprocess(bodega, detail)
    assert stopped == await read(bodega, detail)
    assert (stopped["estado"], states(stopped)) == ("con_errores", ["error", "pendiente"])


# --- approvals


@asynccontextmanager
async def approving(open_service: "OpenService") -> AsyncIterator["Service"]:
    switches = Switches(sql_grants=GRANTED, approval_procedure=frozenset({"PurchaseReturns"}))
    async with run_sim(seed="returns", switches=switches) as sim, open_service(sim) as service:
        async with service.signed_in() as manager:
            assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        yield service


def draft_of(sim: Simulator, planning_id: int) -> dict[str, Any]:
    rows: Any = sim.world.company.rows("Drafts")
    (draft,) = [row for row in rows if row.get("U_LIB_Odev") == planning_id]
    found: dict[str, Any] = draft
    return found


async def add_as_document(sim: Simulator, draft: dict[str, Any]) -> None:
    async with administrator_of(sim) as layer:
        body = {"Document": {"DocEntry": draft["DocEntry"]}}
        answer = await layer.post("DraftsService_SaveDraftToDocument", json=body)
        assert answer.status_code in (200, 204), answer.text


async def test_a_draft_that_becomes_a_return_between_two_lookups_is_found(
    open_service: "OpenService",
) -> None:
    async with approving(open_service) as service, service.signed_in("bodega") as bodega:
        detail = await plan(bodega, *plain_items(service.sim, 1))
        assert states(await executed(bodega, detail)) == ["en_aprobacion"]
        service.sim.calls.clear()
        service.sim.faults.add(Fault(action=Delay(seconds=1), method="GET", path="PurchaseReturns"))
        service.sim.faults.add(Fault(action=Delay(seconds=1.5), method="GET", path="Drafts"))
        running = asyncio.create_task(reprocess(bodega, detail))
        await service.arrived("GET", "Drafts")
        await add_as_document(service.sim, draft_of(service.sim, detail["id"]))
        assert states(await running) == ["creado"]


@pytest.mark.parametrize("anew", [False, True])
async def test_a_rejected_draft_approved_later_is_found_before_replanning(
    open_service: "OpenService", *, anew: bool
) -> None:
    async with approving(open_service) as service, service.signed_in("bodega") as bodega:
        sim = service.sim
        detail = await plan(bodega, *plain_items(sim, 1))
        assert states(await executed(bodega, detail)) == ["en_aprobacion"]
        draft = draft_of(sim, detail["id"])
        with sim.world.company.transaction():
            sim.world.company.update("Drafts", {**draft, "AuthorizationStatus": "dasRejected"})
        refused = await reprocess(bodega, detail)
        assert (states(refused), refused["documentos"][0]["mensaje"][:27]) == (
            ["error"],
            "La aprobación fue rechazada",
        )
        await add_as_document(sim, draft)
        assert states(await reprocess(bodega, detail, replanificar=anew)) == ["creado"]
        assert returned_quantity(sim, detail["id"]) == planned(detail)


# --- two processes


async def test_two_processes_that_execute_a_planning_at_once_use_the_same_keys(
    stocked: "Service", bodega: httpx2.AsyncClient, open_service: "OpenService"
) -> None:
    """Only one process should run. The fence also protects if a second one is started by mistake."""
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    async with open_service(stocked.sim) as second, second.signed_in("manager") as other:
        for path in ("LIB_ODEV(*)", "$batch"):
            stocked.sim.faults.add(Fault(action=Delay(seconds=0.3), path=path, times=4))
        answers = await asyncio.gather(execute(bodega, detail), execute(other, detail))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert returned_quantity(stocked.sim, detail["id"]) == planned(detail)
    result = await reprocess(bodega, detail)
    assert set(states(result)) == {"creado"}


async def test_a_post_that_never_arrived_is_repeated_after_the_wait(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="$batch"))
    assert states(await executed(bodega, detail)) == ["incierto"]
    clock.advance(200)
    assert states(await reprocess(bodega, detail)) == ["creado"]
    assert returned_quantity(stocked.sim, detail["id"]) == planned(detail)


# --- row of the key


async def use_up(sim: Simulator, detail: dict[str, Any]) -> None:
    """Use up the first document's key, like a run that is killed right afterwards."""
    async with administrator_of(sim) as layer:
        record = (await layer.get(f"LIB_ODEV({detail['id']})")).json()
        key = record["LIB_DEV3Collection"][0]["U_Clave"]
        assert (await layer.post("U_LIB_CLAVE", json={"Code": key, "Name": key})).status_code == 201


@pytest.mark.parametrize("code", [-10, -2028])
async def test_a_used_key_prevents_a_post_and_a_new_plan(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock, code: int
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=BadGateway(), path="$batch"))
    assert states(await executed(bodega, detail)) == ["incierto"]
    await use_up(stocked.sim, detail)
    clock.advance(200)
    stocked.sim.faults.add(Fault(action=Refuse(status=400, code=code, text="no"), path="$batch"))
    result = await reprocess(bodega, detail)
    assert states(result) == ["incierto"]
    assert "La clave ya está usada" in result["documentos"][0]["mensaje"]
    clock.advance(200)
    assert states(await reprocess(bodega, detail)) == ["error"]
    assert states(await reprocess(bodega, detail, replanificar=True)) == ["omitido", "creado"]
    assert returned_quantity(stocked.sim, detail["id"]) == planned(detail)


async def test_a_failure_is_final_only_after_its_key_is_used_up(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=BadGateway(), path="$batch"))
    assert states(await executed(bodega, detail)) == ["incierto"]
    clock.advance(200)
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    stocked.sim.faults.add(
        Fault(action=Refuse(status=400, code=-5002, text="no"), method="POST", path="U_LIB_CLAVE")
    )
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json={})
    assert (answer.status_code, answer.json()["code"]) == (400, "upstream_rejected")
    assert states(await read(bodega, detail)) == ["en_proceso"]
    clock.advance(200)
    assert states(await reprocess(bodega, detail)) == ["creado"]
    assert returned_quantity(stocked.sim, detail["id"]) == planned(detail)
