"""Several writes as one request: the ERP does all of them or none, and each is recorded."""

import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from erpsim.company.notification import Notice
from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, Delay, Drop, Fault, Garbage, When
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

Operations = list[dict[str, Any]]

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 2.5, "UnitPrice": 1000.10}],
}
CREATE = {"method": "POST", "resource": "Orders", "body": ORDER}
CHANGE = {"method": "PATCH", "resource": "Orders", "key": 1, "body": {"Comments": "del conjunto"}}
MISSING = {"method": "PATCH", "resource": "Orders", "key": 987654, "body": {"Comments": "x"}}
BATCH = ("POST", "$batch")

BOTH = pytest.mark.parametrize("version", ["v1", "v2"])


def address(sim: "Simulator", version: str) -> str:
    return sim.url if version == "v1" else sim.url_v2


async def send(
    gateway: "Gateway", headers: dict[str, str], *operations: dict[str, Any], key: str | None = None
) -> "httpx2.Response":
    more = {} if key is None else {"Idempotency-Key": key}
    body = {"operations": list(operations)}
    return await gateway.http.post("/api/change-sets", json=body, headers={**headers, **more})


async def grant(gateway: "Gateway", *paths: str, user: str = "luis") -> dict[str, str]:
    """Give a user exactly these permissions and sign them in."""
    ana = await gateway.signed_in()
    await gateway.http.put(f"/api/permissions/{user}", headers=ana, json={"paths": list(paths)})
    return await gateway.signed_in(user)


async def writes(gateway: "Gateway", headers: dict[str, str], **query: str) -> list[dict[str, Any]]:
    answer = await gateway.http.get("/api/writes", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def audit(gateway: "Gateway", headers: dict[str, str], **conditions: str) -> list[dict[str, Any]]:
    answer = await gateway.http.get("/api/audit", params=conditions, headers=headers)
    items: list[dict[str, Any]] = answer.json()["items"]
    return [item for item in items if item["action"].startswith(("sl_", "write_", "permission_denied"))]


async def comment(gateway: "Gateway", headers: dict[str, str], key: int = 1) -> str | None:
    answer = await gateway.http.get(f"/api/sl/Orders/{key}?$select=Comments", headers=headers)
    found: str | None = answer.json()["Comments"]
    return found


async def newest(gateway: "Gateway", headers: dict[str, str]) -> int:
    page = "/api/sl/Orders?$select=DocEntry&$orderby=DocEntry desc&$top=1"
    return int((await gateway.http.get(page, headers=headers)).json()["value"][0]["DocEntry"])


async def payment(gateway: "Gateway", headers: dict[str, str]) -> int:
    page = (await gateway.http.get("/api/sl/IncomingPayments?$top=1", headers=headers)).json()
    return int(page["value"][0]["DocEntry"])


def assert_at(answer: "httpx2.Response", place: int) -> dict[str, Any]:
    """Check that a refusal names the operation, and return the document."""
    problem: dict[str, Any] = answer.json()
    assert problem["errors"][0]["path"] == f"operations[{place}]", problem
    assert f"Operación {place + 1}" in problem["message"]
    return problem


@pytest.mark.asyncio
@BOTH
async def test_a_change_set_is_one_call_and_answers_each_operation(
    open_gateway: "OpenGateway", sim: "Simulator", version: str
) -> None:
    async with open_gateway(sim, url=address(sim, version)) as gateway:
        ana = await gateway.signed_in()
        paid = await payment(gateway, ana)
        sim.calls.clear()
        cancel = {"method": "POST", "resource": "IncomingPayments", "key": paid, "action": "Cancel"}
        partner = {
            "method": "PATCH",
            "resource": "BusinessPartners",
            "key": "C00001",
            "body": {"Notes": "web"},
        }
        answer = await send(gateway, ana, CREATE, partner, cancel)
        assert answer.status_code == 200, answer.text
        assert [(call.method, call.path) for call in sim.calls] == [BATCH]
        body = answer.json()
        created, changed, cancelled = body["operations"]
        entry = created["body"]["DocEntry"]
        assert (created["status"], created["location"]) == (201, f"/api/sl/Orders/{entry}")
        assert created["etag"] == created["body"]["odata.etag"]
        assert "odata.metadata" not in created["body"]
        for done in (changed, cancelled):
            assert done == {"status": 204, "location": None, "etag": None, "body": None}
        read = await gateway.http.get(created["location"], headers=ana)
        assert read.json()["DocNum"] == created["body"]["DocNum"]
        notes = await gateway.http.get("/api/sl/BusinessPartners/C00001?$select=Notes", headers=ana)
        assert notes.json()["Notes"] == "web"
        rows = [
            (row["kind"], row["resource"], row["key"], row["result"], row["changeSet"], row["position"])
            for row in reversed(await writes(gateway, ana))
        ]
        number = body["changeSet"]
        assert rows == [
            ("create", "Orders", str(entry), "done", number, 0),
            ("update", "BusinessPartners", "C00001", "done", number, 1),
            ("action", "IncomingPayments", str(paid), "done", number, 2),
        ]
        assert (await gateway.http.get(f"/api/writes/{number}", headers=ana)).json()["position"] == 0


@pytest.mark.asyncio
async def test_each_operation_has_an_audit_record_with_its_set_and_place(gateway: "Gateway") -> None:
    ana = {**await gateway.signed_in(), "X-Request-ID": "r-set"}
    answer = await send(gateway, ana, CREATE, CHANGE)
    number = answer.json()["changeSet"]
    records = list(reversed(await audit(gateway, ana)))
    assert [(each["action"], each["key"], each["detail"], each["requestId"]) for each in records] == [
        (
            "sl_create",
            str(answer.json()["operations"][0]["body"]["DocEntry"]),
            {"changeSet": number, "position": 0},
            "r-set",
        ),
        ("sl_update", "1", {"changeSet": number, "position": 1}, "r-set"),
    ]
    assert records[1]["fields"] == ["Comments"]
    history = (await gateway.http.get("/api/history/Orders/1", headers=ana)).json()["items"]
    assert (history[0]["action"], history[0]["changeSet"]) == ("sl_update", number)


REFUSED: list[Any] = [
    pytest.param({**CREATE, "resource": "Nothing"}, 404, "resource_not_registered", id="unknown resource"),
    pytest.param({**CREATE, "resource": "orders"}, 404, "resource_not_registered", id="letter case"),
    pytest.param({**CREATE, "resource": "Attachments2"}, 404, "resource_not_registered", id="attachments"),
    pytest.param({**CREATE, "resource": "EmployeesInfo"}, 404, "resource_not_registered", id="employees"),
    pytest.param({**CREATE, "resource": "$1"}, 404, "resource_not_registered", id="alias"),
    pytest.param({**CREATE, "resource": "../Orders"}, 404, "resource_not_registered", id="path"),
    pytest.param({**CREATE, "resource": "Currencies"}, 405, "method_not_allowed", id="read only"),
    pytest.param(
        {**CHANGE, "resource": "Currencies", "key": "CLP"}, 405, "method_not_allowed", id="no change"
    ),
    pytest.param({**CHANGE, "key": "$1"}, 400, "key_bad_value", id="alias as key"),
    pytest.param({**CHANGE, "key": "x"}, 400, "key_bad_value", id="key"),
    pytest.param({**CHANGE, "key": 2**70}, 400, "key_bad_value", id="huge key"),
    pytest.param({**CHANGE, "ifMatch": "*"}, 400, "etag_unsupported", id="tag"),
    pytest.param({**CHANGE, "ifMatch": ""}, 400, "etag_unsupported", id="empty tag"),
    pytest.param({**CREATE, "ifMatch": 'W/"A"'}, 400, "etag_unsupported", id="tag of a create"),
    pytest.param(
        {"method": "POST", "resource": "Orders", "key": 1, "action": "Explode"},
        404,
        "action_not_registered",
        id="action",
    ),
    pytest.param(
        {"method": "POST", "resource": "IncomingPayments", "key": 1, "action": "cancel"},
        404,
        "action_not_registered",
        id="letter case of an action",
    ),
    pytest.param(
        {"method": "POST", "resource": "SeriesService_GetDocumentSeries", "body": {}},
        400,
        "not_in_change_set",
        id="service action",
    ),
    pytest.param({**CREATE, "body": []}, 400, "invalid_body", id="list"),
    pytest.param({**CREATE, "body": None}, 400, "invalid_body", id="no body"),
    pytest.param({**CHANGE, "body": {"AttachmentEntry": 1}}, 400, "field_not_writable", id="file"),
    pytest.param(
        {**CHANGE, "body": {"attachmententry": 1}}, 400, "field_not_writable", id="file in lower case"
    ),
    pytest.param({**CHANGE, "body": {"odata.etag": "x"}}, 400, "field_not_writable", id="annotation"),
    pytest.param({**CHANGE, "body": {"U_WEB_PASS": "x"}}, 400, "invalid_body", id="password"),
    pytest.param({**CHANGE, "body": {"Rate": 10**400}}, 400, "invalid_body", id="number"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("bad", "status", "code"), REFUSED)
@pytest.mark.parametrize("place", [0, 1])
async def test_one_refused_operation_refuses_all_before_anything_is_sent(
    gateway: "Gateway", sim: "Simulator", bad: dict[str, Any], status: int, code: str, place: int
) -> None:
    ana = await gateway.signed_in()
    sim.calls.clear()
    operations: Operations = [CREATE, CHANGE]
    operations.insert(place, bad)
    answer = await send(gateway, ana, *operations)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert_at(answer, place)
    assert "No se realizó ninguna" in answer.json()["message"]
    assert len(sim.calls) == 0
    assert await writes(gateway, ana) == []


@pytest.mark.asyncio
async def test_the_path_of_a_problem_within_a_body_follows_that_of_its_operation(gateway: "Gateway") -> None:
    lines = [{"ItemCode": "A/1", "U_WEB_PASS": "x"}]
    bad = {**CREATE, "body": {**ORDER, "DocumentLines": lines}}
    answer = await send(gateway, await gateway.signed_in(), CHANGE, bad)
    assert [each["path"] for each in answer.json()["errors"]] == [
        "operations[1]",
        "operations[1].body.DocumentLines[].U_WEB_PASS",
    ]


@pytest.mark.asyncio
async def test_each_operation_needs_the_rights_that_it_needs_alone(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    luis = await grant(gateway, "/ventas/pedidos/*")
    sim.calls.clear()
    partner = {"method": "PATCH", "resource": "BusinessPartners", "key": "C00001", "body": {"Notes": "x"}}
    answer = await send(gateway, luis, CREATE, partner)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert_at(answer, 1)
    quoted = {**ORDER, "DocumentLines": [{"BaseType": 23, "BaseEntry": 1, "BaseLine": 0}]}
    answer = await send(gateway, luis, {**CREATE, "body": quoted})
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert_at(answer, 0)
    assert len(sim.calls) == 0
    ana = await gateway.signed_in()
    denied = await audit(gateway, ana, resultado="denied")
    assert [(each["webUser"], each["resource"], each["key"]) for each in denied] == [
        ("luis", "Orders", None),
        ("luis", "BusinessPartners", "C00001"),
    ]
    assert denied[0]["detail"] == {"method": "POST", "references": ["Quotations"]}
    assert (await send(gateway, luis, CREATE, CHANGE)).status_code == 200


def act(resource: str, key: int, action: str) -> dict[str, Any]:
    return {"method": "POST", "resource": resource, "key": key, "action": action}


async def new_order(gateway: "Gateway", headers: dict[str, str]) -> int:
    answer = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=headers)
    return int(answer.json()["DocEntry"])


@pytest.mark.asyncio
@BOTH
async def test_documents_are_closed_reopened_and_cancelled_together_or_not_at_all(
    open_gateway: "OpenGateway", sim: "Simulator", version: str
) -> None:
    async with open_gateway(sim, url=address(sim, version)) as gateway:
        ana = await gateway.signed_in()
        closed, cancelled, twice = [await new_order(gateway, ana) for _ in range(3)]

        async def states() -> list[tuple[str, str]]:
            fields = "$select=DocumentStatus,Cancelled"
            read = [
                await gateway.http.get(f"/api/sl/Orders/{key}?{fields}", headers=ana)
                for key in (closed, cancelled, twice)
            ]
            return [(each.json()["DocumentStatus"], each.json()["Cancelled"]) for each in read]

        actions = [
            act("Orders", closed, "Close"),
            act("Orders", cancelled, "Cancel"),
            act("Orders", twice, "Close"),
            act("Orders", twice, "Reopen"),
        ]
        refused = await send(gateway, ana, *actions, act("Orders", cancelled, "Cancel"))
        assert refused.status_code == 400, refused.text
        assert await states() == [("bost_Open", "tNO")] * 3
        done = await send(gateway, ana, *actions)
        assert done.status_code == 200, done.text
        assert {each["status"] for each in done.json()["operations"]} == {204}
        first, second, third = await states()
        assert (first, second[1], third) == (("bost_Close", "tNO"), "tYES", ("bost_Open", "tNO"))
        records = await audit(gateway, ana, accion="sl_action", resultado="ok")
        assert [(each["key"], each["fields"]) for each in reversed(records)] == [
            (str(closed), ["Close()"]),
            (str(cancelled), ["Cancel()"]),
            (str(twice), ["Close()"]),
            (str(twice), ["Reopen()"]),
        ]


@pytest.mark.asyncio
async def test_a_cancellation_by_a_document_of_its_own_is_sent_alone(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.calls.clear()
    answer = await send(gateway, ana, CREATE, act("DeliveryNotes", 1, "CreateCancellationDocument"))
    assert (answer.status_code, answer.json()["code"]) == (400, "not_in_change_set")
    assert_at(answer, 1)
    other = await send(gateway, ana, act("Orders", 1, "CreateCancellationDocument"))
    assert (other.status_code, other.json()["code"]) == (404, "action_not_registered")
    assert len(sim.calls) == 0


INVALID: list[Any] = [
    pytest.param({}, ["operations"], id="empty"),
    pytest.param([], [""], id="list"),
    pytest.param({"operations": []}, ["operations"], id="none"),
    pytest.param({"operations": [CHANGE] * 21}, ["operations"], id="21"),
    pytest.param({"operations": {}}, ["operations"], id="object"),
    pytest.param({"operations": [CHANGE], "more": 1}, ["more"], id="further member"),
    pytest.param({"operations": [CHANGE, 7]}, ["operations[1]"], id="number"),
    pytest.param({"operations": [{**CHANGE, "method": "DELETE"}]}, ["operations[0].method"], id="delete"),
    pytest.param({"operations": [{**CHANGE, "method": "GET"}]}, ["operations[0].method"], id="get"),
    pytest.param({"operations": [{**CHANGE, "method": "patch"}]}, ["operations[0].method"], id="lower case"),
    pytest.param({"operations": [{**CHANGE, "method": "MERGE"}]}, ["operations[0].method"], id="merge"),
    pytest.param({"operations": [{**CHANGE, "key": True}]}, ["operations[0].key"], id="boolean key"),
    pytest.param({"operations": [{**CHANGE, "key": 1.5}]}, ["operations[0].key"], id="broken key"),
    pytest.param({"operations": [{**CHANGE, "key": None}]}, ["operations[0].key"], id="change without key"),
    pytest.param({"operations": [{**CREATE, "key": 1}]}, ["operations[0].action"], id="create with key"),
    pytest.param({"operations": [{**CREATE, "action": "Cancel"}]}, ["operations[0].key"], id="action alone"),
    pytest.param(
        {"operations": [{**CHANGE, "action": "Cancel"}]}, ["operations[0].action"], id="patched action"
    ),
    pytest.param({"operations": [{**CHANGE, "headers": {}}]}, ["operations[0].headers"], id="headers"),
    pytest.param(
        {"operations": [{**CHANGE, "replaceCollections": True}]},
        ["operations[0].replaceCollections"],
        id="replacing lines",
    ),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("body", "paths"), INVALID)
async def test_what_is_no_change_set_is_refused_with_its_path(
    gateway: "Gateway", sim: "Simulator", body: object, paths: list[str]
) -> None:
    ana = await gateway.signed_in()
    sim.calls.clear()
    answer = await gateway.http.post("/api/change-sets", json=body, headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body"), answer.text
    assert [each["path"] for each in answer.json()["errors"]] == paths
    assert len(sim.calls) == 0


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "headers", "code"),
    [
        ("", {"If-Match": "*"}, "etag_unsupported"),
        ("", {"B1S-ReplaceCollectionsOnPatch": "true"}, "header_not_allowed"),
        ("?$select=DocEntry", {}, "odata_unknown_option"),
        ("", {"Idempotency-Key": "a b"}, "idempotency_key_bad_value"),
    ],
)
async def test_options_of_the_request_are_refused(
    gateway: "Gateway", query: str, headers: dict[str, str], code: str
) -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.post(
        f"/api/change-sets{query}", json={"operations": [CHANGE]}, headers={**ana, **headers}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert (await gateway.http.patch("/api/change-sets", json={}, headers=ana)).status_code == 405


@pytest.mark.asyncio
@pytest.mark.parametrize("count", [1, 20])
async def test_a_change_set_holds_up_to_20_operations(gateway: "Gateway", count: int) -> None:
    ana = await gateway.signed_in()
    texts = [f"número {number}" for number in range(count)]
    answer = await send(gateway, ana, *({**CHANGE, "body": {"Comments": text}} for text in texts))
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["operations"]) == count
    assert await comment(gateway, ana) == texts[-1]


@pytest.mark.asyncio
async def test_bodies_reach_the_erp_byte_for_byte(gateway: "Gateway", sim: "Simulator") -> None:
    ana = {**await gateway.signed_in(), "Content-Type": "application/json"}
    body = (
        b'{ "CardCode" :"C00001","DocDueDate":"2026-12-31", "Comments":"\xc3\xb1 \\u00e1", '
        b'"DocumentLines": [{"ItemCode":"A\\/1", "Quantity": 1.50}] }'
    )
    content = b'{"operations":[{"method":"POST","resource":"Orders","body":%b}]}' % body
    answer = await gateway.http.post("/api/change-sets", content=content, headers=ana)
    assert answer.status_code == 200, answer.text
    (call,) = sim.calls.of(*BATCH)
    assert body in call.body


@pytest.mark.asyncio
@BOTH
async def test_a_refusal_of_the_erp_undoes_all_and_names_the_operation_in_v2(
    open_gateway: "OpenGateway", sim: "Simulator", version: str
) -> None:
    async with open_gateway(sim, url=address(sim, version)) as gateway:
        ana = await gateway.signed_in()
        before, said = await newest(gateway, ana), await comment(gateway, ana)
        answer = await send(gateway, ana, CHANGE, CREATE, MISSING)
        problem = answer.json()
        assert await newest(gateway, ana) == before
        assert await comment(gateway, ana) == said
        if version == "v2":
            assert (answer.status_code, problem["code"]) == (404, "record_not_found")
            assert_at(answer, 2)
        else:  # it may be the order, and -2028 is also what an approval procedure answers
            assert (answer.status_code, problem["code"]) == (400, "maybe_in_approval")
            assert "errors" not in problem
            assert "no indica cuál" in problem["message"]
        assert problem["upstream"]["code"] == -2028
        rows = await writes(gateway, ana)
        assert {(row["result"], row["reason"]) for row in rows} == {("refused", problem["code"])}
        assert len(rows) == 3
        records = await audit(gateway, ana)
        assert [(each["result"], each["detail"]["position"]) for each in reversed(records)] == [
            ("error", 0),
            ("error", 1),
            ("error", 2),
        ]


@pytest.mark.asyncio
async def test_the_only_operation_is_named_whatever_the_version(gateway: "Gateway") -> None:
    answer = await send(gateway, await gateway.signed_in(), MISSING)
    assert (answer.status_code, answer.json()["code"]) == (404, "record_not_found")
    assert_at(answer, 0)


@pytest.mark.asyncio
@BOTH
async def test_a_company_rule_is_a_refusal_or_on_some_builds_a_502_of_unknown_outcome(
    open_gateway: "OpenGateway", version: str
) -> None:
    rule = frozenset({Notice("Orders", 42, "Falta la temporada", "Comments")})
    order = {**CREATE, "body": {**ORDER, "Comments": "V"}}
    for breaks, status, code in ((False, 400, "upstream_rejected"), (True, 502, "outcome_unknown")):
        switches = Switches(transaction_notification=rule, notification_breaks_batch=breaks)
        async with run_sim(switches=switches) as sim, open_gateway(sim, url=address(sim, version)) as gateway:
            ana = await gateway.signed_in()
            answer = await send(gateway, ana, order, {**CHANGE, "body": {"NumAtCard": "1"}})
            assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text


@pytest.mark.asyncio
async def test_a_document_caught_by_approval_is_named_and_not_sent_again(
    open_gateway: "OpenGateway",
) -> None:
    switches = Switches(approval_procedure=frozenset({"Orders"}))
    async with run_sim(switches=switches) as sim:
        settings = {"ERP_SL_USER": "bodega", "url": sim.url_v2}
        async with open_gateway(sim, **settings) as gateway:
            ana = await gateway.signed_in()
            answer = await send(gateway, ana, CHANGE, CREATE, key="k")
            assert (answer.status_code, answer.json()["code"]) == (400, "maybe_in_approval"), answer.text
            assert_at(answer, 1)
            again = await send(gateway, ana, CHANGE, CREATE, key="k")
            assert (again.status_code, again.headers["Idempotency-Replayed"]) == (400, "true")
            assert len(sim.calls.of(*BATCH)) == 1


@pytest.mark.asyncio
async def test_a_repeated_set_gets_the_same_answer_across_restarts(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        first = await send(gateway, ana, CREATE, CHANGE, key="k")
        again = await send(gateway, ana, CREATE, CHANGE, key="k")
        assert first.status_code == 200, first.text
        assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
        other = await send(gateway, ana, CREATE, {**CHANGE, "key": 2}, key="k")
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
        alone = await gateway.http.post("/api/sl/Orders", json=ORDER, headers={**ana, "Idempotency-Key": "k"})
        assert (alone.status_code, alone.json()["code"]) == (422, "idempotency_key_reused")
        assert len(await writes(gateway, ana)) == 2
    async with open_gateway(sim) as gateway:
        again = await send(gateway, await gateway.signed_in(), CREATE, CHANGE, key="k")
        assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert len(sim.calls.of(*BATCH)) == 1


@pytest.mark.asyncio
async def test_a_repeated_set_needs_the_rights_of_now_and_keys_belong_to_their_person(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    luis = await grant(gateway, "/ventas/pedidos/*")
    first = await send(gateway, luis, CREATE, CHANGE, key="k")
    assert first.status_code == 200, first.text
    eva = await grant(gateway, "/ventas/pedidos/*", user="carmen")
    other = await send(gateway, eva, CREATE, CHANGE, key="k")
    assert other.json()["changeSet"] != first.json()["changeSet"]
    number = first.json()["changeSet"]
    hidden = await gateway.http.get(f"/api/writes/{number}", headers=eva)
    assert hidden.status_code == 404
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", headers=ana, json={"paths": ["/ventas/pedidos"]})
    again = await send(gateway, luis, CREATE, CHANGE, key="k")
    assert (again.status_code, again.json()["code"]) == (403, "permission_denied")
    assert len(sim.calls.of(*BATCH)) == 2


@pytest.mark.asyncio
async def test_a_set_has_the_size_limit_of_a_write_alone(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.calls.clear()
    large = {**CHANGE, "body": {"Comments": "x" * 60_000}}
    answer = await send(gateway, ana, *[large] * 20)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    containers = b'{"a":[' + b",".join([b"{}"] * 20_001) + b"]}"
    content = b'{"operations":[{"method":"PATCH","resource":"Orders","key":1,"body":%b}]}' % containers
    headers = {**ana, "Content-Type": "application/json"}
    answer = await gateway.http.post("/api/change-sets", content=content, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    deep = b'{"a":' * 40 + b"1" + b"}" * 40
    content = b'{"operations":[{"method":"PATCH","resource":"Orders","key":1,"body":%b}]}' % deep
    answer = await gateway.http.post("/api/change-sets", content=content, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")
    assert answer.json()["errors"][0]["path"] == "operations[0]"
    assert len(sim.calls) == 0


@pytest.mark.asyncio
async def test_parallel_requests_with_one_key_are_sent_once(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.3), method="POST", path="$batch"))
    answers = await asyncio.gather(*(send(gateway, ana, CREATE, CHANGE, key="k") for _ in range(10)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(sim.calls.of(*BATCH)) == 1


@pytest.mark.asyncio
async def test_a_refused_set_may_be_sent_again_with_its_key(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    for _ in range(2):
        answer = await send(gateway, ana, CHANGE, MISSING, key="k")
        assert answer.status_code == 404
    assert len(sim.calls.of(*BATCH)) == 2


@pytest.mark.asyncio
async def test_an_answer_too_large_to_store_is_repeated_without_its_bodies(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    lines = [{"ItemCode": "A/1", "Quantity": 1, "FreeText": "x" * 90}] * 40
    large = {**CREATE, "body": {**ORDER, "DocumentLines": lines}}
    first = await send(gateway, ana, large, large, large, CHANGE, key="k")
    assert first.status_code == 200, first.text
    assert len(first.content) > 256 * 1024
    again = await send(gateway, ana, large, large, large, CHANGE, key="k")
    expected = {**first.json(), "operations": [{**each, "body": None} for each in first.json()["operations"]]}
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (expected, "true")


LOST: list[Any] = [
    pytest.param(Drop(when=When.AFTER_WORK), True, 502, id="lost after the work"),
    pytest.param(Drop(when=When.BEFORE_WORK), False, 502, id="lost before the work"),
    pytest.param(BadGateway(when=When.AFTER_WORK), True, 502, id="bad gateway after the work"),
    pytest.param(Garbage(), True, 502, id="garbage"),
    pytest.param(
        Answer(status=202, body="--x", content_type="multipart/mixed;boundary=y"), False, 502, id="cut"
    ),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("fault", "is_done", "status"), LOST)
async def test_a_lost_response_makes_the_whole_set_unknown_until_one_row_is_settled(
    gateway: "Gateway", sim: "Simulator", fault: Any, is_done: bool, status: int
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=fault, method="POST", path="$batch"))
    answer = await send(gateway, ana, CREATE, CHANGE, key="k")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (status, "outcome_unknown"), answer.text
    assert [each["resource"] for each in problem["writes"]] == ["Orders", "Orders"]
    assert problem["write"] == problem["writes"][0]
    assert problem["changeSet"] == problem["write"]["id"]
    assert problem["lookAt"] == ["/api/sl/Orders", "/api/sl/Orders/1"]
    assert (problem["nextStep"], problem["sameKeyIsSafe"]) == ("look", True)
    assert (await comment(gateway, ana) == "del conjunto") is is_done
    again = await send(gateway, ana, CREATE, CHANGE, key="k")
    assert (again.status_code, again.json()["code"]) == (409, "first_outcome_unknown")
    rows = await writes(gateway, ana, resultado="unknown")
    assert [row["changeSet"] for row in rows] == [problem["changeSet"]] * 2

    last = rows[0]["id"]
    result = {"result": "done" if is_done else "not_done"}
    settled = await gateway.http.post(f"/api/writes/{last}/settle", json=result, headers=ana)
    assert settled.status_code == 200, settled.text
    assert {(row["result"], row["endedBy"]) for row in await writes(gateway, ana)} == {
        (result["result"], "ana")
    }
    records = [each for each in await audit(gateway, ana) if each["action"] == "write_settled"]
    assert [each["detail"]["position"] for each in reversed(records)] == [0, 1]
    first = await gateway.http.post(f"/api/writes/{problem['changeSet']}/settle", json=result, headers=ana)
    assert (first.status_code, first.json()["code"]) == (409, "write_not_unknown")
    again = await send(gateway, ana, CREATE, CHANGE, key="k")
    assert again.status_code == 200, again.text
    assert ("Idempotency-Replayed" in again.headers) is is_done
    assert [each["status"] for each in again.json()["operations"]] == [201, 204]
    assert len(sim.calls.of(*BATCH)) == (1 if is_done else 2)


@pytest.mark.asyncio
async def test_the_key_of_a_settled_create_is_in_the_repeated_answer(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="$batch"))
    await send(gateway, ana, CREATE, CHANGE, key="k")
    entry = await newest(gateway, ana)
    change, create = await writes(gateway, ana)
    wrong = {"result": "done", "key": str(entry)}
    refused = await gateway.http.post(f"/api/writes/{change['id']}/settle", json=wrong, headers=ana)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    await gateway.http.post(f"/api/writes/{create['id']}/settle", json=wrong, headers=ana)
    again = await send(gateway, ana, CREATE, CHANGE, key="k")
    assert again.json()["operations"][0]["location"] == f"/api/sl/Orders/{entry}"


FIELD = "U_GW_Clave"


async def add_field(gateway: "Gateway") -> None:
    from erpclient import Caller

    field = {"Name": FIELD[2:], "TableName": "ORDR", "Type": "db_Alpha", "Size": 32, "Description": "Clave"}
    await gateway.components.client.create("UserFieldsMD", json.dumps(field).encode(), caller=Caller("test"))


@pytest.mark.asyncio
@pytest.mark.parametrize("when", [When.AFTER_WORK, When.BEFORE_WORK])
async def test_any_traced_create_decides_an_unknown_set(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock", when: When
) -> None:
    quotation = {"method": "POST", "resource": "Quotations", "body": ORDER}
    async with open_gateway(sim, WRITE_TRACE_FIELD=FIELD, WRITE_TRACE_LOOKS="1") as gateway:
        ana = await gateway.signed_in()
        await add_field(gateway)
        sim.faults.add(Fault(action=Drop(when=when), method="POST", path="$batch"))
        answer = await send(gateway, ana, CHANGE, CREATE, quotation, key="k")
        problem = answer.json()
        assert (problem["code"], problem["nextStep"]) == ("outcome_unknown", "wait"), problem
        waiting = await send(gateway, ana, CHANGE, CREATE, quotation, key="k")
        assert (waiting.status_code, waiting.json()["nextStep"]) == (409, "wait")
        clock.advance(2)
        lookups = gateway.components.writes.lookups
        assert lookups is not None
        await lookups.run_due()
        rows = list(reversed(await writes(gateway, ana)))
        is_done = when is When.AFTER_WORK
        assert {row["result"] for row in rows} == {"done" if is_done else "not_done"}
        assert [row["key"] is not None for row in rows] == [True, is_done, is_done]
        again = await send(gateway, ana, CHANGE, CREATE, quotation, key="k")
        assert again.status_code == 200
        assert ("Idempotency-Replayed" in again.headers) is is_done
        places = [each["location"] for each in again.json()["operations"]]
        assert places[0] is None
        assert places[1].startswith("/api/sl/Orders/")
        assert places[2].startswith("/api/sl/Quotations/")


@pytest.mark.asyncio
async def test_a_set_without_a_traced_create_stays_unknown(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with open_gateway(sim, WRITE_TRACE_FIELD=FIELD, WRITE_TRACE_LOOKS="1") as gateway:
        ana = await gateway.signed_in()
        await add_field(gateway)
        sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="$batch"))
        answer = await send(gateway, ana, CHANGE, {**CHANGE, "key": 2})
        assert answer.json()["nextStep"] == "look"
        clock.advance(60)
        lookups = gateway.components.writes.lookups
        assert lookups is not None
        assert await lookups.run_due() == 0
        assert {row["result"] for row in await writes(gateway, ana)} == {"unknown"}


@pytest.mark.asyncio
async def test_the_cached_answers_of_every_written_resource_are_cleared(
    extended: "Gateway", sim: "Simulator"
) -> None:
    ana = await extended.signed_in()

    async def calls(resource: str) -> int:
        await extended.http.get(f"/api/sl/{resource}?$top=1", headers=ana)
        return len(sim.calls.of("GET", resource))

    for resource in ("Warehouses", "Currencies"):
        assert [await calls(resource), await calls(resource)] == [1, 1]
    change = {"method": "PATCH", "resource": "Warehouses", "key": "01", "body": {"Street": "x"}}
    answer = await send(extended, ana, change, CHANGE)
    assert answer.status_code == 200, answer.text
    assert [await calls("Warehouses"), await calls("Currencies")] == [2, 1]


@pytest.mark.asyncio
async def test_hidden_fields_of_each_resource_are_removed_from_its_reply_alone(extended: "Gateway") -> None:
    ana = await extended.signed_in()
    partner = {"CardCode": "CSET1", "CardName": "Uno", "CardType": "cCustomer", "Phone1": "1"}
    hides = {"method": "POST", "resource": "BusinessPartners", "body": partner}
    answer = await send(extended, ana, hides, CREATE)
    assert answer.status_code == 200, answer.text
    created, order = (each["body"] for each in answer.json()["operations"])
    assert "CardName" in created
    assert "Phone1" not in created
    assert "Password" not in created
    assert order["Comments"] is None


NAME = "customer_of_the_change_sets"
MODULE = """
import attrs
from erp_gateway.extensions import *

NAMES = ("BusinessPartners", "Warehouses")
PARTNERS, WAREHOUSES = (next(each for each in SHIPPED.resources if each.name == name) for name in NAMES)
HIDDEN = frozenset({"Phone1", "Comments"})
EXTENSION = Extension(
    replaces=Declarations(
        resources=(
            attrs.evolve(
                PARTNERS,
                secret_fields=HIDDEN,
                columns=tuple(column for column in PARTNERS.columns if column.name not in HIDDEN),
            ),
            attrs.evolve(WAREHOUSES, methods=READ_WRITE, write_menu="/bodegas/editar"),
        )
    ),
)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    (tmp_path / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": NAME}
    sys.modules.pop(NAME, None)


@pytest.mark.asyncio
async def test_a_set_whose_client_left_while_it_waited_is_not_sent(
    open_gateway: "OpenGateway", sim: "Simulator", store_path: Path
) -> None:
    async with open_gateway(sim, ERP_SL_QUEUE_TIMEOUT="0.1") as gateway:
        ana = await gateway.signed_in()
        sim.faults.add(Fault(action=Delay(seconds=0.5), method="GET", path="Items"))
        reading = asyncio.create_task(gateway.http.get("/api/sl/Items", headers=ana))
        async with asyncio.timeout(30):
            while not sim.calls.of("GET", "Items"):  # noqa: ASYNC110 - the simulator has no event for it
                await asyncio.sleep(0.001)
        answer = await send(gateway, ana, CREATE, CHANGE)
        assert (answer.status_code, answer.json()["code"]) == (503, "queue_timeout")
        await reading
    with closing(sqlite3.connect(store_path)) as other:
        rows = other.execute(
            "SELECT state, set_id IS NULL, position FROM ledger_write ORDER BY id"
        ).fetchall()
    assert rows == [("not_sent", 0, 0), ("not_sent", 0, 1)]
    assert sim.calls.of(*BATCH) == []


DOCS = Path(__file__).parents[4] / "docs" / "api.md"


@pytest.mark.asyncio
async def test_the_example_in_the_docs_works_as_it_says(gateway: "Gateway") -> None:
    section = (
        DOCS.read_text(encoding="utf-8").partition("## Several writes, all or none")[2].partition("\n## ")[0]
    )
    request, response = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    ana = {**await gateway.signed_in(), "Content-Type": "application/json", "Idempotency-Key": "docs"}
    answer = await gateway.http.post("/api/change-sets", content=request, headers=ana)
    assert answer.status_code == 200, answer.text
    shown, real = json.loads(response), answer.json()
    assert real.keys() == shown.keys()
    for mine, theirs in zip(real["operations"], shown["operations"], strict=True):
        assert (mine.keys(), mine["status"]) == (theirs.keys(), theirs["status"])
        assert {name: type(value) for name, value in mine.items()} == {
            name: type(value) for name, value in theirs.items()
        }
        assert set(theirs["body"] or ()) <= set(mine["body"] or ())
