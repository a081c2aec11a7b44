"""Comparing a password with the stored one, and refusing in the same time whatever the reason.

`U_WEB_PASS` holds the password itself or an Argon2id hash of it, and hashes may cost differently. Every check
computes exactly one hash: for a stored text, and for a user who does not exist, a decoy's. What still differs
is waited for: a refusal takes as long as the dearest check that this process has seen. So the time does not
tell who exists.
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
"""The decoy's cost."""

MAX_WAIT_S: Final = 10.0
"""Longest that a refusal waits; a hash at the limits below costs less on the slowest machine that serves."""

_MAX_MEMORY_KIB: Final = 256 * 1024
_MAX_PASSES: Final = 12
_MAX_LANES: Final = 16

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class PasswordCheck:
    """The outcome of one check.

    Attributes:
        matches: whether the password is the stored one.
        took_s: seconds of its own work, without its wait for a thread.
        ended_at_s: when it ended, in the clock's monotonic seconds.
    """

    matches: bool
    took_s: float
    ended_at_s: float


class PasswordVerifier:
    """Checks passwords on threads of its own, a few at once; the event loop stays free.

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
        self.dearest_s = 0.0
        """Seconds of the dearest check so far."""

    async def check(self, stored: Secret | None, given: Secret) -> PasswordCheck:
        """Tell whether `given` is the stored password.

        Args:
            stored: the content of `U_WEB_PASS`; None for a user who may not sign in anyway.
            given: what the person typed.

        Returns:
            a check that does not match for a missing or empty stored password, whatever was typed.
        """
        loop = asyncio.get_running_loop()
        check = await loop.run_in_executor(self._executor, self._check, stored, given)
        self.dearest_s = max(self.dearest_s, check.took_s)
        return check

    async def wait_out(self, check: PasswordCheck) -> None:
        """Wait, before a refusal, until it does not tell any more how long its own check took.

        Nothing is held meanwhile, and nothing is computed.
        """
        spent_s = check.took_s + self._clock.monotonic() - check.ended_at_s
        wait_s = min(self.dearest_s, MAX_WAIT_S) - spent_s
        if wait_s > 0:
            await self._sleep(wait_s)

    def _check(self, stored: Secret | None, given: Secret) -> PasswordCheck:
        started_at_s = self._clock.monotonic()
        matches = self._matches(stored, given)
        ended_at_s = self._clock.monotonic()
        return PasswordCheck(matches=matches, took_s=ended_at_s - started_at_s, ended_at_s=ended_at_s)

    def _matches(self, stored: Secret | None, given: Secret) -> bool:
        expected = "" if stored is None else stored.reveal()
        if expected.startswith(_HASH_PREFIX):
            return self._matches_hash(expected, given)
        self._compute_decoy(given)
        return _equal_texts(expected, given.reveal()) and expected != ""

    def _matches_hash(self, stored_hash: str, given: Secret) -> bool:
        try:
            cost = extract_parameters(stored_hash)
        except InvalidHashError:
            self._compute_decoy(given)
            return False
        if not _is_affordable(cost):
            _log.warning(
                "password_hash_too_costly",
                memory_kib=cost.memory_cost,
                passes=cost.time_cost,
                lanes=cost.parallelism,
            )
            self._compute_decoy(given)
            return False
        return _verify(stored_hash, given)

    def _compute_decoy(self, given: Secret) -> None:
        self._decoy.hash(given.reveal())


@contextmanager
def open_password_verifier(
    *,
    threads: int = 2,
    cost: Parameters = DEFAULT_COST,
    clock: Clock | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Iterator[PasswordVerifier]:
    """Open the threads, and end them on leaving; checks that wait then are dropped.

    Args:
        threads: how many passwords are checked at once; each may need the memory its hash asks for.
        cost: the decoy's cost.
        clock: measures the checks; the machine's own when omitted.
        sleep: waits so many seconds.
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


def _verify(stored_hash: str, given: Secret) -> bool:
    try:
        return PasswordHasher().verify(stored_hash, given.reveal())
    except (VerificationError, ValueError):  # what is no hash, even where no hash has such a letter
        return False


def _equal_texts(expected: str, given: str) -> bool:
    """Compare digests: the time then does not even tell the length."""
    return hmac.compare_digest(
        hashlib.sha256(expected.encode("utf-8")).digest(), hashlib.sha256(given.encode("utf-8")).digest()
    )
