"""Conversion functions: TO_..., CAST and ROUND."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.translation.function_rules import (
    Arguments,
    Build,
    Function,
    as_day,
    as_number,
    as_text,
    literal_text,
    literal_whole,
)
from erpsim.hana.translation.hana_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOATING,
    INTEGER,
    MOST_DIGITS,
    NCLOB,
    NVARCHAR,
    REAL,
    SECONDDATE,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TINYINT,
    HanaType,
    as_decimal_type,
    decimal,
    text,
)
from erpsim.hana.translation.moments import strftime_pattern
from erpsim.hana.translation.typed import Conversions, Typed, quoted_text, type_of

_DIGITS: Final = "format('{{:.15g}}', {0})"
_PLAIN: Final[Mapping[str, HanaType]] = {
    "DATE": DATE,
    "TIME": TIME,
    "SECONDDATE": SECONDDATE,
    "TIMESTAMP": TIMESTAMP,
    "TINYINT": TINYINT,
    "SMALLINT": SMALLINT,
    "INTEGER": INTEGER,
    "INT": INTEGER,
    "BIGINT": BIGINT,
    "REAL": REAL,
    "DOUBLE": DOUBLE,
    "BOOLEAN": BOOLEAN,
    "NCLOB": NCLOB,
}
_DIGITS_AND_SCALE: Final = 2
_TEXTS: Final = frozenset({"VARCHAR", "NVARCHAR"})
_DECIMALS: Final = frozenset({"DECIMAL", "DEC"})


def plain_digits(value: Typed, sql: str) -> str:
    """Format a binary floating-point number with its 15 reliable digits."""
    return _DIGITS.format(sql) if type_of(value).kept_in in {"DOUBLE", "FLOAT"} else f"CAST({sql} AS VARCHAR)"


def converted(convert: Conversions, value: Typed, target: HanaType) -> Typed:
    """Convert as CAST and TO_... do: decimals are truncated, not rounded.

    Raises:
        HanaError: 266, 303, 339, 7.
    """
    own = value.type
    if own is None or target.is_long_text:
        return Typed(convert.to(value, target), target)
    if target.is_integer:
        return _to_integer(convert, value, target)
    if target.is_fixed:
        return _to_decimal(convert, value, target)
    if target.is_text:
        return _to_text(convert, value, target)
    return Typed(convert.to(value, target), target)


def _to_integer(convert: Conversions, value: Typed, target: HanaType) -> Typed:
    own = type_of(value)
    if own.is_text:
        return Typed(f"CAST(h_whole({value.sql}) AS {target.kept_in})", target)
    sql = convert.to(value, own if own.is_number else target)
    if own.is_integer:
        return Typed(f"CAST({sql} AS {target.kept_in})", target)
    if not own.is_fixed:
        sql = f"CAST({plain_digits(value, sql)} AS DECIMAL(38,12))"
    return Typed(f"CAST(trunc({sql}) AS {target.kept_in})", target)


def _to_decimal(convert: Conversions, value: Typed, target: HanaType) -> Typed:
    own = type_of(value)
    if own.is_integer or (own.is_fixed and own.scale <= target.scale):
        return Typed(f"CAST({value.sql} AS {target.kept_in})", target)
    if own.is_text:
        exact = f"CAST(h_number({value.sql}) AS DECIMAL(38,12))"
    elif own.is_fixed:
        exact = value.sql
    else:
        written = plain_digits(value, convert.to(value, own if own.is_number else target))
        exact = f"CAST({written} AS DECIMAL(38,12))"
    pattern, by = (f"(\\.\\d{{{target.scale}}}).*$", "\\1") if target.scale else ("\\..*$", "")
    cut = f"regexp_replace(CAST({exact} AS VARCHAR), '{pattern}', '{by}')"
    return Typed(f"CAST({cut} AS {target.kept_in})", target)


def _to_text(convert: Conversions, value: Typed, target: HanaType) -> Typed:
    own = type_of(value)
    if own.is_floating_decimal or own.is_binary_float:
        raise not_simulated(f"{own.name} as a text")
    sql = convert.to_text(value)
    is_longer = not (own.is_text and own.length <= target.length)
    return Typed(f"left({sql}, {target.length})" if is_longer else sql, target)


def named_type(name: tree.TypeName) -> HanaType:
    """Return the type that a CAST names.

    Raises:
        HanaError: 7.
    """
    if name.name in _PLAIN and not name.sizes:
        return _PLAIN[name.name]
    if name.name in _TEXTS and len(name.sizes) == 1:
        return text(name.sizes[0])
    if name.name in _DECIMALS and not name.sizes:
        return FLOATING
    if name.name in _DECIMALS and len(name.sizes) <= _DIGITS_AND_SCALE and _fits(*name.sizes):
        return decimal(name.sizes[0], name.sizes[1] if len(name.sizes) > 1 else 0)
    raise not_simulated(f"the type {name.name}{name.sizes or ''}")


def _fits(digits: int, scale: int = 0) -> bool:
    return 0 < digits <= MOST_DIGITS and scale <= digits


def _to(target: HanaType) -> Build:
    return lambda convert, arguments, _: converted(convert, arguments[0], target)


def _formatted(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    own = arguments[0].type
    if own is None or not own.is_day:
        raise not_simulated(f"{call.name} with a pattern for anything but a day")
    pattern = strftime_pattern(literal_text(call, 1))
    return Typed(f"strftime({as_day(convert, arguments[0])}, {quoted_text(pattern)})", text(len(pattern) * 2))


def _read_by(target: HanaType) -> Build:
    def build(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
        pattern = quoted_text(strftime_pattern(literal_text(call, 1)))
        sql = f"h_read_by({as_text(convert, arguments[0])}, {pattern})"
        return Typed(f"CAST({sql} AS {target.kept_in})", target)

    return build


def _decimal_of(_: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    digits = literal_whole(call, 1)
    scale = literal_whole(call, 2) if len(arguments) > _DIGITS_AND_SCALE else 0
    if not _fits(digits, scale) or scale < 0:
        raise not_simulated(f"{call.name} with {digits} digits and {scale} decimals")
    return converted(_, arguments[0], decimal(digits, scale))


def _decimal_without_scale(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
    own = arguments[0].type
    if own is not None and (own.is_integer or own.is_fixed):
        return Typed(arguments[0].sql, as_decimal_type(own))
    return Typed(convert.to(arguments[0], FLOATING), FLOATING)


def _rounded(convert: Conversions, arguments: Arguments, call: tree.Call) -> Typed:
    """ROUND: half away from zero; the type stays."""
    sql = as_number(convert, arguments[0])
    own = arguments[0].type if arguments[0].type is not None and arguments[0].type.is_number else FLOATING
    places = literal_whole(call, 1) if len(arguments) > 1 else 0
    if own.is_integer or own.is_fixed:
        return Typed(f"CAST(round({sql}, {places}) AS {own.kept_in})", own)
    if own.is_binary_float:
        return Typed(f"round({sql}, {places})", own)
    decimals = min(max(places, 0), 15)
    exact = f"CAST({_DIGITS.format(sql)} AS DECIMAL(38,{decimals}))"
    if places < 0:
        exact = f"round(CAST({_DIGITS.format(sql)} AS DECIMAL(38,12)), {places})"
    return Typed(f"CAST({exact} AS DOUBLE)", FLOATING)


def _whole_up_or_down(name: str) -> Build:
    def build(convert: Conversions, arguments: Arguments, _: tree.Call) -> Typed:
        sql = as_number(convert, arguments[0])
        own = arguments[0].type if arguments[0].type is not None and arguments[0].type.is_number else FLOATING
        if own.is_integer:
            return Typed(sql, own)
        if own.is_fixed:
            return Typed(f"CAST({name}({sql}) AS DECIMAL({own.length},0))", decimal(own.length, 0))
        exact = f"CAST({_DIGITS.format(sql)} AS DOUBLE)" if own.is_floating_decimal else sql
        return Typed(f"{name}({exact})", own)

    return build


def _named(names: str, build: Build) -> dict[str, Build]:
    return dict.fromkeys(names.split(), build)


_ONE: Final[Mapping[str, Build]] = {
    "TO_DATE": _to(DATE),
    "TO_TIME": _to(TIME),
    "TO_SECONDDATE": _to(SECONDDATE),
    "TO_TIMESTAMP": _to(TIMESTAMP),
    "TO_TINYINT": _to(TINYINT),
    "TO_SMALLINT": _to(SMALLINT),
    "TO_BIGINT": _to(BIGINT),
    "TO_DOUBLE": _to(DOUBLE),
    "TO_REAL": _to(REAL),
    "TO_NCLOB": _to(NCLOB),
    "TO_DECIMAL": _decimal_without_scale,
    "ROUND": _rounded,
    "FLOOR": _whole_up_or_down("floor"),
    **_named("CEIL CEILING", _whole_up_or_down("ceil")),
    **_named("TO_INT TO_INTEGER", _to(INTEGER)),
    **_named("TO_VARCHAR TO_NVARCHAR TO_CHAR TO_NCHAR", _to(NVARCHAR)),
}
_TWO: Final[Mapping[str, Build]] = {
    "TO_DATE": _read_by(DATE),
    "TO_TIMESTAMP": _read_by(TIMESTAMP),
    "TO_SECONDDATE": _read_by(SECONDDATE),
    "TO_DECIMAL": _decimal_of,
    "ROUND": _rounded,
    **_named("TO_VARCHAR TO_NVARCHAR TO_CHAR TO_NCHAR", _formatted),
}

CONVERSION_FUNCTIONS: Final[Mapping[tuple[str, int], Function]] = {
    **{(name, 1): Function(build) for name, build in _ONE.items()},
    **{(name, 2): Function(build) for name, build in _TWO.items()},
    ("TO_DECIMAL", 3): Function(_decimal_of),
}
"""By name and number of arguments."""
