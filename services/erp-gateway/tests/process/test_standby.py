"""Two processes on one database: one serves, one waits without a port, and never do both call the ERP."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import httpx2
import pytest
import pytest_asyncio
from postgresql_server import PostgresServer
from relay import relaying
from standby_pair import TAKEOVER_S, Member, Pair, open_pair

from erpsim.faults import Delay, Fault

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

    from erpsim.simulator import Simulator


@pytest.fixture
def database_url(postgresql: PostgresServer) -> Iterator[str]:
    name = postgresql.new_database()
    yield postgresql.url(name)
    postgresql.drop_database(name)


@pytest_asyncio.fixture
async def pair(start_server: "StartServer", sim: "Simulator", database_url: str) -> AsyncIterator[Pair]:
    async with open_pair(start_server, database_url, sim) as opened:
        yield opened


@pytest.mark.asyncio
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
async def test_the_standby_takes_over_with_the_sessions_of_the_first_process(
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
    assert await first.server.ended() == (0 if ending is signal.SIGTERM else -signal.SIGKILL)
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


async def check_health(member: Member, *, standby: str = "true") -> tuple[int | None, str]:
    """Run what the image runs to see whether its process is well; return exit code and what it printed."""
    settings = {"PORT": str(member.port), "METRICS_PORT": str(member.metrics_port), "STANDBY": standby}
    settings["http_proxy"] = "http://127.0.0.1:9"  # as an engine may give it to every container
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "erp_gateway.health.self_check"),
        env={**os.environ, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    printed, _ = await process.communicate()
    return process.returncode, printed.decode().strip()


@pytest.mark.asyncio
async def test_the_health_check_distinguishes_the_serving_process_and_the_standby(pair: Pair) -> None:
    first = await pair.start()
    await first.is_("serving")
    second = await pair.start()
    await second.is_("standby")
    assert await check_health(first) == (0, "serving")
    assert await check_health(second) == (0, "standby")
    assert await check_health(first, standby="false") == (0, "serving")
    assert await check_health(second, standby="false") == (1, "")  # nobody listens where one has to
    second.server.process.terminate()
    await second.server.ended()
    assert await check_health(second) == (1, "")


@pytest.mark.asyncio
async def test_a_stopping_process_keeps_the_lock_until_its_long_call_ends(
    pair: Pair, sim: "Simulator"
) -> None:
    first = await pair.start()
    await first.is_("serving")
    second = await pair.start()
    await second.is_("standby")
    async with first.server.client() as client:
        await first.server.sign_in(client)
        sim.faults.add(
            Fault(action=Delay(seconds=9), method="GET", path="Items")
        )  # the server leaves it after 5
        task = asyncio.create_task(client.get("/api/sl/Items?$top=1"))
        async with asyncio.timeout(TAKEOVER_S):
            while not sim.calls.of("GET", "Items"):  # noqa: ASYNC110 - the log signals nothing
                await asyncio.sleep(0.01)
        logins = len(sim.calls.of("POST", "Login"))
        first.server.process.terminate()
        assert (await task).status_code == 200
    assert len(sim.calls.of("POST", "Login")) == logins
    assert await first.server.ended() == 0
    assert first.server.events("lock_released")
    await second.is_("serving")


@pytest.mark.asyncio
async def test_a_standby_stops_at_a_signal_without_any_erp_call(pair: Pair, sim: "Simulator") -> None:
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
async def test_a_frozen_process_detects_the_lost_lock_before_its_next_call(
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
            task = asyncio.create_task(client.get("/api/sl/Items?$top=7"))
            await asyncio.sleep(0.2)
        finally:
            first.server.process.send_signal(signal.SIGCONT)
        try:
            answer = await task
            assert answer.status_code == 503
        except httpx2.TransportError:
            pass
        assert await first.server.ended() == 1
    assert first.server.events("lock_lost")
    assert not [call for call in sim.calls.of("GET", "Items") if "7" in str(call)]
    assert sim.calls.of("POST", "Logout") == []  # a process that lost the lock sends nothing, not even that
    assert second.listens()


@pytest.mark.asyncio
async def test_cut_connections_and_a_database_restart_do_not_interrupt_service(
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
async def test_a_process_cut_off_from_the_database_sends_nothing(
    pair: Pair, sim: "Simulator", postgresql: PostgresServer, database_url: str
) -> None:
    async with relaying(postgresql.port) as relay:
        through = database_url.replace(f":{postgresql.port}/", f":{relay.port}/")
        first = await pair.start(STORE_URL=through)
        await first.is_("serving")
        second = await pair.start()
        await second.is_("standby")
        async with first.server.client() as client:
            await first.server.sign_in(client)
            assert (await client.get("/api/sl/Items?$top=1")).status_code == 200
            relay.stop()
            await second.is_("serving")
            for number in range(5):
                answer = await client.get(f"/api/sl/Items?$top={number + 7}")
                assert (answer.status_code, answer.json()["code"]) == (503, "shutting_down")
        assert first.server.events("lock_server_away")
        async with second.server.client() as client:
            await second.server.sign_in(client)
            assert (await client.get("/api/sl/Items?$top=1")).status_code == 200


@pytest.mark.asyncio
async def test_a_process_ends_after_a_long_database_outage(pair: Pair, postgresql: PostgresServer) -> None:
    first = await pair.start(LOCK_GRACE="1.5")
    await first.is_("serving")
    postgresql.stop()
    try:
        assert await first.server.ended() == 1
    finally:
        postgresql.start()
    assert first.server.events("lock_lost")
