"""Dates and times in HANA's text forms."""

import datetime as dt
import re
from typing import Final

from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol.codes import HanaError

_DAY: Final = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?")
_SHAPE: Final = re.compile(
    r"\s*(\d{4}-\d{1,2}-\d{1,2}|\d{8})(?:[ T](\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?))?\s*"
)
_DASHED: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")

DAY_PATTERN: Final = r"^\s*(\d{4}-\d{1,2}-\d{1,2}|\d{8})([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,7})?)?)?\s*$"
"""Form of table texts that can be read as a date; the same form as above."""

_PIECES: Final = {
    "YYYY": "%Y",
    "MM": "%m",
    "DD": "%d",
    "HH24": "%H",
    "HH12": "%I",
    "MI": "%M",
    "SS": "%S",
    "YY": "%y",
    "DDD": "%j",
    "AM": "%p",
    "PM": "%p",
    "FF3": "%g",
    "FF6": "%f",
}
_PATTERN: Final = re.compile(
    r"(?P<piece>" + "|".join(sorted(_PIECES, key=len, reverse=True)) + r")|(?P<mark>[-/.,:; T])"
)


def invalid_moment(text: str) -> HanaError:
    """Refuse a text that is no day or time."""
    return HanaError(303, f"invalid DATE, TIME or TIMESTAMP value: {text}")


def read_moment(text: str) -> tuple[dt.datetime, bool]:
    """Parse a date with an optional time; also return whether there was a time.

    Forms: ``2024-01-31``, ``20240131``, and either with `` 12:30``, `` 12:30:00``, `` 12:30:00.1234567``.

    Raises:
        HanaError: 303.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise invalid_moment(text)
    day, clock = match.groups()
    numbers = (_DASHED.fullmatch(day) or _DAY.fullmatch(day)).groups()  # type: ignore[union-attr]  # one of the two
    try:
        found = dt.date(*map(int, numbers))
        time = read_clock(clock) if clock else dt.time()
    except ValueError as error:
        raise invalid_moment(text) from error
    return dt.datetime.combine(found, time), clock is not None


def read_clock(text: str) -> dt.time:
    """Read a time of day.

    Raises:
        HanaError: 303.
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise invalid_moment(text)
    hour, minute, second, fraction = match.groups(default="0")
    try:
        return dt.time(int(hour), int(minute), int(second), int(fraction.ljust(7, "0")[:6]))
    except ValueError as error:
        raise invalid_moment(text) from error


def strftime_pattern(pattern: str) -> str:
    """Return a pattern of TO_VARCHAR or TO_DATE as strftime and strptime take it.

    Raises:
        HanaError: 7 for a pattern with an unsupported part.
    """
    written, at = [], 0
    while at < len(pattern):
        match = _PATTERN.match(pattern.upper(), at)
        if match is None:
            raise not_simulated(f"the date pattern '{pattern}'")
        written.append(_PIECES[match["piece"]] if match["piece"] else match["mark"])
        at = match.end()
    return "".join(written)
