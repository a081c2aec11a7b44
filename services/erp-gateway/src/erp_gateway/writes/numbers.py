"""Numbers of writes: ULIDs that sort as the writes came."""

import os
from datetime import datetime
from typing import final

from servicekit.request_log.request_id import encode_ulid


@final
class WriteNumbers:
    """Generates numbers, each greater than the last one, even after the clock was set back."""

    def __init__(self) -> None:
        self._last = 0

    def next(self, moment: datetime) -> str:
        """Return a number for a write at `moment` (aware)."""
        number = _milliseconds(moment) << 80 | int.from_bytes(os.urandom(10))
        # Within one millisecond count on from the last number: a new random part could sort before it.
        is_later = number >> 80 > self._last >> 80
        self._last = number if is_later else self._last + 1
        return encode_ulid(self._last)


def first_number_at(moment: datetime) -> str:
    """Return a number that sorts after those of earlier milliseconds and before those of this one.

    A moment before 1970 counts as the start of 1970.
    """
    return encode_ulid(max(_milliseconds(moment), 0) << 80)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
