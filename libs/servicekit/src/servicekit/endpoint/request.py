"""Reading a request: path, query, and whether the client is still there."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote_to_bytes

from starlette.requests import Request

from servicekit.endpoint.match import match_of
from servicekit.errors import FieldProblem, InvalidPath, InvalidQuery

_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def _decode(text: str) -> str:
    """Decode percent escapes once.

    Raises:
        ValueError: a malformed escape, bytes that are not UTF-8, or a control character.
    """
    if "%" not in text and text.isascii() and text.isprintable():
        return text  # nearly always
    if _BROKEN_ESCAPE.search(text):
        raise ValueError("malformed escape")
    decoded = unquote_to_bytes(text).decode("utf-8")
    if _CONTROL.search(decoded):
        raise ValueError("control character")
    return decoded


def path_param(request: Request, name: str) -> str:
    """Return a path parameter, percent-decoded exactly once.

    Raises:
        InvalidPath: malformed escapes, not UTF-8, or a control character.
        KeyError: the endpoint's template has no such parameter.
    """
    match = match_of(request)
    try:
        return _decode(match.segments[match.positions[name]])
    except ValueError as exc:
        raise InvalidPath from exc


def path_texts(request: Request) -> list[str]:
    """Return all path parameters in their order, for a record of a request that is refused.

    A parameter that can't be decoded is returned as it was sent.
    """
    match = match_of(request)
    texts = []
    for position in sorted(match.positions.values()):
        text = match.segments[position]
        try:
            texts.append(_decode(text))
        except ValueError:
            texts.append(text)
    return texts


def read_query(request: Request) -> dict[str, str]:
    """Return the query parameters that the endpoint declares, decoded strictly; `+` stands for a blank.

    Raises:
        InvalidQuery: an undeclared, repeated or missing name, malformed escapes or a control character;
            `errors` names each.
    """
    values: dict[str, str] = {}
    problems = list(_read_query(request, values))
    if problems:
        raise InvalidQuery(errors=problems)
    return values


def _read_query(request: Request, values: dict[str, str]) -> Iterator[FieldProblem]:
    declared = {parameter.name: parameter for parameter in match_of(request).endpoint.query}
    for part in filter(None, request.scope["query_string"].decode("latin-1").split("&")):
        name, _, value = part.replace("+", " ").partition("=")
        try:
            name, value = _decode(name), _decode(value)
        except ValueError:
            yield FieldProblem("", "Un parámetro contiene caracteres no válidos.")
            continue
        if name not in declared:
            yield FieldProblem(name[:100], "Este parámetro no existe.")
        elif name in values:
            yield FieldProblem(name, "Este parámetro está repetido.")
        else:
            values[name] = value
    for name, parameter in declared.items():
        if parameter.required and name not in values:
            yield FieldProblem(name, "Falta este parámetro.")
