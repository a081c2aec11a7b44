"""The process that serves is killed or stopped under load: another one serves, nothing is lost or twice."""

import asyncio
import random
import signal
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest
from postgresql_server import PostgresServer
from standby_pair import seconds_until_port
from standby_scene import assert_nothing_lost_and_nothing_twice, scene

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

PROMISED_S = 3.0
PROMISED_GAP_S = 1.0
TOO_SLOW = "queue_timeout"
"""Message on a machine that is too slow for so many users."""


@pytest.fixture
def database(postgresql: PostgresServer) -> Iterator[str]:
    name = postgresql.new_database()
    yield name
    postgresql.drop_database(name)


def in_words(seconds: Sequence[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s, at most {max(seconds):.2f} s"


@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.proof)])
async def test_killing_either_process_under_load_loses_and_repeats_nothing(
    start_server: "StartServer",
    postgresql: PostgresServer,
    database: str,
    capsys: pytest.CaptureFixture[str],
    kills: int,
) -> None:
    chance, took_s, open_rows = random.Random(kills), list[float](), list[int]()
    async with scene(start_server, postgresql, kills + 2, database) as pair:
        for _ in range(kills):
            await pair.settle_in()
            await asyncio.sleep(chance.uniform(0.0, 0.5))
            killed = pair.serving
            killed.server.process.kill()
            began = time.monotonic()
            left = {row for (row,) in pair.ask("SELECT id FROM ledger_write WHERE state = 'open'")}
            took_s.append(await pair.serves(pair.waiting, since=began))
            with capsys.disabled():
                sys.stdout.write(f" {took_s[-1]:.2f}")
                sys.stdout.flush()
            await killed.server.ended()
            known = {row for (row,) in pair.ask("SELECT id FROM ledger_write")}
            assert left <= known
            open_rows.append(len(left))
            await pair.move_on()
        await pair.settle_in()
        counts = await assert_nothing_lost_and_nothing_twice(pair)
    fates = pair.crowd.fates()
    assert not any(fate.startswith("401") for fate in fates), "somebody had to sign in again"
    assert pair.book.never_two() == kills + 1
    late = sum(each > PROMISED_S for each in took_s)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{kills} kills: served after {in_words(took_s)}, {late} later than {PROMISED_S:.0f} s; "
            f"writes open at a kill {sum(open_rows)}; {counts}; {len(pair.book.calls)} calls at the ERP\n"
            f"  {pair.crowd.per_s:.0f} requests a second: {fates}\n"
        )


@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("handovers", [1, pytest.param(20, marks=pytest.mark.proof)])
async def test_a_handover_under_load_fails_only_connections_in_the_gap(
    start_server: "StartServer",
    postgresql: PostgresServer,
    database: str,
    capsys: pytest.CaptureFixture[str],
    handovers: int,
) -> None:
    gaps_s, spans = list[float](), list[tuple[float, float]]()
    async with scene(start_server, postgresql, handovers + 2, database) as pair:
        for _ in range(handovers):
            await pair.settle_in()
            stopped = pair.serving
            stopped.server.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            await seconds_until_port(stopped.port, is_open=False, since=began)
            closed = time.monotonic()
            gaps_s.append(await seconds_until_port(pair.waiting.port, is_open=True, since=closed))
            spans.append((began, time.monotonic()))
            assert await stopped.server.ended() == 0
            await pair.move_on()
        await pair.settle_in()
        counts = await assert_nothing_lost_and_nothing_twice(pair)
    failed = [one for one in pair.crowd.asked if one.fate not in (200, 201) and one.code != TOO_SLOW]
    outside = [
        one for one in failed if not any(begin <= one.ended and one.began <= end for begin, end in spans)
    ]
    late = sum(each > PROMISED_GAP_S for each in gaps_s)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{handovers} stops: no port for {in_words(gaps_s)}, "
            f"{late} longer than {PROMISED_GAP_S:.0f} s; {counts}\n"
            f"  {pair.crowd.per_s:.0f} requests a second: {pair.crowd.fates()}\n"
        )
    assert {one.fate for one in failed} <= {"refused", "broken", 503}
    assert not outside
    assert {one.code for one in failed if one.fate == 503} <= {"shutting_down"}  # nothing was sent
    assert pair.book.never_two() == handovers + 1
