"""Batches over real sockets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest
from yarl import URL

from erpsim.company.habits import OtherHabit
from erpsim.company.notification import Notice
from erpsim.company.switches import Switches
from erpsim.simulator import run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]

HEAD = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
FIRST_TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
ROOTS = pytest.mark.parametrize("root", ["v1", "v2"])


def request(
    method: str, target: str, body: Any = None, content_id: str | None = None, extra: str = ""
) -> str:
    part = HEAD + (f"Content-ID: {content_id}\r\n" if content_id else "")
    content = "" if body is None else json.dumps(body)
    return f"{part}\r\n{method} {target} HTTP/1.1\r\n{extra}\r\n{content}"


def change_set(*requests: str) -> str:
    inner = "".join(f"--c\r\n{each}\r\n" for each in requests)
    return f"Content-Type: multipart/mixed; boundary=c\r\n\r\n{inner}--c--"


def item(code: str, **fields: Any) -> dict[str, Any]:
    return {"ItemCode": code, "ItemName": f"Item {code}", **fields}


async def send(client: aiohttp.ClientSession, *parts: str, **headers: str) -> aiohttp.ClientResponse:
    body = "".join(f"--b\r\n{part}\r\n" for part in parts) + "--b--\r\n"
    all_headers = {"Content-Type": "multipart/mixed;boundary=b"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return await client.post("$batch", data=body.encode(), headers=all_headers)


async def statuses(answer: aiohttp.ClientResponse) -> list[int]:
    return [int(code) for code in re.findall(r"^HTTP/1\.1 (\d+)", await answer.text(), re.MULTILINE)]


async def exists(client: aiohttp.ClientSession, code: str) -> bool:
    return (await client.get(f"Items('{code}')")).status == 200


@pytest.mark.parametrize(("root", "status"), [("v1", 202), ("v2", 200)])
async def test_a_batch_runs_in_order_and_answers_each(sign_in: SignIn, root: str, status: int) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        answer = await send(
            client,
            change_set(
                request("POST", f"/b1s/{root}/Items", item("T1"), "1"),
                request("PATCH", f"/b1s/{root}/$1", {"ItemName": "Two"}, "2"),
            ),
            request("GET", "Items('T1')/ItemName"),
            request("GET", f"/b1s/{root}/Items/$count?$filter=ItemCode%20eq%20'T1'"),
        )
        assert answer.status == status
        assert re.fullmatch(
            r"multipart/mixed;boundary=batchresponse_[0-9a-f-]{36}", answer.headers["Content-Type"]
        )
        text = await answer.text()
        assert await statuses(answer) == [201, 204, 200, 200]
        assert '"value" : "Two"' in text
        assert text.count("changesetresponse_") == 4
        assert f"Location: {sim.origin}/b1s/{root}/Items('T1')\r\n" in text


@ROOTS
async def test_a_failed_change_set_stores_nothing_and_returns_one_part(sign_in: SignIn, root: str) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        answer = await send(
            client,
            change_set(
                request("POST", "Items", item("T1"), "11"),
                request("PATCH", "Items('NOPE')", {"ItemName": "x"}, "12"),
                request("POST", "Items", item("T2"), "13"),
            ),
            request("POST", "Items", item("T3")),
        )
        assert answer.status == {"v1": 202, "v2": 200}[root]
        text = await answer.text()
        assert await statuses(answer) == [404]
        assert "changesetresponse_" not in text
        assert ("Content-ID: 12\r\n\r\nHTTP/1.1 404 Not Found" in text) is (root == "v2")
        assert "Content-ID: 11" not in text
        assert '"innererror"' in text if root == "v1" else '"details"' in text
        assert not any([await exists(client, code) for code in ("T1", "T2", "T3")])


@ROOTS
async def test_a_batch_stops_at_the_first_failure_and_keeps_the_rest(sign_in: SignIn, root: str) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        answer = await send(
            client,
            request("POST", "Items", item("T1")),
            request("GET", "Items('NOPE')"),
            request("POST", "Items", item("T2")),
        )
        assert await statuses(answer) == [201, 404]
        assert await exists(client, "T1")
        assert not await exists(client, "T2")


async def test_batch_parts_are_formatted_like_other_responses_of_the_build(sign_in: SignIn) -> None:
    old = Switches(version="1000200", entity_tags=False, other_habits=frozenset({OtherHabit.TABS}))
    async with run_sim(switches=old) as sim, sign_in(sim, root="v2") as client:
        text = await (
            await send(
                client,
                request("GET", "Items?$select=ItemCode&$top=1"),
                change_set(request("PATCH", "Items('NOPE')", {"ItemName": "x"}, "1")),
            )
        ).text()
        listed, refused = [part.split("\r\n\r\n")[:2] for part in text.split("HTTP/1.1 ")[1:]]
        assert '\n\t"value" : \n\t[\n\t\t{\n\t\t\t"ItemCode" : ' in listed[1]
        assert refused[1].startswith('{\n\t"error" : {\n\t\t"code" : -2028,\n\t\t"innererror" : ')
        for head, body in (listed, refused):
            length = len(body[: body.index("\r\n--")])
            assert f"Content-Length: {length}\r\n" in f"{head}\r\n"


async def test_a_created_document_can_be_cancelled_by_its_alias(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        customer = (
            await (await client.get("BusinessPartners?$filter=CardType eq 'C'")).json(content_type=None)
        )["value"][0]["CardCode"]
        code = (await (await client.get("Items?$top=1")).json(content_type=None))["value"][0]["ItemCode"]
        lines = [{"ItemCode": code, "Quantity": 1}]
        order = {"CardCode": customer, "DocDueDate": "2026-05-30", "DocumentLines": lines}
        answer = await send(
            client, change_set(request("POST", "Orders", order, "1"), request("POST", "$1/Cancel"))
        )
        assert await statuses(answer) == [201, 204], await answer.text()


async def test_an_unknown_alias_is_refused(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await send(client, change_set(request("PATCH", "$9", {"ItemName": "x"}, "1")))
        [status] = await statuses(answer)
        assert status >= 400


async def test_v2_requires_a_content_id_on_each_change_set_request(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, root="v2") as client:
        answer = await send(client, change_set(request("POST", "Items", item("T1"))))
        assert answer.status == 400
        error = (await answer.json(content_type=None))["error"]
        assert (error["code"], error["message"]) == (
            "244",
            "Content ID should be specified in each change set request.",
        )
        assert not await exists(client, "T1")


async def test_v1_needs_no_content_id(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await send(client, change_set(request("POST", "Items", item("T1"))))
        assert await statuses(answer) == [201]
        assert "Content-ID" not in await answer.text()


async def test_a_repeated_content_id_fails_the_change_set(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, root="v2") as client:
        answer = await send(
            client,
            change_set(request("POST", "Items", item("T1"), "1"), request("POST", "Items", item("T2"), "1")),
        )
        assert await statuses(answer) == [400]
        assert '"code" : "-1116"' in await answer.text()
        assert not await exists(client, "T1")


@ROOTS
async def test_a_tag_on_a_part_is_ignored_and_the_batch_tag_applies(sign_in: SignIn, root: str) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        await client.post("Items", json=item("T1"))
        await client.patch("Items('T1')", json={"ItemName": "Two"})
        stale = f"If-Match: {FIRST_TAG}\r\n"
        change = request("PATCH", "Items('T1')", {"ItemName": "Three"}, "1", extra=stale)
        answer = await send(client, change_set(change), change)
        assert await statuses(answer) == [204, 204]
        answer = await send(client, change_set(change), If_Match=FIRST_TAG)
        assert answer.status == {"v1": 202, "v2": 200}[root]
        assert await statuses(answer) == [412]


async def test_preferences_inside_are_honoured(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        no_content = "Prefer: return-no-content\r\n"
        answer = await send(client, change_set(request("POST", "Items", item("T1"), "1", extra=no_content)))
        text = await answer.text()
        assert await statuses(answer) == [204]
        assert "Location: /b1s/v1/Items('T1')\r\n" in text
        assert "Preference-Applied: return-no-content\r\n" in text


async def test_a_malformed_envelope_executes_no_part(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        broken = request("GET", "Items").replace("\r\n\r\nGET", "\r\nGET")
        answer = await send(client, request("POST", "Items", item("T1")), broken)
        assert answer.status == 400
        error = (await answer.json(content_type=None))["error"]
        assert (error["code"], error["message"]["value"]) == (-1000, "Incomplete Batch Request Body!")
        assert not await exists(client, "T1")


@pytest.mark.parametrize("target", ["$batch", "Login", "Logout"])
async def test_unsupported_batch_parts_are_501(sign_in: SignIn, target: str) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert await statuses(await send(client, request("POST", target, {}))) == [501]


@pytest.mark.parametrize("target", ["/b1s/v2/Items", "http://elsewhere/b1s/v1/Items"])
async def test_addresses_that_leave_the_service_root_are_501(sign_in: SignIn, target: str) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert await statuses(await send(client, request("GET", target))) == [501]


async def test_every_form_of_an_address_below_the_root_is_accepted(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        for start in ("", "/", "/b1s/v1/", f"{sim.url}/"):
            assert await statuses(await send(client, request("GET", f"{start}Items?$top=1"))) == [200]


async def test_a_batch_continues_after_an_error_if_preferred(sign_in: SignIn) -> None:
    missing, fails = request("GET", "Items('NO')"), change_set(request("POST", "Items", {}, "1"))
    switches = Switches(other_habits=frozenset({OtherHabit.LAST_FAILURE_KILLS}))
    prefer = {"Prefer": "odata.continue-on-error"}
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await send(client, missing, fails, request("GET", "Items?$top=1"), **prefer)
        assert await statuses(answer) == [404, 400, 200]
        sim.world.switches = switches
        assert (await send(client, missing, fails)).status == 202
        assert await statuses(await send(client, missing, **prefer)) == [404]
        died = await send(client, change_set(request("POST", "Items", item("T1"), "1")), fails, **prefer)
        assert (died.status, died.content_type) == (502, "text/html")


async def test_a_batch_with_unsimulated_options_executes_no_part(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await send(client, request("POST", "Items", item("T1")), B1S_Schema="x")
        assert answer.status == 501
        assert not await exists(client, "T1")


async def test_the_address_may_be_percent_encoded(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        body = f"--b\r\n{request('GET', 'Items/%24count')}\r\n--b--\r\n"
        answer = await client.post(
            URL(f"{sim.url}/%24batch", encoded=True),
            data=body.encode(),
            headers={"Content-Type": "multipart/mixed;boundary=b"},
        )
        assert await statuses(answer) == [200]


async def test_a_batch_accepts_only_post(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        assert (await client.get("$batch")).status == 501


REFUSING = frozenset({Notice("Items", 42, "Falta la temporada", "U_TEMPORADA")})


@ROOTS
async def test_a_notification_refusal_of_a_change_set_is_its_only_part(sign_in: SignIn, root: str) -> None:
    switches = Switches(transaction_notification=REFUSING)
    async with run_sim(switches=switches) as sim, sign_in(sim, root=root) as client:
        posts = [
            request("POST", f"/b1s/{root}/Items", item("N1", U_TEMPORADA="V"), "1"),
            request("POST", f"/b1s/{root}/Items", item("N2"), "2"),
        ]
        answer = await send(client, change_set(*posts))
        assert await statuses(answer) == [400]
        text = await answer.text()
        assert "(42) Falta la temporada" in text
        assert "-1116" in text
        assert not await exists(client, "N1")


async def test_on_some_builds_a_notification_refusal_is_a_502_page(sign_in: SignIn) -> None:
    switches = Switches(transaction_notification=REFUSING, notification_breaks_batch=True)
    async with run_sim(switches=switches) as sim, sign_in(sim) as client:
        posts = [
            request("POST", "/b1s/v1/Items", item("N1", U_TEMPORADA="V"), "1"),
            request("POST", "/b1s/v1/Items", item("N2"), "2"),
        ]
        answer = await send(client, change_set(*posts))
        assert (answer.status, answer.content_type) == (502, "text/html")
        assert "Proxy Error" in await answer.text()
        assert not await exists(client, "N1")
        alone = await client.post("Items", json=item("N2"))
        assert (alone.status, "(42) Falta la temporada" in await alone.text()) == (400, True)
        other = await send(client, change_set(request("POST", "/b1s/v1/Items", {"ItemCode": ""}, "1")))
        assert await statuses(other) == [400], "other refusals keep their words"


ACTIONS = ("Close", "Cancel")


@ROOTS
@pytest.mark.parametrize("action", ACTIONS)
async def test_an_action_by_key_is_done_and_undone_with_its_change_set(
    sign_in: SignIn, root: str, action: str
) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        lines = [{"ItemCode": "A/1", "Quantity": 1}]
        order = {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocumentLines": lines}
        key = (await (await client.post("Orders", json=order)).json(content_type=None))["DocEntry"]

        async def ended() -> bool:
            found = await (await client.get(f"Orders({key})")).json(content_type=None)
            return (found["DocumentStatus"], found["Cancelled"]) != ("bost_Open", "tNO")

        act = request("POST", f"Orders({key})/{action}", content_id="1")
        missing = request("PATCH", "Items('NOPE')", {"ItemName": "x"}, "2")
        assert await statuses(await send(client, change_set(act, missing))) == [404]
        assert not await ended()
        change = request("PATCH", f"Orders({key})", {"Comments": "x"}, "2")
        assert await statuses(await send(client, change_set(change, act))) == [204, 204]
        assert await ended()


@pytest.mark.parametrize("stays", [False, True])
async def test_a_draft_is_undone_with_its_change_set_unless_it_outlives_it(
    sign_in: SignIn, stays: bool
) -> None:
    habits = frozenset({OtherHabit.DRAFTS_STAY}) if stays else frozenset()
    switches = Switches(approval_procedure=frozenset({"Orders"}), other_habits=habits)
    async with run_sim(switches=switches) as sim, sign_in(sim, user="bodega") as client:
        lines = [{"ItemCode": "A/1", "Quantity": 1}]
        order = {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocumentLines": lines}
        posts = [request("POST", "Items", item("T1"), "1"), request("POST", "Orders", order, "2")]
        answer = await send(client, change_set(*posts))
        assert await statuses(answer) == [404] or await statuses(answer) == [400]
        assert not await exists(client, "T1")
        drafts = (await (await client.get("Drafts")).json(content_type=None))["value"]
        assert bool(drafts) is stays
