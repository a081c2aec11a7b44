"""The whole application in process, on a simulated ERP behind a real socket."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from starlette.types import ASGIApp, Receive, Send

from erp_gateway.app import api_info, create_app, list_endpoints
from erp_gateway.components import Components, open_components
from erp_gateway.settings.root import load_settings
from erp_gateway.web.access import Access
from erpsim.hana.process import HanaProcess, run_hana
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock
from servicekit.openapi import ResponseValidator, with_documentation
from servicekit.testing.described import ValidatingTransport, ValidatorCache

ADMINISTRATOR = "ana"


class Gateway:
    """The running application and short calls to it; every answer is held against the API's document."""

    def __init__(
        self, app: ASGIApp, components: Components, sim: Simulator, described: ResponseValidator
    ) -> None:
        self.app = app
        self.described = described
        self.components = components
        self.sim = sim
        self.http = self.client_at("10.0.0.7")

    def client_at(self, ip: str) -> httpx2.AsyncClient:
        """Return a client whose requests come from this address."""
        transport = ValidatingTransport(self.app, self.described, ip)
        return httpx2.AsyncClient(transport=transport, base_url="http://gateway")

    async def post_by_hand(self, path: str, headers: dict[str, str], receive: Receive, send: Send) -> None:
        """Run the application on one POST of JSON whose messages the caller makes and takes itself."""
        sent = {**headers, "Content-Type": "application/json"}
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
            "client": ("10.0.0.9", 1),
            "server": ("gateway", 80),
        }
        await self.app(scope, receive, send)

    async def log_in(self, user: str, password: str, *, ip: str = "10.0.0.7") -> httpx2.Response:
        """Sign in and return the response."""
        async with self.client_at(ip) as client:
            return await client.post("/api/auth/login", json={"username": user, "password": password})

    async def signed_in(self, user: str = ADMINISTRATOR, password: str | None = None) -> dict[str, str]:
        """Sign somebody in (with the seed's password) and return the headers that prove it."""
        response = await self.log_in(user, password or f"{user}-demo")
        assert response.status_code == 200, response.text
        return {"Authorization": f"Bearer {response.json()['token']}"}


_DESCRIPTIONS = ValidatorCache(api_info())

OpenGateway = Callable[..., AbstractAsyncContextManager[Gateway]]


def describe(components: Components) -> ResponseValidator:
    """Return what the API's document says of answers."""
    published = list_endpoints(components)
    if components.settings.installation.docs_published:
        published = with_documentation(published, api_info(), access=Access.PUBLIC)
    return _DESCRIPTIONS.of(published)


@pytest.fixture
def open_gateway(store_path: Path, clock: ManualClock) -> OpenGateway:
    """Return what opens the application on a simulator, with further settings by name."""

    @asynccontextmanager
    async def opening(sim: Simulator, *, url: str | None = None, **further: str) -> AsyncIterator[Gateway]:
        settings = load_settings(
            {
                "CONFIG_FILE": os.devnull,  # not the .env of whoever runs the tests
                "ENVIRONMENT": "test",
                "ERP_SL_URL": url or sim.url,
                "ERP_SL_COMPANY_DB": "SBO_DEMO",
                "ERP_SL_USER": "manager",
                "ERP_SL_PASSWORD": "erpsim",
                "SQLITE_PATH": str(store_path),
                "ADMIN_WEB_USERS": ADMINISTRATOR,
                **further,
            }
        )
        async with open_components(settings, clock=clock) as components:
            described = describe(components)
            gateway = Gateway(create_app(components), components, sim, described)
            async with gateway.http:
                yield gateway

    return opening


@pytest_asyncio.fixture
async def extended(
    open_gateway: OpenGateway, sim: Simulator, installed: dict[str, str]
) -> AsyncIterator[Gateway]:
    """The application with the extension that a module of tests has installed, by its settings."""
    async with open_gateway(sim, **installed) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def hana_process() -> Iterator[HanaProcess]:
    pytest.importorskip("hdbcli.dbapi")
    with run_hana("--numbers", "100000", "--seed", "small") as process:
        yield process


@pytest.fixture
def hana(hana_process: HanaProcess) -> Iterator[HanaProcess]:
    hana_process.reset()
    yield hana_process
    hana_process.reset()


@pytest_asyncio.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with run_sim() as simulator:
        yield simulator


@pytest_asyncio.fixture
async def gateway(open_gateway: OpenGateway, sim: Simulator) -> AsyncIterator[Gateway]:
    async with open_gateway(sim) as opened:
        yield opened
