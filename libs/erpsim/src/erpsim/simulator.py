"""Assembles a simulated Service Layer and opens its ports, in a process or inside a test."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import attrs
from aiohttp import web

from erpsim.company.clock import Clock, SystemClock
from erpsim.company.store import Store
from erpsim.company.switches import Switches
from erpsim.facts.loading import load_own_facts, load_packaged_facts
from erpsim.faults import Fault, FaultBook
from erpsim.faults.calls import CallLog
from erpsim.faults.control import ControlPort
from erpsim.process.certificates import Certificate, load_or_create, self_signed
from erpsim.process.ports import Listening, Ports, PortTakenError
from erpsim.report_gateway.gateway import ReportGateway
from erpsim.service_layer.server import ServiceLayer
from erpsim.service_layer.sessions import SessionTable
from erpsim.service_layer.wire.metadata_document import MetadataDocuments
from erpsim.tax_documents.service import TaxDocumentService
from erpsim.world import World

if TYPE_CHECKING:
    from erpsim.hana.company_server import RunningHana

__all__ = [
    "Listening",
    "PortTakenError",
    "ServedCompany",
    "Simulator",
    "open_company",
    "run_sim",
]


@attrs.frozen(kw_only=True)
class ServedCompany:
    """A company with its metadata documents and clock.

    Args:
        world: the company.
        documents: its metadata documents.
        clock: their clock.
    """

    world: World
    documents: MetadataDocuments
    clock: Clock = attrs.field(factory=SystemClock)


def open_company(
    *,
    switches: Switches | None = None,
    seed: str = "small",
    clock: Clock | None = None,
    store: Store | None = None,
    metadata: Path | None = None,
) -> ServedCompany:
    """Make the company a simulator serves; see `run_sim` for the arguments.

    Raises:
        FactsError: the metadata file can't be used.
    """
    facts = load_packaged_facts() if metadata is None else load_own_facts(metadata)
    time = clock or SystemClock()
    world = World(facts, switches=switches, seed=seed, clock=time, store=store)
    export = None if metadata is None else metadata.read_bytes()
    return ServedCompany(world=world, documents=MetadataDocuments(lambda: world.facts, export), clock=time)


class Simulator:
    """A simulated Service Layer with its ports; use it as an async context manager.

    Args:
        company: the served company.
        listening: addresses and ports.
        faults: initial faults.
    """

    def __init__(self, company: ServedCompany, listening: Listening, *, faults: Iterable[Fault] = ()) -> None:
        self.world = company.world
        self.faults = FaultBook()
        for fault in faults:
            self.faults.add(fault)
        self._clock = company.clock
        self.calls = CallLog(company.clock)
        self._listening = listening
        self._service_layer = ServiceLayer(
            self.world,
            company.documents,
            self.faults,
            self.calls,
            company.clock,
            keep_alive_s=listening.keep_alive_s,
        )
        self.certificate: Certificate | None = None
        self.port = 0
        self.control_port: int | None = None
        self._server: web.Server | None = None
        self._ports = Ports(listening)
        self.report_gateway: ReportGateway | None = None
        self.tax_documents: TaxDocumentService | None = None
        self.hana: RunningHana | None = None
        self._running = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self._running.aclose()
            await self._ports.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._service_layer.late:
            task.cancel()
        if self.tax_documents is not None:
            self.tax_documents.close()
        await self._running.aclose()
        await self._ports.close()

    @property
    def url(self) -> str:
        """Address of the v1 service root, without a slash at the end."""
        return f"{self.origin}/b1s/v1"

    @property
    def url_v2(self) -> str:
        """Address of the v2 service root, without a slash at the end."""
        return f"{self.origin}/b1s/v2"

    @property
    def origin(self) -> str:
        """Scheme, host and port, the root of `/ping/`."""
        return self._listening.origin(self.port, tls=self._listening.tls)

    @property
    def control_url(self) -> str | None:
        """Address of the control port, None without one."""
        if self.control_port is None:
            return None
        return self._listening.origin(self.control_port)

    @property
    def sessions(self) -> SessionTable:
        """The open sessions."""
        return self._service_layer.sessions

    async def late_commits(self) -> None:
        """Do all postponed work (`CommitLate`) now."""
        await self._service_layer.commit_late()

    def cut_idle_connections(self) -> int:
        """Close all kept-alive connections without a call in flight; return their number."""
        if self._server is None:
            return 0
        busy = self._service_layer.busy
        idle = [
            connection.transport
            for connection in self._server.connections
            if connection.transport is not None and connection.transport not in busy
        ]
        for transport in idle:
            transport.close()
        return len(idle)

    def restart(self) -> None:
        """Restart the Service Layer: end all sessions, show new metadata. Data stays."""
        self.sessions.end_all()
        self.world.restart()

    def reset(self) -> None:
        """Restore the initial state: seed, no sessions, no faults, no recorded calls."""
        self.world.reset()
        self.sessions.end_all()
        self.faults.clear()
        self.calls.clear()
        if self.report_gateway is not None:
            self.report_gateway.reset()
        if self.tax_documents is not None:
            self.tax_documents.reset()
        if self.hana is not None:
            self.hana.trouble.reset()

    async def _open(self) -> None:
        context = None
        if self._listening.tls:
            self.certificate = self._certificate()
            context = self.certificate.server_context()
        # Open the database first, so that it is ready when the Service Layer answers.
        if self._listening.hana_port is not None:
            self.hana = await self._open_hana(self._listening.hana_port, context)
        self._server = web.Server(
            self._service_layer.handle,
            keepalive_timeout=self._listening.keep_alive_s,
            access_log=None,
        )
        self.port = await self._ports.open(self._server, self._listening.port, context)
        if self._listening.report_gateway_port is not None:
            self.report_gateway = ReportGateway(self.world, self._clock)
            await self.report_gateway.open(
                self._ports, self._listening, self._listening.report_gateway_port, context
            )
        if self._listening.tax_documents_port is not None:
            service = TaxDocumentService(self.world, self._clock)
            await service.open(self._ports, self._listening, self._listening.tax_documents_port, context)
            self.tax_documents = service
        if self._listening.control_port is not None:
            control = web.Server(ControlPort(self).handle, access_log=None)
            self.control_port = await self._ports.open(control, self._listening.control_port)

    def _certificate(self) -> Certificate:
        host = self._listening.public_host or self._listening.host
        if self._listening.certificate_folder is None:
            return self_signed(host, self._clock)
        return load_or_create(self._listening.certificate_folder, host, self._clock)

    async def _open_hana(self, port: int, context: ssl.SSLContext | None) -> RunningHana:
        from erpsim.hana.company_server import run_company_hana  # noqa: PLC0415 - only loaded if it is served

        opened = run_company_hana(self.world, self._listening.host, port, context)
        return await self._running.enter_async_context(opened)


@asynccontextmanager
async def run_sim(
    *,
    switches: Switches | None = None,
    seed: str = "small",
    faults: Iterable[Fault] = (),
    clock: Clock | None = None,
    store: Store | None = None,
    metadata: Path | None = None,
    listening: Listening | None = None,
) -> AsyncIterator[Simulator]:
    """Run a simulated Service Layer on the current event loop, on a free loopback port.

        async with run_sim() as sim:
            client = connect(sim.url)
            sim.faults.add(Fault(action=Drop(), method="POST", path="Orders"))
            assert sim.calls.max_in_flight == 1

    Args:
        switches: see `Switches`; parallel calls cost nothing by default.
        seed: a name of `erpsim.seeds.SCALES`.
        faults: initial faults; `sim.faults.add` adds more.
        clock: source of the time (idle timeout, dates).
        store: storage of changes; by default they are only in memory.
        metadata: a `$metadata` export whose user fields and objects exist too.
        listening: port, TLS, control port.

    Yields:
        the running simulator: `url`, `url_v2`, `world`, `faults`, `calls`, `sessions`.

    Raises:
        PortTakenError: the port is taken.
        FactsError: the metadata file can't be used.
    """
    company = open_company(switches=switches, seed=seed, clock=clock, store=store, metadata=metadata)
    async with Simulator(company, listening or Listening(), faults=faults) as simulator:
        yield simulator
