"""Refusals of the ERP in the middle of a run: its response, its record, and the next run."""

import asyncio
import json
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
from structlog.testing import capture_logs

from erpsim.desk import Desk
from erpsim.faults import BadGateway, CommitLate, Delay, Drop, Fault, Refuse, When
from erpsim.simulator import Simulator
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

RULE = Refuse(status=400, code=-10, text="Regla de la empresa")
NO_MATCH = Refuse(status=400, code=-2028, text="No matching records found (ODBC -2028)")
FORBIDDEN = Refuse(status=403, code=-6006, text="You are not permitted to perform this action")
NOT_WRITTEN = Refuse(status=400, code=-1116, text="no")
RECORD = "LIB_ODEV(*)"
BEGIN_END = 2
"""Writes of the record until the end of a few documents is on it, where the fence is up."""
BEGIN_MARK_END = 3
"""The same of one document without the fence."""


async def read(browser: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await browser.get(f"{PLANNINGS}/{detail['id']}")).json()
    return found


def audited(logs: list[Any]) -> list[tuple[str, str | None]]:
    return [(line["result"], line.get("reason")) for line in logs if line["event"] == "AUDIT"]


# --- a return exists already


REFUSALS = (NOT_WRITTEN, Refuse(status=429, code=-1, text="busy"))


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_a_run_that_created_a_return_does_not_fail(
    stocked: "Service", open_service: "OpenService", refusal: Refuse
) -> None:
    async with open_service(stocked.sim, EXECUTION_FENCE="off") as service, service.signed_in() as manager:
        detail = await plan(manager, *items_of_different_suppliers(service.sim, 2))
        service.sim.faults.add(Fault(action=refusal, method="PATCH", path=RECORD, nth=BEGIN_MARK_END))
        with capture_logs() as logs:
            answer = await execute(manager, detail)
        assert answer.status_code == 200, answer.text
        assert states(answer.json()) == ["creado", "pendiente"]
        assert answer.json() == await read(manager, detail)
        assert audited(logs) == [("ok", None)]
        assert states(await reprocess(manager, detail)) == ["creado", "creado"]
        assert len(returns_of(service.sim, detail["id"])) == 2


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_ten_returns_with_a_refused_record_are_reported_and_the_others_wait(
    stocked: "Service", open_service: "OpenService", refusal: Refuse
) -> None:
    async with open_service(stocked.sim, MAX_LINES_PER_DOCUMENT="1") as small, small.signed_in() as manager:
        detail = await plan(manager, *plain_items(small.sim, 12))
        waiting = len(detail["documentos"]) - 10
        assert waiting > 0
        small.sim.faults.add(Fault(action=refusal, method="PATCH", path=RECORD, nth=BEGIN_END))
        with capture_logs() as logs:
            answer = await execute(manager, detail)
        assert answer.status_code == 200, answer.text
        assert states(answer.json()) == ["creado"] * 10 + ["pendiente"] * waiting
        assert answer.json() == await read(manager, detail)
        assert audited(logs) == [("ok", None)]
        assert set(states(await reprocess(manager, detail))) == {"creado"}
        assert len(returns_of(small.sim, detail["id"])) == len(detail["documentos"])


async def test_the_last_write_of_a_run_is_retried_once(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=NOT_WRITTEN, method="PATCH", path=RECORD, nth=BEGIN_END))
    done = await executed(bodega, detail)
    assert (done["estado"], states(done)) == ("ejecutada", ["creado"])
    assert done == await read(bodega, detail)


async def test_a_return_that_cannot_be_recorded_is_an_unknown_outcome(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    for nth in (BEGIN_END, BEGIN_END + 1):
        stocked.sim.faults.add(Fault(action=NOT_WRITTEN, method="PATCH", path=RECORD, nth=nth))
    with capture_logs() as logs:
        answer = await execute(bodega, detail)
    assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
    assert audited(logs) == [("unknown", "outcome_unknown")]
    assert states(await read(bodega, detail)) == ["en_proceso"]
    assert states(await reprocess(bodega, detail)) == ["creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


# --- the write of the new plan


def posted_lines(sim: Simulator) -> list[int]:
    """Return the number of lines of each posted return."""
    return [
        len(json.loads(body)["DocumentLines"])
        for call in sim.calls.of("POST", "$batch")
        for body in call.body.decode().split("\r\n")
        if '"DocumentLines"' in body
    ]


async def test_a_lost_reply_to_the_new_plan_leaves_the_record_unchanged(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    stocked.sim.calls.clear()
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=RULE, path="$batch"))
    failed = await executed(bodega, detail)
    assert [each["clase"] for each in failed["documentos"]] == ["erp"]
    begin_anew = 2
    lost = Fault(action=Drop(when=When.AFTER_WORK), method="PATCH", path=RECORD, nth=begin_anew)
    stocked.sim.faults.add(lost)
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json={"replanificar": True})
    assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
    cut_off = await read(bodega, detail)
    assert (cut_off["estado"], states(cut_off)) == ("en_proceso", ["omitido", "pendiente"])
    done = await reprocess(bodega, detail)
    assert (done["estado"], states(done)) == ("ejecutada", ["omitido", "creado"])
    assert 0 not in posted_lines(stocked.sim)
    assert len(returns_of(stocked.sim, detail["id"])) == 1


@pytest.mark.parametrize("state", ["X", "P"])
async def test_an_empty_document_is_never_posted(
    stocked: "Service", bodega: httpx2.AsyncClient, state: str
) -> None:
    """A late write restored the first document after its goods went into another one."""
    stocked.sim.calls.clear()
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=RULE, path="$batch"))
    await executed(bodega, detail)
    done = await reprocess(bodega, detail, replanificar=True)
    assert states(done) == ["omitido", "creado"]
    company = stocked.sim.world.company
    row: Any = company.get("LIB_ODEV", (detail["id"],))
    first, *others = row["LIB_DEV3Collection"]
    late = {**row, "U_Estado": "E", "LIB_DEV3Collection": [{**first, "U_Estado": state}, *others]}
    with company.transaction():
        company.update("LIB_ODEV", late)
    spoiled = await read(bodega, detail)
    assert states(spoiled) == [{"X": "error", "P": "pendiente"}[state], "creado"]
    healed = await reprocess(bodega, detail)
    assert (healed["estado"], states(healed)) == ("ejecutada", ["omitido", "creado"])
    assert healed == await read(bodega, detail)
    assert 0 not in posted_lines(stocked.sim)
    assert len(returns_of(stocked.sim, detail["id"])) == 1


# --- closing


def let_close(sim: Simulator, *, allowed: bool) -> None:
    """Allow or forbid closing records of the user object."""
    company = sim.world.company
    row: Any = company.get("UserObjectsMD", ("LIB_ODEV",))
    with company.transaction():
        company.update("UserObjectsMD", {**row, "CanClose": "tYES" if allowed else "tNO"})


async def test_a_refused_closing_reports_the_dropped_documents_and_can_be_repeated(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    let_close(stocked.sim, allowed=False)
    path = f"{PLANNINGS}/{detail['id']}"
    with capture_logs() as logs:
        answer = await bodega.post(f"{path}/cerrar", json={"motivo": "x"})
    reported = answer.json()
    assert (answer.status_code, reported["code"]) == (502, "not_closed")
    assert "ya se descartó" in reported["detail"]
    assert reported["upstream"]["message"]
    assert audited(logs) == [("error", "not_closed")]
    result = await read(bodega, detail)
    assert (result["estado"] != "cerrada", states(result)) == (True, ["omitido"])
    let_close(stocked.sim, allowed=True)
    closed = await bodega.post(f"{path}/cerrar", json={"motivo": "x"})
    assert (closed.status_code, closed.json()["estado"]) == (200, "cerrada")


@pytest.mark.parametrize("when", [When.BEFORE_WORK, When.AFTER_WORK])
@pytest.mark.parametrize(("method", "call"), [("PATCH", RECORD), ("POST", f"{RECORD}/Close")])
async def test_closing_without_a_reply_is_unknown_and_can_be_repeated(
    stocked: "Service", bodega: httpx2.AsyncClient, when: When, method: str, call: str
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=Drop(when=when), method=method, path=call))
    path = f"{PLANNINGS}/{detail['id']}"
    with capture_logs() as logs:
        answer = await bodega.post(f"{path}/cerrar", json={"motivo": "x"})
    assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
    assert audited(logs) == [("unknown", "outcome_unknown")]
    result = await read(bodega, detail)
    if method == "PATCH" and when is When.BEFORE_WORK:
        assert result == detail
    else:
        is_closed = method == "POST" and when is When.AFTER_WORK
        assert (result["estado"] == "cerrada", states(result)) == (is_closed, ["omitido"])
    again = await bodega.post(f"{path}/cerrar", json={"motivo": "x"})
    assert (again.status_code, again.json()["estado"]) == (200, "cerrada")


async def test_returns_created_before_a_late_closing_are_recorded(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    late = CommitLate(seconds=600)
    stocked.sim.faults.add(Fault(action=late, method="PATCH", path=RECORD))
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/cerrar", json={})
    assert answer.json()["code"] == "outcome_unknown"
    async with stocked.signed_in() as another:
        assert states(await executed(another, detail)) == ["creado", "creado"]
        await stocked.sim.late_commits()
        assert states(await read(another, detail)) == ["omitido", "omitido"]
        assert states(await reprocess(another, detail)) == ["creado", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 2


async def test_goods_that_may_have_been_returned_wait_for_a_person(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=RULE, path="$batch"))
    assert states(await executed(bodega, detail)) == ["error"]
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path=RECORD, nth=2))
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json={"replanificar": True})
    assert answer.json()["code"] == "outcome_unknown"
    async with stocked.signed_in() as another:
        assert states(await reprocess(another, detail)) == ["creado"]
        await stocked.sim.late_commits()
        assert len(states(await read(another, detail))) == 2
        assert states(await reprocess(another, detail)) == ["creado", "pendiente"]
        done = await reprocess(another, detail)
    assert states(done) == ["creado", "pendiente"]
    assert "Compárelas" in done["documentos"][1]["mensaje"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


# --- failed lookups


async def test_a_refused_read_of_drafts_affects_only_one_document(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=NO_MATCH, path="$batch"))
    stocked.sim.faults.add(Fault(action=FORBIDDEN, method="GET", path="Drafts", times=None))
    result = await executed(bodega, detail)
    assert states(result) == ["incierto", "creado", "creado"]
    reported = result["documentos"][0]["mensaje"]
    assert NO_MATCH.text in reported
    assert "no se pudieron leer los borradores" in reported
    clock.advance(200)
    posts = len(stocked.sim.calls.of("POST", "$batch"))
    again = await reprocess(bodega, detail)
    assert states(again) == ["incierto", "creado", "creado"]
    assert "no se pudieron leer los borradores" in again["documentos"][0]["mensaje"]
    assert len(stocked.sim.calls.of("POST", "$batch")) == posts, "a draft of it may wait"
    stocked.sim.faults.clear()
    assert states(await reprocess(bodega, detail)) == ["creado"] * 3
    assert len(returns_of(stocked.sim, detail["id"])) == 3


async def test_a_failed_read_of_drafts_keeps_the_refusal_and_stops_the_run(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=NO_MATCH, path="$batch"))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="Drafts"))
    result = await executed(bodega, detail)
    assert states(result) == ["incierto", "pendiente"]
    assert NO_MATCH.text in result["documentos"][0]["mensaje"]
    clock.advance(200)
    assert states(await reprocess(bodega, detail)) == ["creado", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 2


async def test_a_pending_document_stays_pending_if_its_drafts_cannot_be_read(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=RULE, path="$batch"))
    failed = await executed(bodega, detail)
    assert states(failed) == ["error", "creado"]
    stocked.sim.faults.add(Fault(action=FORBIDDEN, method="GET", path="Drafts"))
    result = await reprocess(bodega, failed)
    assert states(result) == ["pendiente", "creado"]
    assert "no se pudieron leer los borradores" in result["documentos"][0]["mensaje"]
    assert states(await reprocess(bodega, failed)) == ["creado", "creado"]


async def test_an_unsent_document_is_pending_and_can_be_sent_at_once(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="PurchaseReturns"))
    answer = await execute(bodega, detail)
    assert (answer.status_code, answer.json()["code"]) == (502, "upstream_failed")
    result = await read(bodega, detail)
    assert (result["estado"], states(result)) == ("planificada", ["pendiente", "pendiente"])
    assert result["documentos"][0]["mensaje"].startswith("No se envió. El ERP falló al atender")
    assert states(await reprocess(bodega, detail)) == ["creado", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 2


async def test_an_unsent_document_whose_new_record_got_no_reply_is_pending(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.calls.clear()
    stocked.sim.faults.add(Fault(action=Delay(seconds=0.5), method="GET", path="PurchaseReturns"))
    begin_mark_again = 2
    lost = Fault(action=Drop(when=When.AFTER_WORK), method="PATCH", path=RECORD, nth=begin_mark_again)
    stocked.sim.faults.add(lost)
    running = asyncio.create_task(execute(bodega, detail))
    await stocked.arrived("GET", "PurchaseReturns")
    clock.advance(20)
    answer = await running
    assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
    result = await read(bodega, detail)
    assert (states(result), result["documentos"][0]["mensaje"]) == (["pendiente"], "No se envió.")
    assert states(await reprocess(bodega, detail)) == ["creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_a_document_in_doubt_stays_so_if_its_lookup_fails(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="$batch"))
    assert states(await executed(bodega, detail)) == ["incierto"]
    clock.advance(200)
    all_marked = 2
    unasked = Fault(action=BadGateway(), method="GET", path="PurchaseReturns", nth=all_marked)
    stocked.sim.faults.add(unasked)
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json={})
    assert answer.status_code == 502, answer.text
    assert states(await read(bodega, detail)) == ["en_proceso"]


async def test_a_found_return_stays_found_if_its_record_is_refused(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    document = detail["documentos"][0]
    Desk(stocked.sim.world).create(
        "PurchaseReturns",
        {
            "CardCode": document["cardCode"],
            "U_LIB_Clave": f"ODEV-{detail['id']}-1-0badcafe",
            "U_LIB_Odev": detail["id"],
            "DocumentLines": [
                {"ItemCode": detail["lineas"][0]["itemCode"], "WarehouseCode": "01", "Quantity": 1}
            ],
        },
    )
    stocked.sim.faults.add(Fault(action=NOT_WRITTEN, method="PATCH", path=RECORD, nth=BEGIN_END))
    done = await executed(bodega, detail)
    assert (done["estado"], states(done)) == ("ejecutada", ["creado"])
    assert done == await read(bodega, detail)
    assert len(returns_of(stocked.sim, detail["id"])) == 1


# --- picks


async def with_one_batch(
    browser: httpx2.AsyncClient, detail: dict[str, Any], batch: str, quantity: int
) -> dict[str, Any]:
    answer = await browser.patch(
        f"{PLANNINGS}/{detail['id']}/lineas/1",
        json={"version": detail["version"], "lotes": [{"lote": batch, "cantidad": quantity}]},
    )
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


def batched_item(sim: Simulator) -> str:
    items: Any = sim.world.company.rows("Items")
    managed = {row["ItemCode"] for row in items if row.get("ManageBatchNumbers") == "tYES"}
    receipts: Any = sim.world.company.rows("PurchaseDeliveryNotes")
    found: str = next(
        line["ItemCode"]
        for row in receipts
        if row.get("DocumentStatus") == "bost_Open"
        for line in row["DocumentLines"]
        if line["ItemCode"] in managed
        and line.get("WarehouseCode") == "01"
        and line.get("LineStatus") == "bost_Open"
    )
    return found


async def batches(browser: httpx2.AsyncClient, detail: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await browser.get(f"{PLANNINGS}/{detail['id']}/lineas/1/lotes")).json()[
        "lotes"
    ]
    return found


async def test_missing_batches_are_not_posted_again(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    item = batched_item(stocked.sim)
    plans = [await plan(bodega, item, quantity=12) for _ in range(2)]
    batch = next(each["lote"] for each in await batches(bodega, plans[0]) if 12 <= each["cantidad"] < 24)
    first, second = [await with_one_batch(bodega, each, batch, 12) for each in plans]
    assert states(await executed(bodega, first)) == ["creado"]
    failed = await executed(bodega, second)
    assert [each["clase"] for each in failed["documentos"]] == ["base"], "its receipts are used up too"
    posts = len(stocked.sim.calls.of("POST", "$batch"))
    result = await reprocess(bodega, failed)
    assert (result["estado"], set(states(result))) == ("planificada", {"omitido", "pendiente"})
    assert result["lineas"][0]["estado"] == "requiere_lotes"
    assert await reprocess(bodega, result) == result
    assert len(stocked.sim.calls.of("POST", "$batch")) == posts


async def test_refused_batches_are_removed_from_the_plan(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, batched_item(stocked.sim), quantity=1)
    batch = (await batches(bodega, detail))[0]["lote"]
    refused = Refuse(
        status=400, code=-4014, text="Cannot add row without complete selection of batch numbers"
    )
    stocked.sim.faults.add(Fault(action=refused, path="$batch"))
    failed = await executed(bodega, await with_one_batch(bodega, detail, batch, 1))
    assert [each["clase"] for each in failed["documentos"]] == ["lotes"]
    result = await reprocess(bodega, failed)
    assert (result["estado"], states(result)) == ("planificada", ["omitido", "pendiente"])
    assert result["lineas"][0]["estado"] == "requiere_lotes"
    ready = await with_one_batch(bodega, result, batch, 1)
    assert states(await executed(bodega, ready)) == ["omitido", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_batches_in_stock_stay_picked(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    detail = await plan(bodega, batched_item(stocked.sim), quantity=1)
    batch = (await batches(bodega, detail))[0]["lote"]
    short = Refuse(status=400, code=-10, text="Quantity falls into negative inventory")
    stocked.sim.faults.add(Fault(action=short, path="$batch"))
    failed = await executed(bodega, await with_one_batch(bodega, detail, batch, 1))
    with stocked.counting() as calls:
        done = await reprocess(bodega, failed)
    assert (done["estado"], states(done)) == ("ejecutada", ["omitido", "creado"])
    assert sum("Lotes" in call.path for call in calls) == 1


# --- progress


async def test_the_progress_continues_after_replanning(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    short = Refuse(status=400, code=-10, text="Quantity falls into negative inventory")
    for nth, refusal in enumerate((short, RULE), 1):
        stocked.sim.faults.add(Fault(action=refusal, path="$batch", nth=nth))
    failed = await executed(bodega, detail)
    assert [each["clase"] for each in failed["documentos"]] == ["stock", "erp"]
    answer = await bodega.post(
        f"{PLANNINGS}/{detail['id']}/reprocesar", json={}, headers={"Accept": "text/event-stream"}
    )
    reported = [
        json.loads(event.split("\ndata: ")[1])
        for event in answer.text.strip().split("\n\n")
        if event.startswith("event: progreso")
    ]
    assert [(each["hechos"], each["total"]) for each in reported] == [(0, 1), (1, 1), (1, 2), (2, 2)]
