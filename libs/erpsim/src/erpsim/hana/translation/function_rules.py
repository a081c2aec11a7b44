"""Rules for translating functions: accepted arguments, DuckDB's expression and HANA's result type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.translation.hana_types import FLOATING, INTEGER, TIMESTAMP, HanaType
from erpsim.hana.translation.typed import Conversions, Typed, inconsistent, type_of

Arguments: TypeAlias = "Sequence[Typed]"
Build: TypeAlias = "Callable[[Conversions, Arguments, tree.Call], Typed]"
Result: TypeAlias = "HanaType | Callable[[Arguments], HanaType]"


OVER: Final = "\x01"
"""Placeholder for the window in a function's SQL."""
ORDER: Final = "\x02"
"""Placeholder for the order inside a function's brackets."""


@frozen
class Function:
    """A function for a number of arguments.

    Attributes:
        build: generates the SQL.
        is_aggregate: whether it aggregates rows.
        is_window: whether it may have OVER.
        needs_window: whether it must have OVER.
    """

    build: Build
    is_aggregate: bool = False
    is_window: bool = False
    needs_window: bool = False


def as_text(convert: Conversions, value: Typed) -> str:
    """Accept any value with a text form."""
    return convert.to_text(value)


def as_number(convert: Conversions, value: Typed) -> str:
    """Accept a number; texts are converted to numbers."""
    own = value.type
    return value.sql if own is not None and own.is_number else convert.to(value, FLOATING)


def as_whole(convert: Conversions, value: Typed) -> str:
    """Accept a whole number."""
    own = value.type
    if own is not None and not own.is_integer:
        raise not_simulated("a fraction or a text where a function counts")
    return convert.to(value, INTEGER)


def as_day(convert: Conversions, value: Typed) -> str:
    """Accept a date or a timestamp; texts are converted to timestamps."""
    own = value.type
    if own is not None and own.is_day:
        return value.sql
    if own is not None and not own.is_text:
        raise inconsistent(own, TIMESTAMP)
    return convert.to(value, TIMESTAMP)


def as_is(convert: Conversions, value: Typed) -> str:
    """Accept any value; an untyped parameter becomes a text."""
    return convert.to(value, type_of(value))


TAKES: Final[Mapping[str, Callable[[Conversions, Typed], str]]] = {
    "text": as_text,
    "number": as_number,
    "whole": as_whole,
    "day": as_day,
    "any": as_is,
}


def simple(takes: str, template: str, result: Result) -> Build:
    """Return a builder that fills in a template.

    Args:
        takes: kinds of its arguments, with blanks between; see `TAKES`.
        template: SQL with ``{0}``, ``{1}``, ``{kept}`` for the storage type of the result,
            ``{over}`` for the window.
        result: HANA's type, or a function of the arguments.
    """
    kinds = takes.split()

    def build(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
        written = [TAKES[kind](convert, each) for kind, each in zip(kinds, arguments, strict=True)]
        hana_type = result if isinstance(result, HanaType) else result(arguments)
        return Typed(template.format(*written, kept=hana_type.kept_in, over=OVER), hana_type)

    return build


def like(place: int) -> Callable[[Arguments], HanaType]:
    """Return the rule "the type of that argument"."""
    return lambda arguments: type_of(arguments[place])


def day_like(place: int) -> Callable[[Arguments], HanaType]:
    """Return the rule "the type of that day"."""

    def rule(arguments: Arguments) -> HanaType:
        own = arguments[place].type
        return own if own is not None and own.is_day else TIMESTAMP

    return rule


def number_like(place: int) -> Callable[[Arguments], HanaType]:
    """Return the rule "the type of that number"."""

    def rule(arguments: Arguments) -> HanaType:
        own = arguments[place].type
        return own if own is not None and own.is_number else FLOATING

    return rule


def literal_text(call: tree.Call, place: int) -> str:
    """Return an argument that has to be a text written out."""
    node = call.arguments[place]
    if not isinstance(node, tree.Text):
        raise not_simulated(f"{call.name} with a pattern that is not written out")
    return node.value


def literal_whole(call: tree.Call, place: int) -> int:
    """Return an argument that has to be a whole number written out."""
    node = call.arguments[place]
    sign = 1
    if isinstance(node, tree.Sign):
        sign, node = (-1 if node.sign == "-" else 1), node.operand
    if not isinstance(node, tree.Number) or not node.text.isdigit():
        raise not_simulated(f"{call.name} with a number of digits that is not written out")
    return sign * int(node.text)


def unknown_function(name: str, where: str) -> HanaError:
    """Refusal of an unknown function name."""
    return HanaError(328, f"invalid name of function or procedure: {name}: {where}")
