"""`throttle list` and `throttle lift`, on both engines, alone and beside the process that counts."""

import argparse
import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.persistence.rows import save_failures
from erp_gateway.store.database import Database, hold_process_lock, open_database
from erp_gateway.store.places import StorePlace
from servicekit.clock import ManualClock
from servicekit.throttle import AttemptBlockedError, LoginThrottle

Run = Callable[..., tuple[int, str, str]]

ADDRESS, OTHER, V6 = "10.0.0.7", "10.9.9.9", "2001:db8::1"


@pytest.fixture
def run(store_place: StorePlace, clock: ManualClock) -> Run:
    def run_it(*words: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser(prog="erp-gateway")
        add_commands(parser.add_subparsers(dest="command", required=True))
        out, err = io.StringIO(), io.StringIO()
        context = CommandContext(store=store_place, timezone=ZoneInfo("UTC"), clock=clock, out=out, err=err)
        return run_command(parser.parse_args(["throttle", *words]), context), out.getvalue(), err.getvalue()

    return run_it


class Counting:
    """The process that counts failed sign-ins."""

    def __init__(self, database: Database, clock: ManualClock) -> None:
        self.clock = clock
        self.database = database
        self.throttle = LoginThrottle(clock)
        self.failures = FailurePersister(database, self.throttle, clock)

    async def fail(self, user: str, times: int, address: str = ADDRESS) -> None:
        for _ in range(times):
            async with self.throttle.attempt(user, address) as attempt:
                attempt.failed()
        counted = self.throttle.failures_of(user, address)
        await self.database.write(lambda statements: save_failures(statements, counted, self.clock.now()))

    async def is_blocked(self, user: str, address: str = OTHER) -> bool:
        try:
            async with self.throttle.attempt(user, address):
                return False
        except AttemptBlockedError:
            return True


@asynccontextmanager
async def counting(place: StorePlace, clock: ManualClock) -> AsyncIterator[Counting]:
    with hold_process_lock(place):
        async with open_database(place) as database:
            yield Counting(database, clock)


@pytest.mark.asyncio
async def test_a_lift_reaches_the_process_that_counts(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    async with counting(store_place, clock) as process:
        await process.fail("Ana", 5)
        await process.failures.lift_requested_blocks()
        assert await process.is_blocked("ana")
        code, out, _ = await asyncio.to_thread(run, "lift", " ＡNA ")  # noqa: RUF001
        assert (code, out) == (0, " ＡNA \tlifted\n")  # noqa: RUF001
        await process.failures.lift_requested_blocks()
        assert not await process.is_blocked("ana")
        assert await process.database.read("SELECT * FROM login_block_lift") == []
        entries = [entry async for entry in AuditStore(process.database).walk(AuditFilter())]
        (entry,) = entries
        assert (entry.web_user, entry.action, entry.resource) == ("cli", "login_block_lifted", "login-blocks")
        assert (entry.key, entry.result) == (" ＡNA ", "ok")  # noqa: RUF001

        await process.fail("ana", 5)  # a later block stands
        await process.failures.lift_requested_blocks()
        assert await process.is_blocked("ana")


@pytest.mark.parametrize(
    ("address", "words", "other"),
    [
        (ADDRESS, ADDRESS, OTHER),
        (V6, V6, OTHER),
        (V6, "2001:db8::/64", OTHER),
        (V6, "2001:0DB8::ffff", OTHER),
        ("::ffff:10.0.0.7", ADDRESS, OTHER),
    ],
)
@pytest.mark.asyncio
async def test_an_address_is_lifted_in_any_spelling_and_no_user_with_it(
    run: Run, store_place: StorePlace, clock: ManualClock, address: str, words: str, other: str
) -> None:
    async with counting(store_place, clock) as process:
        for user in ("u1", "u2", "u3", "u4"):
            await process.fail(user, 5, address)
        assert await process.is_blocked("new", address)
        assert (await asyncio.to_thread(run, "lift", words))[0] == 0
        await process.failures.lift_requested_blocks()
        assert not await process.is_blocked("new", address)
        assert await process.is_blocked("u1", other)


@pytest.mark.asyncio
async def test_the_list_shows_blocks_with_their_end(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    async with counting(store_place, clock) as process:
        await process.fail("ana", 5)
        clock.advance(60)
        await process.fail("bea", 1)
        code, out, _ = await asyncio.to_thread(run, "list")
        assert code == 0
        assert sorted(out.splitlines()) == [
            "address\t10.0.0.7\t6\tnot blocked",
            "user\tana\t5\tblocked until 2026-03-02T14:20:09.120Z",
            "user\tbea\t1\tnot blocked",
        ]
        as_json = [
            json.loads(line) for line in (await asyncio.to_thread(run, "list", "--json"))[1].splitlines()
        ]
        (ana,) = [each for each in as_json if each["name"] == "ana"]
        assert ana == {
            "scope": "user",
            "name": "ana",
            "failures": 5,
            "blockedUntil": "2026-03-02T14:20:09.120Z",
        }
        clock.advance(15 * 60 - 60)
        assert "ana" not in (await asyncio.to_thread(run, "list"))[1]


@pytest.mark.parametrize("name", ["bea", "nobody", OTHER, ""])
@pytest.mark.asyncio
async def test_a_key_without_a_block_can_not_be_lifted(
    run: Run, store_place: StorePlace, clock: ManualClock, name: str
) -> None:
    async with counting(store_place, clock) as process:
        await process.fail("bea", 4)
        code, out, err = await asyncio.to_thread(run, "lift", name)
        assert (code, out) == (1, "")
        assert err.startswith(f"error: {name} is not blocked")
        assert [entry async for entry in AuditStore(process.database).walk(AuditFilter())] == []


@pytest.mark.asyncio
async def test_a_block_that_a_stopped_process_left_is_lifted_for_the_next(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    async with counting(store_place, clock) as process:
        await process.fail("ana", 5)
    assert (await asyncio.to_thread(run, "lift", "ana"))[0] == 0
    async with open_database(store_place) as database:
        assert [row["scope"] for row in await database.read("SELECT scope FROM login_failure")] == ["address"]
