"""Readers of single settings from text or TOML values.

Each raises `ValueError` with the allowed values.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable
from datetime import date, tzinfo
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from erpsim.company.habits import OtherHabit
from erpsim.company.notification import Notice, read_notice

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_HIGHEST_PORT: Final = 65_535


def read_text(value: object) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError("a text")
    return value


def read_path(value: object) -> Path:
    """Read a file's path."""
    if not isinstance(value, str) or not value:
        raise ValueError("a file's path")
    return Path(value)


def read_timezone(value: object) -> tzinfo:
    """Read the name of a time zone."""
    name = value if isinstance(value, str) else ""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: the name of a folder of zones
        raise ValueError("a time zone, like America/Santiago") from error


def read_number(value: object) -> float:
    """Read a number from 0 up."""
    number = -1.0
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        with contextlib.suppress(ValueError):
            number = float(value)
    if not 0 <= number < float("inf"):
        raise ValueError("a number from 0")
    return number


def read_integer(value: object) -> int:
    """Read a whole number."""
    text = str(value)
    if isinstance(value, bool) or not text.removeprefix("-").isdecimal():
        raise ValueError("a whole number")
    return int(text)


def read_port(value: object) -> int:
    """Read a port; 0 means any free one."""
    text = str(value)
    if isinstance(value, bool) or not text.isdecimal() or int(text) > _HIGHEST_PORT:
        raise ValueError(f"a port (0 to {_HIGHEST_PORT}; 0 is any free one)")
    return int(text)


def read_boolean(value: object) -> bool:
    """Read true or false."""
    text = str(value).lower()
    if text not in _TRUE | _FALSE:
        raise ValueError("true or false")
    return text in _TRUE


def read_date(value: object) -> date:
    """Read a day; TOML has a form of its own for it."""
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise ValueError("a date, like 2026-03-31") from error


def read_notices(value: object) -> frozenset[Notice]:
    """Read one rule of the customer's own, or a list of them; their texts may hold commas."""
    texts = value if isinstance(value, list) else [value]
    return frozenset(read_notice(str(text)) for text in texts)


def read_habits(value: object) -> frozenset[OtherHabit]:
    """Read names of habits separated by commas, or a list of them."""
    read = choice(OtherHabit)
    return frozenset(OtherHabit(read(name)) for name in read_names(value))


def one_of(*allowed: str) -> Callable[[object], str]:
    """Return a reader of one of these words."""

    def read(value: object) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return str(value)

    return read


def choice(kind: type[enum.Enum]) -> Callable[[object], enum.Enum]:
    """Return a reader of an enumeration's values."""

    def read(value: object) -> enum.Enum:
        for member in kind:
            if member.value == value:
                return member
        raise ValueError(f"one of {', '.join(str(member.value) for member in kind)}")

    return read


def read_names(value: object) -> frozenset[str]:
    """Read names separated by commas, or a list of them."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("a list of names")
    return frozenset(part.strip() for part in parts if part.strip())


def optional(read: Callable[[object], Any]) -> Callable[[object], Any]:
    """Return a reader that maps an empty text and `none` to None."""

    def read_optional(value: object) -> Any:
        return None if value in {"", "none"} else read(value)

    return read_optional
