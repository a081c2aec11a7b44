"""Counts running requests and marks those that start during shutdown."""

import asyncio
from typing import Any, cast, final

from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.request_log import STOPPING


@final
class Gate:
    """Tracks running requests, and marks those that start after the shutdown began.

    Args:
        app: handles the requests.
        stop: set when the shutdown begins.
    """

    def __init__(self, app: ASGIApp, stop: asyncio.Event) -> None:
        self._app = app
        self._stop = stop
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def running(self) -> int:
        """Number of running requests."""
        return len(self._tasks)

    def cancel_all(self) -> None:
        """Cancel every running request."""
        for task in self._tasks:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._stop.is_set():
            scope[STOPPING] = True
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        try:
            await self._app(scope, receive, send)
        finally:
            self._tasks.discard(task)
