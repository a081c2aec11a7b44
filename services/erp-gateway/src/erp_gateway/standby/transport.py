"""The way to the ERP, shut for a process that may not send."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from erpclient import ErpSettings, HttpReply, HttpRequest, QueueClosed, Transport, create_transport

Permit: TypeAlias = Callable[[], Awaitable[bool]]
"""Tells whether a request to the ERP may begin now."""


class GuardedTransport:
    """Asks for leave before each request, logins, probes and the logout among them.

    Args:
        inner: sends; opened and closed by its owner.
        permit: tells whether a request may begin now.
    """

    def __init__(self, inner: Transport, permit: Permit) -> None:
        self._inner = inner
        self._permit = permit

    async def send(self, request: HttpRequest) -> HttpReply:
        """See `Transport.send`.

        Raises:
            QueueClosed: this process may not send; nothing was.
        """
        if not await self._permit():
            raise QueueClosed
        return await self._inner.send(request)

    async def probe(self, url: str, timeout_s: float) -> None:
        """See `Transport.probe`; nothing is sent."""
        await self._inner.probe(url, timeout_s)

    async def aclose(self) -> None:
        """Leave the inner transport to its owner."""


@asynccontextmanager
async def open_guarded_transport(settings: ErpSettings, permit: Permit) -> AsyncIterator[GuardedTransport]:
    """Open a transport as the settings ask for, guarded, and close it on leaving.

    Raises:
        OSError: the settings' `ca_file` can't be read, or is no PEM file.
    """
    inner = create_transport(settings)
    await inner.open()
    try:
        yield GuardedTransport(inner, permit)
    finally:
        await inner.aclose()
