"""The throttle: limits that parallel guesses cannot pass, blocks that end by themselves, bounded memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from servicekit.clock import ManualClock
from servicekit.throttle import (
    Attempt,
    AttemptBlockedError,
    AttemptsCrowdedError,
    BlockScope,
    Failures,
    LoginThrottle,
    ThrottleLimits,
    key_of_address,
    key_of_user,
)

WINDOW_S = 900.0


@pytest.fixture
def throttle(clock: ManualClock) -> LoginThrottle:
    return LoginThrottle(clock)


async def fail(throttle: LoginThrottle, user: str = "ana", address: str = "10.0.0.1") -> None:
    async with throttle.attempt(user, address) as attempt:
        attempt.failed()


async def succeed(throttle: LoginThrottle, user: str = "ana", address: str = "10.0.0.1") -> None:
    async with throttle.attempt(user, address) as attempt:
        attempt.succeeded()


async def blocked(
    throttle: LoginThrottle, user: str = "ana", address: str = "10.0.0.1"
) -> AttemptBlockedError:
    with pytest.raises(AttemptBlockedError) as caught:
        await fail(throttle, user, address)
    return caught.value


@pytest.mark.asyncio
async def test_the_sixth_attempt_of_a_user_is_refused_from_any_address(throttle: LoginThrottle) -> None:
    for number in range(5):
        await fail(throttle, address=f"10.0.0.{number}")
    refusal = await blocked(throttle, address="10.9.9.9")
    assert (refusal.scope, refusal.retry_after_s) == (BlockScope.USER, 900)
    assert str(refusal) == "user blocked for 900 s"
    await fail(throttle, user="bea", address="10.0.0.1")


@pytest.mark.asyncio
async def test_the_twenty_first_attempt_of_an_address_is_refused_for_any_user(
    throttle: LoginThrottle,
) -> None:
    for number in range(20):
        await fail(throttle, user=f"user{number}")
    refusal = await blocked(throttle, user="somebody else")
    assert (refusal.scope, refusal.retry_after_s) == (BlockScope.ADDRESS, 900)
    await fail(throttle, user="user1", address="10.0.0.2")


@pytest.mark.parametrize(
    "variant",
    [
        "ANA",
        "Ana",
        " ana ",
        "\uff41\uff4e\uff41",
        "ana\u00a0",
        "a\u200bna",
        "ana \u200b",
        "\ufeff ana",
        "a\u00adna",
        "\u202eana",
        "an\u034fa",
        "an\ufe0fa",
        "an\u3164a",
    ],
)
def test_variants_of_a_user_name_have_the_same_key(variant: str) -> None:
    assert key_of_user(variant) == key_of_user("ana")


def test_different_names_are_different_keys() -> None:
    assert key_of_user("ana") != key_of_user("anna")
    assert key_of_user("ana maria") != key_of_user("anamaria")
    assert key_of_user("straße") == key_of_user("STRASSE")
    assert key_of_user("n\u0303ato") == key_of_user("ÑATO")


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:0:0:ffff::9", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_an_ipv6_address_counts_by_its_64_bit_prefix(address: str, key: str) -> None:
    assert key_of_address(address) == key


@pytest.mark.asyncio
async def test_a_block_expires_and_refused_attempts_do_not_extend_it(
    throttle: LoginThrottle, clock: ManualClock
) -> None:
    for _ in range(5):
        await fail(throttle)
        clock.advance(10)
    for waited in range(10):
        assert (await blocked(throttle)).retry_after_s == 850 - waited * 10
        clock.advance(10)
    clock.advance(750)
    await succeed(throttle)


@pytest.mark.asyncio
@pytest.mark.parametrize("hours", [2, -2])
async def test_a_wall_clock_jump_neither_lifts_nor_extends_a_block(
    throttle: LoginThrottle, clock: ManualClock, hours: int
) -> None:
    for _ in range(5):
        await fail(throttle)
    clock.set_wall_clock(clock.now() + timedelta(hours=hours))
    assert (await blocked(throttle)).retry_after_s == WINDOW_S
    clock.advance(WINDOW_S)
    await succeed(throttle)


@pytest.mark.asyncio
async def test_retry_after_is_at_least_one_second(throttle: LoginThrottle, clock: ManualClock) -> None:
    for _ in range(5):
        await fail(throttle)
    clock.advance(WINDOW_S - 0.001)
    assert (await blocked(throttle)).retry_after_s == 1


@pytest.mark.asyncio
async def test_a_success_forgets_the_users_failures_and_not_the_addresss(throttle: LoginThrottle) -> None:
    for round_number in range(5):
        for _ in range(4):
            await fail(throttle, user=f"user{round_number}")
        if round_number < 4:
            await succeed(throttle, user=f"user{round_number}")
    assert (await blocked(throttle, user="user0")).scope is BlockScope.ADDRESS
    for _ in range(5):
        await fail(throttle, user="user0", address="10.0.0.2")  # nothing of it was left


@pytest.mark.asyncio
async def test_an_attempt_without_outcome_is_not_counted(throttle: LoginThrottle) -> None:
    for _ in range(30):
        with pytest.raises(ConnectionError):
            async with throttle.attempt("ana", "10.0.0.1"):
                raise ConnectionError("the ERP is away")
    await fail(throttle)
    assert len(throttle) == 2


@pytest.mark.asyncio
async def test_fifty_simultaneous_guesses_do_not_exceed_the_limit(throttle: LoginThrottle) -> None:
    asked = 0
    most_at_once = 0
    at_once = 0

    async def guess() -> str:
        nonlocal asked, at_once, most_at_once
        try:
            async with throttle.attempt("ana", "10.0.0.1") as attempt:
                asked += 1
                at_once += 1
                most_at_once = max(most_at_once, at_once)
                await asyncio.sleep(0.001)
                at_once -= 1
                attempt.failed()
        except AttemptBlockedError:
            return "blocked"
        return "failed"

    outcomes = await asyncio.gather(*(guess() for _ in range(50)))
    assert asked == 5
    assert most_at_once <= 5
    assert sorted(set(outcomes)) == ["blocked", "failed"]
    assert outcomes.count("failed") == 5


@pytest.mark.asyncio
async def test_sixty_users_behind_one_address_sign_in_at_once(throttle: LoginThrottle) -> None:
    async def sign_in(number: int) -> None:
        async with throttle.attempt(f"user{number}", "10.0.0.1") as attempt:
            await asyncio.sleep(0.001)
            attempt.succeeded()

    await asyncio.gather(*(sign_in(number) for number in range(60)))


@asynccontextmanager
async def five_running(throttle: LoginThrottle) -> AsyncIterator[list[Attempt]]:
    """Keep five attempts of one user open, so that the next ones wait."""
    release = asyncio.Event()
    attempts: list[Attempt] = []

    async def run() -> None:
        async with throttle.attempt("ana", "10.0.0.1") as attempt:
            attempts.append(attempt)
            await release.wait()

    tasks = [asyncio.create_task(run()) for _ in range(5)]
    await asyncio.sleep(0)
    yield attempts
    release.set()
    await asyncio.gather(*tasks)


@pytest.mark.asyncio
async def test_too_many_pending_attempts_are_refused(clock: ManualClock) -> None:
    throttle = LoginThrottle(clock, max_waiting=2)
    async with five_running(throttle) as attempts:
        waiting = [asyncio.create_task(succeed(throttle)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(AttemptsCrowdedError):
            await succeed(throttle)
        for attempt in attempts:
            attempt.succeeded()
    await asyncio.gather(*waiting)
    assert len(throttle) == 0


@pytest.mark.asyncio
async def test_a_cancelled_pending_attempt_leaves_no_state(clock: ManualClock) -> None:
    throttle = LoginThrottle(clock, max_waiting=1)
    async with five_running(throttle):
        for _ in range(3):
            waiting = asyncio.create_task(succeed(throttle))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait({waiting})
            assert waiting.cancelled(), "it was let in to wait"
        last = asyncio.create_task(succeed(throttle))
        await asyncio.sleep(0)
        with pytest.raises(AttemptsCrowdedError):
            await succeed(throttle)
    await last
    assert len(throttle) == 0


@pytest.mark.asyncio
async def test_many_names_from_many_addresses_are_bounded_by_the_capacity(clock: ManualClock) -> None:
    throttle = LoginThrottle(clock, capacity=100)
    for number in range(1000):
        await fail(throttle, user=f"user{number}", address=f"10.0.{number // 250}.{number % 250}")
    assert len(throttle) == 200
    for _ in range(4):
        await fail(throttle, user="user999", address="10.9.9.9")
    assert (await blocked(throttle, user="user999", address="10.9.9.9")).scope is BlockScope.USER


@pytest.mark.asyncio
async def test_a_forgotten_user_refused_for_its_address_breaks_no_count(
    throttle: LoginThrottle, clock: ManualClock
) -> None:
    """Failures of A and K have left the window, an attempt of A runs, and K is refused for its address."""
    await fail(throttle, user="A", address="10.0.0.1")
    clock.advance(1.5)
    await fail(throttle, user="K", address="10.0.0.2")
    clock.advance(896.5)
    for number in range(20):
        await fail(throttle, user=f"user{number}", address="10.0.0.9")
    async with throttle.attempt("A", "10.0.0.1") as running:
        clock.advance(4)
        assert (await blocked(throttle, user="K", address="10.0.0.9")).scope is BlockScope.ADDRESS
        running.failed()
    await fail(throttle, user="somebody else", address="10.0.0.3")
    await succeed(throttle, user="K", address="10.0.0.2")


@pytest.mark.asyncio
async def test_a_lifted_block_frees_the_user_and_keeps_the_address_failures(
    throttle: LoginThrottle,
) -> None:
    for _ in range(4):
        await fail(throttle)
    assert not throttle.lift_block("ana")  # four failures are no block, and still count
    await fail(throttle)
    await blocked(throttle)
    assert throttle.lift_block(" ANA ")
    assert not throttle.lift_block("ana")
    for _ in range(5):
        await fail(throttle)
    assert (await blocked(throttle)).scope is BlockScope.USER
    for number in range(10):
        await fail(throttle, user=f"user{number}")
    assert (await blocked(throttle, user="eva")).scope is BlockScope.ADDRESS


@pytest.mark.asyncio
async def test_the_block_of_an_address_can_be_lifted_until_it_expires(
    throttle: LoginThrottle, clock: ManualClock
) -> None:
    for _ in range(2):
        for number in range(20):
            await fail(throttle, user=f"user{number}")
        assert not throttle.lift(BlockScope.USER, "10.0.0.1")
        assert not throttle.lift(BlockScope.ADDRESS, "10.0.0.2")
        assert throttle.lift(BlockScope.ADDRESS, "10.0.0.1")
    for number in range(20):
        await fail(throttle, user=f"other{number}")
    clock.advance(WINDOW_S)
    assert not throttle.lift(BlockScope.ADDRESS, "10.0.0.1")


@pytest.mark.asyncio
async def test_the_limits_are_configurable(clock: ManualClock) -> None:
    limits = ThrottleLimits(per_user=1, per_address=2, window_s=10)
    throttle = LoginThrottle(clock, limits=limits)
    assert throttle.window_s == 10
    await fail(throttle)
    assert (await blocked(throttle, address="10.0.0.2")).retry_after_s == 10
    await fail(throttle, user="bea")
    assert (await blocked(throttle, user="eva")).scope is BlockScope.ADDRESS
    clock.advance(10)
    await fail(throttle)


@pytest.mark.asyncio
async def test_a_throttle_continues_with_the_counts_of_another(clock: ManualClock) -> None:
    throttle, successor = LoginThrottle(clock), LoginThrottle(clock)
    for _ in range(5):
        await fail(throttle)
        clock.advance(10)
    ages_s = (50.0, 40.0, 30.0, 20.0, 10.0)
    of_user = Failures(scope=BlockScope.USER, key="ana", ages_s=ages_s)
    of_address = Failures(scope=BlockScope.ADDRESS, key="10.0.0.1", ages_s=ages_s)
    assert throttle.failures_of(" ANA ") == (of_user,)
    assert throttle.failures_of("ana", "::ffff:10.0.0.1") == (of_user, of_address)
    successor.restore((of_user, of_address))
    assert successor.failures_of("ana", "10.0.0.1") == (of_user, of_address)
    assert (await blocked(successor, address="10.9.9.9")).retry_after_s == 850
    for number in range(15):
        await fail(successor, user=f"user{number}")
    assert (await blocked(successor, user="eva")).scope is BlockScope.ADDRESS
