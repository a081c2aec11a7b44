"""The gate knows what runs."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from servicekit.request_log import STOPPING
from servicekit.server.gate import Gate


async def receive_nothing() -> Message:
    raise AssertionError


async def send_nothing(_message: Message) -> None:
    raise AssertionError


@pytest.mark.asyncio
async def test_requests_after_the_beginning_of_the_shutdown_are_marked() -> None:
    marks: list[bool] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        marks.append(STOPPING in scope)

    stop = asyncio.Event()
    gate = Gate(app, stop)
    for _ in range(2):
        await gate({"type": "http"}, receive_nothing, send_nothing)
        stop.set()
    assert marks == [False, True]
    assert gate.running == 0
