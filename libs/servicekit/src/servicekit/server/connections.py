"""The connections that are open, and the requests that run on them."""

import asyncio
from collections.abc import Callable
from typing import Any, cast, final

import structlog
from starlette.types import ASGIApp
from typing_extensions import override

from servicekit.server.hypercorn_parts import Connection, Shared
from servicekit.server.settings import ServerSettings


@final
class WatchedReader(asyncio.StreamReader):
    """A stream reader that reports the end of the stream at once, even if no read is pending."""

    on_end: Callable[[], None] | None = None
    has_ended = False

    @override
    def feed_eof(self) -> None:
        super().feed_eof()
        self._notify_end()

    @override
    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self._notify_end()

    def _notify_end(self) -> None:
        self.has_ended = True
        if self.on_end is not None:
            self.on_end()


@final
class Connections:
    """Accepts connections and tracks the open ones.

    Args:
        app: handles their requests.
        settings: limits.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._shared = Shared(app, settings)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._none_left = asyncio.Event()
        self._none_left.set()

    def create_protocol(self) -> asyncio.StreamReaderProtocol:
        """Create the protocol of a new connection."""
        return asyncio.StreamReaderProtocol(WatchedReader(), self._accept)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        self._none_left.clear()
        try:
            connection = Connection(self._shared, reader, writer)
            watched = cast("WatchedReader", reader)
            watched.on_end = connection.disconnects.client_left
            if watched.has_ended:
                connection.disconnects.client_left()
            await connection
        except asyncio.CancelledError:
            return  # This task was cancelled by its own timeout or by `cancel_all`. No caller needs to know.
        except Exception as exc:  # noqa: BLE001 - a client sent something that hypercorn does not expect; log it without a trace
            reasons = [reason for reason in _leaves(exc) if not isinstance(reason, OSError)]
            if reasons:  # otherwise the client only disconnected
                structlog.get_logger().warning("connection_failed", reasons=reasons)
        finally:
            self._tasks.discard(task)
            if not self._tasks:
                self._none_left.set()

    async def close_idle(self) -> None:
        """Close idle connections, and the others as soon as their request is finished."""
        await self._shared.close_idle()

    async def ended(self, timeout_s: float, *, unless: asyncio.Event | None = None) -> bool:
        """Wait until all connections are closed; return False if the timeout or the event came first."""
        events = [self._none_left] if unless is None else [self._none_left, unless]
        waits = [asyncio.create_task(event.wait()) for event in events]
        await asyncio.wait(waits, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return self._none_left.is_set()

    def cancel_all(self) -> int:
        """Cancel the remaining connections and return their number."""
        for task in self._tasks:
            task.cancel()
        return len(self._tasks)


def _leaves(exc: BaseException) -> list[BaseException]:
    if isinstance(exc, BaseExceptionGroup):
        return [leaf for each in exc.exceptions for leaf in _leaves(each)]
    return [exc]
