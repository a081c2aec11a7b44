"""Makers shared by the tests: companies and desks at them, clients of a running simulator, clocks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from hypothesis import HealthCheck, settings

from erpsim.company.exchange import Caller, Dialect
from erpsim.company.store import Store
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.facts import Facts, load_packaged_facts
from erpsim.simulator import Simulator
from erpsim.world import World

# Properties say nothing about speed: on a busy machine they only take longer.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


class FixedClock:
    """A clock that stands a little after noon of 15 January 2026."""

    def now(self) -> datetime:
        return datetime(2026, 1, 15, 12, 34, 56, tzinfo=UTC)


@pytest.fixture(scope="session")
def facts() -> Facts:
    return load_packaged_facts()


@pytest.fixture
def make_world(facts: Facts) -> Callable[..., World]:
    packaged = facts

    def make(
        *,
        seed: str = "small",
        switches: Switches | None = None,
        store: Store | None = None,
        facts: Facts | None = None,
    ) -> World:
        return World(facts or packaged, seed=seed, switches=switches, store=store, clock=FixedClock())

    return make


@pytest.fixture
def run_alone() -> Callable[[str], list[float]]:
    """Run code in a process of its own, where no tracer is measured along; return the numbers it prints."""

    def run(code: str) -> list[float]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        ran = subprocess.run(
            [sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=True
        )
        return [float(text) for text in ran.stdout.split()]

    return run


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()


@pytest.fixture
def desk(world: World) -> Desk:
    """The superuser at the small company."""
    return Desk(world)


@pytest.fixture
def warehouse_desk(world: World) -> Desk:
    """The normal user at the small company."""
    return Desk(world, Caller(user="bodega"))


@pytest.fixture
def desk_v2(world: World) -> Desk:
    """The superuser at the small company, by OData 4."""
    return Desk(world, Caller(user="manager", dialect=Dialect.V2))


@pytest.fixture
def customer(desk: Desk) -> str:
    """A fresh customer who pays VAT and the public price."""
    desk.create("BusinessPartners", {"CardCode": "CTEST", "CardName": "Cliente de prueba"})
    return "CTEST"


@pytest.fixture
def supplier(desk: Desk) -> str:
    """A fresh supplier whose price list is the cost."""
    body = {"CardCode": "PTEST", "CardName": "Proveedor", "CardType": "cSupplier", "PriceListNum": 4}
    desk.create("BusinessPartners", body)
    return "PTEST"


@pytest.fixture
def item(desk: Desk) -> str:
    """A fresh item that sells for 1,000, costs 600 and of which 100 lie in warehouse 01."""
    prices = [{"PriceList": 1, "Price": 1000}, {"PriceList": 4, "Price": 600}]
    desk.create("Items", {"ItemCode": "TEST-1", "ItemName": "Artículo de prueba", "ItemPrices": prices})
    line = {"ItemCode": "TEST-1", "Quantity": 100, "UnitPrice": 600, "WarehouseCode": "01"}
    desk.create("InventoryGenEntries", {"DocumentLines": [line]})
    return "TEST-1"


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
            async with asyncio.timeout(30):
                return await reader.read()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    return exchange
