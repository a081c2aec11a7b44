"""Translated SQL with its type, and conversions to other types."""

from __future__ import annotations

import re
from typing import Final

from attrs import define, field, frozen

from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol.codes import HanaError, Type
from erpsim.hana.protocol.columns import Column
from erpsim.hana.translation.hana_types import (
    DATE,
    FLOATING,
    NVARCHAR,
    TIME,
    TIMESTAMP,
    UNBOUND,
    HanaType,
    as_decimal_type,
    common_number,
    decimal,
    text,
)
from erpsim.hana.translation.moments import read_clock, read_moment

_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")

# Text forms of HANA's dates and times; a timestamp has seven decimals.
_WRITTEN: Final = {
    Type.DATE: "%Y-%m-%d",
    Type.SECONDDATE: "%Y-%m-%d %H:%M:%S",
    Type.TIMESTAMP: "%Y-%m-%d %H:%M:%S.%f0",
}


@frozen
class Typed:
    """A value in translated SQL.

    Attributes:
        sql: DuckDB's expression.
        type: HANA's type; None for NULL and for a parameter without a type yet.
        parameter: number, if the value is just a parameter.
        literal: value, if it is just a text.
    """

    sql: str
    type: HanaType | None
    parameter: int | None = None
    literal: str | None = None


@define
class ParameterTypes:
    """Types of a statement's parameters, derived from their context."""

    types: dict[int, HanaType] = field(factory=dict)

    def assign(self, number: int, target: HanaType) -> str:
        """Assign a parameter's type and return its SQL."""
        self.types[number] = target
        return f"CAST($p{number} AS {target.kept_in})"

    def columns(self, count: int) -> tuple[Column, ...]:
        """Return the declarations of the parameters for the client."""
        return tuple(self.types.get(number, UNBOUND).column("") for number in range(1, count + 1))


def quoted_text(value: str) -> str:
    """Return a text as a literal."""
    return "'" + value.replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    """Return a name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def type_of(value: Typed) -> HanaType:
    """Return the type of a value; NULL and parameters without one are texts."""
    return value.type or UNBOUND


def inconsistent(left: HanaType, right: HanaType) -> HanaError:
    """Refusal of two types that HANA does not combine."""
    return HanaError(266, f"inconsistent datatype: {left.name} is incompatible with {right.name}")


def not_a_number(value: str) -> HanaError:
    """Refuse a text that is no number."""
    return HanaError(339, f"invalid number: not a valid number string '{value}'")


class Conversions:
    """Implicit conversions as in HANA.

    Args:
        parameters: the statement's parameters.
    """

    def __init__(self, parameters: ParameterTypes) -> None:
        self.parameters = parameters

    def to(self, value: Typed, target: HanaType) -> str:
        """Return a value as this type.

        Raises:
            HanaError: 266 if HANA never converts between the two; 303 or 339 for an invalid literal; 7.
        """
        if value.parameter is not None:
            return self.parameters.assign(value.parameter, target)
        if value.type is None:
            return f"CAST(NULL AS {target.kept_in})"
        if value.type.code is target.code:
            return value.sql
        return self._converted(value, target)

    def _converted(self, value: Typed, target: HanaType) -> str:
        if target.is_day or target.code is Type.TIME:
            return self._to_moment(value, target)
        if target.is_number:
            return self._to_number(value, target)
        if target.is_text or target.is_long_text:
            return self.to_text(value)
        raise inconsistent(type_of(value), target)

    def _to_moment(self, value: Typed, target: HanaType) -> str:
        own = type_of(value)
        if value.literal is not None:
            return moment_literal(value.literal, target)
        if own.is_text and target.code is not Type.TIME:
            return f"CAST(h_moment({value.sql}) AS {target.kept_in})"
        if own.is_day and target.is_day:
            return value.sql if own.kept_in == target.kept_in else f"CAST({value.sql} AS {target.kept_in})"
        raise inconsistent(own, target)

    def _to_number(self, value: Typed, target: HanaType) -> str:
        own = type_of(value)
        if value.literal is not None:
            if not _NUMBER.fullmatch(value.literal):
                raise not_a_number(value.literal)
            return f"CAST({quoted_text(value.literal.strip())} AS {target.kept_in})"
        if own.is_text:
            return f"CAST(h_number({value.sql}) AS {target.kept_in})"
        if not own.is_number:
            raise inconsistent(own, target)
        return value.sql if own.kept_in == target.kept_in else f"CAST({value.sql} AS {target.kept_in})"

    def to_text(self, value: Typed) -> str:
        """Convert a value to HANA's text form.

        Raises:
            HanaError: 7 for a type whose text form is unknown.
        """
        own = value.type
        if own is None:
            return self.to(value, NVARCHAR)
        if own.is_text or own.is_long_text:
            return value.sql
        if own.is_integer or own.is_fixed:
            return f"CAST({value.sql} AS VARCHAR)"
        if own.code in _WRITTEN:
            return f"strftime({value.sql}, '{_WRITTEN[own.code]}')"
        raise not_simulated(f"{own.name} as a text")

    def compared(self, values: list[Typed]) -> list[str]:
        """Convert values to comparable types.

        Raises:
            HanaError: 266, 303, 339, 7.
        """
        target = self.comparable(values)
        if not target.is_number:
            return [self.to(value, target) for value in values]
        # Numbers are compared as they are: DuckDB widens them without loss.
        return [
            value.sql if value.type is not None and value.type.is_number else self.to(value, target)
            for value in values
        ]

    def comparable(self, values: list[Typed]) -> HanaType:
        """Return the type in which these values are compared."""
        types = [value.type for value in values if value.type is not None]
        if any(each.is_lob for each in types):
            raise not_simulated("comparing a LOB")
        if not types:
            return UNBOUND
        if any(each.is_day for each in types):
            return self._comparable_days(values, types)
        if any(each.is_number for each in types):
            numbers = [each for each in types if each.is_number]
            if all(each.is_number or each.is_text for each in types):
                return common_number(numbers) if len(numbers) == len(types) else _with_text(numbers)
        first = next((each for each in types if not each.is_text), types[0])
        if all(each.code is first.code or (each.is_text and first.is_text) for each in types):
            return first if not first.is_text else text(max(each.length for each in types))
        if first.code is Type.TIME and all(each.code is Type.TIME or each.is_text for each in types):
            return TIME
        other = next(each for each in types if each.code is not first.code)
        raise inconsistent(first, other)

    def _comparable_days(self, values: list[Typed], types: list[HanaType]) -> HanaType:
        for each in types:
            if not each.is_day and not each.is_text:
                raise inconsistent(next(day for day in types if day.is_day), each)
        timed = any(value.literal is not None and read_moment(value.literal)[1] for value in values)
        texts = any(
            value.type is not None and value.type.is_text and value.literal is None for value in values
        )
        only_dates = all(each.code is Type.DATE for each in types if each.is_day)
        if only_dates and not timed and not texts:
            return DATE
        return next((each for each in types if each.code is Type.TIMESTAMP), TIMESTAMP)

    def unified(self, values: list[Typed]) -> tuple[list[str], HanaType]:
        """Convert values to one type: branches of a CASE, columns of a UNION.

        Raises:
            HanaError: 266, 7.
        """
        types = [value.type for value in values if value.type is not None]
        if any(each.is_long_text for each in types) and all(
            each.is_text or each.is_long_text for each in types
        ):
            target = next(each for each in types if each.is_long_text)
        elif not types:
            target = UNBOUND
        elif any(each.is_number for each in types) and any(each.is_text for each in types):
            raise not_simulated("texts and numbers as results of one expression")
        elif any(each.is_lob for each in types):
            raise not_simulated("a LOB together with another type")
        else:
            target = self.comparable(values)
        return [self._as_exactly(value, target) for value in values], target

    def _as_exactly(self, value: Typed, target: HanaType) -> str:
        sql = self.to(value, target)
        is_same = value.type is not None and value.type.kept_in == target.kept_in
        return sql if is_same or value.type is None else f"CAST({sql} AS {target.kept_in})"


def _with_text(numbers: list[HanaType]) -> HanaType:
    """Return the type in which texts are compared with numbers, wide enough for both."""
    if any(each.is_binary_float or each.is_floating_decimal for each in numbers):
        return FLOATING
    scale = max([12, *(as_decimal_type(each).scale for each in numbers)])
    return decimal(38, scale)


def moment_literal(value: str, target: HanaType) -> str:
    """Return a text literal as a day or time.

    Raises:
        HanaError: 303.
    """
    if target.code is Type.TIME:
        return f"TIME '{read_clock(value).isoformat()}'"
    moment = read_moment(value)[0]
    if target.code is Type.DATE:
        return f"DATE '{moment.date().isoformat()}'"
    return f"TIMESTAMP '{moment.isoformat(' ')}'"
