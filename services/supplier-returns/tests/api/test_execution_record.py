"""The record matches the returns in the ERP after late writes, lost replies and changes by users."""

import asyncio
import hashlib
import re
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
from erpsim.faults import BadGateway, CommitLate, Delay, Fault, Refuse
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

NO_STOCK = Refuse(status=400, code=-10, text="Quantity falls into negative inventory")
LOCKED = Refuse(status=400, code=-4013, text="Posting period locked; specify an alternative date")


async def read_planning(client: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    answer = await client.get(f"{PLANNINGS}/{detail['id']}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# --- giving up and replanning in one write


async def test_failed_documents_are_kept_if_replanning_is_impossible(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    failed = await executed(bodega, detail)
    assert states(failed) == ["error", "creado"]
    stocked.sim.faults.add(Fault(action=BadGateway(), path="SQLQueries('DP_Stock')/List"))
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar")
    assert answer.status_code == 502, answer.text
    stocked.sim.faults.clear()
    after = await read_planning(bodega, detail)
    assert (after["estado"], states(after)) == ("con_errores", ["error", "creado"])
    before = len(stocked.sim.calls.of("POST", "SQLQueries('DP_Stock')/List"))
    done = await reprocess(bodega, after)
    assert states(done) == ["omitido", "creado", "creado"]
    assert len(stocked.sim.calls.of("POST", "SQLQueries('DP_Stock')/List")) == before + 1, (
        "nothing else needs it"
    )
    assert len(returns_of(stocked.sim, detail["id"])) == 2


async def test_a_run_that_stops_before_replanning_returns_the_recorded_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    stocked.sim.faults.add(Fault(action=LOCKED, path="$batch", nth=2))
    failed = await executed(bodega, detail)
    assert [each["clase"] for each in failed["documentos"]] == ["stock", "periodo"], failed
    stocked.sim.faults.clear()
    stocked.sim.calls.clear()
    stocked.sim.faults.add(Fault(action=Delay(seconds=0.5), path="LIB_ODEV(*)", method="PATCH"))
    running = asyncio.create_task(reprocess(bodega, failed))
    await stocked.arrived("PATCH", f"LIB_ODEV({detail['id']})")
    stocked.components.execution.stop()
    response = await running
    assert response == await read_planning(bodega, detail)
    assert (response["estado"], states(response)[0]) == ("con_errores", "error")


# --- only chosen documents are created


async def test_reprocessing_creates_only_the_chosen_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    failed = (await execute(bodega, detail, documentos=[1])).json()
    assert states(failed) == ["error", "pendiente", "pendiente"]
    again = await reprocess(bodega, failed)
    assert states(again) == ["omitido", "pendiente", "pendiente", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_reprocessing_missing_documents_makes_no_further_calls(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    done = (await execute(bodega, detail, documentos=[1])).json()
    with stocked.counting() as calls:
        refused = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json={"documentos": [1, 99]})
    assert (refused.status_code, refused.json().get("code")) == (404, "document_not_found")
    assert refused.json()["documento"] == 99
    assert [call.path for call in calls] == [f"LIB_ODEV({detail['id']})"]
    assert await read_planning(bodega, detail) == done


# --- the record matches the posted content


async def test_the_recorded_digest_is_that_of_the_posted_return(
    stocked: "Service", bodega: httpx2.AsyncClient, open_service: "OpenService"
) -> None:
    def recorded() -> tuple[str, str]:
        rows: Any = stocked.sim.world.company.rows("LIB_ODEV")
        (row,) = (row["LIB_DEV3Collection"][0] for row in rows if row["DocEntry"] == detail["id"])
        return row["U_Clave"], row["U_Huella"]

    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 1))
    path = f"{PLANNINGS}/{detail['id']}"
    stocked.components.execution.stop()
    remaining = await executed(bodega, detail)
    assert states(remaining) == ["pendiente"]
    key, _ = recorded()
    changed = await bodega.patch(
        f"{path}/cabecera", json={"version": remaining["version"], "comentario": "otro"}
    )
    assert changed.status_code == 200, changed.text
    async with open_service(stocked.sim) as second, second.signed_in("bodega", ip="10.0.0.8") as other:
        assert states(await reprocess(other, detail)) == ["creado"]
    (sent,) = (call.body for call in stocked.sim.calls.of("POST", "$batch") if b'"otro"' in call.body)
    posted = re.findall(rb"\r\n\r\n(\{.*?\})\r\n--", sent, re.DOTALL)[-1]
    assert recorded() == (key, hashlib.sha256(posted).hexdigest())


# --- the ERP has more than the record


async def test_a_return_cancelled_in_the_erp_is_shown_as_cancelled(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    done = await executed(bodega, await plan(bodega, *items_of_different_suppliers(stocked.sim, 2)))
    entry = done["documentos"][0]["docEntry"]
    Desk(stocked.sim.world).act("PurchaseReturns", entry, "Cancel")
    again = await reprocess(bodega, done)
    assert states(again) == ["anulado", "creado"]
    assert again["estado"] == "ejecutada", "another of its returns exists"
    assert [line["estado"] for line in again["lineas"]].count("devuelta") == 1


async def test_a_planning_whose_returns_were_all_cancelled_has_errors(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    done = await executed(bodega, await plan(bodega, *items_of_different_suppliers(stocked.sim, 2)))
    for document in done["documentos"]:
        Desk(stocked.sim.world).act("PurchaseReturns", document["docEntry"], "Cancel")
    again = await reprocess(bodega, done)
    assert (again["estado"], states(again)) == ("con_errores", ["anulado", "anulado"])
    path = f"{PLANNINGS}/{done['id']}"
    assert (await bodega.get(path)).json() == again
    listed = (await bodega.get(PLANNINGS)).json()["datos"]
    assert [each["estado"] for each in listed if each["id"] == done["id"]] == ["con_errores"]
    assert {"lineas", "cerrar"} <= set(again["acciones"])
    added = {
        "version": again["version"],
        "lineas": [{"itemCode": done["lineas"][0]["itemCode"], "cantidad": 1}],
    }
    more = (await bodega.post(f"{path}/lineas", json=added)).json()
    made = await executed(bodega, more)
    assert (made["estado"], states(made)) == ("ejecutada", ["anulado", "anulado", "creado"])


@pytest.mark.check
async def test_a_late_plan_loses_no_return(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    path = f"{PLANNINGS}/{detail['id']}"
    late = await bodega.patch(f"{path}/lineas/1", json={"version": 1, "motivo": None, "cantidad": 1})
    assert late.status_code in (502, 504), late.text
    stocked.sim.faults.clear()
    done = await executed(bodega, await read_planning(bodega, detail))
    await stocked.sim.late_commits()
    spoiled = await read_planning(bodega, detail)
    assert states(spoiled) == ["pendiente", "pendiente"]
    again = await reprocess(bodega, spoiled)
    assert (again["estado"], states(again)) == ("ejecutada", ["creado", "creado"])
    assert [each["docEntry"] for each in again["documentos"]] == [
        each["docEntry"] for each in done["documentos"]
    ]


@pytest.mark.check
async def test_a_late_plan_and_closing_lose_no_return(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    path = f"{PLANNINGS}/{detail['id']}"
    assert (await bodega.post(f"{path}/replanificar", json={"version": 1})).status_code in (200, 502, 504)
    late = await bodega.patch(f"{path}/lineas/1", json={"version": 1, "cantidad": 1})
    assert late.status_code in (502, 504), late.text
    stocked.sim.faults.clear()
    await executed(bodega, await read_planning(bodega, detail))
    await stocked.sim.late_commits()
    closed = await bodega.post(f"{path}/cerrar")
    assert closed.status_code == 200, closed.text
    assert states(closed.json()) == ["creado", "creado"]


async def test_the_end_of_a_run_overwrites_a_late_write(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    """The first run's start reaches the record between the second run's document and its end."""
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    assert (await execute(bodega, detail)).status_code == 502
    stocked.sim.faults.clear()
    begin_end = 2
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="LIB_ODEV(*)", nth=begin_end))
    running = asyncio.create_task(executed(bodega, await read_planning(bodega, detail)))
    async with asyncio.timeout(60):
        while not returns_of(stocked.sim, detail["id"]):  # noqa: ASYNC110 - the ERP signals nothing
            await asyncio.sleep(0.01)
    await stocked.sim.late_commits()
    done = await running
    assert (done["estado"], states(done)) == ("ejecutada", ["creado"])
    assert await read_planning(bodega, detail) == done


async def test_a_late_header_change_does_not_leave_a_wrong_state(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    path = f"{PLANNINGS}/{detail['id']}"
    late = await bodega.patch(f"{path}/cabecera", json={"version": 1, "comentario": "tarde"})
    assert late.status_code in (502, 504), late.text
    stocked.sim.faults.clear()
    await executed(bodega, await read_planning(bodega, detail))
    await stocked.sim.late_commits()
    spoiled = await read_planning(bodega, detail)
    assert (spoiled["estado"], states(spoiled)) == ("planificada", ["creado", "creado"])
    again = await reprocess(bodega, spoiled)
    assert (again["estado"], states(again)) == ("ejecutada", ["creado", "creado"])
    listed = (await bodega.get(PLANNINGS)).json()["datos"][0]
    assert (listed["estado"], listed["creados"]) == ("ejecutada", 2)
    assert await read_planning(bodega, detail) == again


@pytest.mark.check
async def test_a_return_of_a_given_up_document_is_reported(
    stocked: "Service", open_service: "OpenService", clock: ManualClock
) -> None:
    """Without the fence the post takes longer than the waiting time, and the document fails meanwhile."""
    async with open_service(stocked.sim, EXECUTION_FENCE="off") as service, service.signed_in() as manager:
        detail = await plan(manager, *items_of_different_suppliers(service.sim, 1))
        late = Fault(action=CommitLate(seconds=600), method="POST", path="PurchaseReturns")
        service.sim.faults.add(late)
        lost = await executed(manager, detail)
        assert states(lost) == ["incierto"]
        clock.advance(200)
        service.sim.faults.add(Fault(action=LOCKED, method="POST", path="PurchaseReturns"))
        failed = await reprocess(manager, lost)
        assert states(failed) == ["error"]
        await service.sim.late_commits()
        closed = await manager.post(f"{PLANNINGS}/{detail['id']}/cerrar")
        assert closed.status_code == 200, closed.text
        assert states(closed.json()) == ["creado"]


async def test_every_return_of_a_planning_gets_a_document(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    done = await executed(bodega, await plan(bodega, *items_of_different_suppliers(stocked.sim, 2)))
    desk = Desk(stocked.sim.world)
    item = plain_items(stocked.sim, 1)[0]
    line = {"ItemCode": item, "WarehouseCode": "01"}
    desk.create("InventoryGenEntries", {"DocumentLines": [{**line, "Quantity": 101}]})
    for number in range(10, 111):
        desk.create(
            "PurchaseReturns",
            {
                "CardCode": done["documentos"][0]["cardCode"],
                "U_LIB_Clave": f"ODEV-{done['id']}-{number}-0badcafe",
                "U_LIB_Odev": done["id"],
                "DocumentLines": [{**line, "Quantity": 1}],
            },
        )
    again = await reprocess(bodega, done)
    assert (again["estado"], set(states(again))) == ("ejecutada", {"creado"})
    assert {each["docEntry"] for each in again["documentos"]} == {
        row["DocEntry"] for row in returns_of(stocked.sim, done["id"])
    }
    assert "ningún documento la nombraba" in again["documentos"][-1]["mensaje"]
    assert await read_planning(bodega, done) == again
    assert await reprocess(bodega, again) == again


async def test_goods_of_a_late_closing_are_not_sent_twice(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    path = f"{PLANNINGS}/{detail['id']}"
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    assert (await bodega.post(f"{path}/cerrar", json={})).json()["code"] == "outcome_unknown"
    async with stocked.signed_in() as another:
        assert states(await executed(another, detail)) == ["creado"]
        await stocked.sim.late_commits()
        dropped = await read_planning(another, detail)
        assert (dropped["estado"], states(dropped)) == ("planificada", ["omitido"])
        anew = await another.post(f"{path}/replanificar", json={"version": dropped["version"]})
        assert states(anew.json()) == ["omitido", "pendiente"]
        refused = await execute(another, anew.json())
        assert refused.status_code == 409, states(refused.json())
        assert refused.json()["code"] == "stale_version"
        result = await read_planning(another, detail)
        assert refused.json()["version"] == result["version"]
        assert states(result) == ["creado", "pendiente"]
        assert "apareció en el ERP" in result["documentos"][0]["mensaje"]
        assert "Compárelas antes de ejecutarla" in result["documentos"][1]["mensaje"]
        assert len(returns_of(stocked.sim, detail["id"])) == 1
        assert states(await executed(another, result)) == ["creado", "creado"], "whoever has seen it may"


# --- a late plan during a run


CHANGED = "El plan cambió mientras se hacía esta devolución: compárela con lo planificado."


async def _late_plan(
    service: "Service", client: httpx2.AsyncClient, way: str, body: object
) -> dict[str, Any]:
    """Plan for two suppliers and change the plan without a reply. The change arrives when it is released."""
    detail = await plan(client, *items_of_different_suppliers(service.sim, 2))
    service.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    late = await client.patch(f"{PLANNINGS}/{detail['id']}/{way}", json=body)
    assert late.status_code in (502, 504), late.text
    service.sim.faults.clear()
    return detail


async def _meanwhile(service: "Service", detail: dict[str, Any], *, made: int) -> None:
    """Release the change as soon as this many returns exist."""
    async with asyncio.timeout(60):
        while len(returns_of(service.sim, detail["id"])) < made:  # noqa: ASYNC110 - the ERP signals nothing
            await asyncio.sleep(0.01)
    await service.sim.late_commits()


async def test_a_late_plan_during_a_run_is_reported_on_differing_returns(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await _late_plan(stocked, bodega, "lineas/1", {"version": 1, "cantidad": 1})
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="LIB_ODEV(*)", nth=2))
    running = asyncio.create_task(executed(bodega, detail))
    await _meanwhile(stocked, detail, made=2)
    done = await running
    assert (done["estado"], states(done)) == ("ejecutada", ["creado", "creado"])
    assert [each["mensaje"] for each in done["documentos"]] == [CHANGED, None]
    assert await read_planning(bodega, detail) == done
    assert await reprocess(bodega, done) == done


async def test_new_documents_of_a_late_plan_wait_for_a_person(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await _late_plan(stocked, bodega, "lineas/1", {"version": 1, "excluida": True})
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="LIB_ODEV(*)", nth=2))
    running = asyncio.create_task(execute(bodega, detail, documentos=[1]))
    await _meanwhile(stocked, detail, made=1)
    done = (await running).json()
    assert (done["estado"], states(done)) == ("planificada", ["creado", "pendiente"])
    assert done["documentos"][0]["mensaje"] == CHANGED
    assert "Compárelas antes de ejecutarla" in done["documentos"][1]["mensaje"]


async def test_reprocessing_reports_a_late_plan_of_an_interrupted_run(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await _late_plan(stocked, bodega, "lineas/1", {"version": 1, "cantidad": 1})
    stocked.sim.faults.add(Fault(action=Delay(seconds=1), method="PATCH", path="LIB_ODEV(*)"))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="PATCH", path="LIB_ODEV(*)", nth=2, times=5))
    running = asyncio.create_task(execute(bodega, detail))
    await asyncio.sleep(0.5)
    await stocked.sim.late_commits()
    assert (await running).json()["code"] == "outcome_unknown"
    stocked.sim.faults.clear()
    done = await reprocess(bodega, detail)
    assert states(done) == ["creado", "creado"]
    assert [each["mensaje"] for each in done["documentos"]] == [CHANGED, None]


@pytest.mark.parametrize(("method", "nth"), [("GET", 2), ("PATCH", 3)])
async def test_reprocessing_reports_content_that_could_not_be_compared(
    stocked: "Service", bodega: httpx2.AsyncClient, method: str, nth: int
) -> None:
    detail = await _late_plan(stocked, bodega, "lineas/1", {"version": 1, "cantidad": 1})
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="LIB_ODEV(*)", nth=2))
    away = Fault(action=BadGateway(), method=method, path="LIB_ODEV(*)", nth=nth, times=5)
    stocked.sim.faults.add(away)
    running = asyncio.create_task(executed(bodega, detail))
    await _meanwhile(stocked, detail, made=2)
    done = await running
    stocked.sim.faults.clear()
    assert [each["mensaje"] for each in done["documentos"]] == [None, None], (
        "nothing is told that is not on record"
    )
    result = await reprocess(bodega, done)
    assert [each["mensaje"] for each in result["documentos"]] == [CHANGED, None]
    assert await read_planning(bodega, detail) == result


async def test_documents_of_a_late_plan_get_their_own_version(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    *items, more = items_of_different_suppliers(stocked.sim, 3)
    detail = await plan(bodega, *items)
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    added = {"version": 1, "lineas": [{"itemCode": more, "cantidad": 1}]}
    late = await bodega.post(f"{PLANNINGS}/{detail['id']}/lineas", json=added)
    assert late.json()["code"] == "outcome_unknown"
    stocked.sim.faults.clear()
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="LIB_ODEV(*)", nth=2))
    running = asyncio.create_task(executed(bodega, detail))
    await _meanwhile(stocked, detail, made=2)
    done = await running
    assert (done["estado"], states(done)) == ("planificada", ["creado", "creado", "pendiente"])
    assert await read_planning(bodega, detail) == done


async def test_a_plan_after_the_end_keeps_created_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await _late_plan(stocked, bodega, "lineas/1", {"version": 1, "cantidad": 1})
    path = f"LIB_ODEV({detail['id']})"
    stocked.sim.faults.add(Fault(action=Delay(seconds=2), method="GET", path=path, nth=2))
    reads = len(stocked.sim.calls.of("GET", path))
    running = asyncio.create_task(executed(bodega, detail))
    await stocked.arrived("GET", path, reads + 2)
    await stocked.sim.late_commits()
    done = await running
    assert (done["estado"], states(done)) == ("ejecutada", ["creado", "creado"])
    assert [each["mensaje"] for each in done["documentos"]] == [CHANGED, None]
    assert await read_planning(bodega, detail) == done
