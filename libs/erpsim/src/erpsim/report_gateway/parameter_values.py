"""Parameter values of an export, validated as strictly as by a real gateway."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Final, TypeAlias

import attrs

from erpsim.business.layouts import Layout, LayoutParameter, Role

_ISO: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,9})?")

Values: TypeAlias = "Mapping[Role, ParameterValue]"
"""Sent values by the role of their parameter; parameters that were not sent are missing."""


class UnprintableError(Exception):
    """The export cannot be printed; the message for the gateway's own log names the reason."""


@attrs.frozen
class ParameterValue:
    """The value of one parameter.

    Args:
        texts: one text, several, or the two ends of a range; dates as `2026-06-07`.
    """

    texts: tuple[str, ...]

    @property
    def one(self) -> str:
        """First text."""
        return self.texts[0]

    def within(self, text: str) -> bool:
        """Return whether a text lies within the range, including its ends."""
        return self.texts[0] <= text <= self.texts[-1]


def read_values(layout: Layout, body: object, *, schema: str) -> Values:
    """Read the parameters of an export.

    Client authors found the rules by trial: names byte for byte, ISO dates, one inner list for a value or the
    two ends of a range, no empty values. It is assumed that the order counts, and that a wrong type or an
    unknown name fails the export.

    Args:
        layout: the layout to print.
        body: the decoded request body.
        schema: the company's schema.

    Raises:
        UnprintableError: for the first problem.
    """
    if not isinstance(body, list):
        raise UnprintableError("the parameters are no array")
    places = {parameter.name: place for place, parameter in enumerate(layout.parameters)}
    values: dict[Role, ParameterValue] = {}
    last = -1
    for entry in body:
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
        values[parameter.role] = _parameter_value(parameter, entry["value"])
    _check(layout, values, schema)
    return values


def _check(layout: Layout, values: Values, schema: str) -> None:
    for parameter in layout.parameters:
        if parameter.needed and parameter.role not in values:
            raise UnprintableError(f"no value for {parameter.name!r}")
    if Role.SCHEMA in values and values[Role.SCHEMA].one != schema:
        raise UnprintableError("no such schema")


def _parameter_value(parameter: LayoutParameter, value: object) -> ParameterValue:
    """Read a list of lists: one inner list per value, or one with the two ends of a range."""
    if not isinstance(value, list) or not all(isinstance(inner, list) for inner in value):
        raise UnprintableError(f"the value of {parameter.name!r} is no list of lists")
    inner_length = 2 if parameter.ranged else 1
    too_many = len(value) > 1 and not parameter.multiple
    if not value or too_many or any(len(inner) != inner_length for inner in value):
        raise UnprintableError(f"{parameter.name!r} takes another number of values")
    return ParameterValue(tuple(_text(parameter, each) for inner in value for each in inner))


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
