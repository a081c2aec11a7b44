"""The whole application in this process, with a simulated ERP behind a real socket."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager

import httpx2
import pytest
import pytest_asyncio
from executions import GRANTED
from prepared_company import PreparedStore
from starlette.types import ASGIApp

from erpsim.company.store import Change
from erpsim.company.switches import Switches
from erpsim.faults.calls import Call
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock
from servicekit.openapi import ResponseValidator
from servicekit.testing.described import ValidatingTransport, ValidatorCache
from supplier_returns.app import api_info, create_app, list_endpoints
from supplier_returns.components import Components, open_components
from supplier_returns.settings.root import load_settings

PASSWORD = "erpsim"

_DESCRIPTIONS = ValidatorCache(api_info())

_PREPARED: list[Change] = []
"""What the first company's metadata were made of."""


class Service:
    """Running application with short methods for requests.

    It compares every response with the OpenAPI document.
    """

    def __init__(
        self, app: ASGIApp, components: Components, sim: Simulator, described: ResponseValidator
    ) -> None:
        self.app = app
        self.described = described
        self.components = components
        self.sim = sim

    def client_at(self, ip: str = "10.0.0.7", *, base_url: str = "http://returns") -> httpx2.AsyncClient:
        """Return a browser at this address, which keeps its cookies."""
        transport = ValidatingTransport(self.app, self.described, ip)
        return httpx2.AsyncClient(transport=transport, base_url=base_url, timeout=30)

    async def log_in(
        self, client: httpx2.AsyncClient, user: str = "manager", password: str = PASSWORD
    ) -> httpx2.Response:
        """Send a login request."""
        return await client.post("/api/auth/login", json={"usuario": user, "clave": password})

    @asynccontextmanager
    async def signed_in(
        self, user: str = "manager", *, ip: str = "10.0.0.7"
    ) -> AsyncIterator[httpx2.AsyncClient]:
        """Yield a browser with a signed-in user."""
        async with self.client_at(ip) as client:
            answer = await self.log_in(client, user)
            assert answer.status_code == 200, answer.text
            yield client

    async def arrived(self, method: str, path: str, count: int = 1) -> None:
        """Wait until this many calls have reached the ERP."""
        async with asyncio.timeout(30):
            while len(self.sim.calls.of(method, path)) < count:  # noqa: ASYNC110 - the simulator signals nothing
                await asyncio.sleep(0.01)

    @contextmanager
    def counting(self) -> Iterator[list[Call]]:
        """Collect the calls to the ERP during the block. The list is filled at its end."""
        before = len(self.sim.calls)
        calls: list[Call] = []
        yield calls
        calls += list(self.sim.calls)[before:]


OpenService = Callable[..., AbstractAsyncContextManager[Service]]


@pytest.fixture
def open_service(clock: ManualClock) -> OpenService:
    """Return a function that opens the application on a simulator, with further settings by name."""

    @asynccontextmanager
    async def opening(sim: Simulator, *, url: str | None = None, **further: str) -> AsyncIterator[Service]:
        settings = load_settings(
            {
                "CONFIG_FILE": os.devnull,  # ignore the .env file of the developer
                "ENVIRONMENT": "test",
                "SL_URL": url or sim.url,
                "SL_COMPANY_DB": "SBO_DEMO",
                "DB_TYPE": "HANA",
                **further,
            }
        )
        async with open_components(settings, clock=clock) as components:
            described = _DESCRIPTIONS.of(list_endpoints(components))
            yield Service(create_app(components), components, sim, described)

    return opening


@pytest_asyncio.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with run_sim() as simulator:
        yield simulator


@pytest_asyncio.fixture
async def service(open_service: OpenService, sim: Simulator) -> AsyncIterator[Service]:
    async with open_service(sim) as opened:
        yield opened


@pytest_asyncio.fixture
async def manager(service: Service) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser with a signed-in superuser."""
    async with service.signed_in() as client:
        yield client


@pytest_asyncio.fixture
async def stocked(open_service: OpenService) -> AsyncIterator[Service]:
    """A company with returnable goods and complete metadata. `bodega` may run the queries.

    The first test creates the metadata, which takes a while. The others start with a copy.
    """
    store = PreparedStore(_PREPARED)
    async with (
        run_sim(seed="returns", switches=Switches(sql_grants=GRANTED), store=store) as sim,
        open_service(sim) as opened,
    ):
        async with opened.signed_in() as manager:
            done = await manager.post("/api/metadata/rebuild")
            assert done.status_code == 200, done.text
        if not _PREPARED:
            _PREPARED.extend(store.snapshot())
        yield opened


@pytest_asyncio.fixture
async def bodega(stocked: Service) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser with a signed-in normal user."""
    async with stocked.signed_in("bodega") as client:
        yield client
