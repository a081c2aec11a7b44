"""Limits attempts to sign in: 5 failures per user or 20 per address within 15 minutes.

An attempt reserves a place before any upstream call, and releases it when its outcome is known. While running
attempts and counted failures together reach the limit, further attempts wait for an outcome. So concurrent
guesses cannot exceed the limit, and many legitimate users behind one address are not refused. Refused
attempts do not count, so they do not prolong a block. An attempt whose outcome the ERP did not report does
not count either.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Protocol

from attrs import frozen

from servicekit.clock import Clock
from servicekit.throttle.failure_counts import Block, FailureCounts
from servicekit.throttle.keys import key_of_address, key_of_user
from servicekit.throttle.limits import ThrottleLimits


class BlockScope(StrEnum):
    """Key of a block: a user or an address."""

    USER = "user"
    ADDRESS = "address"


@frozen(kw_only=True)
class Failures:
    """Failures that still count.

    Attributes:
        scope: user or address.
        key: the user or the address in the form that is counted.
        ages_s: seconds since each failure, oldest first; empty if none counts.
    """

    scope: BlockScope
    key: str
    ages_s: tuple[float, ...]


class AttemptBlockedError(Exception):
    """The user or the address has failed too often."""

    def __init__(self, scope: BlockScope, block: Block, retry_after_s: int) -> None:
        super().__init__(f"{scope.value} blocked for {retry_after_s} s")
        self.scope = scope
        self.block = block
        self.retry_after_s = retry_after_s


class AttemptsCrowdedError(Exception):
    """Too many attempts wait for the outcome of others."""


class Attempt:
    """One admitted attempt. Without an outcome it does not count."""

    def __init__(self) -> None:
        self.outcome: bool | None = None

    def succeeded(self) -> None:
        """Forget the user's failures."""
        self.outcome = True

    def failed(self) -> None:
        """Count a failure for the user and the address."""
        self.outcome = False


class AttemptCounts(Protocol):
    """Counts the attempts of each key, running ones included, and blocks a key that failed too often."""

    def __len__(self) -> int:
        """Return the number of keys in memory."""
        ...

    def find_block(self, key: str, now: float) -> tuple[Block, float] | None:
        """Return the key's block and the seconds until it ends, or None when it is not blocked."""
        ...

    def has_capacity(self, key: str) -> bool:
        """Return whether one more attempt could fail without exceeding the limit. Call `find_block`
        before.
        """
        ...

    def start(self, key: str) -> None:
        """Count a running attempt."""
        ...

    def end(self, key: str, *, succeeded: bool | None, now: float) -> None:
        """Count the outcome of a running attempt; None does not count."""
        ...


class AttemptGate:
    """Admits attempts while neither the user nor the address is blocked."""

    def __init__(
        self, clock: Clock, *, users: AttemptCounts, addresses: AttemptCounts, max_waiting: int = 256
    ) -> None:
        """Take the counts.

        Args:
            clock: its monotonic side is used.
            users: counts by the form of a name that `key_of_user` returns.
            addresses: counts by the form of an address that `key_of_address` returns.
            max_waiting: most attempts that may wait for the outcome of others.
        """
        self._clock = clock
        self._user_counts = users
        self._address_counts = addresses
        self._max_waiting = max_waiting
        self._waiting = 0
        self._outcome = asyncio.Event()

    def __len__(self) -> int:
        """Return the number of users and addresses in memory."""
        return len(self._user_counts) + len(self._address_counts)

    @asynccontextmanager
    async def attempt(self, user: str, address: str) -> AsyncIterator[Attempt]:
        """Reserve a place for one attempt; on leaving, count its outcome and release the place.

        Args:
            user: the name as typed; letter case and blanks around it make no difference.
            address: the client's IP address; IPv6 counts by its /64 network.

        Raises:
            AttemptBlockedError: refused; nothing was counted.
            AttemptsCrowdedError: refused; nothing was counted.
        """
        user_key, address_key = key_of_user(user), key_of_address(address)
        while not self._admit(user_key, address_key):
            await self._wait_for_outcome()
        attempt = Attempt()
        try:
            yield attempt
        finally:
            now = self._clock.monotonic()
            self._user_counts.end(user_key, succeeded=attempt.outcome, now=now)
            self._address_counts.end(address_key, succeeded=attempt.outcome, now=now)
            self._outcome.set()
            self._outcome = asyncio.Event()

    def _admit(self, user_key: str, address_key: str) -> bool:
        now = self._clock.monotonic()
        for scope, counts, key in (
            (BlockScope.USER, self._user_counts, user_key),
            (BlockScope.ADDRESS, self._address_counts, address_key),
        ):
            found = counts.find_block(key, now)
            if found is not None:
                block, remaining_s = found
                raise AttemptBlockedError(scope, block, max(1, math.ceil(remaining_s)))
        if not (self._user_counts.has_capacity(user_key) and self._address_counts.has_capacity(address_key)):
            return False
        self._user_counts.start(user_key)
        self._address_counts.start(address_key)
        return True

    async def _wait_for_outcome(self) -> None:
        if self._waiting >= self._max_waiting:
            raise AttemptsCrowdedError
        self._waiting += 1
        try:
            await self._outcome.wait()
        finally:
            self._waiting -= 1


class LoginThrottle(AttemptGate):
    """Admits attempts with counts in bounded memory."""

    def __init__(
        self,
        clock: Clock,
        *,
        limits: ThrottleLimits | None = None,
        capacity: int = 20_000,
        max_waiting: int = 256,
    ) -> None:
        """Initialize.

        Args:
            clock: its monotonic side is used.
            limits: failures that block.
            capacity: limit of users, and of addresses, in memory.
            max_waiting: most attempts that may wait for the outcome of others.
        """
        limits = limits or ThrottleLimits()
        self.window_s = limits.window_s
        self._users = FailureCounts(
            limit=limits.per_user, window_s=limits.window_s, capacity=capacity, success_clears=True
        )
        self._addresses = FailureCounts(
            limit=limits.per_address, window_s=limits.window_s, capacity=capacity, success_clears=False
        )
        super().__init__(clock, users=self._users, addresses=self._addresses, max_waiting=max_waiting)

    def lift_block(self, user: str) -> bool:
        """Let a blocked user try again; the failures still count for the addresses that they came from.

        Returns:
            False, having done nothing, when the user is not blocked.
        """
        return self._users.lift(key_of_user(user), self._clock.monotonic())

    def lift(self, scope: BlockScope, key: str) -> bool:
        """Lift the block of a key in the form that is counted; return False when it is not blocked."""
        return self._counts(scope).lift(key, self._clock.monotonic())

    def failures_of(self, user: str, address: str | None = None) -> tuple[Failures, ...]:
        """Return the failures of a user, and of an address, named as for `attempt`."""
        keys = [(BlockScope.USER, key_of_user(user))]
        if address is not None:
            keys.append((BlockScope.ADDRESS, key_of_address(address)))
        return self.failures(keys)

    def failures(self, keys: Iterable[tuple[BlockScope, str]]) -> tuple[Failures, ...]:
        """Return the failures that still count, of each key one value."""
        now = self._clock.monotonic()
        return tuple(
            Failures(scope=scope, key=key, ages_s=self._counts(scope).ages(key, now)) for scope, key in keys
        )

    def restore(self, failures: Iterable[Failures]) -> None:
        """Restore the counts of another throttle; the key that failed last comes last."""
        now = self._clock.monotonic()
        for each in failures:
            self._counts(each.scope).restore(each.key, each.ages_s, now)

    def _counts(self, scope: BlockScope) -> FailureCounts:
        return self._users if scope is BlockScope.USER else self._addresses
