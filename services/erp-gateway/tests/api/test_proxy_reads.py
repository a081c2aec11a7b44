"""Reading through the proxy: what goes upstream, and what comes back."""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote

import pytest

from erpsim.company.switches import Switches
from erpsim.faults import Delay, Fault, Truncate
from erpsim.seeds import ODD_ITEM_CODES
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator


def last_call(sim: "Simulator") -> tuple[str, dict[str, list[str]], dict[str, str]]:
    """Return path, options and the headers of interest of the newest upstream call."""
    call = sim.calls[-1]
    return call.path, parse_qs(call.query), dict(call.headers)


@pytest.mark.asyncio
async def test_a_list_has_rows_and_a_number(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get("/api/sl/Warehouses", headers=ana)
    body = answer.json()
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert sorted(body) == ["odata.count", "value"]
    assert body["odata.count"] == len(body["value"]) > 0
    assert isinstance(body["odata.count"], int)
    path, options, headers = last_call(sim)
    assert path == "Warehouses"
    assert options == {"$top": ["50"], "$inlinecount": ["allpages"]}
    assert headers["b1s-pagesize"] == "50"
    assert "b1s-caseinsensitive" not in headers


@pytest.mark.asyncio
async def test_query_options_are_rewritten_and_the_gateway_sets_its_own_headers(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    query = (
        "$filter=contains( ItemName , 'a' )+and+Valid eq 'tYES'"
        "&$top=7&$orderby=ItemCode  desc&$select=ItemCode&$skip=1"
    )
    sent = {**ana, "B1S-PageSize": "0", "B1S-CaseInsensitive": "false", "Prefer": "odata.maxpagesize=0"}
    sent |= {"X-HTTP-Method-Override": "DELETE", "X-Request-ID": "abc.123", "Accept-Language": "es"}
    answer = await gateway.http.get(f"/api/sl/Items?{query}", headers=sent)
    assert answer.status_code == 200, answer.text
    path, options, headers = last_call(sim)
    assert path == "Items"
    assert options["$filter"] == ["contains(ItemName,'a') and Valid eq 'tYES'"]
    assert options["$select"] == ["ItemCode,DataVersion"]
    assert options["$orderby"] == ["ItemCode desc"]
    assert (options["$top"], options["$skip"]) == (["7"], ["1"])
    assert headers["b1s-pagesize"] == "7"
    assert headers["b1s-caseinsensitive"] == "true"
    assert headers["x-request-id"] == answer.headers["X-Request-ID"] == "abc.123"
    assert not {"prefer", "x-http-method-override"} & set(headers)
    assert all(set(row) <= {"ItemCode", "odata.etag"} for row in answer.json()["value"])


@pytest.mark.asyncio
async def test_both_versions_of_the_service_layer_give_the_same_response(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    answers = []
    for url in (sim.url, sim.url_v2):
        async with open_gateway(sim, url=url) as gateway:
            ana = await gateway.signed_in()
            page = await gateway.http.get("/api/sl/Orders?$top=2&$select=DocEntry,DocTotal", headers=ana)
            record = await gateway.http.get("/api/sl/Orders/1?$select=DocEntry,DocTotal", headers=ana)
            answers.append((page.json(), record.json(), record.headers["ETag"]))
    assert answers[0] == answers[1]
    assert answers[0][1]["odata.etag"] == answers[0][2]


@pytest.mark.asyncio
@pytest.mark.parametrize("code", ODD_ITEM_CODES)
async def test_keys_of_every_kind_of_character_are_found(gateway: "Gateway", code: str) -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get(f"/api/sl/Items/{quote(code, safe='')}?$select=ItemCode", headers=ana)
    assert (answer.status_code, answer.json().get("ItemCode")) == (200, code)


@pytest.mark.asyncio
async def test_an_encoded_slash_belongs_to_the_key(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    before = sim.calls.total
    answer = await gateway.http.get("/api/sl/IncomingPayments/12%2FCancel", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (400, "key_bad_value")
    posted = await gateway.http.post("/api/sl/IncomingPayments/12%2FCancel", headers=ana)
    assert posted.status_code == 405
    assert sim.calls.total == before


@pytest.mark.asyncio
async def test_a_composite_key_is_addressed_by_its_parts(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    price = {"CardCode": "C00001", "ItemCode": "O'HIGGINS-10", "Price": 100.10}
    created = await gateway.http.post("/api/sl/SpecialPrices", json=price, headers=ana)
    assert created.status_code == 201, created.text
    location = created.headers["Location"]
    assert unquote(location) == "/api/sl/SpecialPrices/CardCode='C00001',ItemCode='O''HIGGINS-10'"
    turned = quote("ItemCode='O''HIGGINS-10',CardCode='C00001'", safe="")
    for address in (location, f"/api/sl/SpecialPrices/{turned}"):
        answer = await gateway.http.get(address, headers=ana)
        assert (answer.status_code, answer.json()["ItemCode"]) == (200, "O'HIGGINS-10")


@pytest.mark.asyncio
async def test_passwords_are_in_no_answer_and_in_no_clause(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    partner = await gateway.http.get("/api/sl/BusinessPartners?$top=1", headers=ana)
    assert "CardCode" in partner.text
    assert "Password" not in partner.text
    before = sim.calls.total
    for query in (
        "$select=Password",
        "$select=CardCode,password",
        "$filter=startswith(U_WEB_PASS,'a')",
        "$orderby=u_web_pass",
        "$expand=EmployeeInfo",
        "$expand=EmployeeInfo&$select=EmployeeInfo/U_WEB_PASS",
    ):
        answer = await gateway.http.get(f"/api/sl/BusinessPartners?{query}", headers=ana)
        assert answer.status_code == 400, query
    assert sim.calls.total == before


@pytest.mark.asyncio
async def test_expanding_a_declared_collection(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get(
        "/api/sl/Items?$top=1&$select=ItemCode,ItemGroups/GroupName&$expand=ItemGroups", headers=ana
    )
    assert answer.status_code == 200, answer.text
    assert "GroupName" in answer.json()["value"][0]["ItemGroups"]


@pytest.mark.asyncio
async def test_a_missing_record_answers_404_with_the_erp_message(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get("/api/sl/Orders/999999", headers=ana)
    body = answer.json()
    assert (answer.status_code, body["code"]) == (404, "record_not_found")
    assert body["upstream"]["code"] == -2028
    assert "No matching records" in body["upstream"]["message"]


@pytest.mark.asyncio
async def test_an_unknown_property_answers_upstream_rejected_with_the_erp_code(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get("/api/sl/Items?$select=Nonsense", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (400, "upstream_rejected")
    assert answer.json()["upstream"]["code"] == -1000


@pytest.mark.asyncio
async def test_catalogues_are_for_any_session_and_documents_for_their_menu(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")

    async def statuses(*paths: str) -> list[int]:
        return [(await gateway.http.get(f"/api/sl/{path}", headers=luis)).status_code for path in paths]

    assert await statuses("Items", "Warehouses", "Orders", "Orders/1") == [200, 200, 403, 403]
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos"]}, headers=ana)
    assert await statuses("Orders", "Orders/1", "Invoices") == [200, 200, 403]
    denied = (await gateway.http.get("/api/audit?accion=permission_denied", headers=ana)).json()["items"]
    assert [(item["resource"], item["key"], item["webUser"]) for item in denied] == [
        ("Invoices", None, "luis"),
        ("Orders", "1", "luis"),
        ("Orders", None, "luis"),
    ]


@pytest.mark.asyncio
async def test_a_hundred_identical_reads_make_at_most_two_calls(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        before = sim.calls.total
        sim.faults.add(Fault(action=Delay(seconds=0.05), path="Items", times=1))
        answers = await asyncio.gather(
            *(gateway.http.get("/api/sl/Items?$top=3", headers=(ana, luis)[n % 2]) for n in range(100))
        )
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
        assert sim.calls.total - before <= 2


@pytest.mark.asyncio
async def test_upstream_and_queue_times_appear_in_server_timing(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.05), path="Items"))
    answer = await gateway.http.get("/api/sl/Items?$top=1", headers=ana)
    parts = dict(part.strip().split(";dur=") for part in answer.headers["Server-Timing"].split(","))
    assert float(parts["upstream"]) >= 50
    assert float(parts["queue"]) < 50
    assert (await gateway.http.get("/api/health")).headers["Server-Timing"].startswith("total;dur=")


@pytest.mark.asyncio
async def test_a_truncated_response_answers_502_with_server_timing(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Truncate(keep_bytes=40), path="Items", times=2))
    answer = await gateway.http.get("/api/sl/Items?$top=5", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (502, "upstream_unreadable")
    assert "upstream;dur=" in answer.headers["Server-Timing"]


@pytest.mark.asyncio
async def test_head_answers_like_get_without_a_body(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.head("/api/sl/Items?$top=1", headers=ana)
    assert answer.status_code == 200


@pytest.mark.asyncio
async def test_an_erp_without_entity_tags_is_read_without_them(open_gateway: "OpenGateway") -> None:
    before_fp2102 = Switches(entity_tags=False, version="1000110")
    async with run_sim(switches=before_fp2102) as old, open_gateway(old) as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.get("/api/sl/Orders/1?$select=DocEntry", headers=ana)
        assert (answer.status_code, answer.json()) == (200, {"DocEntry": 1})
        assert "ETag" not in answer.headers
        again = await gateway.http.get("/api/sl/Orders/2?$select=DocEntry", headers=ana)
        assert again.status_code == 200
        assert "DataVersion" not in old.calls[-1].query


@pytest.mark.asyncio
async def test_a_slash_that_the_web_server_refuses_is_read_by_filter(open_gateway: "OpenGateway") -> None:
    async with run_sim(switches=Switches(encoded_slash=False)) as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.get("/api/sl/Items/A%2F1?$select=ItemCode,ItemName", headers=ana)
        assert (answer.status_code, answer.json()["ItemCode"]) == (200, "A/1")
        assert "ItemCode%20eq%20%27A%2F1%27" in sim.calls[-1].query
        missing = await gateway.http.get("/api/sl/Items/A%2F999", headers=ana)
        assert (missing.status_code, missing.json()["code"]) == (404, "record_not_found")
        written = await gateway.http.patch("/api/sl/Items/A%2F1", json={"ItemName": "x"}, headers=ana)
        assert (written.status_code, written.json()["code"]) == (502, "upstream_key_unsupported")
