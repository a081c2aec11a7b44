"""Several reads in one call, with the simulated ERP."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from erpclient import (
    Caller,
    Credentials,
    CrossJoin,
    ErpClient,
    ErpList,
    ErpRefused,
    ErpRows,
    ErpSettings,
    JoinedPath,
)
from erpclient.odata import ListQuery
from erpclient.reads import ListRead
from erpsim.company.switches import Switches
from erpsim.simulator import Simulator, run_sim

ANA = Caller("ana")
ORDERS = ListRead("Orders", ListQuery(select=("DocEntry",), top=3), False, frozenset(), False)
JOIN = CrossJoin(
    (JoinedPath("Orders", ("DocEntry",)), JoinedPath("Orders/DocumentLines", ("LineNum",))),
    "Orders/DocEntry eq Orders/DocumentLines/DocEntry",
    2,
)

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with run_sim() as simulator:
        yield simulator


@pytest_asyncio.fixture(params=["v1", "v2"])
async def client(sim: Simulator, request: pytest.FixtureRequest) -> AsyncIterator[ErpClient]:
    url = {"v1": sim.url, "v2": sim.url_v2}[request.param]
    async with ErpClient(ErpSettings(url), Credentials("SBO_DEMO", "manager", "erpsim")) as erp:
        yield erp


async def test_reads_share_one_call(client: ErpClient, sim: Simulator) -> None:
    orders, joined = await client.read_batch([ORDERS, JOIN], caller=ANA)
    assert isinstance(orders, ErpList)
    assert isinstance(joined, ErpRows)
    assert orders.rows.count(b"DocEntry") == 3
    assert joined.more
    assert [call.path for call in sim.calls if call.path != "Login"] == ["$batch"]


async def test_a_batch_is_repeated_in_a_new_session_like_a_read(client: ErpClient, sim: Simulator) -> None:
    await client.read_batch([ORDERS], caller=ANA)
    sim.sessions.end_all()
    (orders,) = await client.read_batch([ORDERS], caller=ANA)
    assert isinstance(orders, ErpList)


async def test_a_batch_stops_at_the_read_that_the_erp_refuses(client: ErpClient, sim: Simulator) -> None:
    sim.world.switches = Switches(query_service=False)
    orders, refused = await client.read_batch([ORDERS, JOIN, ORDERS], caller=ANA)
    assert isinstance(orders, ErpList)
    assert isinstance(refused, ErpRefused)
    assert (refused.status, refused.code) == (400, -1002)
