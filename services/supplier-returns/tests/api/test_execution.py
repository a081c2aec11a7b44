"""Executing, reprocessing and closing through the whole application on the simulated company."""

import asyncio
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import (
    GRANTED,
    PLANNINGS,
    execute,
    executed,
    plain_items,
    plan,
    reprocess,
    returns_of,
    states,
)
from structlog.testing import capture_logs

from erpsim.company.switches import Switches
from erpsim.faults import BadGateway, CommitLate, Delay, Drop, ExpireSession, Fault, Refuse, When
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio


def net_total(row: Mapping[str, Any]) -> float:
    """Return the total of a return without tax, in its own currency."""
    suffix = "Fc" if row["DocTotalFc"] else ""
    return float(row[f"DocTotal{suffix}"]) - float(row[f"VatSum{suffix}"])


async def test_executing_creates_each_planned_document_once(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 6))
    assert "devoluciones" in detail["acciones"]
    with stocked.counting() as calls:
        answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/devoluciones", json={"version": 1})
    assert answer.status_code == 200, answer.text
    done = answer.json()
    assert {document["estado"] for document in done["documentos"]} == {"creado"}, done["documentos"]
    assert done["estado"] == "ejecutada"
    made = returns_of(stocked.sim, detail["id"])
    assert len(made) == len(done["documentos"])
    planned = {
        (part["docId"], part["baseEntry"], part["baseLine"]): Decimal(str(part["cantidadDocumento"]))
        for line in detail["lineas"]
        for part in line["asignaciones"]
    }
    by_entry = {document["docEntry"]: document["docId"] for document in done["documentos"]}
    returned = {
        (by_entry[row["DocEntry"]], line["BaseEntry"], line["BaseLine"]): Decimal(str(line["Quantity"]))
        for row in made
        for line in row["DocumentLines"]
    }
    assert returned == planned
    assert {document["docEntry"]: document["total"] for document in done["documentos"]} == {
        row["DocEntry"]: net_total(row) for row in made
    }
    count = len(done["documentos"])
    assert len(calls) <= count + math.ceil(count / 10) + 5, [f"{call.method} {call.path}" for call in calls]
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == done


async def test_many_documents_take_one_call_each_and_one_for_ten(
    stocked: "Service", open_service: "OpenService"
) -> None:
    async with open_service(stocked.sim, MAX_LINES_PER_DOCUMENT="1") as small, small.signed_in() as client:
        detail = await plan(client, *plain_items(stocked.sim, 24))
        count = len(detail["documentos"])
        assert count >= 20
        with stocked.counting() as calls:
            done = await executed(client, detail)
    assert set(states(done)) == {"creado"}
    assert len(returns_of(stocked.sim, detail["id"])) == count
    assert sum(call.path == "$batch" for call in calls) == count
    calls = [call for call in calls if "CERCO" not in call.path]  # read once per process
    assert len(calls) <= count + math.ceil(count / 10) + 5, [f"{call.method} {call.path}" for call in calls]


# --- repeated requests


async def test_two_executions_at_once_create_one_set_of_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 4))
    async with stocked.signed_in("manager", ip="10.0.0.8") as other:
        answers = await asyncio.gather(execute(bodega, detail), execute(other, detail))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert refused.json()["code"] in ("in_progress", "stale_version")
    assert len(returns_of(stocked.sim, detail["id"])) == len(detail["documentos"])


async def test_a_repeated_execution_is_stale_and_creates_nothing(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    done = await executed(bodega, detail)
    again = await execute(bodega, detail)
    assert (again.status_code, again.json()["code"]) == (409, "stale_version")
    nothing = await execute(bodega, done)
    assert (nothing.status_code, nothing.json()["code"]) == (422, "nothing_to_return")
    assert await reprocess(bodega, done) == done
    assert len(returns_of(stocked.sim, detail["id"])) == len(detail["documentos"])


async def test_a_planning_cannot_change_during_an_execution(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    path = f"{PLANNINGS}/{detail['id']}"
    stocked.sim.faults.add(Fault(action=Delay(seconds=0.5), path="$batch"))
    stocked.sim.calls.clear()
    running = asyncio.create_task(execute(bodega, detail))
    await stocked.arrived("POST", "$batch")
    async with stocked.signed_in("manager", ip="10.0.0.8") as other:
        shown = (await other.get(path)).json()
        assert (shown["estado"], shown["acciones"]) == ("en_proceso", [])
        assert "en_proceso" in states(shown)
        for method, where, body in (
            ("PATCH", "/lineas/1", {"version": 1, "cantidad": 1}),
            ("PATCH", "/cabecera", {"version": 1, "comentario": "x"}),
            ("POST", "/lineas", {"version": 1, "lineas": [{"itemCode": "A", "cantidad": 1}]}),
            ("POST", "/replanificar", {"version": 1}),
            ("POST", "/devoluciones", {"version": 1}),
            ("POST", "/reprocesar", {}),
            ("POST", "/cerrar", {}),
        ):
            answer = await other.request(method, path + where, json=body)
            assert (answer.status_code, answer.json()["code"]) == (409, "in_progress"), where
    assert (await running).status_code == 200


async def test_an_execution_can_be_limited_to_some_documents(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 4))
    assert len(detail["documentos"]) > 1
    answer = await execute(bodega, detail, documentos=[1])
    first = answer.json()
    assert states(first)[0] == "creado"
    assert set(states(first)[1:]) == {"pendiente"}
    assert (first["estado"], "devoluciones" in first["acciones"]) == ("planificada", True)
    for chosen, status, code in (([99], 404, "document_not_found"), ([1], 409, "document_not_pending")):
        refused = await execute(bodega, first, documentos=chosen)
        assert (refused.status_code, refused.json()["code"]) == (status, code)
    done = await executed(bodega, first)
    assert (done["estado"], set(states(done))) == ("ejecutada", {"creado"})
    assert len(returns_of(stocked.sim, detail["id"])) == len(detail["documentos"])


# --- failures

REFUSALS = [
    (-10, "Quantity falls into negative inventory  [RPD1.ItemCode][line: 1]", "stock", "anew"),
    (-10, "One of the base documents has already been closed  [RPD1.BaseEntry][line: 1]", "base", "anew"),
    (-4014, "Cannot add row without complete selection of batch/serial numbers", "lotes", "anew"),
    (-5002, "Item '0012' is inactive", "maestro", "anew"),
    (-4013, "Posting period locked; specify an alternative date", "periodo", "same"),
    (-4002, "To generate this document, first define the numbering series", "serie", "same"),
    (-10, "Update the exchange rate , 'USD'", "tipoCambio", "same"),
    (-1116, "(1) Regla de la empresa: falta el motivo", "erp", "same"),
]


@pytest.mark.parametrize(("code", "text", "error_class", "then"), REFUSALS)
async def test_each_refusal_is_shown_with_its_class_and_reprocessed_by_its_class(
    stocked: "Service", bodega: httpx2.AsyncClient, code: int, text: str, error_class: str, then: str
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=Refuse(status=400, code=code, text=text), path="$batch"))
    failed = await executed(bodega, detail)
    document = failed["documentos"][0]
    assert (document["estado"], document["clase"], document["mensaje"]) == ("error", error_class, text)
    assert set(states(failed)[1:]) <= {"creado"}, "the others proceed"
    assert failed["estado"] == "con_errores"
    assert {"reprocesar", "cerrar", "editar"} <= set(failed["acciones"])
    done = await reprocess(bodega, failed)
    assert done["estado"] == "ejecutada", done["documentos"]
    if then == "same":
        assert states(done) == ["creado"] * len(detail["documentos"])
    else:
        assert states(done)[0] == "omitido"
        assert states(done)[-1] == "creado"
    made = returns_of(stocked.sim, detail["id"])
    assert len(made) == len(detail["documentos"])
    assert sum(line["asignada"] for line in done["lineas"]) == sum(
        line["asignada"] for line in detail["lineas"]
    )


async def test_a_company_rule_adds_no_documents(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    text = "(3) La devolución no tiene cantidad pendiente de autorización de Calidad"
    stocked.sim.faults.add(Fault(action=Refuse(status=400, code=-1116, text=text), path="$batch", times=4))
    failed = await executed(bodega, detail)
    for _ in range(3):
        assert [(each["estado"], each["clase"]) for each in failed["documentos"]] == [("error", "erp")]
        failed = await reprocess(bodega, failed)
    assert states(await reprocess(bodega, failed)) == ["creado"]


async def test_the_same_lines_are_replanned_once_for_the_same_cause(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    closed = Refuse(status=400, code=-10, text="One of the base documents has already been closed")
    stocked.sim.faults.add(Fault(action=closed, path="$batch", times=2))
    failed = await executed(bodega, detail)
    assert "dos veces" not in failed["documentos"][0]["mensaje"]
    again = await reprocess(bodega, failed)
    assert states(again) == ["omitido", "error"]
    assert "Las mismas líneas se rechazaron dos veces" in again["documentos"][1]["mensaje"]
    assert "One of the base documents" in again["documentos"][1]["mensaje"]
    with stocked.counting() as calls:
        remaining = await reprocess(bodega, again)
    assert not [call for call in calls if call.method == "POST"], "nothing is posted"
    assert remaining["documentos"] == again["documentos"]
    assert {"reprocesar", "replanificar", "editar", "cerrar"} <= set(remaining["acciones"])
    done = await reprocess(bodega, remaining, replanificar=True)
    assert states(done) == ["omitido", "omitido", "creado"]
    assert done["estado"] == "ejecutada"


async def test_a_return_whose_reply_was_lost_is_found_at_once(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), path="$batch"))
    done = await executed(bodega, detail)
    assert (done["estado"], set(states(done))) == ("ejecutada", {"creado"})
    assert len(returns_of(stocked.sim, detail["id"])) == len(detail["documentos"])


@pytest.mark.parametrize(
    ("sums", "total"),
    [
        ({"DocTotal": Decimal(1309), "VatSum": Decimal(209)}, 1100),
        ({"DocTotalFc": Decimal("59.5"), "VatSumFc": Decimal("9.5")}, 50),
    ],
    ids=["local currency", "foreign currency"],
)
async def test_a_return_found_later_has_the_total_of_the_erp(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock, sums: dict[str, Decimal], total: int
) -> None:
    """Freight and discounts of the ERP change the total of the lines."""
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="$batch"))
    stocked.sim.faults.add(Fault(action=BadGateway(), method="GET", path="PurchaseReturns", nth=2))
    lost = await executed(bodega, detail)
    assert states(lost) == ["incierto"]
    assert lost["documentos"][0]["total"] == detail["documentos"][0]["total"]
    company = stocked.sim.world.company
    (row,) = returns_of(stocked.sim, detail["id"])
    with company.transaction():
        company.update("PurchaseReturns", {**row, **sums})
    stocked.sim.faults.clear()
    clock.advance(200)
    found = await reprocess(bodega, lost)
    assert (states(found), found["documentos"][0]["total"]) == (["creado"], total)


@pytest.mark.parametrize("fence", ["auto", "off"])
async def test_an_uncertain_document_waits_and_is_then_posted_under_its_key(
    open_service: "OpenService", clock: ManualClock, fence: str
) -> None:
    async with (
        run_sim(seed="returns", switches=Switches(sql_grants=GRANTED)) as sim,
        open_service(sim, EXECUTION_FENCE=fence) as service,
        service.signed_in("manager") as manager,
    ):
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        detail = await plan(manager, *plain_items(sim, 2))
        post = "$batch" if fence == "auto" else "PurchaseReturns"
        sim.faults.add(Fault(action=BadGateway(), method="POST", path=post))
        lost = await executed(manager, detail)
        assert states(lost)[0] == "incierto"
        assert "Reprocese después de las" in lost["documentos"][0]["mensaje"]
        assert "cerrar" not in lost["acciones"]
        closing = await manager.post(f"{PLANNINGS}/{detail['id']}/cerrar", json={})
        assert (closing.status_code, closing.json()["code"]) == (409, "documents_uncertain")
        assert closing.json()["documentos"] == [1]
        clock.advance(179)
        assert states(await reprocess(manager, lost))[0] == "incierto"
        clock.advance(2)
        done = await reprocess(manager, lost)
        assert (done["estado"], states(done)[0]) == ("ejecutada", "creado")
        assert len(returns_of(sim, detail["id"])) == len(detail["documentos"])


async def test_a_second_instance_requires_the_proved_fence(
    open_service: "OpenService",
) -> None:
    async with (
        run_sim(seed="returns", switches=Switches(sql_grants=GRANTED)) as sim,
        open_service(sim, HAS_BACKUP="true") as service,
        service.signed_in("manager") as manager,
    ):
        sim.faults.add(Fault(action=BadGateway(), method="POST", path="$batch"))  # so the proof fails
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        detail = await plan(manager, *plain_items(sim, 1))
        refused = await execute(manager, detail)
        assert (refused.status_code, refused.json()["code"]) == (503, "fence_required")
        assert "reconstruya los metadatos" in refused.json()["message"]
        assert refused.headers["Retry-After"] == "300"
        assert (await manager.get(f"{PLANNINGS}/{detail['id']}")).json() == detail
        assert returns_of(sim, detail["id"]) == []
        sim.faults.clear()
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        assert states(await executed(manager, detail)) == ["creado"]


async def test_a_commit_after_the_second_post_fails_at_the_fence(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), path="$batch"))
    lost = await executed(bodega, detail)
    assert states(lost) == ["incierto"]
    clock.advance(200)
    done = await reprocess(bodega, lost)
    assert states(done) == ["creado"]
    await stocked.sim.late_commits()
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_a_commit_before_the_second_post_is_found(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    stocked.sim.faults.add(Fault(action=CommitLate(seconds=600), path="$batch"))
    lost = await executed(bodega, detail)
    await stocked.sim.late_commits()
    done = await reprocess(bodega, lost)
    assert states(done) == ["creado"]
    assert done["documentos"][0]["intentos"] == 1
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_a_late_write_of_the_record_creates_no_second_return(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    """The first execution's keys reach the record after the second execution has posted under others."""
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    late = Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)")
    stocked.sim.faults.add(late)
    assert (await execute(bodega, detail)).status_code == 502
    stocked.sim.faults.clear()
    done = await executed(bodega, (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json())
    assert set(states(done)) == {"creado"}
    await stocked.sim.late_commits()
    spoiled = (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json()
    assert spoiled["estado"] == "en_proceso", "the record says again that it only begins"
    mended = await reprocess(bodega, detail)
    assert set(states(mended)) == {"creado"}
    assert [each["docEntry"] for each in mended["documentos"]] == [
        each["docEntry"] for each in done["documentos"]
    ]
    assert len(returns_of(stocked.sim, detail["id"])) == len(detail["documentos"])


async def test_the_next_run_completes_a_run_whose_session_ended(
    stocked: "Service", bodega: httpx2.AsyncClient, clock: ManualClock
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=ExpireSession(), path="$batch", nth=2))
    answer = await execute(bodega, detail)
    assert (answer.status_code, answer.json()["message"]) == (401, "Debe iniciar sesión")
    async with stocked.signed_in("manager", ip="10.0.0.8") as other:
        shown = (await other.get(f"{PLANNINGS}/{detail['id']}")).json()
        assert (shown["estado"], shown["acciones"]) == ("en_proceso", ["reprocesar"])
        cut_off = await execute(other, shown)
        assert (cut_off.status_code, cut_off.json()["code"]) == (409, "execution_interrupted")
        clock.advance(200)
        done = await reprocess(other, shown)
    assert (done["estado"], set(states(done))) == ("ejecutada", {"creado"})
    assert len(returns_of(stocked.sim, detail["id"])) == len(detail["documentos"])


async def test_a_document_that_waits_for_approval_is_a_draft_until_it_is_a_return(
    open_service: "OpenService",
) -> None:
    switches = Switches(sql_grants=GRANTED, approval_procedure=frozenset({"PurchaseReturns"}))
    async with run_sim(seed="returns", switches=switches) as sim, open_service(sim) as service:
        async with service.signed_in() as manager:
            assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        async with service.signed_in("bodega") as bodega:
            detail = await plan(bodega, *plain_items(sim, 1))
            waiting = await executed(bodega, detail)
            assert states(waiting) == ["en_aprobacion"]
            assert "borrador" in waiting["documentos"][0]["mensaje"]
            assert returns_of(sim, detail["id"]) == []
            assert states(await reprocess(bodega, waiting)) == ["en_aprobacion"], "it is not posted again"
            drafts: Any = sim.world.company.rows("Drafts")
            assert len([row for row in drafts if row.get("U_LIB_Odev") == detail["id"]]) == 1


# --- closing


async def test_closing_drops_documents_without_a_return_and_can_be_repeated(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 3))
    some = (await execute(bodega, detail, documentos=[1])).json()
    path = f"{PLANNINGS}/{detail['id']}"
    closed = await bodega.post(f"{path}/cerrar", json={"motivo": "Retirado"})
    assert closed.status_code == 200, closed.text
    body = closed.json()
    assert (body["status"], body["estado"], body["acciones"]) == ("C", "cerrada", [])
    assert states(body)[0] == "creado"
    assert set(states(body)[1:]) == {"omitido"}
    assert (await bodega.get(path)).json() == body
    again = await bodega.post(f"{path}/cerrar")
    assert (again.status_code, again.json()) == (200, body)
    for where, sent in (("devoluciones", {"version": some["version"]}), ("reprocesar", {})):
        refused = await bodega.post(f"{path}/{where}", json=sent)
        assert (refused.status_code, refused.json()["code"]) == (409, "planning_closed")
    assert len(returns_of(stocked.sim, detail["id"])) == 1


async def test_a_planning_without_an_execution_can_be_closed(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item = plain_items(stocked.sim, 1)[0]
    new = {"cabecera": {"whsCode": "01"}, "lineas": [{"itemCode": item, "cantidad": 1}]}
    first = (await bodega.post(PLANNINGS, json=new)).json()
    assert (await bodega.post(PLANNINGS, json=new)).status_code == 409
    assert (await bodega.post(f"{PLANNINGS}/{first['id']}/cerrar", json={})).status_code == 200
    assert (await bodega.post(PLANNINGS, json=new)).status_code == 201


# --- progress


async def test_the_events_report_each_document(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 3))
    answer = await bodega.post(
        f"{PLANNINGS}/{detail['id']}/devoluciones",
        json={"version": 1},
        headers={"Accept": "text/event-stream"},
    )
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [
        (part.split("\n")[0].removeprefix("event: "), json.loads(part.split("\ndata: ")[1]))
        for part in answer.text.strip().split("\n\n")
    ]
    count = len(detail["documentos"])
    progress = [body for name, body in events if name == "progreso"]
    assert [(body["hechos"], body["total"]) for body in progress] == [
        (done, count) for done in range(count + 1)
    ]
    assert progress[0]["documento"] is None
    assert {body["documento"]["estado"] for body in progress[1:]} == {"creado"}
    assert events[-1][0] == "resultado"
    assert events[-1][1] == (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json()


async def test_a_stream_ends_with_the_error_of_the_run(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    answer = await bodega.post(
        f"{PLANNINGS}/{detail['id']}/devoluciones",
        json={"version": 9},
        headers={"Accept": "text/event-stream"},
    )
    name, body = answer.text.strip().split("\ndata: ")
    assert (name, json.loads(body)["code"]) == ("event: error", "stale_version")


async def test_managed_items_need_their_picks_first(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    rows: Any = stocked.sim.world.company.rows("Items")
    managed = {row["ItemCode"] for row in rows if row.get("ManageBatchNumbers") == "tYES"}
    everything: Any = stocked.sim.world.company.rows("PurchaseDeliveryNotes")
    batched = next(
        line["ItemCode"]
        for row in everything
        if row.get("DocumentStatus") == "bost_Open"
        for line in row["DocumentLines"]
        if line["ItemCode"] in managed
        and line.get("WarehouseCode") == "01"
        and line.get("LineStatus") == "bost_Open"
    )
    detail = await plan(bodega, batched, quantity=1)
    answer = await execute(bodega, detail)
    assert (answer.status_code, answer.json()["code"]) == (422, "batches_required")
    assert answer.json()["lineas"] == [1]
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == detail


# --- the log


async def test_every_execution_reprocessing_and_closing_is_audited_with_its_outcome(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 2))
    path = f"{PLANNINGS}/{detail['id']}"
    with capture_logs() as logs:
        await execute(bodega, {**detail, "version": 9})
        stocked.sim.faults.add(Fault(action=BadGateway(), path="SQLQueries(*)/List"))
        await execute(bodega, detail)
        await execute(bodega, detail)
        await reprocess(bodega, detail)
        for _ in range(2):
            await bodega.post(f"{path}/cerrar")
        assert (await bodega.post(f"{path}/reprocesar")).status_code == 409
    lines = [
        (line["action"], line["result"], line.get("reason"), line.get("detail"))
        for line in logs
        if line["event"] == "AUDIT"
    ]
    done = {"state": "ejecutada"}
    assert lines == [
        ("returns_execute", "denied", "stale_version", None),
        ("returns_execute", "error", "upstream_failed", None),
        ("returns_execute", "ok", None, done),
        ("returns_reprocess", "ok", None, done),
        ("planning_close", "ok", None, {"state": "cerrada"}),
        ("returns_reprocess", "denied", "planning_closed", None),
    ]
    identity = {"user": "bodega", "ip": "10.0.0.7", "resource": "planificaciones", "key": str(detail["id"])}
    assert all(identity.items() <= line.items() for line in logs if line["event"] == "AUDIT")
