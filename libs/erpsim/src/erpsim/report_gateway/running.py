"""Runs a report gateway alone, for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from erpsim.company.clock import Clock, SystemClock
from erpsim.company.switches import Switches
from erpsim.facts.loading import load_packaged_facts
from erpsim.faults import Fault
from erpsim.process.certificates import self_signed
from erpsim.process.ports import Listening, Ports
from erpsim.report_gateway.gateway import ReportGateway
from erpsim.world import World


@asynccontextmanager
async def run_report_gateway(
    *,
    world: World | None = None,
    switches: Switches | None = None,
    seed: str = "small",
    faults: Iterable[Fault] = (),
    clock: Clock | None = None,
    listening: Listening | None = None,
) -> AsyncIterator[ReportGateway]:
    """Run a simulated report gateway on the current event loop, on a free loopback port.

    Args:
        world: the company, shared with a simulated Service Layer; None creates one.
        switches: for a new company; those that begin with `report_` are the gateway's.
        seed: for a new company.
        faults: initial faults; `gateway.faults.add` adds more. Paths are `login`, `rs/v1/LoadCR`, ...
        clock: source of the time.
        listening: host, port and TLS.

    Yields:
        the running gateway: `url`, `world`, `faults`, `calls`, `exports`, `sessions`, `log`.

    Raises:
        PortTakenError: the port is taken.
    """
    time = clock or SystemClock()
    company = world or World(load_packaged_facts(), switches=switches, seed=seed, clock=time)
    where = listening or Listening()
    gateway = ReportGateway(company, time, faults=faults)
    context = self_signed(where.host, time).server_context() if where.tls else None
    ports = Ports(where)
    try:
        await gateway.open(ports, where, where.port, context)
        yield gateway
    finally:
        await ports.close()
