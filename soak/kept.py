"""Processes that are started anew when they end, as a service manager does it: one, or a pair."""

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress

from stack.processes import LOOPBACK, Child

from soak import watch
from soak.proxy import FaultProxy

STOP_S = 40.0
LOST_S = 2.0
"""Within which a process that was frozen finds its lock lost, and ends."""


class Kept:
    """A process that is started again whenever it ends, as a service manager does.

    Args:
        make: makes the process, not yet started.
        port: where it answers.
        path: what it answers there.
    """

    def __init__(self, make: Callable[[], Child], port: int, path: str) -> None:
        self.health = watch.Health(port)
        self.life = 0
        self.born = 0.0
        self._make = make
        self._port = port
        self._path = path
        self._child: Child | None = None

    @property
    def child(self) -> Child:
        """The process that runs now."""
        assert self._child is not None
        return self._child

    @property
    def is_running(self) -> bool:
        """True if it was started and has not ended."""
        return self._child is not None and self._child.exit_code is None

    async def start(self) -> None:
        """Start it and wait until it answers."""
        self._child = self._make()
        self._child.__enter__()  # here, not on a thread: it would end with that
        self.life += 1
        self.born = time.monotonic()
        await asyncio.to_thread(self._child.wait_until_it_answers, self._port, self._path)
        self.health.is_meant_to = True

    async def end(self, how: signal.Signals) -> int | None:
        """End it, and what it has started; return the exit code, None where it had to be killed."""
        self.health.is_meant_to = False
        self.child.signal(how)
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = await asyncio.to_thread(self.child.wait, STOP_S)
        await asyncio.to_thread(self.child.__exit__, None, None, None)
        return code

    async def freeze(self, seconds: float) -> None:
        """Stop its clock; what is asked meanwhile waits for it."""
        self.health.is_meant_to = False
        self.child.signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        self.child.signal(signal.SIGCONT)
        self.health.is_meant_to = True

    def close(self) -> None:
        """End what still runs."""
        if self.is_running:
            self.child.signal(signal.SIGCONT)
            self.child.__exit__(None, None, None)


class KeptPair:
    """Two of them on one store: the one that serves is ended or frozen, and the other one serves.

    Args:
        members: each answers at its metrics port, and has the other port only while it serves.
        ports: those.
        front: what clients ask: as a balancer, it leaves out one that was seen frozen.
        path: what it answers.
    """

    def __init__(self, members: Sequence[Kept], ports: Sequence[int], front: FaultProxy, path: str) -> None:
        self.health = watch.Health(front.port)
        self._members = members
        self._ports = ports
        self._front = front
        self._path = path
        self._at = 0

    @property
    def _serving(self) -> Kept:
        """The one that serves; while none does, the one that did."""
        for at, port in enumerate(self._ports):
            if port in self._front.targets and _listens(port):
                self._at = at
        return self._members[self._at]

    @property
    def child(self) -> Child:
        """The process that serves."""
        return self._serving.child

    @property
    def life(self) -> int:
        """Which of all processes it is."""
        return 2 * self._serving.life + self._at

    @property
    def born(self) -> float:
        """When it was started."""
        return self._serving.born

    async def start(self) -> None:
        """Start what does not run, and wait until one of them answers."""
        for member in self._members:
            if not member.is_running:
                await member.start()
        await asyncio.to_thread(self.child.wait_until_it_answers, self._front.port, self._path)
        self.health.is_meant_to = True

    async def end(self, how: signal.Signals) -> int | None:
        """End the one that serves; see `Kept.end`."""
        self.health.is_meant_to = False
        return await self._serving.end(how)

    async def freeze(self, seconds: float) -> None:
        """Stop the clock of the one that serves; after five seconds the other one does, and it ends."""
        self.health.is_meant_to = False
        frozen = self._serving
        ports = self._front.targets
        self._front.targets = [port for port in ports if port != self._ports[self._at]]
        await frozen.freeze(seconds)
        await asyncio.sleep(LOST_S)
        self._front.targets = ports
        await self.start()

    def close(self) -> None:
        """End what still runs."""
        for member in self._members:
            member.close()


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0
