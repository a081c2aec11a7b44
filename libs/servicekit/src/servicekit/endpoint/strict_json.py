"""Strict JSON texts."""

import json
from decimal import Decimal
from typing import Any, Final, Never

from servicekit.errors import MalformedJson

MAX_DEPTH: Final = 64


class _JsonFaultError(ValueError):
    """Fault of a JSON text, as the end of a Spanish sentence."""


def parse_json(body: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Parse strict JSON. Numbers with a fraction or exponent become `Decimal` with all their digits.

    Raises:
        MalformedJson: not UTF-8, NaN or Infinity, a repeated key, half of a surrogate pair, an exponent that
            can't be read, or deeper than `max_depth`.
    """
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_without_repeated_keys,
            parse_constant=_refuse_constant,
            parse_float=Decimal,
        )
        # Both checks walk the whole value, so they only run if the bytes require it.
        if body.count(b"{") + body.count(b"[") > max_depth or b"\\u" in body:
            _check(value, max_depth)
    except _JsonFaultError as fault:
        raise MalformedJson(f"El cuerpo de la solicitud no es JSON válido: {fault}.") from fault
    except json.JSONDecodeError as exc:
        raise MalformedJson(
            f"El cuerpo de la solicitud no es JSON válido (línea {exc.lineno}, columna {exc.colno})."
        ) from exc
    except UnicodeDecodeError as exc:
        raise MalformedJson("El cuerpo de la solicitud no es texto UTF-8 válido.") from exc
    except RecursionError as exc:
        raise MalformedJson("El cuerpo de la solicitud está anidado a demasiada profundidad.") from exc
    except ArithmeticError as exc:  # `Decimal` takes exponents of 18 digits
        raise MalformedJson(
            "El cuerpo de la solicitud no es JSON válido: un número tiene un exponente desmedido."
        ) from exc
    except ValueError as exc:  # an integer of thousands of digits
        raise MalformedJson from exc
    return value


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _JsonFaultError("hay una clave repetida")
    return value


def _refuse_constant(_name: str) -> Never:
    raise _JsonFaultError("NaN e Infinity no son números de JSON")


def _check(value: Any, max_depth: int) -> None:
    """Walk the value level by level: every text must be writable, and containers must end at some depth."""
    level = [value]
    for depth in range(max_depth + 1):
        for text in (item for item in level if isinstance(item, str)):
            _check_text(text)
        objects = [item for item in level if isinstance(item, dict)]
        for name in (name for item in objects for name in item):
            _check_text(name)
        containers = [
            *(item.values() for item in objects),
            *(item for item in level if isinstance(item, list)),
        ]
        if containers and depth == max_depth:
            raise _JsonFaultError("está anidado a demasiada profundidad")
        level = [child for container in containers for child in container]


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise _JsonFaultError("un texto contiene la mitad de un par sustituto") from exc
