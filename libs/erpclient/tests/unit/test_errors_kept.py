"""Answers and errors that were told: nothing stays of them, and no collector is needed for that."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from clients import ANA, make_client
from manual_clock import ManualClock
from remains import uncollected
from scripted_erp import DROP, INVALID_SESSION, Answer, Call, ScriptedErp, error_v1, list_answer

from erpclient import Caller, ErpClient, ErpError, ErpList, ErpLoginRejected, HttpReply
from erpclient.http.large_bodies import LARGE_BODY_BYTES
from erpclient.odata import ListQuery, RecordQuery

pytestmark = pytest.mark.asyncio

TIMES = 10
KINDS = (HttpReply, ErpList, ErpError, UnicodeDecodeError)
LONG = b'{"value": [{"Name": "' + b"x" * LARGE_BODY_BYTES  # read in a thread

ANSWERS = {
    "a wrong byte": Answer(200, LONG + b'\xff"}]}'),
    "a wrong byte in few": Answer(200, b'{"value": "\xff"}'),
    "no end": Answer(200, LONG),
    "no JSON": Answer(200, b"<html>"),
    "refused": error_v1(400, -5002, "no"),
    "failed": error_v1(500, -2, "no"),
    "lost": DROP,
}
CALLS: dict[str, Callable[[ErpClient], Awaitable[object]]] = {
    "list": lambda client: client.list("Items", ListQuery(), caller=ANA),
    "get": lambda client: client.get("Items", "('A')", RecordQuery(), caller=ANA),
    "query": lambda client: client.run_query("DP", {}, caller=ANA, page_size=10),
    "modify": lambda client: client.modify("Items", "('A')", b"{}", caller=ANA),
}


async def fails(call: Awaitable[object]) -> None:
    try:
        await call
    except ErpError:
        return
    pytest.fail("no error")


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("call", CALLS)
async def test_ten_failed_calls_leave_no_error_in_memory(erp: ScriptedErp, answer: str, call: str) -> None:
    async def answering(_call: Call) -> Answer:
        return ANSWERS[answer]

    erp.handler = answering
    async with make_client(erp) as client:
        with uncollected(*KINDS) as remains:
            for _ in range(TIMES):
                await fails(CALLS[call](client))
            assert await remains.names() == []


@pytest.mark.parametrize("call", CALLS)
async def test_incomplete_late_answers_leave_no_error_in_memory(erp: ScriptedErp, call: str) -> None:
    async def stopping(_call: Call) -> Answer:
        return Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + LONG)

    erp.handler = stopping
    async with make_client(erp, timeout_s=0.2) as client:
        with uncollected(*KINDS) as remains:
            for _ in range(2):  # a third one would be refused
                await fails(CALLS[call](client))
            assert await remains.names() == []


async def test_a_reply_is_freed_with_its_caller(erp: ScriptedErp) -> None:
    answered = asyncio.Event()

    async def slow(_call: Call) -> Answer:
        await answered.wait()
        return list_answer([])

    async def read(client: ErpClient, number: int) -> None:
        caller = Caller("ana", disconnected=asyncio.Event().wait)
        await client.list("Items", ListQuery(skip=number), caller=caller)

    erp.handler = slow
    async with make_client(erp, max_concurrency=1) as client:
        with uncollected(*KINDS) as remains:
            reading = [asyncio.create_task(read(client, number)) for number in range(TIMES)]
            await asyncio.sleep(0)
            answered.set()
            await asyncio.gather(*reading)
            assert await remains.names() == []


@pytest.mark.parametrize("refusal", [error_v1(401, 100000027, "no"), error_v1(500, -2, "no")])
async def test_a_failed_login_is_remembered_without_its_response(
    erp: ScriptedErp, clock: ManualClock, refusal: Answer
) -> None:
    async def refusing(_call: Call) -> Answer:
        return refusal

    erp.login_handler = refusing
    async with make_client(erp, clock=clock) as client:
        with uncollected(*KINDS) as remains:
            for _ in range(TIMES):
                clock.advance(1000)
                await fails(client.log_in())
                await fails(client.log_in())  # within the pause: the same failure once more
            assert await remains.names() == []
            assert client.login_failure is not None


async def test_immediately_refused_sessions_are_remembered_without_responses(
    erp: ScriptedErp,
) -> None:
    async def refusing(_call: Call) -> Answer:
        return INVALID_SESSION

    erp.handler = refusing
    async with make_client(erp) as client:
        with uncollected(*KINDS) as remains:
            for call in CALLS.values():
                await fails(call(client))
            assert await remains.names() == []
            assert isinstance(client.login_failure, ErpLoginRejected)


async def test_an_unreachable_erp_is_remembered_without_the_request(erp: ScriptedErp) -> None:
    async with make_client(erp) as client:
        await erp.stop()
        with uncollected(*KINDS) as remains:
            for _ in range(TIMES):
                await fails(client.create("Orders", b"{}", caller=ANA))
            assert await remains.names() == []
