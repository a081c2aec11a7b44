"""Time as the rules of execution use it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from attrs import frozen


@frozen(kw_only=True)
class Timing:
    """Present time, and the installation's settings for time.

    Attributes:
        now: present time, aware UTC.
        uncertain_wait: delay before a new post, after an attempt without a reply.
        clock_time: formats a time in the company's time zone.
    """

    now: datetime
    uncertain_wait: timedelta
    clock_time: Callable[[datetime], str]
