"""A request without a reply is reported as unknown, not as a failed read or as undone."""

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
from structlog.testing import capture_logs

from erpsim.company.switches import Switches
from erpsim.faults import BadGateway, Delay, Drop, Fault, Refuse, When
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

QUICK = {"SL_TIMEOUT": "1.5"}
LOST = "No se recibió la respuesta del ERP y no se sabe si la operación se realizó."


async def read(browser: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await browser.get(f"{PLANNINGS}/{detail['id']}")).json()
    return found


def audited(logs: list[Any]) -> list[tuple[str, str | None]]:
    return [(line["result"], line.get("reason")) for line in logs if line["event"] == "AUDIT"]


# --- returns


@pytest.mark.check
async def test_a_post_in_a_hanging_session_is_an_unknown_outcome(
    stocked: "Service", open_service: "OpenService", clock: ManualClock
) -> None:
    """Lookup and record wait behind the post, in the same session of the ERP."""
    async with (
        open_service(stocked.sim, **QUICK) as service,
        service.signed_in("bodega") as bodega,
        service.signed_in("manager", ip="10.0.0.9") as manager,
    ):
        detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
        stocked.sim.faults.add(Fault(action=Delay(seconds=8), method="POST", path="$batch"))
        with capture_logs() as logs:
            answer = await execute(bodega, detail)
        assert (answer.status_code, answer.json()["code"]) == (504, "outcome_unknown")
        assert answer.json()["message"].startswith(LOST)
        assert audited(logs) == [("unknown", "outcome_unknown")]
        cut_off = await read(manager, detail)
        assert states(cut_off) in (["en_proceso", "en_proceso"], ["incierto", "pendiente"])
        assert "reprocesar" in cut_off["acciones"]
        clock.advance(200)
        async with stocked.signed_in("manager") as patient:
            done = await reprocess(patient, detail)
        assert set(states(done)) == {"creado"}
    assert len(returns_of(stocked.sim, detail["id"])) == 2


async def test_a_failed_lookup_after_a_post_stops_the_run(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="$batch"))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="PurchaseReturns", nth=2))
    answer = await execute(bodega, detail)
    assert answer.status_code == 200, answer.text
    lost = answer.json()
    assert (lost["estado"], states(lost)) == ("con_errores", ["incierto", "pendiente"])
    assert lost["documentos"][0]["mensaje"].startswith("El ERP no respondió y no se pudo buscar")
    assert lost == await read(bodega, detail)
    done = await reprocess(bodega, detail)
    assert states(done)[0] == "creado"
    assert len(returns_of(stocked.sim, detail["id"])) == states(done).count("creado")


async def test_a_lost_post_is_reported_even_if_its_record_failed(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), method="POST", path="$batch"))
    refused = Refuse(status=400, code=-1116, text="no")
    stocked.sim.faults.add(Fault(action=refused, method="PATCH", path="LIB_ODEV(*)", nth=2))
    with capture_logs() as logs:
        answer = await execute(bodega, detail)
    assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
    assert audited(logs) == [("unknown", "outcome_unknown")]


# --- rows of the fence


@pytest.mark.parametrize("when", [When.BEFORE_WORK, When.AFTER_WORK])
async def test_a_key_row_without_a_reply_is_looked_up_and_prevents_a_second_post(
    open_service: "OpenService", clock: ManualClock, when: When
) -> None:
    switches = Switches(sql_grants=GRANTED, approval_procedure=frozenset({"PurchaseReturns"}))
    async with run_sim(seed="returns", switches=switches) as sim, open_service(sim) as service:
        async with service.signed_in() as manager:
            assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        async with service.signed_in("bodega") as bodega:
            detail = await plan(bodega, *items_of_different_suppliers(sim, 2))
            sim.faults.add(Fault(action=Drop(when=when), method="POST", path="U_LIB_CLAVE"))
            with capture_logs() as logs:
                answer = await execute(bodega, detail)
            if when is When.AFTER_WORK:
                assert answer.status_code == 200, answer.text
                assert states(answer.json()) == ["incierto", "en_aprobacion"]
                assert "La clave ya está usada" in answer.json()["documentos"][0]["mensaje"]
                return
            assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
            assert audited(logs) == [("unknown", "outcome_unknown")]
            assert states(await read(bodega, detail)) == ["en_proceso", "pendiente"]
            clock.advance(200)
            assert states(await reprocess(bodega, detail))[0] == "en_aprobacion"


@pytest.mark.parametrize("when", [When.BEFORE_WORK, When.AFTER_WORK])
async def test_the_proof_row_of_the_fence_is_looked_up_after_a_lost_reply(
    open_service: "OpenService", when: When
) -> None:
    async with (
        run_sim(seed="returns", switches=Switches(sql_grants=GRANTED)) as sim,
        open_service(sim, HAS_BACKUP="true") as service,
        service.signed_in() as manager,
    ):
        sim.faults.add(Fault(action=Drop(when=when), method="POST", path="U_LIB_CLAVE"))
        answer = await manager.post("/api/metadata/rebuild")
        if when is When.BEFORE_WORK:
            assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
            answer = await manager.post("/api/metadata/rebuild")
        assert answer.status_code == 200, answer.text
        assert set(states(await executed(manager, await plan(manager, *plain_items(sim, 1))))) == {"creado"}
