"""Writes over real sockets: creation, change, removal, actions, preconditions, headers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from typing import Any

import aiohttp
import pytest

from erpsim.company.switches import Switches
from erpsim.simulator import run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Exchange = Callable[..., Awaitable[bytes]]

FIRST_TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
SECOND_TAG = 'W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"'


async def first(client: aiohttp.ClientSession, address: str, name: str) -> Any:
    answer = await client.get(address)
    return (await answer.json(content_type=None))["value"][0][name]


async def order_body(client: aiohttp.ClientSession, **fields: Any) -> dict[str, Any]:
    customer = await first(client, "BusinessPartners?$filter=CardType eq 'C' and Valid eq 'tYES'", "CardCode")
    item = await first(client, "Items?$filter=SalesItem eq 'tYES' and InventoryItem eq 'tYES'", "ItemCode")
    lines = [{"ItemCode": item, "Quantity": 3, "UnitPrice": 10}]
    return {"CardCode": customer, "DocDueDate": "2026-05-30", "DocumentLines": lines, **fields}


async def make_order(client: aiohttp.ClientSession, **fields: Any) -> dict[str, Any]:
    answer = await client.post("Orders", json=await order_body(client, **fields))
    assert answer.status == 201, await answer.text()
    value: dict[str, Any] = await answer.json(content_type=None)
    return value


async def code_of(answer: aiohttp.ClientResponse) -> tuple[int, Any]:
    return answer.status, (await answer.json(content_type=None))["error"]["code"]


async def test_a_create_answers_201_with_entity_location_and_tag(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post("Items", json={"ItemCode": "T1", "ItemName": "One"})
        assert answer.status == 201
        assert answer.headers["Location"] == f"{sim.url}/Items('T1')"
        assert answer.headers["ETag"] == FIRST_TAG
        entity = await answer.json(content_type=None)
        assert entity["odata.etag"] == FIRST_TAG
        assert entity["ItemName"] == "One"
        assert "ForeignName" in entity


async def test_a_creation_may_be_answered_without_content(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post(
            "Items", json={"ItemCode": "T1", "ItemName": "One"}, headers={"Prefer": "return-no-content"}
        )
        assert answer.status == 204
        assert answer.headers["Location"] == "/b1s/v1/Items('T1')"
        assert answer.headers["Preference-Applied"] == "return-no-content"
        assert await answer.read() == b""
        assert (await client.get("Items('T1')")).status == 200


async def test_bodies_are_parsed_as_json_with_any_content_type(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        for number, kind in enumerate(
            ("text/plain", "application/json", "application/x-www-form-urlencoded")
        ):
            answer = await client.post(
                "Items",
                data=json.dumps({"ItemCode": f"T{number}", "ItemName": "x"}),
                headers={"Content-Type": kind},
            )
            assert answer.status == 201


async def test_uploads_and_malformed_bodies_answer_501(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post("Items", data=b"{", headers={"Content-Type": "application/json"})
        assert answer.status == 501
        upload = aiohttp.FormData({"f": "x"}, default_to_multipart=True)
        assert (await client.post("Items", data=upload)).status == 501


async def test_a_change_answers_204_without_a_tag_and_raises_the_version(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await client.post("Items", json={"ItemCode": "T1", "ItemName": "One"})
        answer = await client.patch("Items('T1')", json={"ItemName": "Two"})
        assert answer.status == 204
        assert "ETag" not in answer.headers
        assert answer.headers["DataServiceVersion"] == "3.0"
        entity = await (await client.get("Items('T1')")).json(content_type=None)
        assert (entity["ItemName"], entity["odata.etag"]) == ("Two", SECOND_TAG)


@pytest.mark.parametrize("method", ["PATCH", "MERGE", "PUT"])
async def test_a_post_header_may_override_the_method(sign_in: SignIn, method: str) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await client.post("Items", json={"ItemCode": "T1", "ItemName": "One", "ForeignName": "Uno"})
        answer = await client.post(
            "Items('T1')", json={"ItemName": "Two"}, headers={"X-HTTP-Method-Override": method}
        )
        assert answer.status == 204
        entity = await (await client.get("Items('T1')")).json(content_type=None)
        assert entity["ItemName"] == "Two"
        assert entity["ForeignName"] == (None if method == "PUT" else "Uno")
        assert sim.calls.of(method, "Items('T1')")


async def test_a_removal_answers_204_and_documents_refuse_it(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await client.post("Items", json={"ItemCode": "T1", "ItemName": "One"})
        assert (await client.delete("Items('T1')")).status == 204
        assert (await client.get("Items('T1')")).status == 404
        again = await client.delete("Items('T1')")
        assert again.status == 404
        assert "Entity with value('T1') does not exist" in await again.text()
        order = await make_order(client)
        assert await code_of(await client.delete(f"Orders({order['DocEntry']})")) == (400, -5006)
        assert await code_of(await client.delete(f"Orders({order['DocEntry']})/DocumentLines")) == (
            400,
            -5006,
        )
        assert await code_of(await client.delete(f"Orders({order['DocEntry']})/DocumentLines(0)")) == (
            400,
            -5006,
        )


@pytest.mark.parametrize(
    ("tag", "status"),
    [
        (SECOND_TAG, 204),
        ("*", 204),
        (FIRST_TAG, 412),
        ('W/"zzz"', 412),
        ('"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"', 204),
        ('"bogus"', 204),
        ("garbage", 204),
    ],
)
async def test_only_weak_tags_are_compared_and_others_are_ignored(
    sign_in: SignIn, tag: str, status: int
) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        await client.post("Items", json={"ItemCode": "T1", "ItemName": "One"})
        await client.patch("Items('T1')", json={"ItemName": "Two"})
        answer = await client.patch("Items('T1')", json={"ItemName": "Three"}, headers={"If-Match": tag})
        assert answer.status == status
        if status == 412:
            assert await code_of(answer) == (412, -2039)
        assert (await client.delete("Items('T1')", headers={"If-Match": tag})).status == (
            412 if status == 412 or tag == SECOND_TAG else 204
        )


async def test_actions_answer_204_and_honour_the_tag(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        order = await make_order(client)
        address = f"Orders({order['DocEntry']})"
        await client.patch(address, json={"Comments": "x"})
        stale = await client.post(f"{address}/Close", headers={"If-Match": FIRST_TAG})
        assert await code_of(stale) == (412, -2039)
        assert (await client.post(f"{address}/Close", headers={"If-Match": SECOND_TAG})).status == 204
        assert await code_of(await client.post(f"{address}/Cancel")) == (400, -5006)
        assert await code_of(await client.post(f"{address}/DocumentLines", json={})) == (400, -1008)


async def test_an_action_that_returns_a_document_answers_200(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        body = await order_body(client)
        answer = await client.post("DeliveryNotes", json=body)
        if answer.status == 400:
            pytest.fail(await answer.text())
        entry = (await answer.json(content_type=None))["DocEntry"]
        answer = await client.post(f"DeliveryNotes({entry})/CreateCancellationDocument")
        assert answer.status == 200
        assert (await answer.json(content_type=None))["DocEntry"] != entry


async def test_lines_merge_unless_a_header_requests_replacement(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        body = await order_body(client)
        body["DocumentLines"] *= 2
        answer = await client.post("Orders", json=body)
        address = f"Orders({(await answer.json(content_type=None))['DocEntry']})"
        patch = {"DocumentLines": [{"LineNum": 0, "Quantity": 9}]}

        async def quantities() -> list[float]:
            lines = (await (await client.get(address)).json(content_type=None))["DocumentLines"]
            return [line["Quantity"] for line in lines]

        assert (await client.patch(address, json=patch)).status == 204
        assert await quantities() == [9.0, 3.0]
        answer = await client.patch(address, json=patch, headers={"B1S-ReplaceCollectionsOnPatch": "true"})
        assert answer.status == 204
        assert await quantities() == [9.0]


async def test_amounts_are_returned_with_every_digit(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        body = json.dumps(await order_body(client)).replace('"UnitPrice": 10', '"UnitPrice": 1234567.123456')
        answer = await client.post("Orders", data=body, headers={"Content-Type": "application/json"})
        text = await answer.text()
        assert '"UnitPrice" : 1234567.123456' in text
        assert json.loads(text, parse_float=Decimal)["DocumentLines"][0]["UnitPrice"] == Decimal(
            "1234567.123456"
        )


async def test_a_write_without_route_fails_if_the_switch_requires_it(sign_in: SignIn) -> None:
    async with run_sim(switches=Switches(route_required=True)) as sim, sign_in(sim) as client:
        session = client.headers["Cookie"].split("; ")[0]
        item = {"ItemCode": "T1", "ItemName": "x"}
        assert (await client.get("Items?$top=1", headers={"Cookie": session})).status == 200
        assert await code_of(await client.post("Items", json=item, headers={"Cookie": session})) == (
            400,
            -1116,
        )
        assert (await client.post("Items", json=item)).status == 201


async def test_a_normal_user_reads_under_its_own_name(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, user="bodega") as client:
        assert (await client.get("Items?$top=1")).status == 200
        assert sim.calls[-1].user == "bodega"


async def test_calls_are_recorded_with_their_relevant_fields(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.calls.clear()
        await client.post(
            "Items?x=1", json={"ItemCode": "T1", "ItemName": "x"}, headers={"B1S-CaseInsensitive": "true"}
        )
        [call] = sim.calls
        assert (call.method, call.root, call.path, call.query) == ("POST", "/b1s/v1", "Items", "x=1")
        assert (call.status, call.session, call.worked, call.in_flight) == (201, 1, True, 1)
        assert call.headers["b1s-caseinsensitive"] == "true"
        assert "cookie" not in call.headers
        assert json.loads(call.body) == {"ItemCode": "T1", "ItemName": "x"}
        assert call.ended_at is not None
        assert call.started_at <= call.ended_at
        assert sim.calls.in_flight == 0


async def test_a_preview_computes_a_document_without_storing_it(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        body = await order_body(client)
        before = await (await client.get("Orders/$count")).text()
        answer = await client.post("OrdersService_Preview", json={"Document": body})
        assert answer.status == 200, await answer.text()
        preview = await answer.json(content_type=None)
        assert preview["DocEntry"] is None
        assert preview["DocTotal"] > 0
        assert await (await client.get("Orders/$count")).text() == before
        metadata = await (await client.get("$metadata")).text()
        assert "Service_Preview" not in metadata
