"""Effects of alternative habits on requests and refusals: see `OtherHabit`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote_plus

import attrs

from erpsim.company.errors import SlError, bad_filter
from erpsim.company.exchange import Dialect
from erpsim.company.habits import OtherHabit
from erpsim.company.switches import Switches
from erpsim.service_layer.wire.messages import SlReply, SlRequest
from erpsim.service_layer.wire.wire_format import FORMATS, WireFormat

_LOST: Final = (401, 301)
_MISSING: Final = (404, -2028)
_NO_SET: Final = (400, 200)
_NO_NAME: Final = (400, -1000)
_NO_CONDITION_NAME: Final = (400, 201)
_NAME: Final = re.compile(r"Property '[^']*'")
_OWN_SHAPE: Final = 1000210
_JSON: Final = "application/json"
_INDENT: Final = re.compile(rb"^(?: {3})+", re.MULTILINE)
_ARRAY: Final = re.compile(rb"^(\t*)(.*\" : )\[$", re.MULTILINE)
_BATCH_STATUS: Final = {200: 202, 202: 200}
_WORDS: Final[Mapping[OtherHabit, re.Pattern[str]]] = {
    OtherHabit.CONDITIONS_WITHOUT_NOT: re.compile(r"[ (=]not[ (]"),
    OtherHabit.CONDITIONS_WITHOUT_NULL: re.compile(r" (?:eq|ne) null\b"),
    OtherHabit.NO_TYPED_DATES: re.compile(r"datetime'"),
}


def check_conditions(query: str, switches: Switches) -> None:
    """Refuse a condition outside an alternative grammar.

    Raises:
        SlError: 201.
    """
    text = unquote_plus(query)
    if any(switches.has(habit) and pattern.search(text) for habit, pattern in _WORDS.items()):
        raise bad_filter()


def alternative_wire(wire: WireFormat, switches: Switches) -> WireFormat:
    """Return a generation's wire format with the alternative habits."""
    if switches.has(OtherHabit.COUNT_OF_OTHER_KIND):
        wire = attrs.evolve(wire, count_as_text=not wire.count_as_text)
    if switches.has(OtherHabit.BATCH_STATUS_OF_OTHER):
        wire = attrs.evolve(wire, batch_status=_BATCH_STATUS[wire.batch_status])
    if switches.has(OtherHabit.NEXT_LINKS_OF_OTHER):
        wire = attrs.evolve(wire, rooted_next_link=not wire.rooted_next_link)
    return wire


def error_wire(request: SlRequest, switches: Switches) -> WireFormat:
    """Return the generation whose form a refusal has: before 10.00.210 v2 had that of v1 (b1sl-python)."""
    is_v2 = request.wire.dialect is Dialect.V2
    if switches.has(OtherHabit.ERRORS_OF_OTHER_SHAPE) or (is_v2 and int(switches.version) < _OWN_SHAPE):
        return FORMATS["/b1s/v1" if is_v2 else "/b1s/v2"]
    return request.wire


def alternative_body(reply: SlReply, switches: Switches) -> SlReply:
    """Return a response as written by builds that indent with tabs (recordings of 1000280 and 1000310)."""
    if not switches.has(OtherHabit.TABS) or not dict(reply.headers).get("Content-Type", "").startswith(_JSON):
        return reply
    body = _INDENT.sub(lambda spaces: b"\t" * (len(spaces[0]) // 3), reply.body)
    return attrs.evolve(reply, body=_ARRAY.sub(rb"\1\2\n\1[", body))


def alternative_refusal(error: SlError, switches: Switches) -> SlError:
    """Return a refusal with the alternative habits."""
    kind = (error.status, error.code)
    for habit, changes in _REFUSALS.items():
        if switches.has(habit) and kind in changes:
            return changes[kind](error)
    return error


def _with_status(status: HTTPStatus) -> Callable[[SlError], SlError]:
    return lambda error: SlError(status, error.code, error.text)


_REFUSALS: Final[Mapping[OtherHabit, Mapping[tuple[int, int], Callable[[SlError], SlError]]]] = {
    OtherHabit.LOST_SESSION_IS_403: {_LOST: _with_status(HTTPStatus.FORBIDDEN)},
    OtherHabit.MISSING_IS_400: {_MISSING: _with_status(HTTPStatus.BAD_REQUEST)},
    OtherHabit.UNKNOWN_SETS_ARE_404: {_NO_SET: _with_status(HTTPStatus.NOT_FOUND)},
    OtherHabit.UNKNOWN_NAMES_UNTOLD: {
        _NO_NAME: lambda error: SlError(error.status, error.code, _NAME.sub("Property", error.text))
    },
    OtherHabit.CONDITION_NAMES_LIKE_SELECTED: {
        _NO_CONDITION_NAME: lambda error: (
            SlError(error.status, -1000, error.text) if _NAME.match(error.text) else error
        )
    },
}
