"""Times of an execution that bound what may be configured."""

from datetime import timedelta
from typing import Final

ATTEMPT_FRESH: Final = timedelta(seconds=15)
"""A recorded attempt older than this is recorded again before the post: the waiting time counts from it."""

CALLS_BEFORE_A_POST: Final = 4
"""How often SL_TIMEOUT may pass between recording an attempt and its post: a write and a look-up, each with a
wait."""
