"""Failures that block a user or an address."""

from attrs import frozen


@frozen(kw_only=True)
class ThrottleLimits:
    """Failures within `window_s` seconds that block a user or an address."""

    per_user: int = 5
    per_address: int = 20
    window_s: float = 15 * 60
