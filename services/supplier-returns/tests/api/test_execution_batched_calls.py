"""Executions that record and look up many documents in one call keep every guarantee."""

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import (
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

from erpsim.desk import Desk
from erpsim.faults import BadGateway, CommitLate, Delay, Drop, ExpireSession, Fault, Refuse, When
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

NO_MATCH = Refuse(status=400, code=-2028, text="No matching records found (ODBC -2028)")
SHORT = Refuse(status=400, code=-10, text="Quantity falls into negative inventory")
RULE = Refuse(status=400, code=-10, text="Regla de la empresa")
RECORD = "LIB_ODEV(*)"
LATE = CommitLate(seconds=600)


async def read_planning(browser: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await browser.get(f"{PLANNINGS}/{detail['id']}")).json()
    return found


async def ask(browser: httpx2.AsyncClient, detail: dict[str, Any], **body: Any) -> httpx2.Response:
    return await browser.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json=body)


async def test_documents_of_a_late_whole_record_are_unsent(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    """The start writes every row, because the ERP had more than the record. Goods moved meanwhile."""
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="$batch", nth=2))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="PurchaseReturns", nth=2))
    assert states((await execute(bodega, detail)).json()) == ["creado", "incierto", "pendiente"]
    company = stocked.sim.world.company
    row = returns_of(stocked.sim, detail["id"])[0]
    with company.transaction():
        company.update("PurchaseReturns", {**row, "FolioNumber": 4711})
    stocked.sim.faults.clear()
    stocked.sim.faults.add(Fault(action=LATE, method="PATCH", path=RECORD))
    assert (await ask(bodega, detail)).json()["code"] == "outcome_unknown"
    async with stocked.signed_in() as another:
        stocked.sim.faults.add(Fault(action=SHORT, path="$batch"))
        assert states(await reprocess(another, detail)) == ["creado", "creado", "error"]
        assert states(await reprocess(another, detail)) == ["creado", "creado", "omitido", "creado"]
        await stocked.sim.late_commits()
        clock.advance(200)
        await reprocess(another, detail)
        clock.advance(200)
        result = await reprocess(another, detail)
        assert len(returns_of(stocked.sim, detail["id"])) == 3
        assert "Compárelas" in result["documentos"][2]["mensaje"]


async def test_a_refusal_is_recorded_before_the_next_post(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    """The lookup used up the document's key, so a lost record could not be restored."""
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=NO_MATCH, path="$batch"))
    stocked.sim.faults.add(Fault(action=NO_MATCH, method="POST", path="PurchaseReturns"))
    stocked.sim.faults.add(Fault(action=ExpireSession(), path="$batch", nth=3))
    assert (await execute(bodega, detail)).status_code == 401
    async with stocked.signed_in() as another:
        first = (await read_planning(another, detail))["documentos"][0]
        assert (first["estado"], first["clase"], NO_MATCH.text in first["mensaje"]) == (
            "error",
            "maestro",
            True,
        )
        clock.advance(200)
        await reprocess(another, detail)
        done = await reprocess(another, detail)
    assert (done["estado"], states(done)) == ("ejecutada", ["omitido", "creado", "creado", "creado"])
    assert len(returns_of(stocked.sim, detail["id"])) == 3


async def test_a_recorded_refusal_survives_a_lost_plan(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=SHORT, path="$batch"))
    stocked.sim.faults.add(Fault(action=RULE, path="$batch", nth=2))
    assert states(await executed(bodega, detail)) == ["error", "error"]
    stocked.sim.faults.add(Fault(action=NO_MATCH, path="$batch"))
    stocked.sim.faults.add(Fault(action=NO_MATCH, method="POST", path="PurchaseReturns"))
    begin_end_plan = 3
    lost = Fault(action=Drop(when=When.BEFORE_WORK), method="PATCH", path=RECORD, nth=begin_end_plan)
    stocked.sim.faults.add(lost)
    assert (await ask(bodega, detail)).json()["code"] == "outcome_unknown"
    result = await read_planning(bodega, detail)
    assert [each["clase"] for each in result["documentos"]] == ["stock", "maestro"]
    stocked.sim.faults.clear()
    done = await reprocess(bodega, detail)
    assert (done["estado"], states(done)) == ("ejecutada", ["omitido", "omitido", "creado", "creado"])


async def test_a_recorded_lost_post_is_reported_despite_later_errors(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=SHORT, path="$batch"))
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="$batch", nth=2))
    assert states(await executed(bodega, detail)) == ["error", "incierto"]
    clock.advance(200)
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="$batch"))
    stocked.sim.faults.add(Fault(action=BadGateway(), path="SQLQueries('DP_Stock')*", nth=2))
    answer = await ask(bodega, detail)
    assert answer.status_code == 200, answer.text
    assert states(answer.json()) == ["error", "incierto"]
    assert answer.json() == await read_planning(bodega, detail)


@pytest.mark.parametrize("when", [When.BEFORE_WORK, When.AFTER_WORK])
async def test_unsent_documents_stay_editable_if_their_record_got_no_reply(
    stocked: "Service", bodega: httpx2.AsyncClient, when: When
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=Drop(when=when), method="PATCH", path=RECORD))
    assert (await execute(bodega, detail)).json()["code"] == "outcome_unknown"
    result = await read_planning(bodega, detail)
    assert (result["estado"], set(states(result))) == ("planificada", {"pendiente"})
    closed = await bodega.post(f"{PLANNINGS}/{detail['id']}/cerrar", json={})
    assert closed.status_code == 200, closed.text
    assert returns_of(stocked.sim, detail["id"]) == []


async def test_documents_found_before_a_failed_lookup_are_recorded(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=LATE, path="$batch"))
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="$batch", nth=2))
    assert states(await executed(bodega, detail)) == ["incierto", "incierto", "creado"]
    await stocked.sim.late_commits()
    clock.advance(200)
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="Drafts"))
    answer = await ask(bodega, detail)
    assert answer.status_code == 200, answer.text
    assert states(answer.json()) == ["creado", "incierto", "creado"]
    assert answer.json() == await read_planning(bodega, detail)
    assert states(await reprocess(bodega, detail)) == ["creado"] * 3


async def post_while_a_plan_takes_its_goods(
    stocked: "Service", bodega: httpx2.AsyncClient, another: httpx2.AsyncClient
) -> dict[str, Any]:
    """A late plan moves the goods of a document to another one during its post.

    The process of the other user was restarted, so it does not remember the write without a reply.
    """
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=RULE, path="$batch"))
    assert states(await executed(bodega, detail)) == ["error"]
    stocked.sim.faults.add(Fault(action=LATE, method="PATCH", path=RECORD, nth=2))
    assert (await ask(bodega, detail, replanificar=True)).json()["code"] == "outcome_unknown"
    stocked.sim.faults.add(Fault(action=Delay(seconds=1), method="POST", path="$batch"))
    posts = len(stocked.sim.calls.of("POST", "$batch"))
    running = asyncio.create_task(ask(another, detail))
    await stocked.arrived("POST", "$batch", posts + 1)
    await stocked.sim.late_commits()
    await running
    return await read_planning(another, detail)


async def test_goods_that_a_plan_took_from_a_running_post_wait_for_a_person(
    stocked: "Service", bodega: httpx2.AsyncClient, open_service: "OpenService"
) -> None:
    async with open_service(stocked.sim) as anew, anew.signed_in() as another:
        detail = await post_while_a_plan_takes_its_goods(stocked, bodega, another)
        assert states(detail) == ["creado", "pendiente"]
        result = await reprocess(another, detail)
        assert states(result) == ["creado", "pendiente"]
        assert "Compárelas" in result["documentos"][1]["mensaje"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_goods_that_a_plan_took_from_a_return_are_reported_before_a_post(
    stocked: "Service", bodega: httpx2.AsyncClient, open_service: "OpenService"
) -> None:
    async with open_service(stocked.sim) as anew, anew.signed_in() as another:
        detail = await post_while_a_plan_takes_its_goods(stocked, bodega, another)
        refused = await execute(another, detail)
        assert (refused.status_code, refused.json()["code"]) == (409, "stale_version")
        result = await read_planning(another, detail)
        assert "Compárelas" in result["documentos"][1]["mensaje"]
        assert len(returns_of(stocked.sim, detail["id"])) == 1
        assert states(await executed(another, result)) == ["creado", "creado"], "whoever has seen it may"


async def test_goods_that_a_plan_took_from_an_uncertain_return_wait_for_a_person(
    stocked: "Service", bodega: httpx2.AsyncClient, open_service: "OpenService"
) -> None:
    stocked.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="$batch", nth=2))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="PurchaseReturns", nth=5))
    async with open_service(stocked.sim) as anew, anew.signed_in() as another:
        detail = await post_while_a_plan_takes_its_goods(stocked, bodega, another)
        assert states(detail) == ["incierto", "pendiente"]
        result = await reprocess(another, detail)
        assert states(result) == ["creado", "pendiente"]
        assert "Compárelas" in result["documentos"][1]["mensaje"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_documents_of_another_process_are_not_reset(
    stocked: "Service", bodega: httpx2.AsyncClient, open_service: "OpenService"
) -> None:
    """A start without a reply is undone only if the record shows that very start."""
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), method="PATCH", path=RECORD))
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="GET", path=RECORD, nth=3))
    async with open_service(stocked.sim) as second, second.signed_in("manager") as other:
        reads = len(stocked.sim.calls.of("GET", f"LIB_ODEV({detail['id']})"))
        running = asyncio.create_task(execute(bodega, detail))
        async with asyncio.timeout(60):
            while len(stocked.sim.calls.of("GET", f"LIB_ODEV({detail['id']})")) < reads + 2:  # noqa: ASYNC110 - the ERP signals nothing
                await asyncio.sleep(0.01)
        done = await executed(other, detail)
        assert states(done) == ["creado", "creado"]
        assert (await running).json()["code"] == "outcome_unknown"
        assert await read_planning(other, detail) == done


async def test_replanned_documents_wait_if_the_old_return_appears(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=SHORT, path="$batch", times=2))
    assert states(await executed(bodega, detail)) == ["error", "error"]
    stocked.sim.faults.add(Fault(action=ExpireSession(), path="$batch"))
    assert (await ask(bodega, detail)).status_code == 401
    async with stocked.signed_in() as another:
        assert states(await read_planning(another, detail)) == [
            "omitido",
            "omitido",
            "en_proceso",
            "pendiente",
        ]
        line = {"ItemCode": detail["lineas"][1]["itemCode"], "WarehouseCode": "01", "Quantity": 2}
        new = {
            "CardCode": detail["documentos"][1]["cardCode"],
            "U_LIB_Clave": f"ODEV-{detail['id']}-2-0badcafe",
            "U_LIB_Odev": detail["id"],
            "DocumentLines": [line],
        }
        Desk(stocked.sim.world).create("PurchaseReturns", new)
        clock.advance(200)
        result = await reprocess(another, detail)
        assert states(result) == ["omitido", "creado", "creado", "pendiente"]
        assert "Compárelas" in result["documentos"][3]["mensaje"]
