"""The engine `hana` with SAP's real driver, against a simulated server in a process of its own."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.engines.hana import HanaEngine, load_driver
from erp_gateway.queries.registry import QueryRegistry
from erp_gateway.settings.erp_database import ErpDatabase
from erpsim.hana.process import PASSWORD, USER, HanaProcess, run_hana
from servicekit.config import Secret

TIMEOUT_S = 20.0


@pytest.fixture(scope="session")
def hana_process() -> Iterator[HanaProcess]:
    with run_hana("--rows-per-packet", "1000", "--numbers", "100000", "--seed", "small") as process:
        yield process


@pytest.fixture
def hana(hana_process: HanaProcess) -> Iterator[HanaProcess]:
    pytest.importorskip("hdbcli.dbapi")
    hana_process.reset()
    yield hana_process
    hana_process.reset()


@pytest.fixture
def address_of() -> Callable[..., ErpDatabase]:
    """Return what makes the address of a simulated server, with changes by name."""

    def make(port: int, **changes: Any) -> ErpDatabase:
        wanted: dict[str, Any] = {
            "engine": "hana",
            "server": "127.0.0.1",
            "port": port,
            "database": None,
            "user": USER,
            "password": Secret(PASSWORD),
            "schema": "SAMPLE",
            "encrypt": False,
            "ca_file": None,
            "tls_name": None,
            "connect_timeout_s": 5.0,
        }
        return ErpDatabase(**{**wanted, **changes})

    return make


@pytest.fixture
def address(hana: HanaProcess, address_of: Callable[..., ErpDatabase]) -> ErpDatabase:
    return address_of(hana.port)


OpenClient = Callable[..., DatabaseClient]


@pytest_asyncio.fixture
async def open_client() -> AsyncIterator[OpenClient]:
    """Return what opens a client on an engine; none may leave a thread behind."""
    opened: list[DatabaseClient] = []

    def make(engine: HanaEngine, *, places: int = 1, max_rows: int = 10) -> DatabaseClient:
        opened.append(
            DatabaseClient(engine, QueryRegistry([]), places=places, timeout_s=TIMEOUT_S, max_rows=max_rows)
        )
        return opened[-1]

    yield make
    for client in opened:
        await client.aclose()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("erpdb")] == []


@pytest.fixture
def client(address: ErpDatabase, open_client: OpenClient) -> DatabaseClient:
    return open_client(HanaEngine(address, load_driver()), places=2, max_rows=5000)


class Ticker:
    """Measures how long the event loop was held up while it ran."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def run(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.002)
            self.longest_s = max(self.longest_s, time.perf_counter() - before - 0.002)


@pytest_asyncio.fixture
async def ticker() -> AsyncIterator[Ticker]:
    watching = Ticker()
    task = asyncio.create_task(watching.run())
    yield watching
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
