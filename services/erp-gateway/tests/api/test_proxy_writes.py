"""Writing through the proxy: done once, told truthfully, recorded before the answer."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from erpsim.company.habits import OtherHabit
from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, Delay, Drop, Fault, Garbage, Refuse, Truncate, When
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 2.5, "UnitPrice": 1000.10}],
}


async def audit(gateway: "Gateway", headers: dict[str, str], **conditions: str) -> list[dict[str, Any]]:
    answer = await gateway.http.get("/api/audit", params=conditions, headers=headers)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


@pytest.mark.asyncio
async def test_a_create_returns_the_record_and_its_location(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    with capture_logs() as logs:
        created = await gateway.http.post(
            "/api/sl/Orders", json=ORDER, headers={**ana, "X-Request-ID": "r-1"}
        )
    body = created.json()
    assert created.status_code == 201, created.text
    assert created.headers["Location"] == f"/api/sl/Orders/{body['DocEntry']}"
    assert created.headers["ETag"] == body["odata.etag"]
    read = await gateway.http.get(created.headers["Location"], headers=ana)
    assert (read.status_code, read.json()["DocNum"]) == (200, body["DocNum"])
    assert read.headers["ETag"] == created.headers["ETag"]

    (record,) = await audit(gateway, ana, accion="sl_create")
    assert (record["resource"], record["key"], record["result"]) == ("Orders", str(body["DocEntry"]), "ok")
    assert (record["webUser"], record["requestId"]) == ("ana", "r-1")
    assert record["fields"] == [
        "CardCode",
        "DocDueDate",
        "DocumentLines[].ItemCode",
        "DocumentLines[].Quantity",
        "DocumentLines[].UnitPrice",
    ]
    (line,) = [line for line in logs if line["event"] == "AUDIT"]
    assert (line["action"], line["result"], line["resource"]) == ("sl_create", "ok", "Orders")
    assert "C00001" not in json.dumps(logs, default=str)


@pytest.mark.asyncio
async def test_an_update_with_the_current_tag_succeeds_and_a_stale_one_fails(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    tag = (await gateway.http.get("/api/sl/Orders/1?$select=DocEntry", headers=ana)).headers["ETag"]
    first = await gateway.http.patch(
        "/api/sl/Orders/1", json={"Comments": "uno"}, headers={**ana, "If-Match": tag}
    )
    assert (first.status_code, first.content) == (204, b"")
    assert sim.calls[-1].headers["if-match"] == tag
    stale = await gateway.http.patch(
        "/api/sl/Orders/1", json={"Comments": "dos"}, headers={**ana, "If-Match": tag}
    )
    assert (stale.status_code, stale.json()["code"]) == (412, "stale_etag")
    assert stale.json()["upstream"]["code"] == -2039
    read = await gateway.http.get("/api/sl/Orders/1?$select=Comments", headers=ana)
    assert read.json()["Comments"] == "uno"
    assert [(item["result"], item["reason"]) for item in await audit(gateway, ana, accion="sl_update")] == [
        ("error", "stale_etag"),
        ("ok", None),
    ]


@pytest.mark.asyncio
async def test_lines_are_merged_unless_replacement_is_requested(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    two = {**ORDER, "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}, {"ItemCode": "N+1", "Quantity": 1}]}
    where = (await gateway.http.post("/api/sl/Orders", json=two, headers=ana)).headers["Location"]
    change = {"DocumentLines": [{"LineNum": 0, "Quantity": 3}]}

    async def quantities() -> list[float]:
        lines = (await gateway.http.get(f"{where}?$select=DocumentLines", headers=ana)).json()[
            "DocumentLines"
        ]
        return [line["Quantity"] for line in lines]

    for value, expected in ((None, [3, 1]), ("false", [3, 1]), ("true", [3])):
        header = {} if value is None else {"B1S-ReplaceCollectionsOnPatch": value}
        answer = await gateway.http.patch(where, json=change, headers={**ana, **header})
        assert answer.status_code == 204, answer.text
        assert await quantities() == expected


@pytest.mark.asyncio
async def test_collection_rows_are_sent_to_the_erp_unchanged(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    where, replacing = "/api/sl/BusinessPartners/C00001", {"B1S-ReplaceCollectionsOnPatch": "true"}

    async def rows() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await gateway.http.get(where, headers=ana)).json()["BPAddresses"]
        return found

    async def change(*sent: dict[str, Any], **headers: str) -> tuple[int, dict[str, Any]]:
        answer = await gateway.http.patch(where, json={"BPAddresses": sent}, headers={**ana, **headers})
        return answer.status_code, answer.json() if answer.content else {}

    def whole(row: dict[str, Any], **changed: str) -> dict[str, Any]:
        names = ("BPCode", "AddressName", "AddressType", "RowNum")
        return {name: row[name] for name in names} | changed

    bill, ship = await rows()
    assert (await change({"AddressName": "Obra", "AddressType": "bo_ShipTo"}))[0] == 204
    assert (await change(whole(ship, Street="Nueva 1")))[0] == 204
    assert [(row["AddressName"], row["Street"]) for row in (await rows())[1:]] == [
        ("Despacho", "Nueva 1"),
        ("Obra", None),
    ]
    without_number = {name: value for name, value in whole(ship).items() if name != "RowNum"}
    status, problem = await change(without_number)
    assert (status, problem["code"], problem["upstream"]["code"]) == (400, "upstream_rejected", -2035)
    for result in ("BPCode, AddressName, AddressType y RowNum", "nueva", "quitar"):
        assert result in problem["detail"]
    before = len(sim.calls)
    status, problem = await change(whole(ship), {"RowNum": 2, "Street": "Nueva 2"})
    assert (status, problem["code"]) == (400, "invalid_body")
    assert [each["path"] for each in problem["errors"]] == ["BPAddresses[1].AddressName"]
    assert len(sim.calls) == before
    assert (await change(whole(bill), whole(ship), **replacing))[0] == 204
    assert [row["AddressName"] for row in await rows()] == ["Facturación", "Despacho"]
    anew = [{name: value for name, value in whole(row).items() if name != "RowNum"} for row in (ship, bill)]
    assert (await change(*anew, **replacing))[0] == 204
    assert [row["AddressName"] for row in await rows()] == ["Despacho", "Facturación"]


@pytest.mark.asyncio
async def test_cancelling_a_payment(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    entry = (await gateway.http.get("/api/sl/IncomingPayments?$top=1", headers=ana)).json()["value"][0][
        "DocEntry"
    ]
    done = await gateway.http.post(f"/api/sl/IncomingPayments/{entry}/Cancel", headers=ana)
    assert (done.status_code, done.content) == (204, b"")
    assert sim.calls[-1].path == f"IncomingPayments({entry})/Cancel"
    again = await gateway.http.post(f"/api/sl/IncomingPayments/{entry}/Cancel", json={}, headers=ana)
    assert (again.status_code, again.json()["code"]) == (400, "upstream_rejected")
    records = await audit(gateway, ana, accion="sl_action")
    assert [(item["resource"], item["key"], item["result"], item["fields"]) for item in records] == [
        ("IncomingPayments", str(entry), "error", ["Cancel()"]),
        ("IncomingPayments", str(entry), "ok", ["Cancel()"]),
    ]


@pytest.mark.asyncio
async def test_service_actions_answer_any_session(gateway: "Gateway") -> None:
    luis = await gateway.signed_in("luis")
    body = {"DocumentTypeParams": {"Document": "17", "DocumentSubType": ""}}
    series = await gateway.http.post("/api/sl/SeriesService_GetDocumentSeries", json=body, headers=luis)
    assert series.status_code == 200, series.text
    assert series.json()["value"][0]["Document"] == "17"
    company = await gateway.http.post("/api/sl/CompanyService_GetCompanyInfo", headers=luis)
    assert (company.status_code, company.json()["CompanyName"]) == (200, "Comercial Demo SpA")
    unknown = await gateway.http.post("/api/sl/QueryService_PostQuery", json={}, headers=luis)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "action_not_registered")
    for method in ("GET", "PUT"):
        other = await gateway.http.request(method, "/api/sl/SeriesService_GetDocumentSeries", headers=luis)
        assert (other.status_code, other.headers["Allow"]) == (405, "POST")


SERIES = "/api/sl/SeriesService_GetDocumentSeries"
LOCAL_CURRENCY = "/api/sl/SBOBobService_GetLocalCurrency"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "body", "refused"),
    [
        (LOCAL_CURRENCY, {"MadeUp": 1}, ["MadeUp"]),
        (LOCAL_CURRENCY, {"MadeUp": None}, ["MadeUp"]),
        (LOCAL_CURRENCY, {"MadeUp": {}}, ["MadeUp"]),
        (LOCAL_CURRENCY, {"A": {"B": [{"C": 1}]}}, ["A.B[].C"]),
        (SERIES, {"documenttypeparams": {"Document": "17"}}, ["documenttypeparams.Document"]),
        (SERIES, {"DocumentTypeParams": {"Document": "17", "MadeUp": 1}}, ["DocumentTypeParams.MadeUp"]),
        (SERIES, {"DocumentTypeParams": [{"Document": "17"}]}, ["DocumentTypeParams[].Document"]),
        (SERIES, {"DocumentTypeParams": {"Document": "17"}, "": 1}, ["", ""]),
        ("/api/sl/SBOBobService_GetCurrencyRate", {"currency": "USD", "Date": "x"}, ["currency"]),
    ],
)
async def test_a_service_action_refuses_unknown_parameters(
    gateway: "Gateway", path: str, body: dict[str, object], refused: list[str]
) -> None:
    luis = await gateway.signed_in("luis")
    before = gateway.sim.calls.total
    answer = await gateway.http.post(path, json=body, headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in answer.json()["errors"]] == refused
    assert gateway.sim.calls.total == before
    ana = await gateway.signed_in()
    assert await audit(gateway, ana, accion="sl_action") == []


@pytest.mark.asyncio
async def test_service_actions_are_limited_per_minute_and_counted_in_one_record(
    gateway: "Gateway", clock: ManualClock
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    answers = [await gateway.http.post(LOCAL_CURRENCY, headers=luis) for _ in range(120)]
    assert {answer.status_code for answer in answers} == {200}
    before = gateway.sim.calls.total
    for path in (LOCAL_CURRENCY, SERIES):
        refused = await gateway.http.post(path, content=b"{nonsense", headers=luis)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert gateway.sim.calls.total == before
    assert (await gateway.http.post(LOCAL_CURRENCY, headers=ana)).status_code == 200
    assert (await gateway.http.get("/api/sl/Items?$top=1", headers=luis)).status_code == 200
    clock.advance(60)
    await gateway.components.recorder.write_counts()
    assert (await gateway.http.post(LOCAL_CURRENCY, headers=luis)).status_code == 200
    records = await audit(gateway, ana, accion="sl_action", usuario="luis")
    assert [record["detail"] for record in records] == [{}, {"attempts": 120}]


@pytest.mark.asyncio
async def test_a_service_action_returning_one_value_keeps_either_form(
    open_gateway: "OpenGateway",
) -> None:
    body = {"Currency": "USD", "Date": "2025-12-01"}
    for habits, shown in ((frozenset(), '{"value":%s}'), (frozenset({OtherHabit.VALUES_STAND_BARE}), "%s")):
        async with run_sim(switches=Switches(other_habits=habits)) as sim, open_gateway(sim) as gateway:
            ana = await gateway.signed_in()
            currency = await gateway.http.post("/api/sl/SBOBobService_GetLocalCurrency", headers=ana)
            assert (currency.status_code, currency.text) == (200, shown % '"CLP"')
            rate = await gateway.http.post("/api/sl/SBOBobService_GetCurrencyRate", json=body, headers=ana)
            assert (rate.status_code, rate.text) == (200, shown % "880.77")


@pytest.mark.asyncio
async def test_a_write_requires_the_write_menu_before_the_body_is_read(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos"]}, headers=ana)
    before = sim.calls.total
    for method, path in (("POST", "Orders"), ("PATCH", "Orders/1")):
        answer = await gateway.http.request(method, f"/api/sl/{path}", content=b"{nonsense", headers=luis)
        assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert sim.calls.total == before
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos/*"]}, headers=ana)
    answer = await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=luis)
    assert answer.status_code == 204


BAD_BODIES = [
    (b"{nonsense", "application/json", 400, "malformed_json"),
    (b'{"A": NaN}', "application/json", 400, "malformed_json"),
    (b'{"A": 1, "A": 2}', "application/json", 400, "malformed_json"),
    (b"[]", "application/json", 400, "invalid_body"),
    (b"", "application/json", 400, "malformed_json"),
    (b'{"U_WEB_PASS": "x"}', "application/json", 400, "invalid_body"),
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b"{}", "multipart/mixed;boundary=x", 415, "unsupported_media_type"),
    (b'{"A": "' + b"x" * 1_100_000 + b'"}', "application/json", 413, "body_too_large"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("body", "media", "status", "code"), BAD_BODIES, ids=lambda value: str(value)[:30])
async def test_an_invalid_body_is_never_sent_upstream(
    gateway: "Gateway", sim: "Simulator", body: bytes, media: str, status: int, code: str
) -> None:
    ana = await gateway.signed_in()
    before = sim.calls.total
    for method, path in (("POST", "Orders"), ("PATCH", "Orders/1")):
        answer = await gateway.http.request(
            method, f"/api/sl/{path}", content=body, headers={**ana, "Content-Type": media}
        )
        assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert sim.calls.total == before


LOST = [
    ("connection dropped", Drop(when=When.AFTER_WORK), 502),
    ("connection dropped in order", Drop(when=When.AFTER_WORK, reset=False), 502),
    ("balancer's page", BadGateway(when=When.AFTER_WORK), 502),
    ("server error", Answer(status=500, when=When.AFTER_WORK), 502),
    ("unavailable", Answer(status=503, when=When.AFTER_WORK), 502),
    ("no JSON", Garbage(), 502),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("action", "status"), [row[1:] for row in LOST], ids=[row[0] for row in LOST])
async def test_a_lost_response_creates_one_document_with_unknown_outcome(
    gateway: "Gateway", sim: "Simulator", action: Any, status: int
) -> None:
    ana = await gateway.signed_in()
    count = (await gateway.http.get("/api/sl/Orders?$top=1", headers=ana)).json()["odata.count"]
    sim.faults.add(Fault(action=action, method="POST", path="Orders", times=None))
    answer = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (status, "outcome_unknown")
    assert len(sim.calls.of("POST", "Orders")) == 1
    after = (await gateway.http.get("/api/sl/Orders?$top=1", headers=ana)).json()["odata.count"]
    assert after == count + 1
    (record,) = await audit(gateway, ana, accion="sl_create")
    assert (record["result"], record["reason"], record["key"]) == ("unknown", "outcome_unknown", None)


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_response_after_the_timeout_answers_504(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_TIMEOUT="3", ERP_SL_MAX_CONCURRENCY="2") as gateway:
        ana = await gateway.signed_in()
        for path in ("Orders", "Items"):
            sim.faults.add(Fault(action=Delay(seconds=4), path=path))
        write, read = await asyncio.gather(
            gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana),
            gateway.http.get("/api/sl/Items", headers=ana),
        )
        assert (write.status_code, write.json()["code"]) == (504, "outcome_unknown")
        assert (read.status_code, read.json()["code"]) == (504, "upstream_timeout")


REFUSED = [
    (Refuse(status=400, code=-5002, text="no"), 400, "upstream_rejected"),
    (Refuse(status=404, code=-2028, text="no"), 400, "maybe_in_approval"),
    (Refuse(status=403, code=-6006, text="no"), 502, "upstream_forbidden"),
    (Refuse(status=409, code=-1, text="no"), 409, "upstream_conflict"),
    (Refuse(status=429, code=-1, text="no"), 503, "upstream_busy"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("action", "code"),
    [
        (Answer(status=400, body='{"error":{"code":-20'), "maybe_in_approval"),
        (Truncate(keep_bytes=9), "maybe_in_approval"),
        (Answer(status=400, body="<html>Bad Request</html>"), "upstream_rejected"),
        (Answer(status=400, body='{"message":"no"}'), "upstream_rejected"),
        (Answer(status=400), "upstream_rejected"),
    ],
)
async def test_a_truncated_refusal_may_mean_a_pending_approval(
    gateway: "Gateway", sim: "Simulator", action: Answer | Truncate, code: str
) -> None:
    ana = await gateway.signed_in()
    for path in ("Orders", "Items"):
        sim.faults.add(Fault(action=action, method="POST", path=path))
    nobody = {**ORDER, "CardCode": "NOBODY"}
    document = await gateway.http.post("/api/sl/Orders", json=nobody, headers=ana)
    other = await gateway.http.post("/api/sl/Items", json={"ItemCode": "A/1"}, headers=ana)
    assert (document.status_code, document.json()["code"]) == (400, code)
    assert (other.status_code, other.json()["code"]) == (400, "upstream_rejected")


@pytest.mark.asyncio
@pytest.mark.parametrize(("action", "status", "code"), REFUSED)
async def test_an_erp_refusal_is_passed_on_with_its_mapped_status(
    gateway: "Gateway", sim: "Simulator", action: Refuse, status: int, code: str
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=action, method="POST", path="Orders"))
    answer = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["upstream"] == {"code": action.code, "message": "no"}
    (record,) = await audit(gateway, ana, accion="sl_create")
    assert (record["result"], record["reason"]) == ("error", code)


@pytest.mark.asyncio
async def test_a_document_caught_by_an_approval_procedure_names_the_drafts(
    open_gateway: "OpenGateway",
) -> None:
    switches = Switches(approval_procedure=frozenset({"Orders"}))
    async with run_sim(switches=switches) as sim, open_gateway(sim, ERP_SL_USER="bodega") as gateway:
        ana = await gateway.signed_in()
        drafts = (await gateway.http.get("/api/sl/Drafts?$top=1", headers=ana)).json()["odata.count"]
        answer = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (400, "maybe_in_approval")
        assert "borrador" in answer.json()["message"]
        after = (await gateway.http.get("/api/sl/Drafts?$top=1", headers=ana)).json()["odata.count"]
        assert after == drafts + 1


@pytest.mark.asyncio
async def test_a_write_rejected_with_401_is_repeated_and_executed_once(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    count = (await gateway.http.get("/api/sl/Orders?$top=1", headers=ana)).json()["odata.count"]
    sim.sessions.end_all()
    answer = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana)
    assert answer.status_code == 201
    after = (await gateway.http.get("/api/sl/Orders?$top=1", headers=ana)).json()["odata.count"]
    assert after == count + 1


@pytest.mark.asyncio
async def test_a_client_that_leaves_while_queued_causes_no_erp_call(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.5), path="Items"))
    running = asyncio.create_task(gateway.http.get("/api/sl/Items?$top=1", headers=ana))
    while not sim.calls.of("GET", "Items"):  # noqa: ASYNC110 - the simulator has no event for it
        await asyncio.sleep(0.005)
    before = sim.calls.total
    status = await leave_while_waiting(gateway, ana, json.dumps(ORDER).encode())
    await running
    assert status == 503
    assert sim.calls.total == before
    (record,) = await audit(gateway, ana, accion="sl_create")
    assert (record["result"], record["reason"]) == ("error", "client_gone")


async def leave_while_waiting(gateway: "Gateway", headers: dict[str, str], body: bytes) -> int:
    """Post an order and close the connection as soon as the body is sent; return the status nobody read."""
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": body, "more_body": False},
        {"type": "http.disconnect"},
    ]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {**headers, "Content-Length": str(len(body))}
    await gateway.post_by_hand("/api/sl/Orders", headers, receive, send)
    status: int = sent[0]["status"]
    return status


@pytest.mark.asyncio
async def test_a_failing_audit_write_does_not_affect_the_user(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    with capture_logs() as logs:
        async with occupied_store(gateway):
            answer = await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
    assert answer.status_code == 204
    (row,) = [line for line in logs if line["event"] == "write_row_failed"]
    assert (row["resource"], row["required"], row["error"]) == ("Orders", False, "TimeoutError")
    (failure,) = [line for line in logs if line["event"] == "audit_write_failed"]
    assert (failure["resource"], failure["key"], failure["fields"]) == ("Orders", "1", ["Comments"])


@asynccontextmanager
async def occupied_store(gateway: "Gateway") -> AsyncIterator[None]:
    """Keep the store's one writer busy while the block runs."""
    begun, left = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        begun.set()
        left.wait(30)

    async with asyncio.TaskGroup() as group:
        group.create_task(gateway.components.audit_store._database.write(wait))
        await asyncio.to_thread(begun.wait)
        try:
            yield
        finally:
            left.set()


@pytest.mark.asyncio
async def test_a_number_outside_the_erp_range_is_refused_before_sending(
    gateway: "Gateway",
) -> None:
    body = b'{"CardCode": "C1", "DocumentLines": [{"ItemCode": "A1", "Quantity": 1e999999999}]}'
    headers = {**await gateway.signed_in(), "Content-Type": "application/json"}
    refused = await gateway.http.post("/api/sl/Orders", content=body, headers=headers)
    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (400, "invalid_body")
    assert problem["errors"][0]["path"] == "DocumentLines[0].Quantity"
    assert not gateway.sim.calls.of("POST", "Orders")
