"""Compare passwords, and reject in the same time whatever the reason.

`U_WEB_PASS` holds the password itself or an Argon2id hash of it, and hashes can differ in cost. Every check
computes exactly one hash: for plain text and for an unknown user, the hash of a decoy. A rejection is then
delayed until it took as long as the slowest check of this process, so its time does not reveal whether the
user exists.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

import structlog
from argon2 import Parameters, PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError
from attrs import frozen

from servicekit.clock import Clock, SystemClock
from servicekit.config import Secret

_HASH_PREFIX: Final = "$argon2id$"

# OWASP's smallest recommended cost for Argon2id: 19 MiB, 2 passes, 1 lane.
DEFAULT_COST: Final = Parameters(
    type=Type.ID, version=19, salt_len=16, hash_len=32, time_cost=2, memory_cost=19456, parallelism=1
)
"""Cost of the decoy's hash."""

MAX_WAIT_S: Final = 10.0
"""Longest delay of a rejection. A hash at the limits below takes less on any supported machine."""

_MAX_MEMORY_KIB: Final = 256 * 1024
_MAX_PASSES: Final = 12
_MAX_LANES: Final = 16

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class PasswordCheck:
    """The outcome of one check.

    Attributes:
        matches: whether the password is the stored one.
        took_s: seconds of work, without the wait for a thread.
        ended_at_s: time of its end, in the clock's monotonic seconds.
    """

    matches: bool
    took_s: float
    ended_at_s: float


class PasswordVerifier:
    """Checks passwords on a few threads of its own, so that the event loop stays free.

    Use `open_password_verifier`.
    """

    def __init__(
        self,
        executor: ThreadPoolExecutor,
        *,
        cost: Parameters,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._executor = executor
        self._decoy = PasswordHasher(
            time_cost=cost.time_cost, memory_cost=cost.memory_cost, parallelism=cost.parallelism
        )
        self._clock = clock
        self._sleep = sleep
        self.slowest_s = 0.0
        """Seconds of the slowest check so far."""

    async def check(self, stored_password: Secret | None, password: Secret) -> PasswordCheck:
        """Compare a password with the stored one.

        Args:
            stored_password: the content of `U_WEB_PASS`; None for an unknown or inactive user.
            password: as typed.

        Returns:
            a check that never matches a missing or empty stored password.
        """
        loop = asyncio.get_running_loop()
        check = await loop.run_in_executor(self._executor, self._check, stored_password, password)
        self.slowest_s = max(self.slowest_s, check.took_s)
        return check

    async def delay_rejection(self, check: PasswordCheck) -> None:
        """Wait, before a rejection, until its time no longer reveals how long its own check took.

        The wait holds no thread and no place in a queue.
        """
        spent_s = check.took_s + self._clock.monotonic() - check.ended_at_s
        wait_s = min(self.slowest_s, MAX_WAIT_S) - spent_s
        if wait_s > 0:
            await self._sleep(wait_s)

    def _check(self, stored_password: Secret | None, password: Secret) -> PasswordCheck:
        started_at_s = self._clock.monotonic()
        matches = self._matches(stored_password, password)
        ended_at_s = self._clock.monotonic()
        return PasswordCheck(matches=matches, took_s=ended_at_s - started_at_s, ended_at_s=ended_at_s)

    def _matches(self, stored_password: Secret | None, password: Secret) -> bool:
        expected = "" if stored_password is None else stored_password.reveal()
        if expected.startswith(_HASH_PREFIX):
            return self._matches_hash(expected, password)
        self._compute_decoy(password)
        return _are_equal(expected, password.reveal()) and expected != ""

    def _matches_hash(self, stored_hash: str, password: Secret) -> bool:
        try:
            cost = extract_parameters(stored_hash)
        except InvalidHashError:
            self._compute_decoy(password)
            return False
        if not _is_affordable(cost):
            _log.warning(
                "password_hash_too_costly",
                memory_kib=cost.memory_cost,
                passes=cost.time_cost,
                lanes=cost.parallelism,
            )
            self._compute_decoy(password)
            return False
        return _verify(stored_hash, password)

    def _compute_decoy(self, password: Secret) -> None:
        self._decoy.hash(password.reveal())


@contextmanager
def open_password_verifier(
    *,
    threads: int = 2,
    cost: Parameters = DEFAULT_COST,
    clock: Clock | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Iterator[PasswordVerifier]:
    """Start the threads; end them on leaving and drop the checks that still wait.

    Args:
        threads: number of passwords checked at once; each may need the memory that its hash asks for.
        cost: cost of the decoy's hash.
        clock: measures the checks; the machine's own when omitted.
        sleep: waits the given seconds.
    """
    executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="password")
    try:
        yield PasswordVerifier(executor, cost=cost, clock=clock or SystemClock(), sleep=sleep)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _is_affordable(cost: Parameters) -> bool:
    return (
        cost.type is Type.ID
        and cost.memory_cost <= _MAX_MEMORY_KIB
        and cost.time_cost <= _MAX_PASSES
        and cost.parallelism <= _MAX_LANES
    )


def _verify(stored_hash: str, password: Secret) -> bool:
    try:
        return PasswordHasher().verify(stored_hash, password.reveal())
    except (VerificationError, ValueError):  # ValueError: the text has a character that no hash has
        return False


def _are_equal(expected: str, password: str) -> bool:
    """Compare digests, because the time of `compare_digest` depends on the length of its arguments."""
    return hmac.compare_digest(
        hashlib.sha256(expected.encode("utf-8")).digest(), hashlib.sha256(password.encode("utf-8")).digest()
    )
