"""The brake on guessing passwords, per user and per address."""

from servicekit.throttle.attempts import (
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
from servicekit.throttle.failure_counts import Block

__all__ = [
    "Attempt",
    "AttemptBlockedError",
    "AttemptsCrowdedError",
    "Block",
    "BlockScope",
    "Failures",
    "LoginThrottle",
    "ThrottleLimits",
    "key_of_address",
    "key_of_user",
]
