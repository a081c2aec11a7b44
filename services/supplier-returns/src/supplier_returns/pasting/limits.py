"""Limits of one paste."""

from attrs import frozen


@frozen
class PasteLimits:
    """Limits of one paste."""

    rows: int = 50_000
    columns: int = 50
    items: int = 2_000
    code_length: int = 50
    text_length: int = 254
