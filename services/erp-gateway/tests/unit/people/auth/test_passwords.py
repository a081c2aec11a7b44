"""Passwords: stored as text or hash, compared off the event loop, refused in the same time for everybody."""

import asyncio
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

import pytest
from argon2 import Parameters, PasswordHasher, Type
from structlog.testing import capture_logs
from typing_extensions import override

from erp_gateway.people.auth.passwords import MAX_WAIT_S, PasswordVerifier, open_password_verifier
from servicekit.clock import ManualClock
from servicekit.config import Secret


def make_cost(*, memory_kib: int = 64, passes: int = 1, lanes: int = 1) -> Parameters:
    return Parameters(
        type=Type.ID,
        version=19,
        salt_len=16,
        hash_len=32,
        time_cost=passes,
        memory_cost=memory_kib,
        parallelism=lanes,
    )


def make_hash(password: str, cost: Parameters) -> str:
    hasher = PasswordHasher(
        time_cost=cost.time_cost, memory_cost=cost.memory_cost, parallelism=cost.parallelism
    )
    return hasher.hash(password)


CHEAP = make_cost()
HASH = make_hash("correct horse", CHEAP)


@pytest.fixture
def verifier() -> Iterator[PasswordVerifier]:
    with open_password_verifier(cost=CHEAP) as opened:
        yield opened


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("stored", "given", "matches"),
    [
        pytest.param("correct horse", "correct horse", True, id="text"),
        pytest.param("correct horse", "Correct horse", False, id="text in another case"),
        pytest.param("correct horse", "correct horse ", False, id="a blank at the end"),
        pytest.param("correct horse", "", False, id="nothing typed"),
        pytest.param("contraseña ☃", "contraseña ☃", True, id="beyond ASCII"),
        pytest.param("", "", False, id="nothing stored and nothing typed"),
        pytest.param("", "x", False, id="nothing stored"),
        pytest.param(None, "", False, id="no password and nothing typed"),
        pytest.param(None, "x", False, id="no password"),
        pytest.param(HASH, "correct horse", True, id="hash"),
        pytest.param(HASH, "wrong horse", False, id="hash of another"),
        pytest.param(HASH, "", False, id="hash and nothing typed"),
        pytest.param(HASH, HASH, False, id="the hash itself typed"),
        pytest.param("$argon2id$broken", "$argon2id$broken", False, id="a broken hash typed"),
        pytest.param("$argon2id$", "", False, id="an empty hash"),
        pytest.param(f"{HASH[:-1]}ñ", "correct horse", False, id="a hash with a letter that none has"),
        pytest.param("$argon2i$text", "$argon2i$text", True, id="another prefix is text"),
        pytest.param(HASH.replace("m=64", "m=99999999"), "correct horse", False, id="a hash too large"),
        pytest.param(HASH.replace("t=1", "t=999999"), "correct horse", False, id="a hash too slow"),
        pytest.param(HASH.replace("p=1", "p=200"), "correct horse", False, id="a hash too wide"),
    ],
)
async def test_password_matches(
    verifier: PasswordVerifier, stored: str | None, given: str, matches: bool
) -> None:
    secret = None if stored is None else Secret(stored)
    assert (await verifier.check(secret, Secret(given))).matches is matches


@pytest.mark.asyncio
async def test_a_too_costly_hash_is_logged_without_the_hash(
    verifier: PasswordVerifier,
) -> None:
    with capture_logs() as logs:
        await verifier.check(Secret(HASH.replace("m=64", "m=99999999")), Secret("x"))
    assert logs == [
        {
            "event": "password_hash_too_costly",
            "log_level": "warning",
            "memory_kib": 99999999,
            "passes": 1,
            "lanes": 1,
        }
    ]


async def work_of(verifier: PasswordVerifier, stored: str | None) -> float:
    """Return the processor time of one check, which other processes do not change."""
    secret = None if stored is None else Secret(stored)
    times = []
    for _ in range(7):
        started = time.process_time()
        await verifier.check(secret, Secret("wrong"))
        times.append(time.process_time() - started)
    return median(times)


@pytest.mark.asyncio
async def test_an_unknown_user_costs_as_much_work_as_a_wrong_password() -> None:
    cost = make_cost(memory_kib=8192, passes=3)
    with open_password_verifier(cost=cost) as verifier:
        unknown = await work_of(verifier, None)
        hashed = await work_of(verifier, make_hash("correct", cost))
        text = await work_of(verifier, "correct")
        broken = await work_of(verifier, "$argon2id$broken")
    for other in (hashed, text, broken):
        assert unknown / 2.5 < other < unknown * 2.5 + 0.005


class ScriptedClock(ManualClock):
    """Shows the given monotonic times, one after the other."""

    def __init__(self, *times_s: float) -> None:
        super().__init__(datetime(2026, 3, 2, tzinfo=UTC))
        self.times_s = list(times_s)

    @override
    def monotonic(self) -> float:
        return self.times_s.pop(0)


async def waits_of(*checks: tuple[float, float, float]) -> list[float]:
    """Return how long each refusal waits, given when its check begins, when it ends, and when it is ready."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits[-1] = round(seconds, 6)

    clock = ScriptedClock(*(time_s for check in checks for time_s in check))
    with open_password_verifier(cost=CHEAP, clock=clock, sleep=sleep) as verifier:
        for _ in checks:
            waits.append(0.0)
            await verifier.delay_rejection(await verifier.check(None, Secret("x")))
    return waits


@pytest.mark.asyncio
async def test_a_rejection_waits_as_long_as_the_slowest_check() -> None:
    cheap, dear = (2.0, 2.06, 2.07), (0.0, 1.058, 1.058)
    assert await waits_of(cheap, dear, cheap, dear) == [0.0, 0.0, 0.988, 0.0]


@pytest.mark.asyncio
async def test_time_spent_on_the_rejection_shortens_the_wait() -> None:
    assert await waits_of((0, 1, 1), (2, 2.1, 2.5), (3, 3.1, 4)) == [0.0, 0.5, 0.0]


@pytest.mark.asyncio
async def test_no_rejection_waits_longer_than_the_limit() -> None:
    assert await waits_of((0, 3600, 3600), (3600, 3600, 3600)) == [0.0, MAX_WAIT_S]


@pytest.mark.asyncio
async def test_the_event_loop_stays_free_and_threads_are_few() -> None:
    cost = make_cost(memory_kib=32768, passes=3)
    with open_password_verifier(threads=2, cost=cost) as verifier:
        checks = [asyncio.create_task(verifier.check(None, Secret("x"))) for _ in range(6)]
        turns, most_threads = 0, 0
        while not all(check.done() for check in checks):
            await asyncio.sleep(0.001)
            turns += 1
            names = [thread.name for thread in threading.enumerate()]
            most_threads = max(most_threads, sum(name.startswith("password") for name in names))
        await asyncio.gather(*checks)
    assert turns > 20  # on the event loop it would be one for each check
    assert most_threads == 2
