"""Nothing goes to the ERP without leave: no login, no call, no logout."""

import pytest

from erp_gateway.standby.lease import open_guarded_transport
from erpclient import Caller, Credentials, ErpClient, ErpSettings, QueueClosed
from erpclient.odata import ListQuery
from erpsim.simulator import run_sim


@pytest.mark.asyncio
async def test_a_process_that_may_not_send_sends_nothing() -> None:
    leave = [True]

    async def permit() -> bool:
        return leave[0]

    async with run_sim() as sim:
        settings, me = ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")
        async with (
            open_guarded_transport(settings, permit) as transport,
            ErpClient(settings, me, transport=transport) as erp,
        ):
            await erp.list("Items", ListQuery(top=1), caller=Caller("ana"))
            before = len(sim.calls)
            leave[0] = False
            with pytest.raises(QueueClosed):
                await erp.list("Items", ListQuery(top=1), caller=Caller("ana"))
            with pytest.raises(QueueClosed):
                await erp.create("Items", b"{}", caller=Caller("ana"))
        assert len(sim.calls) == before
