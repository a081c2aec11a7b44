"""Processes on one database of which one serves: each with its ports, and the call log told apart by process.

Each process signs in at the ERP as a user of its own, so that the simulator's log tells whose a call is.
"""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

import httpx2
from attrs import define, field, frozen

from erpclient import Caller, Credentials, ErpClient, ErpSettings
from servicekit.testing.ports import free_port

if TYPE_CHECKING:
    from tests.process.conftest import Server

    from erpsim.faults.calls import Call
    from erpsim.simulator import Simulator

TAKEOVER_S = 30.0
"""Ten times what the docs promise."""

PASSWORD = "erpsim"


def listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Member:
    """One of the processes."""

    def __init__(self, server: "Server", port: int, metrics_port: int, erp_user: str) -> None:
        self.server = server
        self.server.port = port
        self.port = port
        self.metrics_port = metrics_port
        self.erp_user = erp_user

    async def is_(self, state: str) -> None:
        """Wait until it tells that it is this, and has a port only if it serves."""
        async with asyncio.timeout(TAKEOVER_S), httpx2.AsyncClient(trust_env=False) as client:
            while True:
                try:
                    answer = await client.get(f"http://127.0.0.1:{self.metrics_port}/ready")
                    if answer.json() == {"state": state} and self.listens() is (state == "serving"):
                        return
                except httpx2.TransportError:
                    pass
                await asyncio.sleep(0.02)

    def listens(self) -> bool:
        return listens(self.port)


class Pair:
    """Starts processes on one database; made by `open_pair`.

    Args:
        start: starts a process.
        url: of the database.
        sim: the ERP.
    """

    def __init__(
        self, start: "Callable[..., AbstractAsyncContextManager[Server]]", url: str, sim: "Simulator"
    ) -> None:
        self._start = start
        self._sim = sim
        self._settings = {"STORE_URL": url, "STANDBY": "true", "SESSIONS_IN_STORE": "true"}
        self.started: list[Member] = []
        self.stack = AsyncExitStack()

    async def start(self, *, erp_user: str = "manager", **further: str) -> Member:
        """Start one more."""
        ports = free_port(), free_port()
        settings = {
            **self._settings,
            "PORT": str(ports[0]),
            "METRICS_PORT": str(ports[1]),
            "ERP_SL_USER": erp_user,
            "ERP_SL_PASSWORD": PASSWORD,
            **further,
        }
        server = await self.stack.enter_async_context(self._start(self._sim.url, wait=False, **settings))
        member = Member(server, *ports, erp_user)
        self.started.append(member)
        return member


@asynccontextmanager
async def open_pair(
    start: "Callable[..., AbstractAsyncContextManager[Server]]", url: str, sim: "Simulator"
) -> AsyncIterator[Pair]:
    """Give what starts processes, and stop those that still run on leaving."""
    pair = Pair(start, url, sim)
    async with pair.stack:
        yield pair


async def prepare_erp(
    sim: "Simulator", *, people: Sequence[str], processes: int, trace_field: str
) -> list[str]:
    """Add the people who use the gateway, a field for writes' numbers, and an ERP user for each process.

    Returns:
        the names of those users.
    """
    users = [f"gw{number:03d}" for number in range(processes)]
    described = {"Name": trace_field[2:], "TableName": "ORDR", "Type": "db_Alpha", "Size": 32}
    records: list[tuple[str, dict[str, Any]]] = [("UserFieldsMD", {**described, "Description": "Clave"})]
    records += [
        (
            "EmployeesInfo",
            {"FirstName": one, "LastName": "W", "Active": "tYES", "U_WEB_USER": one, "U_WEB_PASS": one},
        )
        for one in people
    ]
    records += [
        ("Users", {"UserCode": user, "UserName": user, "UserPassword": PASSWORD, "Superuser": "tYES"})
        for user in users
    ]
    credentials = Credentials("SBO_DEMO", "manager", "erpsim")
    async with ErpClient(ErpSettings(sim.url), credentials) as erp:
        for resource, body in records:
            await erp.create(resource, json.dumps(body).encode(), caller=Caller("test"))
    sim.calls.clear()
    return users


@frozen
class CallSeen:
    """One call at the ERP: whose, when, and what a write carried."""

    number: int
    process: str | None
    method: str
    path: str
    began: datetime
    ended: datetime
    body: bytes = field(repr=False)


@define
class CallBook:
    """The ERP's call log over a time that is longer than what the simulator remembers.

    Attributes:
        calls: in the order of their beginnings.
    """

    sim: "Simulator"
    calls: list[CallSeen] = field(factory=list)
    _taken: set[int] = field(factory=set)
    _open: "list[Call]" = field(factory=list)

    def take(self) -> None:
        """Copy what came since, before the simulator forgets it."""
        fresh = [call for call in self.sim.calls if call.number not in self._taken]
        self._taken |= {call.number for call in fresh}
        still: list[Call] = []
        for call in [*self._open, *fresh]:
            if call.ended_at is None:
                still.append(call)
            else:
                body = call.body if call.method != "GET" else b""
                observed = (
                    call.number,
                    call.user,
                    call.method,
                    call.path,
                    call.started_at,
                    call.ended_at,
                    body,
                )
                self.calls.append(CallSeen(*observed))
        self._open = still

    async def close(self) -> None:
        """Wait until no call is under way any more, and take the rest."""
        async with asyncio.timeout(TAKEOVER_S):
            while self.sim.calls.in_flight:  # noqa: ASYNC110 - the log signals nothing
                await asyncio.sleep(0.02)
        self.take()
        self.calls.sort(key=lambda call: call.number)

    def never_two(self) -> int:
        """Assert that processes called one after the other, and return how many did.

        A process' calls end before the next one's begin, and it makes none afterwards.
        """
        assert all(call.process is not None for call in self.calls), "a call of nobody"
        turns: list[str | None] = []
        latest_end = None
        for call in self.calls:
            if not turns or turns[-1] != call.process:
                assert call.process not in turns, (
                    f"{call.process} calls again after {turns[-1]}: two that send"
                )
                assert latest_end is None or latest_end <= call.began, "two with calls at the same time"
                turns.append(call.process)
            latest_end = call.ended if latest_end is None else max(latest_end, call.ended)
        return len(turns)


async def seconds_until_port(port: int, *, is_open: bool, since: float) -> float:
    """Wait until a port is open, or is not; return the seconds since a moment of the monotonic clock."""
    async with asyncio.timeout(TAKEOVER_S):
        while listens(port) is not is_open:  # noqa: ASYNC110 - a port signals nothing
            await asyncio.sleep(0.005)
    return time.monotonic() - since
