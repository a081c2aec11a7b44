"""An ERP that gives no answers: nobody waits for one timeout after another, and a probe finds its return."""

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
import structlog
from prometheus_client import generate_latest

from erpsim.faults import Answer, Delay, Fault

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

pytestmark = pytest.mark.check

QUICK = {"ERP_SL_TIMEOUT": "1.5", "ERP_SL_LOGIN_TIMEOUT": "1.5", "ERP_PROBE_TIMEOUT": "1.5"}
HANGS = (Delay(seconds=60), Answer(status=200, body="{}"))
"""Before the session, so that it is not locked when it is over."""
PROMISED_S = 0.05
AT_ONCE_S = 10 * PROMISED_S


def fall_ill(sim: "Simulator") -> None:
    for action in HANGS:
        sim.faults.add(Fault(action=action, path="*", times=None))


async def read(gateway: "Gateway", who: dict[str, str]) -> "httpx2.Response":
    return await gateway.http.get("/api/sl/Items?$top=1", headers=who)


async def until_unwell(gateway: "Gateway") -> None:
    async with asyncio.timeout(20):
        while (await gateway.http.get("/api/health/erp")).json().get("reason") != "unwell":  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def fall_silent(gateway: "Gateway", who: dict[str, str]) -> None:
    for _ in range(3):
        assert (await read(gateway, who)).status_code == 504
    await until_unwell(gateway)


@pytest.mark.asyncio
async def test_reads_and_writes_are_refused_until_a_probe_succeeds(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    with structlog.testing.capture_logs() as logs:
        async with open_gateway(sim, **QUICK) as gateway:
            ana = await gateway.signed_in()
            fall_ill(sim)
            await fall_silent(gateway, ana)
            assert b"erp_unwell 1.0" in generate_latest(gateway.components.metrics_registry)
            before = len(sim.calls.of("POST", "Orders")) + len(sim.calls.of("GET", "Items"))
            began = time.monotonic()
            answers = [
                await read(gateway, ana),
                await gateway.http.post("/api/sl/Orders", json={"CardCode": "C00001"}, headers=ana),
                await gateway.http.patch("/api/sl/Items/A00001", json={"ItemName": "x"}, headers=ana),
                await gateway.log_in("luis", "luis-demo"),
            ]
            assert time.monotonic() - began < len(answers) * AT_ONCE_S
            assert len(sim.calls.of("POST", "Orders")) + len(sim.calls.of("GET", "Items")) == before
            for answer in answers:
                assert (answer.status_code, answer.json()["code"]) == (503, "erp_unavailable")
                assert answer.headers["Retry-After"] == "5"
            sim.faults.clear()
            async with asyncio.timeout(50):
                while (await read(gateway, ana)).status_code != 200:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.1)
            assert b"erp_unwell 0.0" in generate_latest(gateway.components.metrics_registry)
            clock.advance(5)  # the last ping is not fresh any more
            assert (await gateway.http.get("/api/health/erp")).status_code == 200
    turns = [line["event"] for line in logs if line["event"] in ("erp_unwell", "erp_well_again")]
    assert turns == ["erp_unwell", "erp_well_again"]
