"""Comparing a password with the stored one, in the same time whatever the outcome.

`U_WEB_PASS` holds the password itself or an Argon2id hash of it. Every check computes exactly one hash: for
a stored text, and for a user who does not exist, a decoy's. So the time does not tell who exists. The decoy
follows the cost of the latest real hash seen, because hashes of one company are usually made alike.
"""

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

import structlog
from argon2 import Parameters, PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from servicekit.config import Secret

_HASH_PREFIX: Final = "$argon2id$"

# OWASP's smallest recommended cost for Argon2id: 19 MiB, 2 passes, 1 lane.
DEFAULT_COST: Final = Parameters(
    type=Type.ID, version=19, salt_len=16, hash_len=32, time_cost=2, memory_cost=19456, parallelism=1
)
"""The decoy's cost before a real hash was seen."""

_MAX_MEMORY_KIB: Final = 256 * 1024
_MAX_PASSES: Final = 12
_MAX_LANES: Final = 16

_log = structlog.get_logger(__name__)


class PasswordVerifier:
    """Checks passwords on threads of its own, at most `threads` at once; the event loop stays free."""

    def __init__(self, executor: ThreadPoolExecutor, *, cost: Parameters = DEFAULT_COST) -> None:
        """Take the threads; use `open_password_verifier`."""
        self._executor = executor
        self._decoy_cost = cost
        self._decoy: str | None = None

    async def matches(self, stored: Secret | None, given: Secret) -> bool:
        """Tell whether `given` is the stored password.

        Args:
            stored: the content of `U_WEB_PASS`; None for a user who may not sign in anyway.
            given: what the person typed.

        Returns:
            False for a missing or empty stored password, whatever was typed.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._matches, stored, given)

    def _matches(self, stored: Secret | None, given: Secret) -> bool:
        expected = "" if stored is None else stored.reveal()
        if expected.startswith(_HASH_PREFIX):
            return self._matches_hash(expected, given)
        _verify(self._decoy_hash(), given)
        return _equal_texts(expected, given.reveal()) and expected != ""

    def _matches_hash(self, stored_hash: str, given: Secret) -> bool:
        try:
            cost = extract_parameters(stored_hash)
        except InvalidHashError:
            _verify(self._decoy_hash(), given)
            return False
        if not _is_affordable(cost):
            _log.warning(
                "password_hash_too_costly",
                memory_kib=cost.memory_cost,
                passes=cost.time_cost,
                lanes=cost.parallelism,
            )
            _verify(self._decoy_hash(), given)
            return False
        if cost != self._decoy_cost:
            self._decoy_cost, self._decoy = cost, None
        return _verify(stored_hash, given)

    def _decoy_hash(self) -> str:
        if self._decoy is None:
            cost = self._decoy_cost
            hasher = PasswordHasher(
                time_cost=cost.time_cost, memory_cost=cost.memory_cost, parallelism=cost.parallelism
            )
            self._decoy = hasher.hash(secrets.token_urlsafe())
        return self._decoy


@contextmanager
def open_password_verifier(
    *, threads: int = 2, cost: Parameters = DEFAULT_COST
) -> Iterator[PasswordVerifier]:
    """Open the threads, and end them on leaving; checks that wait then are dropped.

    Args:
        threads: how many passwords are checked at once; each may need the memory its hash asks for.
        cost: the decoy's cost before a real hash was seen.
    """
    executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="password")
    try:
        yield PasswordVerifier(executor, cost=cost)
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
    except (VerificationError, InvalidHashError):
        return False


def _equal_texts(expected: str, given: str) -> bool:
    """Compare digests: the time then does not even tell the length."""
    return hmac.compare_digest(
        hashlib.sha256(expected.encode("utf-8")).digest(), hashlib.sha256(given.encode("utf-8")).digest()
    )
