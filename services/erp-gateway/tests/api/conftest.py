"""The whole application in process, on a simulated ERP behind a real socket."""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from openapi_schema_validator import OAS31Validator
from starlette.types import ASGIApp
from typing_extensions import override

from erp_gateway.app import api_info, create_app, list_endpoints
from erp_gateway.components import Components, open_components
from erp_gateway.settings import load_settings
from erp_gateway.web.access import Access
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock
from servicekit.openapi import Answered, DescribedAnswers, build_document, with_documentation

ADMINISTRATOR = "ana"


def schema_problems(schema: Mapping[str, Any], value: object) -> list[str]:
    """Return what is wrong with a value."""
    return [error.message for error in OAS31Validator(schema).iter_errors(value)]


class HeldToTheDocument(httpx2.AsyncBaseTransport):
    """Carries requests to the application, and fails the test when an answer is not as it is described."""

    def __init__(self, app: ASGIApp, described: DescribedAnswers, ip: str) -> None:
        self._inner = httpx2.ASGITransport(app=app, client=(ip, 50_000))
        self._described = described

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request and hold its answer against the document."""
        response = await self._inner.handle_async_request(request)
        answered = Answered(
            request.method,
            request.url.raw_path.partition(b"?")[0].decode("latin-1"),
            response.status_code,
            response.headers.get("Content-Type", ""),
            await response.aread(),
        )
        assert self._described.problems(answered) == []
        return response


class Gateway:
    """The running application and short calls to it; every answer is held against the API's document."""

    def __init__(self, app: ASGIApp, components: Components, sim: Simulator) -> None:
        self.app = app
        published = list_endpoints(components)
        if components.settings.installation.docs_published:
            published = with_documentation(published, api_info(), access=Access.PUBLIC)
        self.described = DescribedAnswers(build_document(published, api_info()), schema_problems)
        self.components = components
        self.sim = sim
        self.http = self.client_at("10.0.0.7")

    def client_at(self, ip: str) -> httpx2.AsyncClient:
        """Return a client whose requests come from this address."""
        transport = HeldToTheDocument(self.app, self.described, ip)
        return httpx2.AsyncClient(transport=transport, base_url="http://gateway")

    async def log_in(self, user: str, password: str, *, ip: str = "10.0.0.7") -> httpx2.Response:
        """Ask to be let in."""
        async with self.client_at(ip) as client:
            return await client.post("/api/auth/login", json={"username": user, "password": password})

    async def signed_in(self, user: str = ADMINISTRATOR, password: str | None = None) -> dict[str, str]:
        """Sign somebody in (with the seed's password) and return the headers that prove it."""
        response = await self.log_in(user, password or f"{user}-demo")
        assert response.status_code == 200, response.text
        return {"Authorization": f"Bearer {response.json()['token']}"}


OpenGateway = Callable[..., AbstractAsyncContextManager[Gateway]]


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
            gateway = Gateway(create_app(components), components, sim)
            async with gateway.http:
                yield gateway

    return opening


@pytest_asyncio.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with run_sim() as simulator:
        yield simulator


@pytest_asyncio.fixture
async def gateway(open_gateway: OpenGateway, sim: Simulator) -> AsyncIterator[Gateway]:
    async with open_gateway(sim) as opened:
        yield opened
