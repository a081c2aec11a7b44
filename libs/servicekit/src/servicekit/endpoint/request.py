"""Reading a request: path, query, and whether the client is still there."""

import asyncio
import re
from collections.abc import Coroutine, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

from starlette.requests import ClientDisconnect, Request
from starlette.types import Scope

from servicekit.endpoint.declare import Endpoint
from servicekit.errors import FieldProblem, InvalidPath, InvalidQuery

T = TypeVar("T")

_KEY: Final = "servicekit.match"
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class Match(NamedTuple):
    """What routing found: the endpoint, the still encoded segments, where its parameters stand in them."""

    endpoint: Endpoint
    segments: list[str]
    positions: Mapping[str, int]
    body_timeout_s: float


def set_match(scope: Scope, match: Match) -> None:
    """Bind routing's result to the request's scope."""
    scope[_KEY] = match


def match_of(request: Request) -> Match:
    """Return routing's result for this request."""
    match: Match = request.scope[_KEY]
    return match


def _decode(text: str) -> str:
    """Decode percent escapes once.

    Raises:
        ValueError: A malformed escape, bytes that are not UTF-8, or a control character.
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
        InvalidPath: Malformed escapes, not UTF-8, or a control character.
        KeyError: The endpoint's template has no such parameter.
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
        InvalidQuery: An undeclared, repeated or missing name, malformed escapes or a control character;
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


async def client_gone(request: Request) -> None:
    """Return when the client has closed the connection; for handlers that have read the body or take none."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what work returns that nobody else needs, and cancel it when the client closes the connection.

    For handlers that have read the body or take none, of requests that change nothing.

    Raises:
        ClientDisconnect: The client has.
    """
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(client_gone(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)
        del task  # whose error refers to this frame, and to all that the work held
