"""Reads over real sockets: both generations, paging, entity tags, properties, addresses."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import aiohttp
import attrs
import pytest
from yarl import URL

from erpsim.company.habits import OtherHabit
from erpsim.company.switches import DateFormat, Switches
from erpsim.simulator import run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Exchange = Callable[..., Awaitable[bytes]]

FIRST_TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
SECOND_TAG = 'W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"'


async def get(client: aiohttp.ClientSession, address: str, status: int = 200, **headers: str) -> Any:
    answer = await client.get(address, headers={n.replace("_", "-"): v for n, v in headers.items()})
    text = await answer.text()
    assert answer.status == status, text
    return json.loads(text, parse_float=Decimal)


async def refusal(client: aiohttp.ClientSession, address: str) -> tuple[int, Any]:
    answer = await client.get(address)
    return answer.status, (await answer.json(content_type=None))["error"]["code"]


async def make_item(client: aiohttp.ClientSession, code: str, **fields: Any) -> None:
    answer = await client.post("Items", json={"ItemCode": code, "ItemName": f"Item {code}", **fields})
    assert answer.status == 201, await answer.text()


async def test_a_v1_list_has_a_text_count_and_a_rooted_next_link(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        page = await get(client, "Items?$inlinecount=allpages&$select=ItemCode")
        count = int(await (await client.get("Items/$count")).text())
        assert list(page) == ["odata.metadata", "odata.count", "value", "odata.nextLink"]
        assert page["odata.metadata"] == f"{sim.url}/$metadata#Items"
        assert page["odata.count"] == str(count)
        assert page["odata.nextLink"] == "/b1s/v1/Items?$inlinecount=allpages&$select=ItemCode&$skip=20"
        assert len(page["value"]) == 20


async def test_a_v2_list_has_a_number_count_and_a_relative_next_link(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, root="v2") as client:
        page = await get(client, "Items?$count=true&$select=ItemCode")
        assert list(page) == ["@odata.context", "@odata.count", "value", "@odata.nextLink"]
        assert page["@odata.context"] == f"{sim.url_v2}/$metadata#Items"
        assert isinstance(page["@odata.count"], int)
        assert page["@odata.nextLink"] == "Items?$count=true&$select=ItemCode&$skip=20"


@pytest.mark.parametrize("root", ["v1", "v2"])
async def test_following_next_links_yields_every_row_once(sign_in: SignIn, root: str) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        prefix = {"v1": "odata.", "v2": "@odata."}[root]
        codes: list[str] = []
        address: str | None = "Items?$select=ItemCode&$orderby=ItemCode"
        while address:
            page = await get(client, address, Prefer="odata.maxpagesize=100")
            codes += [row["ItemCode"] for row in page["value"]]
            address = page.get(f"{prefix}nextLink")
        count = int(await (await client.get("Items/$count")).text())
        assert len(codes) == len(set(codes)) == count
        assert codes == sorted(codes)


async def test_differences_between_builds_are_switches(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        page, twice = "Items?$select=ItemCode&$top=21", "Items?$select=ItemCode&$top=1&$top=2"
        plain = await client.get(page)
        assert (plain.headers["Connection"], plain.headers["Keep-Alive"]) == (
            "Keep-Alive",
            "timeout=75, max=100",
        )
        assert (await client.get(twice)).status == 400
        habits = {OtherHabit.TABS, OtherHabit.NEXT_LINKS_OF_OTHER, OtherHabit.REPEATED_OPTIONS_PASS}
        sim.world.switches = Switches(other_habits=frozenset(habits))
        other = await client.get(page)
        before, after = await plain.json(content_type=None), await other.json(content_type=None)
        assert before.pop("odata.nextLink") == f"/b1s/v1/{after.pop('odata.nextLink')}"
        assert before == after
        text = await other.text()
        assert text.startswith('{\n\t"odata.metadata" : "')
        assert '\n\t"value" : \n\t[\n\t\t{\n\t\t\t"odata.etag" : ' in text
        assert len((await (await client.get(twice)).json(content_type=None))["value"]) == 2


async def test_a_top_over_the_page_size_is_returned_in_pages(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        first = await get(client, "Items?$select=ItemCode&$top=50&$skip=5")
        assert len(first["value"]) == 20
        assert first["odata.nextLink"] == "/b1s/v1/Items?$select=ItemCode&$top=30&$skip=25"
        second = await get(client, first["odata.nextLink"])
        third = await get(client, second["odata.nextLink"])
        assert len(third["value"]) == 10
        assert "odata.nextLink" not in third


async def test_either_header_sets_the_page_size_and_the_preference_has_priority(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.get(
            "Items?$select=ItemCode", headers={"Prefer": "odata.maxpagesize=3", "B1S-PageSize": "7"}
        )
        assert len((await answer.json(content_type=None))["value"]) == 3
        assert answer.headers["Preference-Applied"] == "odata.maxpagesize=3"
        answer = await client.get("Items?$select=ItemCode", headers={"B1S-PageSize": "7"})
        assert len((await answer.json(content_type=None))["value"]) == 7
        assert "Preference-Applied" not in answer.headers


async def test_a_page_size_of_zero_switches_paging_off(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        page = await get(client, "Items?$select=ItemCode", Prefer="odata.maxpagesize=0")
        assert len(page["value"]) == int(await (await client.get("Items/$count")).text())
        assert "odata.nextLink" not in page


async def test_a_switch_sets_the_page_size(sign_in: SignIn) -> None:
    async with run_sim(switches=Switches(page_size=4)) as sim, sign_in(sim) as client:
        assert len((await get(client, "Items?$select=ItemCode"))["value"]) == 4
        sim.world.switches = attrs.evolve(sim.world.switches, page_size=6)
        assert len((await get(client, "Items?$select=ItemCode"))["value"]) == 6


async def test_an_empty_list_is_200_with_no_rows(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert (await get(client, "Items?$filter=ItemCode eq 'NOPE'"))["value"] == []


async def test_a_single_entity_has_its_tag_in_header_and_body(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim, root="v2") as newer:
        await make_item(client, "T1")
        answer = await client.get("Items('T1')")
        entity = await answer.json(content_type=None)
        assert list(entity)[:2] == ["odata.metadata", "odata.etag"]
        assert entity["odata.metadata"] == f"{sim.url}/$metadata#Items/@Element"
        assert answer.headers["ETag"] == entity["odata.etag"] == FIRST_TAG
        answer = await newer.get("Items('T1')")
        entity = await answer.json(content_type=None)
        assert entity["@odata.context"] == f"{sim.url_v2}/$metadata#Items/$entity"
        assert answer.headers["ETag"] == entity["@odata.etag"] == FIRST_TAG


async def test_a_selection_without_the_version_shows_the_tag_of_the_first_version(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await make_item(client, "T1")
        await client.patch("Items('T1')", json={"ItemName": "x"})
        trap = await client.get("Items('T1')?$select=ItemCode")
        assert "ETag" not in trap.headers
        assert (await trap.json(content_type=None))["odata.etag"] == FIRST_TAG
        right = await client.get("Items('T1')?$select=ItemCode,DataVersion")
        assert "ETag" not in right.headers
        assert (await right.json(content_type=None))["odata.etag"] == SECOND_TAG


async def test_list_rows_have_tags_and_the_list_has_none(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.get("Items?$top=3")
        assert "ETag" not in answer.headers
        rows = (await answer.json(content_type=None))["value"]
        assert all(row["odata.etag"].startswith('W/"') for row in rows)


async def test_a_filter_by_key_puts_the_tag_only_into_the_header(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await make_item(client, "T1")
        answer = await client.get("Items?$filter=ItemCode eq 'T1'")
        assert answer.headers["ETag"] == FIRST_TAG
        assert "odata.etag" not in (await answer.json(content_type=None))["value"][0]


async def test_untagged_sets_have_no_tag_anywhere(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        code = (await get(client, "Warehouses?$top=1"))["value"][0]["WarehouseCode"]
        answer = await client.get(f"Warehouses('{code}')")
        assert "ETag" not in answer.headers
        assert "odata.etag" not in await answer.json(content_type=None)


async def test_if_none_match_is_ignored(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await make_item(client, "T1")
        for tag in (FIRST_TAG, "*"):
            answer = await client.get("Items('T1')", headers={"If-None-Match": tag})
            assert answer.status == 200


async def test_counts_are_plain_text(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await make_item(client, "ZZ1")
        answer = await client.get("Items/$count?$filter=ItemCode eq 'ZZ1'")
        assert await answer.text() == "1"
        assert answer.content_type == "text/plain"


async def test_a_single_property_is_a_value_or_an_annotated_null(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim, root="v2") as newer:
        await make_item(client, "T1")
        assert await get(client, "Items('T1')/ItemName") == {"value": "Item T1"}
        assert await get(client, "Items('NOPE')/ItemName") == {"odata.null": True}
        assert await get(newer, "Items('NOPE')/ItemName") == {"@odata.null": True}


async def test_raw_values_are_text_and_a_null_is_404_with_an_inner_error(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await make_item(client, "T1")
        assert await (await client.get("Items('T1')/ItemName/$value")).text() == "Item T1"
        assert await (await client.get("Items('T1')/QuantityOnStock/$value")).text() == "0.0"
        answer = await client.get("Items('NOPE')/ItemName/$value")
        assert answer.status == 404
        assert await answer.json(content_type=None) == {
            "error": {
                "code": -2028,
                "innererror": {"context": None, "trace": None},
                "message": {"lang": "en-us", "value": "Resource not found for the property: ItemName"},
            }
        }


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("Nonsense", 400, 200),
        ("items", 400, 200),
        ("Items('NOPE')", 404, -2028),
        ("Items?$select=Nonsense", 400, -1000),
        ("Items?$filter=Nonsense eq 1", 400, 201),
        ("Items?$inlinecount=some", 400, 201),
        ("Items('x')/ItemWarehouseInfoCollection/0/x", 400, 200),
        ("Items(5)", 400, -1000),
        ("", 501, -1),
        ("$crossjoin(Orders,Orders/DocumentLines)", 400, -1000),
        ("$all(Orders,Items)", 501, -1),
        ("$crossjoin", 501, -1),
        ("Items?$apply=aggregate(x)", 400, 201),
        ("Items?$apply=aggregate($count as N)&$select=ItemCode", 501, -1),
        ("ItemImages", 501, -1),
        ("Orders(1)/DocumentLines/$value", 501, -1),
        ("Orders(1)/DocumentLines", 501, -1),
    ],
)
async def test_refusals_have_the_real_codes_and_the_unknown_is_501(
    sign_in: SignIn, address: str, status: int, code: int
) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert await refusal(client, address) == (status, code)


async def test_every_refusal_of_v2_has_a_text_code(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, root="v2") as client:
        assert await refusal(client, "Nonsense") == (400, "200")


async def test_a_header_for_an_unsimulated_option_answers_501(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.get("Items?$top=1", headers={"B1S-Schema": "demo.schema"})
        assert answer.status == 501


@pytest.mark.parametrize(
    "code", ["Z/1", "O'Brien", "50%", "a?b", "a#b", "a+b", "Ñandú", "a b", "%2F", "(x)", "34/Cancel"]
)
async def test_any_key_survives_a_round_trip_through_its_address(sign_in: SignIn, code: str) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post("Items", json={"ItemCode": code, "ItemName": "x"})
        assert answer.status == 201, await answer.text()
        location = answer.headers["Location"]
        assert location.startswith(f"{sim.url}/Items(")
        answer = await client.get(URL(location, encoded=True))
        assert (await answer.json(content_type=None))["ItemCode"] == code
        quoted = quote(code.replace("'", "''"), safe="")
        answer = await client.get(URL(f"{sim.url}/Items('{quoted}')", encoded=True))
        assert (await answer.json(content_type=None))["ItemCode"] == code


async def test_an_encoded_slash_can_be_refused_by_the_web_server_in_html(sign_in: SignIn) -> None:
    async with run_sim(switches=Switches(encoded_slash=False)) as sim, sign_in(sim) as client:
        answer = await client.get(URL(f"{sim.url}/Items('A%2F1')", encoded=True))
        assert answer.status == 404
        assert answer.content_type == "text/html"
        answer = await client.get(URL(f"{sim.url}/Items?$filter=ItemCode%20eq%20'A%2F1'", encoded=True))
        assert answer.status == 200


@pytest.mark.parametrize(
    ("path", "status"), [("/", 404), ("/b1s/v3/Items", 404), ("/b1s/v1x", 404), ("/b1s/v1/Items('%zz')", 400)]
)
async def test_requests_outside_the_service_get_html_from_the_web_server(
    exchange: Exchange, path: str, status: int
) -> None:
    async with run_sim() as sim:
        answer = await exchange(sim, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"Content-Type: text/html" in answer


async def test_composite_keys_and_keys_by_name_are_understood(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await make_item(client, "T1")
        assert (await get(client, "Items(ItemCode='T1')"))["ItemCode"] == "T1"
        field = (await get(client, "UserFieldsMD?$top=1"))["value"][0]
        key = f"TableName='{field['TableName']}',FieldID={field['FieldID']}"
        assert (await get(client, f"UserFieldsMD({key})"))["Name"] == field["Name"]


@pytest.mark.parametrize(
    ("path", "status", "sender"),
    [
        ("ping/", 200, "load balancer"),
        ("ping", 200, "load balancer"),
        ("ping/load-balancer", 200, "load balancer"),
        ("ping/node", 200, "node1"),
        ("ping/node/2", 200, "node2"),
        ("ping/node/5", 503, "load balancer"),
    ],
)
async def test_a_ping_needs_no_session_and_sets_no_cookie(path: str, status: int, sender: str) -> None:
    async with run_sim() as sim, aiohttp.ClientSession() as client:
        answer = await client.get(f"{sim.origin}/{path}")
        value = await answer.json()
        assert (answer.status, value["sender"]) == (status, sender)
        assert re.fullmatch(r"[0-9]+\.[0-9]{3}", value["timestamp"])
        assert "Set-Cookie" not in answer.headers


async def test_an_unknown_ping_address_answers_404() -> None:
    async with run_sim() as sim, aiohttp.ClientSession() as client:
        assert (await client.get(f"{sim.origin}/ping/elsewhere")).status == 404


async def test_responses_are_compressed_for_clients_that_accept_gzip(
    exchange: Exchange, sign_in: SignIn
) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        head = "GET /b1s/v1/Items?$top=5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        head += f"Cookie: {client.headers['Cookie']}\r\n"
        plain = await exchange(sim, f"{head}\r\n".encode())
        packed = await exchange(sim, f"{head}Accept-Encoding: gzip, deflate\r\n\r\n".encode())
        assert b"Content-Encoding" not in plain
        assert b"Content-Encoding: gzip" in packed
        assert gzip.decompress(packed.partition(b"\r\n\r\n")[2]) == plain.partition(b"\r\n\r\n")[2]


async def test_the_route_cookie_is_set_again_after_the_client_drops_it(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert "Set-Cookie" not in (await client.get("Items?$top=1")).headers
        session = client.headers["Cookie"].split("; ")[0]
        for cookie in (session, f"{session}; ROUTEID=.node9", f"{session}; ROUTEID=junk"):
            answer = await client.get("Items?$top=1", headers={"Cookie": cookie})
            assert answer.status == 200
            assert answer.headers["Set-Cookie"] == "ROUTEID=.node1; path=/b1s"


async def test_functions_accept_get_only_in_v2(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim, root="v2") as newer:
        assert (await client.get("CompanyService_GetCompanyInfo")).status == 501
        answer = await newer.get("CompanyService_GetCompanyInfo")
        assert answer.status == 200
        value = await answer.json(content_type=None)
        assert value["@odata.context"].endswith("/$metadata#SAPB1.CompanyInfo")
        assert value["CompanyName"]


async def test_a_service_action_answers_200_with_a_flat_object_or_a_list(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post("CompanyService_GetCompanyInfo")
        assert answer.status == 200
        assert (await answer.json(content_type=None))["CompanyName"]
        answer = await client.post(
            "SeriesService_GetDocumentSeries", json={"DocumentTypeParams": {"Document": "17"}}
        )
        value = await answer.json(content_type=None)
        assert value["odata.metadata"].endswith("/$metadata#Collection(SAPB1.Series)")
        assert value["value"][0]["Document"] == "17"


async def test_a_service_action_without_a_result_answers_204(sign_in: SignIn) -> None:
    rate = {"Currency": "USD", "RateDate": "2026-05-04", "Rate": "950.5"}
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post("SBOBobService_SetCurrencyRate", json=rate)
        assert (answer.status, await answer.read()) == (204, b"")
        body = {"Currency": "USD", "Date": "2026-05-04"}
        answer = await client.post("SBOBobService_GetCurrencyRate", json=body)
        assert json.loads(await answer.text(), parse_float=Decimal)["value"] == Decimal("950.5")


async def test_a_service_value_is_returned_bare_if_switched_on(sign_in: SignIn) -> None:
    switches = Switches(other_habits=frozenset({OtherHabit.VALUES_STAND_BARE}))
    async with run_sim(switches=switches) as sim, sign_in(sim) as client:
        assert await (await client.post("SBOBobService_GetLocalCurrency")).json(content_type=None) == "CLP"
        body = {"DocumentTypeParams": {"Document": "17"}}
        series = await client.post("SeriesService_GetDocumentSeries", json=body)
        assert (await series.json(content_type=None))["value"][0]["Document"] == "17"


async def test_v2_renames_a_property_named_like_its_type(sign_in: SignIn) -> None:
    body = {"DocumentTypeParams": {"Document": "17"}}
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim, root="v2") as newer:
        for each, present, absent in (
            (client, "Series", "SeriesProperty"),
            (newer, "SeriesProperty", "Series"),
        ):
            answer = await each.post("SeriesService_GetDocumentSeries", json=body)
            row = (await answer.json(content_type=None))["value"][0]
            assert present in row
            assert absent not in row


async def test_dates_have_the_format_of_the_switch(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        newer = (await get(client, "Orders?$top=1&$select=DocDate"))["value"][0]["DocDate"]
        sim.world.switches = attrs.evolve(sim.world.switches, date_format=DateFormat.PLAIN)
        older = (await get(client, "Orders?$top=1&$select=DocDate"))["value"][0]["DocDate"]
        assert newer == f"{older}T00:00:00Z"


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("PUT", "Items"),
        ("POST", "Items/$count"),
        ("POST", "Items('x')"),
        ("PUT", "Items('x')/ItemName"),
        ("POST", "Items('x')/ItemName/$value"),
        ("DELETE", "CompanyService_GetCompanyInfo"),
        ("HEAD", "Items"),
    ],
)
async def test_an_unsimulated_method_is_501(sign_in: SignIn, method: str, address: str) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert (await client.request(method, address)).status == 501
