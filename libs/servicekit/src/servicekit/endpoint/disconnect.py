"""Clients that close the connection before their answer."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

T = TypeVar("T")


async def client_gone(request: Request) -> None:
    """Wait until the client closes the connection. Only for handlers that have read the body or take none."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, and cancel it when the client closes the connection.

    For handlers that have read the body or take none, of requests that change nothing.

    Raises:
        ClientDisconnect: the client has.
    """
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(client_gone(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)
        del task  # its error refers to this frame and the data of the work
