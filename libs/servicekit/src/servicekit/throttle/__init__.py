"""Limits attempts to sign in: 5 failures per user or 20 per address within 15 minutes."""

from servicekit.throttle.attempts import (
    Attempt,
    AttemptBlockedError,
    AttemptGate,
    AttemptsCrowdedError,
    BlockScope,
    Failures,
    LoginThrottle,
)
from servicekit.throttle.failure_counts import Block, FailureCounts
from servicekit.throttle.keys import key_of_address, key_of_user
from servicekit.throttle.limits import ThrottleLimits

__all__ = [
    "Attempt",
    "AttemptBlockedError",
    "AttemptGate",
    "AttemptsCrowdedError",
    "Block",
    "BlockScope",
    "FailureCounts",
    "Failures",
    "LoginThrottle",
    "ThrottleLimits",
    "key_of_address",
    "key_of_user",
]
