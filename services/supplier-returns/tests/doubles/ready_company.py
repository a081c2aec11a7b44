"""Simulated company with the metadata of the returns, prepared once and then copied."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prepared_company import PreparedStore

from erpclient import Caller, Credentials, ErpClient, ErpSettings
from erpsim.company.store import Change
from erpsim.company.switches import Switches
from erpsim.simulator import Listening, Simulator, run_sim
from servicekit.clock import SystemClock
from supplier_returns.execution.fence import Fence, FenceMode
from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.metadata.rebuild import Rebuild
from supplier_returns.saved_queries.installer import QueryInstaller


async def rebuild(sim: Simulator, *, planned: bool = True) -> None:
    installer = QueryInstaller("HANA", SystemClock())
    work = Rebuild(load_definitions(), installer, Fence(FenceMode.AUTO).prove, timeout_s=60, pauses_s=(0.0,))
    async with ErpClient(ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")) as erp:
        result = await work.run(erp, Caller("manager"), lambda _: None, simulate=False)
        assert result.failures == []
        if not planned:
            return
        await erp.create(
            "LIB_ODEV",
            b'{"U_WhsCode":"01","LIB_DEV1Collection":[{"U_ItemCode":"X"}]}',
            caller=Caller("manager"),
        )


_PREPARED: list[Change] = []


@asynccontextmanager
async def company(
    switches: Switches | None = None, listening: Listening | None = None
) -> AsyncIterator[Simulator]:
    """Run the simulated company with our metadata, prepared once and then copied."""
    if not _PREPARED:
        store = PreparedStore()
        async with run_sim(seed="returns", store=store) as sim:
            await rebuild(sim)
        _PREPARED.extend(store.snapshot())
    async with run_sim(
        switches=switches, seed="returns", store=PreparedStore(_PREPARED), listening=listening
    ) as sim:
        yield sim
