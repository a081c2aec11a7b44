"""The audit log over HTTP: shape, filters, pages and faults."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from store_beside import beside
from store_insides import sqlite_writer
from structlog.testing import capture_logs

from erp_gateway.audit.recorder import MAX_PENDING
from erp_gateway.audit.repeats import OWN_RECORDS
from erp_gateway.values.audit_event import MAX_NAMES_BYTES
from erpsim.faults import Delay, Fault
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway

    from erpsim.simulator import Simulator


@pytest.mark.asyncio
async def test_an_item_has_every_member(gateway: "Gateway") -> None:
    response = await gateway.http.post(
        "/api/auth/login",
        json={"username": "ana", "password": "ana-demo"},
        headers={"X-Request-ID": "req-1"},
    )
    headers = {"Authorization": f"Bearer {response.json()['token']}"}
    found = await gateway.http.get("/api/audit", headers=headers)
    assert found.status_code == 200
    body = found.json()
    assert {name: body[name] for name in ("page", "pageSize", "total")} == {
        "page": 1,
        "pageSize": 50,
        "total": 2,
    }
    assert body["items"][0] == {
        "id": 2,
        "at": "2026-03-02T14:05:09.120Z",
        "webUser": "ana",
        "ip": "10.0.0.7",
        "action": "login",
        "resource": None,
        "key": None,
        "result": "ok",
        "fields": [],
        "detail": {},
        "reason": None,
        "requestId": "req-1",
        "chain": body["items"][0]["chain"],
    }
    assert [len(item["chain"]) for item in body["items"]] == [64, 64]


@pytest.mark.asyncio
async def test_filters_and_pages(gateway: "Gateway", clock: ManualClock) -> None:
    headers = await gateway.signed_in()
    for day in range(3):
        clock.advance(86_400)
        headers = await gateway.signed_in()
        await gateway.log_in("luis", f"wrong{day}")

    async def total(**query: str | int) -> int:
        found = await gateway.http.get("/api/audit", headers=headers, params=query)
        assert found.status_code == 200, found.text
        return int(found.json()["total"])

    assert await total(usuario="luis") == 3
    assert await total(accion="login") == 4
    assert await total(resultado="denied", usuario="luis") == 3
    assert await total(recurso="permissions") == 1
    assert await total(recurso="permissions", clave="ana") == 1
    assert await total(recurso="permissions", clave="an") == 0
    assert await total(recurso="Orders") == 0
    assert await total(desde="2026-03-03", hasta="2026-03-04") == 4
    assert await total(desde="2026-03-05") == 2
    assert await total(hasta="2026-03-02") == 2
    assert await total(usuario="", accion="") == 8

    second = await gateway.http.get("/api/audit", headers=headers, params={"page": 2, "pageSize": 3})
    assert (second.json()["page"], second.json()["pageSize"], second.json()["total"]) == (2, 3, 8)
    assert len(second.json()["items"]) == 3


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("pageSize=201", "pageSize"),
        ("page=0", "page"),
        ("clave=118", "clave"),
        ("accion=sl_delete", "accion"),
        ("resultado=maybe", "resultado"),
        ("desde=ayer", "desde"),
        ("hasta=2026-02-30", "hasta"),
        ("user=ana", "user"),
        ("page=1&page=2", "page"),
    ],
)
async def test_an_invalid_audit_query_names_its_parameter(gateway: "Gateway", query: str, path: str) -> None:
    headers = await gateway.signed_in()
    response = await gateway.http.get(f"/api/audit?{query}", headers=headers)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_query")
    assert [problem["path"] for problem in response.json()["errors"]] == [path]


@pytest.mark.asyncio
async def test_only_administrators_read_the_audit(gateway: "Gateway") -> None:
    assert (await gateway.http.get("/api/audit")).status_code == 401
    luis = await gateway.signed_in("luis")
    denied = await gateway.http.get("/api/audit", headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")


@pytest.mark.asyncio
async def test_a_failing_store_breaks_only_reading_the_audit(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    await sqlite_writer(gateway.components.audit_store._database).rows("DROP TABLE audit_log")

    assert (await gateway.log_in("luis", "luis-demo")).status_code == 200
    assert (await gateway.log_in("luis", "wrong")).status_code == 401
    put = await gateway.http.put("/api/permissions/luis", headers=headers, json={"paths": ["/x"]})
    assert put.status_code == 200
    broken = await gateway.http.get("/api/audit", headers=headers)
    assert (broken.status_code, broken.json()["code"]) == (503, "store_unavailable")
    assert broken.headers["retry-after"]


@pytest.mark.asyncio
async def test_audited_fields_are_capped_and_the_omitted_ones_are_counted(
    gateway: "Gateway",
) -> None:
    headers = await gateway.signed_in()
    many = [{f"U_F{number}": 1 for number in range(300)}]
    body = {"DocumentLines": many, "Rounding": "tYES", "DiscountPercent": 99}
    await gateway.http.post("/api/sl/IncomingPayments/1/Cancel", json=body, headers=headers)
    await gateway.http.patch("/api/sl/Orders/1", json=body, headers=headers)
    page = (await gateway.http.get("/api/audit", headers=headers)).json()["items"]
    for item, sent in zip(page, (302, 303), strict=False):
        assert 100 < len(item["fields"]) <= 200
        assert len(json.dumps(item["fields"])) <= MAX_NAMES_BYTES
        assert {"Rounding", "DiscountPercent"} <= set(item["fields"])
        assert item["detail"] == {"fieldsOmitted": sent - len(item["fields"])}


@pytest.mark.asyncio
async def test_long_field_names_are_capped_at_four_kilobytes_everywhere(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    body = {"Comments": "x", **{f"U_{'ñ' * 100}{number}": 1 for number in range(199)}}
    with capture_logs() as logs:
        await gateway.http.patch("/api/sl/Orders/1", json=body, headers=headers)
    (record, *_) = (await gateway.http.get("/api/audit", headers=headers)).json()["items"]
    (write,) = (await gateway.http.get("/api/writes", headers=headers)).json()["items"]
    (line,) = [each for each in logs if each["event"] == "AUDIT"]
    for fields, omitted in (
        (record["fields"], record["detail"]["fieldsOmitted"]),
        (write["fields"], write["fieldsOmitted"]),
        (line["fields"], line["detail"]["fieldsOmitted"]),
    ):
        assert fields[0] == "Comments"
        assert len(json.dumps(fields, ensure_ascii=False).encode()) <= MAX_NAMES_BYTES
        assert len(fields) + omitted == 200


@pytest.mark.asyncio
async def test_no_order_of_a_keys_parts_hides_a_change_from_the_history(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    partners = await gateway.http.get("/api/sl/BusinessPartners?$top=1&$select=CardCode", headers=headers)
    card = partners.json()["value"][0]["CardCode"]
    new = {"CardCode": card, "ItemCode": "A/1", "Price": 10.5}
    created = await gateway.http.post("/api/sl/SpecialPrices", json=new, headers=headers)
    assert created.status_code == 201, created.text
    turned = quote(f"ItemCode='A/1',CardCode='{card}'", safe="")
    changed = await gateway.http.patch(f"/api/sl/SpecialPrices/{turned}", json={"Price": 1}, headers=headers)
    assert changed.status_code == 204, changed.text

    key = f"CardCode='{card}',ItemCode='A/1'"
    of_it = {"recurso": "SpecialPrices", "clave": key}
    history = (await gateway.http.get("/api/audit", headers=headers, params=of_it)).json()
    assert [item["action"] for item in history["items"]] == ["sl_update", "sl_create"]
    writes = (await gateway.http.get("/api/writes?recurso=SpecialPrices", headers=headers)).json()
    assert [item["key"] for item in writes["items"]] == [key, key]


@pytest.mark.check
@pytest.mark.asyncio
async def test_denied_requests_push_no_write_out_of_the_audit_while_the_store_stalls(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    sim.faults.add(Fault(action=Delay(seconds=6), method="PATCH", path="Orders(1)"))
    change = gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
    changing = asyncio.create_task(change)
    async with asyncio.timeout(30):
        while not sim.calls.of("PATCH", "Orders(1)"):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.001)
    with beside(store_path).hold():
        for count in (1, MAX_PENDING + 20):  # the first is owed, and the others line up behind it
            reads = [gateway.http.get(f"/api/sl/Orders/{n}", headers=luis) for n in range(count)]
            assert {answer.status_code for answer in await asyncio.gather(*reads)} == {403}
        assert not changing.done(), "the store stalls when it ends"
        assert (await changing).status_code == 204
    async with asyncio.timeout(60):
        while gateway.components.recorder.pending:  # noqa: ASYNC110 - it is the interval that is waited for
            await asyncio.sleep(0.01)
    found = await gateway.http.get("/api/audit?recurso=Orders&clave=1&accion=sl_update", headers=ana)
    assert [item["result"] for item in found.json()["items"]] == ["ok"]
    assert beside(store_path).ask("SELECT state FROM ledger_write") == [("done",)]
    denied = await gateway.http.get("/api/audit?accion=permission_denied", headers=ana)
    assert denied.json()["total"] == OWN_RECORDS + 1


DENIED_REQUESTS = [
    ("GET", "/api/sl/Orders/1", None, "Orders", "1"),
    ("HEAD", "/api/sl/Orders/2", None, "Orders", "2"),
    ("GET", "/api/sl/Orders", None, "Orders", None),
    ("GET", "/api/history/Orders/3", None, "Orders", "3"),
    ("POST", "/api/sl/Orders", {}, "Orders", None),
    ("PATCH", "/api/sl/Orders/4", {}, "Orders", "4"),
    ("POST", "/api/sl/IncomingPayments/5/Cancel", None, "IncomingPayments", "5"),
    ("GET", "/api/attachments/Orders/6", None, "Orders", "6"),
    ("GET", "/api/attachments/Orders/7/1", None, "Orders", "7"),
    ("GET", "/api/permissions/ana", None, "/api/permissions/{webUser}", "ana"),
    ("PUT", "/api/permissions/luis", {"paths": ["*"]}, "/api/permissions/{webUser}", "luis"),
    ("DELETE", "/api/sessions/ana", None, "/api/sessions/{webUser}", "ana"),
    ("POST", "/api/html-reports/stock/render", {}, "/reportes-html/ejecutar", "stock"),
]


@pytest.mark.asyncio
async def test_each_denied_request_is_recorded_with_its_method_and_key(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    for method, path, body, *_ in DENIED_REQUESTS:
        answer = await gateway.http.request(method, path, json=body, headers=luis)
        assert answer.status_code == 403, (method, path, answer.text)
    found = await gateway.http.get("/api/audit?accion=permission_denied", headers=ana)
    items = reversed(found.json()["items"])
    assert [(each["detail"], each["resource"], each["key"]) for each in items] == [
        ({"method": method}, resource, key) for method, _, _, resource, key in DENIED_REQUESTS
    ]


@pytest.mark.asyncio
async def test_a_user_with_read_access_sees_the_history_of_a_record(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    denied = await gateway.http.get("/api/history/Orders/1", headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    assert (
        await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=luis)
    ).status_code == 403
    given = {"paths": ["/ventas/pedidos"]}
    assert (await gateway.http.put("/api/permissions/luis", json=given, headers=ana)).status_code == 200
    changes = {"Comments": "x", "NumAtCard": "OC-1"}
    assert (await gateway.http.patch("/api/sl/Orders/1", json=changes, headers=ana)).status_code == 204
    sim.calls.clear()
    response = await gateway.http.get("/api/history/Orders/1", headers=luis)
    assert response.status_code == 200, response.text
    assert response.json() == {
        "items": [
            {
                "at": "2026-03-02T14:05:09.120Z",
                "webUser": "ana",
                "action": "sl_update",
                "result": "ok",
                "fields": ["Comments", "NumAtCard"],
                "changeSet": None,
                "position": None,
            }
        ],
        "page": 1,
        "pageSize": 50,
        "total": 1,
    }
    assert list(sim.calls) == []
    second = await gateway.http.get("/api/history/Orders/1?page=2&pageSize=1", headers=luis)
    assert (second.json()["items"], second.json()["total"]) == ([], 1)


@pytest.mark.asyncio
async def test_a_history_names_no_hidden_field_in_any_letter_case(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    people = [{"Name": "x", "Password": "y"}, {"password": "y"}]
    changes = {"Phone1": "1", "ContactEmployees": people}
    await gateway.http.patch("/api/sl/BusinessPartners/C00001", json=changes, headers=ana)
    response = await gateway.http.get("/api/history/BusinessPartners/C00001", headers=ana)
    assert [each["fields"] for each in response.json()["items"]] == [["Phone1", "ContactEmployees[].Name"]]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("Orders/uno", 400, "key_bad_value"),
        ("Nothing/1", 404, "resource_not_registered"),
        ("Orders/1?pageSize=0", 400, "invalid_query"),
        ("Orders/1?recurso=Items", 400, "invalid_query"),
    ],
)
async def test_an_invalid_history_request_is_refused(
    gateway: "Gateway", path: str, status: int, code: str
) -> None:
    response = await gateway.http.get(f"/api/history/{path}", headers=await gateway.signed_in())
    assert (response.status_code, response.json()["code"]) == (status, code)
