"""JSON as the Service Layer writes and reads it: three-space indents, ` : `, numbers digit for digit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring
from types import NoneType
from typing import Final, TypeAlias

from erpsim.company.errors import NotSimulatedError

JsonValue: TypeAlias = "str | int | bool | Decimal | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

_INDENT: Final = "   "


def render(value: JsonValue) -> bytes:
    """Write one value in the form of captured responses, with a newline at the end.

    Args:
        value: the value; a `Decimal` (`Edm.Double`) is written with all its digits.
    """
    out: list[str] = []
    _write(value, 0, out)
    out.append("\n")
    return "".join(out).encode()


def parse_object(body: bytes) -> dict[str, object]:
    """Read a request body: an object, with fractions as `Decimal`; an empty body is an empty object.

    Raises:
        SlError: 501 for anything but a JSON object: no source documents the real refusal.
    """
    if not body.strip():
        return {}
    try:
        value = json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant)
    except (ValueError, ArithmeticError, RecursionError):
        raise NotSimulatedError("the refusal of a body that is no JSON") from None
    if not isinstance(value, dict):
        raise NotSimulatedError("the refusal of a body that is no JSON object")
    return value


def number_text(value: Decimal) -> str:
    """Write a `Decimal` with all its digits, never with an exponent, and as a fraction (`2000.0`).

    Source of the `.0`: the sample answers of SAP manual 1.29, chapter on SQL queries.
    """
    text = str(value)
    if "E" in text:
        text = format(value, "f")
    return text if "." in text else text + ".0"


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _write(value: JsonValue, level: int, out: list[str]) -> None:
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        out.append(scalar(value))
    elif isinstance(value, Mapping):
        _write_object(value, level, out)
    elif isinstance(value, Sequence):
        _write_array(value, level, out)
    else:
        raise TypeError(f"no JSON value: {value!r}")


def _write_object(value: Mapping[str, JsonValue], level: int, out: list[str]) -> None:
    if not value:
        out.append("{}")
        return
    inner = level + 1
    labels, scalars, start = _labels(inner), _SCALARS, len(out)
    for name, item in value.items():
        scalar = scalars.get(type(item))
        if scalar is not None:
            out.append(labels[name] + scalar(item))
        else:
            out.append(labels[name])
            _write(item, inner, out)
    out[start] = "{" + out[start].removeprefix(",")
    out.append("\n" + _INDENT * level + "}")


def _write_array(value: Sequence[JsonValue], level: int, out: list[str]) -> None:
    if not value:
        out.append("[]")
        return
    opening = "[\n" + _INDENT * (level + 1)
    following = ",\n" + _INDENT * (level + 1)
    for item in value:
        out.append(opening)
        opening = following
        _write(item, level + 1, out)
    out.append("\n" + _INDENT * level + "]")


class _Labels(dict[str, str]):
    """Texts before a member's value at one level, including the preceding comma."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self._start = ",\n" + _INDENT * level

    def __missing__(self, name: str) -> str:
        label = self[name] = f"{self._start}{encode_basestring(name)} : "
        return label


@lru_cache
def _labels(level: int) -> _Labels:
    """Return the labels of a level, cached without limit: the names are those of the metadata, a few
    thousand.
    """
    return _Labels(level)


def _bool_text(value: object) -> str:
    return "true" if value else "false"


_SCALARS: Final[Mapping[type, Callable[..., str]]] = {
    str: encode_basestring,
    int: int.__repr__,
    Decimal: number_text,
    NoneType: lambda _: "null",
    bool: _bool_text,
}
