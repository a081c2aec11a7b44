"""Puts a simulated Service Layer together and opens its ports: in a process of its own or inside a test."""

from __future__ import annotations

import errno
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import attrs
from aiohttp import web

from erpsim.calls import CallLog
from erpsim.certificates import Certificate, self_signed
from erpsim.clock import Clock, SystemClock
from erpsim.control import ControlPort
from erpsim.facts import Facts
from erpsim.faults import Fault, FaultBook
from erpsim.service_layer.metadata_document import MetadataDocuments
from erpsim.service_layer.server import ServiceLayer
from erpsim.service_layer.sessions import SessionTable
from erpsim.store import Store
from erpsim.switches import Switches
from erpsim.world import World

_LOOPBACK = "127.0.0.1"


class PortTakenError(Exception):
    """Another program listens on the port; the message names it."""


@attrs.frozen(kw_only=True)
class Listening:
    """Where a simulator listens.

    Args:
        host: name or address to bind.
        port: 0 for any free one.
        control_port: 0 for any free one, None for no control port.
        tls: HTTPS with a self-signed certificate instead of HTTP.
        shutdown_s: how long calls under way may take when the simulator stops.
        keep_alive_s: how long an idle connection is kept; Apache's own default is 5 s.
    """

    host: str = _LOOPBACK
    port: int = 0
    control_port: int | None = None
    tls: bool = False
    shutdown_s: float = 0.5
    keep_alive_s: float = 75.0


@attrs.frozen(kw_only=True)
class ServedCompany:
    """What a simulator serves.

    Args:
        world: the company.
        documents: its metadata documents.
        clock: the time that both go by.
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
    facts = Facts.load_default() if metadata is None else Facts.load_edmx(metadata)
    time = clock or SystemClock()
    world = World(facts, switches=switches, seed=seed, clock=time, store=store)
    export = None if metadata is None else metadata.read_bytes()
    return ServedCompany(world=world, documents=MetadataDocuments(lambda: world.facts, export), clock=time)


class Simulator:
    """A simulated Service Layer with its ports, from `async with` to its end.

    Args:
        company: what it serves.
        listening: where to listen.
        faults: rules to start with.
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
            self.world, company.documents, self.faults, self.calls, company.clock
        )
        self.certificate: Certificate | None = None
        self.port = 0
        self.control_port: int | None = None
        self._server: web.Server | None = None
        self._runners: list[web.ServerRunner] = []

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._close()

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
        """Scheme, host and port: what `/ping/` is below."""
        scheme = "https" if self._listening.tls else "http"
        return f"{scheme}://{_in_url(self._listening.host)}:{self.port}"

    @property
    def control_url(self) -> str | None:
        """Address of the control port, None without one."""
        if self.control_port is None:
            return None
        return f"http://{_in_url(self._listening.host)}:{self.control_port}"

    @property
    def sessions(self) -> SessionTable:
        """The open sessions."""
        return self._service_layer.sessions

    def cut_idle_connections(self) -> int:
        """Close all kept-alive connections on which no call is under way; return how many there were."""
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
        """Do what a restart of the Service Layer does: end all sessions, show new metadata; data stays."""
        self.sessions.end_all()
        self.world.restart()

    def reset(self) -> None:
        """Go back to the start: seed, no sessions, no faults, no recorded calls."""
        self.world.reset()
        self.sessions.end_all()
        self.faults.clear()
        self.calls.clear()

    async def _open(self) -> None:
        context = None
        if self._listening.tls:
            self.certificate = self_signed(self._listening.host, self._clock)
            context = self.certificate.server_context()
        self._server = web.Server(
            self._service_layer.handle,
            keepalive_timeout=self._listening.keep_alive_s,
            access_log=None,
        )
        self.port = await self._listen(self._server, self._listening.port, context)
        if self._listening.control_port is not None:
            control = web.Server(ControlPort(self).handle, access_log=None)
            self.control_port = await self._listen(control, self._listening.control_port, None)

    async def _listen(self, server: web.Server, port: int, context: ssl.SSLContext | None) -> int:
        runner = web.ServerRunner(server, shutdown_timeout=self._listening.shutdown_s)
        self._runners.append(runner)
        await runner.setup()
        host = self._listening.host
        site = web.TCPSite(runner, host, port, ssl_context=context)
        try:
            await site.start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTakenError(f"port {port} on {host} is taken by another program") from error
            raise
        addresses: list[tuple[str, int]] = runner.addresses
        return addresses[0][1]

    async def _close(self) -> None:
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()


def _in_url(host: str) -> str:
    """Return a host as an address names it; a server on all interfaces is reached by loopback."""
    reachable = {"0.0.0.0": _LOOPBACK, "::": "[::1]", "": _LOOPBACK}.get(host, host)  # noqa: S104 - a comparison
    return f"[{reachable}]" if ":" in reachable and not reachable.startswith("[") else reachable


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
        switches: see `Switches`; parallel calls cost nothing unless asked for.
        seed: `"small"`, `"full"` or `"empty"`.
        faults: rules to start with; more by `sim.faults.add`.
        clock: source of the time (idle timeout, dates).
        store: where changes are kept, by default nowhere.
        metadata: a `$metadata` export whose user fields and objects exist too.
        listening: port, TLS, control port.

    Yields:
        The running simulator: `url`, `url_v2`, `world`, `faults`, `calls`, `sessions`.

    Raises:
        PortTakenError: the asked port is taken.
        FactsError: the metadata file can't be used.
    """
    company = open_company(switches=switches, seed=seed, clock=clock, store=store, metadata=metadata)
    async with Simulator(company, listening or Listening(), faults=faults) as simulator:
        yield simulator
