"""Clients that close the connection before their answer."""

import asyncio
import gc
import weakref
from contextlib import suppress
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from servicekit.endpoint import client_gone, while_connected


@pytest.mark.asyncio
async def test_client_gone_returns_when_the_connection_closes() -> None:
    messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    request = Request({"type": "http", "headers": []}, receive=messages.get)
    waiting = asyncio.create_task(client_gone(request))
    await messages.put({"type": "http.request", "body": b"", "more_body": False})
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await messages.put({"type": "http.disconnect"})
    await asyncio.wait_for(waiting, 30)


async def working(ended: list[str], seconds: float) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        ended.append("cancelled")
        raise
    ended.append("done")
    return "result"


@pytest.mark.asyncio
async def test_work_ends_at_completion_or_at_a_client_disconnect() -> None:
    messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    request = Request({"type": "http", "headers": []}, receive=messages.get)
    ended: list[str] = []
    assert await while_connected(request, working(ended, 0)) == "result"
    with pytest.raises(ZeroDivisionError):
        await while_connected(request, failing())
    await messages.put({"type": "http.disconnect"})
    with pytest.raises(ClientDisconnect):
        await while_connected(request, working(ended, 600))
    waiting = asyncio.create_task(while_connected(request, working(ended, 600)))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended == ["done", "cancelled", "cancelled"]
    assert asyncio.all_tasks() == {asyncio.current_task()}, "nobody watches on"


async def failing() -> None:
    raise ZeroDivisionError


class Held:
    """An object that failing work refers to, such as a body."""


@pytest.mark.asyncio
async def test_failed_work_is_freed_with_its_error() -> None:
    request = Request({"type": "http", "headers": []}, receive=asyncio.Queue[Any]().get)
    held: list[weakref.ref[Held]] = []

    async def fail() -> None:
        mine = Held()
        held.append(weakref.ref(mine))
        await asyncio.sleep(0)
        raise ZeroDivisionError

    gc.disable()
    try:
        with suppress(ZeroDivisionError):
            await while_connected(request, fail())
        await asyncio.sleep(0)  # what has woken this up is forgotten
        assert held[0]() is None
    finally:
        gc.enable()
