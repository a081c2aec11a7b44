"""Two processes on one database: one serves, one waits without a port, and never do both call the ERP."""

import asyncio
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, closing
from typing import TYPE_CHECKING

import httpx2
import pytest
import pytest_asyncio
from postgresql_server import PostgresServer

if TYPE_CHECKING:
    from tests.process.conftest import Server, StartServer

    from erpsim.simulator import Simulator

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
USERS = ("ana", "luis", "carmen")
SHORT = {
    "ADMIN_WEB_USERS": ",".join(USERS),
    "ERP_SL_TIMEOUT": "5",
    "ERP_SL_LOGIN_TIMEOUT": "5",
    "ERP_SL_QUEUE_TIMEOUT": "5",
}
TAKEOVER_S = 30.0
"""Ten times what the docs promise."""


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Pair:
    """Processes on one database, each with the port that it would serve on, and a way to see which does."""

    def __init__(self, start_server: "StartServer", url: str, sim: "Simulator") -> None:
        self._start = start_server
        self._sim = sim
        self._settings = {"STORE_URL": url, "STANDBY": "true", "SESSIONS_IN_STORE": "true"}
        self.stack = AsyncExitStack()

    async def start(self, **further: str) -> "Member":
        ports = free_port(), free_port()
        server = await self.stack.enter_async_context(
            self._start(
                self._sim.url,
                wait=False,
                PORT=str(ports[0]),
                METRICS_PORT=str(ports[1]),
                **{**self._settings, **further},
            )
        )
        return Member(server, *ports)


class Member:
    """One of the processes."""

    def __init__(self, server: "Server", port: int, metrics_port: int) -> None:
        self.server = server
        self.server.port = port
        self.metrics_port = metrics_port

    async def is_(self, state: str) -> None:
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
        with closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", self.server.port)) == 0


@pytest.fixture
def database_url(postgresql: PostgresServer) -> Iterator[str]:
    name = postgresql.new_database()
    yield postgresql.url(name)
    postgresql.drop_database(name)


@pytest_asyncio.fixture
async def pair(start_server: "StartServer", sim: "Simulator", database_url: str) -> AsyncIterator[Pair]:
    opened = Pair(start_server, database_url, sim)
    async with opened.stack:
        yield opened


@pytest.mark.asyncio
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
async def test_the_second_process_serves_once_the_first_is_gone_and_nobody_signs_in_again(
    pair: Pair, sim: "Simulator", ending: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    first = await pair.start()
    await first.is_("serving")
    second = await pair.start()
    await second.is_("standby")
    async with first.server.client() as client:
        await first.server.sign_in(client)
        proof = client.headers["Authorization"]
        assert (await client.get("/api/sl/Items?$top=1")).status_code == 200
    calls_before = len(sim.calls.of("POST", "Login"))
    first.server.process.send_signal(ending)
    began = time.monotonic()
    await first.server.ended()
    assert not first.listens()
    await second.is_("serving")
    took_s = time.monotonic() - began
    async with second.server.client() as client:
        answer = await client.get("/api/sl/Items?$top=1", headers={"Authorization": proof})
        assert answer.status_code == 200
    assert len(sim.calls.of("POST", "Login")) == calls_before + 1  # before its port was open
    logouts = len(sim.calls.of("POST", "Logout"))
    assert logouts == (1 if ending is signal.SIGTERM else 0)
    with capsys.disabled():
        sys.stdout.write(f"\n{ending.name}: the second one serves after {took_s:.2f} s\n")


@pytest.mark.asyncio
async def test_a_process_that_waits_ends_at_a_signal_and_has_asked_the_erp_nothing(
    pair: Pair, sim: "Simulator"
) -> None:
    first = await pair.start()
    await first.is_("serving")
    second = await pair.start()
    await second.is_("standby")
    logins = len(sim.calls.of("POST", "Login"))
    second.server.process.terminate()
    assert await second.server.ended() == 0
    assert len(sim.calls.of("POST", "Login")) == logins
    assert second.server.events("standby")
    assert first.listens()


@pytest.mark.asyncio
async def test_a_process_that_was_frozen_finds_the_lock_lost_before_its_next_call(
    pair: Pair, sim: "Simulator"
) -> None:
    first = await pair.start()
    await first.is_("serving")
    second = await pair.start()
    await second.is_("standby")
    async with first.server.client() as client:
        await first.server.sign_in(client)
        first.server.process.send_signal(signal.SIGSTOP)
        try:
            await second.is_("serving")
            asked = asyncio.create_task(client.get("/api/sl/Items?$top=7"))
            await asyncio.sleep(0.2)
        finally:
            first.server.process.send_signal(signal.SIGCONT)
        try:
            answer = await asked
            assert answer.status_code == 503
        except httpx2.TransportError:
            pass
        assert await first.server.ended() == 1
    assert first.server.events("lock_lost")
    assert not [call for call in sim.calls.of("GET", "Items") if "7" in str(call)]
    assert sim.calls.of("POST", "Logout") == []  # a process that lost the lock sends nothing, not even that
    assert second.listens()


@pytest.mark.asyncio
async def test_connections_that_are_cut_and_a_server_that_restarts_cost_the_one_that_serves_nothing(
    pair: Pair, postgresql: PostgresServer
) -> None:
    first = await pair.start()
    await first.is_("serving")
    async with first.server.client() as client:
        await first.server.sign_in(client)
        postgresql.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name LIKE 'erp-gateway lock%'"
        )
        async with asyncio.timeout(TAKEOVER_S):
            while not first.server.events("lock_taken_again"):  # noqa: ASYNC110 - the log signals nothing
                await asyncio.sleep(0.02)
        assert (await client.get("/api/sl/Items?$top=1")).status_code == 200
        postgresql.stop()
        try:
            assert (await client.get("/api/sl/Orders?$top=1")).status_code == 200  # reads go on
            await asyncio.sleep(2.5)  # longer than an answer is trusted
            assert (await client.get("/api/sl/Orders?$top=2")).status_code == 200
        finally:
            postgresql.start()
        async with asyncio.timeout(TAKEOVER_S):
            while len(first.server.events("lock_taken_again")) < 2:  # noqa: ASYNC110 - the log signals nothing
                await asyncio.sleep(0.02)
        assert (await client.get("/api/sl/Orders?$top=3")).status_code == 200


@pytest.mark.asyncio
async def test_a_database_that_stays_away_ends_the_process(pair: Pair, postgresql: PostgresServer) -> None:
    first = await pair.start(LOCK_GRACE="1.5")
    await first.is_("serving")
    postgresql.stop()
    try:
        assert await first.server.ended() == 1
    finally:
        postgresql.start()
    assert first.server.events("lock_lost")


async def write_on(
    user: str, members: "list[Member]", done: asyncio.Event, made: list[str], codes: set[int]
) -> None:
    """Create orders at whoever serves until told to stop; one login has to do for all of it."""
    async with httpx2.AsyncClient(timeout=30, trust_env=False) as client:
        first = members[0].server
        client.base_url = httpx2.URL(f"http://127.0.0.1:{first.port}")
        await first.sign_in(client, user)
        while not done.is_set():
            for member in list(members):
                client.base_url = httpx2.URL(f"http://127.0.0.1:{member.server.port}")
                try:
                    answer = await client.post("/api/sl/Orders", json=ORDER)
                except httpx2.TransportError:
                    await asyncio.sleep(0.02)
                    continue
                codes.add(answer.status_code)
                if answer.status_code == 201:
                    made.append(str(answer.json()["DocEntry"]))


@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.proof)])
async def test_whoever_is_killed_while_people_write_nobody_signs_in_again_and_never_do_two_send(
    pair: Pair, sim: "Simulator", capsys: pytest.CaptureFixture[str], kills: int
) -> None:
    members = [await pair.start(**SHORT)]
    await members[0].is_("serving")
    members.append(await pair.start(**SHORT))
    done, gaps = asyncio.Event(), list[float]()
    made, codes = list[str](), set[int]()
    writing = [asyncio.create_task(write_on(user, members, done, made, codes)) for user in USERS]
    for _ in range(kills):
        before = len(made)
        async with asyncio.timeout(TAKEOVER_S):
            while len(made) < before + 5:  # noqa: ASYNC110 - the list signals nothing
                await asyncio.sleep(0.01)
        members[0].server.process.kill()
        began = time.monotonic()
        await members[1].is_("serving")
        gaps.append(time.monotonic() - began)
        await members[0].server.ended()
        members.append(await pair.start(**SHORT))
        del members[0]
    done.set()
    await asyncio.gather(*writing)
    assert 401 not in codes
    latest = 0
    for call in sim.calls:
        if call.session is not None:
            assert call.session >= latest, "two that send"
            latest = call.session
    assert len(set(made)) == len(made)
    with capsys.disabled():
        gaps.sort()
        sys.stdout.write(
            f"\n{kills} kills: {len(made)} documents, port after {gaps[len(gaps) // 2]:.2f} s, "
            f"at most {gaps[-1]:.2f} s; statuses {sorted(codes)}\n"
        )
