"""Times of an execution that limit other settings."""

from datetime import timedelta
from typing import Final

ATTEMPT_FRESH: Final = timedelta(seconds=15)
"""Maximum age of a recorded attempt before the post, because the waiting time counts from the record."""

CALLS_BEFORE_A_POST: Final = 4
"""Number of times that SL_TIMEOUT can pass between the record of an attempt and its post.

There are two calls, a write and a lookup, and each may wait in the queue for as long as it may take.
"""
