"""Clients for a running simulator, one logged in, one that sees raw bytes; a clock moved by hand."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

from erpsim.simulator import Simulator


class MovedClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self._now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def move(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def sign_in() -> Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]:
    """Return what logs in and yields a client whose addresses are relative to the service root."""

    @asynccontextmanager
    async def sign_in(
        sim: Simulator,
        *,
        root: str = "v1",
        user: str = "manager",
        password: str = "erpsim",
        language: int | None = None,
        compressed: bool = False,
    ) -> AsyncIterator[aiohttp.ClientSession]:
        url = {"v1": sim.url, "v2": sim.url_v2}[root]
        body: dict[str, object] = {"CompanyDB": "SBO_DEMO", "UserName": user, "Password": password}
        if language is not None:
            body["Language"] = language
        async with aiohttp.ClientSession() as opener:
            answer = await opener.post(
                f"{url}/Login", json=body | ({"Language": language} if language else {})
            )
            assert answer.status == 200, await answer.text()
            cookies = [value.split(";")[0] for value in answer.headers.getall("Set-Cookie")]
            await answer.read()
        headers = {"Cookie": "; ".join(cookies)}
        if not compressed:
            headers["Accept-Encoding"] = "identity"
        async with aiohttp.ClientSession(
            base_url=f"{url}/", headers=headers, cookie_jar=aiohttp.DummyCookieJar()
        ) as client:
            yield client

    return sign_in


@pytest.fixture
def exchange() -> Callable[..., Awaitable[bytes]]:
    """Return what sends raw bytes on a new connection and returns all that comes until it closes."""

    async def exchange(
        sim: Simulator, data: bytes, *, context: ssl.SSLContext | None = None, port: int | None = None
    ) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port or sim.port, ssl=context)
        try:
            writer.write(data)
            async with asyncio.timeout(5):
                return await reader.read()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    return exchange
