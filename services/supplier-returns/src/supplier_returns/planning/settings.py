"""What the installation configures of plannings."""

from collections.abc import Callable
from datetime import date, tzinfo

from attrs import frozen


@frozen
class PlanningRules:
    """What the installation says about plannings.

    Attributes:
        max_lines: Lines that one supplier document may have.
        today: The company's date.
        timezone: The company's: of days in filters.
    """

    max_lines: int
    today: Callable[[], date]
    timezone: tzinfo
