"""Passwords: stored as text or hash, compared off the event loop, with the same work for everybody."""

import asyncio
import threading
import time
from collections.abc import Iterator
from statistics import median

import pytest
from argon2 import Parameters, PasswordHasher, Type
from structlog.testing import capture_logs

from erp_gateway.auth.passwords import PasswordVerifier, open_password_verifier
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
        pytest.param("$argon2i$text", "$argon2i$text", True, id="another prefix is text"),
        pytest.param(HASH.replace("m=64", "m=99999999"), "correct horse", False, id="a hash too large"),
        pytest.param(HASH.replace("t=1", "t=999999"), "correct horse", False, id="a hash too slow"),
        pytest.param(HASH.replace("p=1", "p=200"), "correct horse", False, id="a hash too wide"),
    ],
)
async def test_what_matches(
    verifier: PasswordVerifier, stored: str | None, given: str, matches: bool
) -> None:
    secret = None if stored is None else Secret(stored)
    assert await verifier.matches(secret, Secret(given)) is matches


@pytest.mark.asyncio
async def test_a_hash_that_asks_for_too_much_is_told_in_the_log_without_the_hash(
    verifier: PasswordVerifier,
) -> None:
    with capture_logs() as logs:
        await verifier.matches(Secret(HASH.replace("m=64", "m=99999999")), Secret("x"))
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
        await verifier.matches(secret, Secret("wrong"))
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


@pytest.mark.asyncio
async def test_the_decoy_follows_the_cost_of_the_hashes_in_use(verifier: PasswordVerifier) -> None:
    costly = make_cost(memory_kib=16384, passes=4)
    before = await work_of(verifier, None)
    hashed = await work_of(verifier, make_hash("correct", costly))
    after = await work_of(verifier, None)
    assert before < hashed / 4
    assert after > hashed / 2.5


@pytest.mark.asyncio
async def test_the_event_loop_stays_free_and_threads_are_few() -> None:
    cost = make_cost(memory_kib=32768, passes=3)
    with open_password_verifier(threads=2, cost=cost) as verifier:
        checks = [asyncio.create_task(verifier.matches(None, Secret("x"))) for _ in range(6)]
        turns, most_threads = 0, 0
        while not all(check.done() for check in checks):
            await asyncio.sleep(0.001)
            turns += 1
            names = [thread.name for thread in threading.enumerate()]
            most_threads = max(most_threads, sum(name.startswith("password") for name in names))
        await asyncio.gather(*checks)
    assert turns > 20  # on the event loop it would be one for each check
    assert most_threads == 2
