"""Processes that are restarted when they end, like by a service manager: one, or a pair."""

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
"""Time within which a frozen process notices that it lost its lock, and ends."""


class Kept:
    """A process that is restarted whenever it ends, like by a service manager.

    Args:
        make: creates the process, not yet started.
        port: its port.
        path: path of its health check.
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
        """End it and its descendants; return the exit code, None if it had to be killed."""
        self.health.is_meant_to = False
        self.child.signal(how)
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = await asyncio.to_thread(self.child.wait, STOP_S)
        await asyncio.to_thread(self.child.__exit__, None, None, None)
        return code

    async def freeze(self, seconds: float) -> None:
        """Stop the process for a while; requests wait."""
        self.health.is_meant_to = False
        self.child.signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        self.child.signal(signal.SIGCONT)
        self.health.is_meant_to = True

    def close(self) -> None:
        """End the running processes."""
        if self.is_running:
            self.child.signal(signal.SIGCONT)
            self.child.__exit__(None, None, None)


class KeptPair:
    """Two processes on one store: when the serving one is ended or frozen, the other one takes over.

    Args:
        members: the processes; each always has its metrics port, and its service port only while it serves.
        ports: their service ports.
        front: the clients' address; like a balancer, it skips a frozen process.
        path: path of the health check.
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
        """The serving one; otherwise the one that served last."""
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
        """Number of the serving process."""
        return 2 * self._serving.life + self._at

    @property
    def born(self) -> float:
        """Its start time."""
        return self._serving.born

    async def start(self) -> None:
        """Start missing processes and wait until one responds."""
        for member in self._members:
            if not member.is_running:
                await member.start()
        await asyncio.to_thread(self.child.wait_until_it_answers, self._front.port, self._path)
        self.health.is_meant_to = True

    async def end(self, how: signal.Signals) -> int | None:
        """End the serving process; see `Kept.end`."""
        self.health.is_meant_to = False
        return await self._serving.end(how)

    async def freeze(self, seconds: float) -> None:
        """Freeze the serving process. After five seconds the other one serves, and the frozen one ends."""
        self.health.is_meant_to = False
        frozen = self._serving
        ports = self._front.targets
        self._front.targets = [port for port in ports if port != self._ports[self._at]]
        await frozen.freeze(seconds)
        await asyncio.sleep(LOST_S)
        self._front.targets = ports
        await self.start()

    def close(self) -> None:
        """End the running processes."""
        for member in self._members:
            member.close()


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0
