"""Settings of planning."""

from collections.abc import Callable
from datetime import date, tzinfo

from attrs import frozen


@frozen
class PlanningRules:
    """Settings of planning.

    Attributes:
        max_lines: maximum lines of one supplier document.
        today: returns the company's current date.
        timezone: time zone of the company, for days in filters.
    """

    max_lines: int
    today: Callable[[], date]
    timezone: tzinfo
