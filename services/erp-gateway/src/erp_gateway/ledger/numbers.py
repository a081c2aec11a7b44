"""Numbers of writes: ULIDs that sort as the writes came, also within a millisecond."""

import os
from datetime import datetime
from typing import final

from servicekit.request_log.request_id import encode_ulid


@final
class WriteNumbers:
    """Gives numbers, each greater than the one before, also when the clock goes back."""

    def __init__(self) -> None:
        self._last = 0

    def next(self, moment: datetime) -> str:
        """Return the number of a write that came at `moment`, aware."""
        made = _milliseconds(moment) << 80 | int.from_bytes(os.urandom(10))
        # In the same millisecond it goes on from the last one; the random part has room for it.
        later = made >> 80 > self._last >> 80
        self._last = made if later else self._last + 1
        return encode_ulid(self._last)


def first_number_at(moment: datetime) -> str:
    """Return what sorts after the numbers of all earlier milliseconds, and before those of this one.

    Before 1970 there are none: a moment that long ago is taken for its beginning.
    """
    return encode_ulid(max(_milliseconds(moment), 0) << 80)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
