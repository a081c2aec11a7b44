"""Judges the array that an export is asked with, as strictly as a real gateway, and reads its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Final, TypeAlias

import attrs

from erpsim.business.layouts import Layout, LayoutParameter, Role

_ISO: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,9})?")

Values: TypeAlias = "Mapping[Role, Asked]"
"""What was asked for, by what the layout does with it; what was left out is missing."""


class UnprintableError(Exception):
    """The export prints nothing; the message says why, for the gateway's own log."""


@attrs.frozen
class Asked:
    """The value of one parameter.

    Args:
        texts: one text, several, or the two ends of a range; dates as `2026-06-07`.
    """

    texts: tuple[str, ...]

    @property
    def one(self) -> str:
        """The first text."""
        return self.texts[0]

    def within(self, text: str) -> bool:
        """Tell whether a text lies between the two ends of a range, both included."""
        return self.texts[0] <= text <= self.texts[-1]


def read_values(layout: Layout, sent: object, *, schema: str) -> Values:
    """Read the parameters of an export.

    It was found by clients' authors, by breaking calls: names byte for byte, ISO dates, one inner
    list for a value or the two ends of a range, no empty values. That the order counts, and that a wrong type
    or an unknown name breaks the export, is assumed.

    Args:
        layout: what to print.
        sent: the decoded body.
        schema: the company's schema.

    Raises:
        UnprintableError: for the first thing that is wrong.
    """
    if not isinstance(sent, list):
        raise UnprintableError("the parameters are no array")
    places = {parameter.name: place for place, parameter in enumerate(layout.parameters)}
    values: dict[Role, Asked] = {}
    last = -1
    for entry in sent:
        if not isinstance(entry, Mapping) or entry.keys() != {"name", "type", "value"}:
            raise UnprintableError("a parameter is no object of name, type and value")
        name = entry["name"]
        place = places.get(name) if isinstance(name, str) else None
        if place is None:
            raise UnprintableError(f"no parameter {name!r}")
        if place <= last:
            raise UnprintableError(f"{name!r} is out of its order")
        last = place
        parameter = layout.parameters[place]
        if entry["type"] != parameter.type:
            raise UnprintableError(f"{name!r} is no {entry['type']}")
        values[parameter.role] = _asked(parameter, entry["value"])
    _check(layout, values, schema)
    return values


def _check(layout: Layout, values: Values, schema: str) -> None:
    for parameter in layout.parameters:
        if parameter.needed and parameter.role not in values:
            raise UnprintableError(f"no value for {parameter.name!r}")
    if Role.SCHEMA in values and values[Role.SCHEMA].one != schema:
        raise UnprintableError("no such schema")


def _asked(parameter: LayoutParameter, value: object) -> Asked:
    """Read a list of lists: several values in lists of their own, the ends of a range in one."""
    if not isinstance(value, list) or not all(isinstance(inner, list) for inner in value):
        raise UnprintableError(f"the value of {parameter.name!r} is no list of lists")
    inner_length = 2 if parameter.ranged else 1
    too_many = len(value) > 1 and not parameter.multiple
    if not value or too_many or any(len(inner) != inner_length for inner in value):
        raise UnprintableError(f"{parameter.name!r} takes another number of values")
    return Asked(tuple(_text(parameter, each) for inner in value for each in inner))


def _text(parameter: LayoutParameter, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UnprintableError(f"{parameter.name!r} takes texts and numbers")
    text = str(value)
    if not text:
        raise UnprintableError(f"{parameter.name!r} is empty")
    if parameter.type == "xsd:date" and not _is_date(text):
        raise UnprintableError(f'Unparseable date: "{text}"')
    if parameter.type == "xsd:decimal" and not _NUMBER.fullmatch(text):
        raise UnprintableError(f"{parameter.name!r} is no number")
    return text


def _is_date(text: str) -> bool:
    if not _ISO.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
