"""The report gateway's client on a simulated one behind a real socket."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
import pytest_asyncio

from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.settings.report_gateway import ReportGateway as ReportGatewaySettings
from erpclient import Observer
from erpsim.report_gateway import ReportGateway, run_report_gateway
from servicekit.clock import ManualClock
from servicekit.config import Secret

OpenClient = Callable[..., AbstractAsyncContextManager[ReportGatewayClient]]


@pytest_asyncio.fixture
async def simulated() -> AsyncIterator[ReportGateway]:
    async with run_report_gateway() as running:
        yield running


@pytest.fixture
def open_client(clock: ManualClock) -> OpenClient:
    """Return what opens a client on an address, with other credentials or limits by name."""

    @asynccontextmanager
    async def opening(
        url: str,
        *,
        password: str = "erpsim",
        instance: str | None = None,
        timeout_s: float = 20.0,
        max_concurrency: int = 2,
        observer: Observer | None = None,
    ) -> AsyncIterator[ReportGatewayClient]:
        settings = ReportGatewaySettings(
            url=url,
            company_db="SBO_DEMO",
            user="manager",
            password=Secret(password),
            instance=instance,
            timeout_s=timeout_s,
            max_concurrency=max_concurrency,
        )
        async with ReportGatewayClient(settings, verify_tls=False, clock=clock, observer=observer) as client:
            yield client

    return opening


@pytest_asyncio.fixture
async def client(open_client: OpenClient, simulated: ReportGateway) -> AsyncIterator[ReportGatewayClient]:
    async with open_client(simulated.url) as opened:
        yield opened
