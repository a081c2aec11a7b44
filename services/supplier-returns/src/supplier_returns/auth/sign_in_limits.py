"""Limit on refused sign-ins, because each one counts against an ERP user, whom the ERP may lock."""

from typing import Final

from servicekit.clock import Clock
from servicekit.throttle import AttemptGate, FailureCounts, ThrottleLimits
from servicekit.throttle.doubling_blocks import DoublingBlocks

MOST_NAMES: Final = 20_000
"""Maximum names, and maximum addresses, in memory."""


def create_sign_in_gate(clock: Clock, *, max_failures: int) -> AttemptGate:
    """Create a gate that blocks a name after `max_failures`, and an address with the gateway's limits.

    Args:
        clock: time.
        max_failures: refusals of one name that reach the ERP before it is blocked.
    """
    limits = ThrottleLimits()
    return AttemptGate(
        clock,
        users=DoublingBlocks(limit=max_failures, capacity=MOST_NAMES),
        addresses=FailureCounts(
            limit=limits.per_address, window_s=limits.window_s, capacity=MOST_NAMES, success_clears=False
        ),
    )
