"""Reads bodies of replies, without I/O.

Only the envelope is parsed. Values stay the bytes that the ERP sent (``msgspec.Raw``), so every digit is
preserved, and unchanged rows are not parsed at all.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Concatenate, Final, ParamSpec, TypeVar

import msgspec
from msgspec import Raw

from erpclient.errors import ErpReplyUnreadable
from erpclient.http.cleaner import ETAG, Cleaner, array_decoder, encode_json
from erpclient.http.decoding import DECODE_ERRORS
from erpclient.http.half_characters import with_whole_characters
from erpclient.http.replies import ErpList, ErpRecord, ErpRows

_TAG_FORM: Final = re.compile(r'W/"[\x21\x23-\x7e]{1,128}"')
_COUNT_FORM: Final = re.compile(r"[0-9]{1,18}")
_TOO_MANY: Final = 10**18


_P = ParamSpec("_P")
_T = TypeVar("_T")


class _ListEnvelope(msgspec.Struct, rename={"count_v1": "odata.count", "count_v2": "@odata.count"}):
    value: Raw
    count_v1: int | str | None = None  # v1 sends the number as text (SAP manual 1.22 section 3.7.7.7)
    count_v2: int | str | None = None


class _PageEnvelope(msgspec.Struct, rename={"next_v1": "odata.nextLink", "next_v2": "@odata.nextLink"}):
    value: Raw
    next_v1: str | None = None
    next_v2: str | None = None


class _RowsEnvelope(msgspec.Struct):
    value: list[Raw]


_list_decoder: Final = msgspec.json.Decoder(_ListEnvelope)
_page_decoder: Final = msgspec.json.Decoder(_PageEnvelope)
_rows_envelope_decoder: Final = msgspec.json.Decoder(_RowsEnvelope)


def read_list(body: bytes, cleaner: Cleaner, max_rows: int | None = None) -> ErpList:
    """Read a page of records with its count.

    Args:
        body: body of the reply.
        cleaner: removes properties.
        max_rows: number of requested rows; further ones are dropped.

    Raises:
        ErpReplyUnreadable: no JSON, no array of rows, or no count.
    """
    return _parse(_parse_list, body, cleaner, max_rows)


def read_page(body: bytes) -> ErpRows:
    """Read a page of a stored query's result.

    Raises:
        ErpReplyUnreadable: no JSON, or no array of rows.
    """
    return _parse(_parse_page, body)


def read_record(
    body: bytes, header_tag: str | None, cleaner: Cleaner, location: str | None = None
) -> ErpRecord:
    """Read one record.

    Args:
        body: body of the reply.
        header_tag: its ``ETag`` header.
        cleaner: removes properties.
        location: path of the record, if the reply contains one.

    Raises:
        ErpReplyUnreadable: not a JSON object.
    """
    return _parse(_parse_record, body, header_tag, cleaner, location)


def read_only_record(body: bytes, header_tag: str | None, cleaner: Cleaner) -> ErpRecord | None:
    """Read the record of a list with at most one, ``None`` if the list is empty.

    A list filtered by the key alone has its tag in the header and not in the row (seen live on Service Layer
    1000340).

    Raises:
        ErpReplyUnreadable: no JSON, or no array of objects.
    """
    rows = _parse(_rows_envelope_decoder.decode, body).value
    return read_record(bytes(rows[0]), header_tag, cleaner) if rows else None


def read_object(body: bytes, cleaner: Cleaner) -> bytes:
    """Read the object in the reply to a write; an empty body stays empty.

    Raises:
        ErpReplyUnreadable: no JSON object.
    """
    return _parse(_parse_object, body, cleaner) if body else b""


def read_value(body: bytes, cleaner: Cleaner) -> bytes:
    """Read the value in the reply to an action; an empty body stays empty.

    Most actions return an object. On some real installations a rate or a currency is the whole reply, without
    ``value`` (clients' code accepts both forms).

    Raises:
        ErpReplyUnreadable: no JSON.
    """
    return _parse(_parse_value, body, cleaner) if body else b""


def _parse(
    parse: Callable[Concatenate[bytes, _P], _T], raw: bytes, *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    # Raise outside the handlers: otherwise the decoder's error, which holds the whole body, becomes the
    # context.
    with suppress(*DECODE_ERRORS):
        return parse(_decodable(raw), *args, **kwargs)
    complete = with_whole_characters(raw)
    if complete is not raw:
        with suppress(*DECODE_ERRORS):
            return parse(_decodable(complete), *args, **kwargs)
    raise ErpReplyUnreadable("not the JSON that was expected")


def _decodable(raw: bytes) -> bytes:
    if not raw.isascii():
        raw.decode()  # values that pass unparsed are not checked by the parser
    return raw


def _parse_list(body: bytes, cleaner: Cleaner, max_rows: int | None) -> ErpList:
    envelope = _list_decoder.decode(body)
    rows = bytes(envelope.value)
    if rows[:1] != b"[":
        raise ErpReplyUnreadable("a list without rows")
    count = envelope.count_v1 if envelope.count_v1 is not None else envelope.count_v2
    if isinstance(count, str) and _COUNT_FORM.fullmatch(count):
        count = int(count)
    if not isinstance(count, int) or not 0 <= count < _TOO_MANY:
        raise ErpReplyUnreadable("a list without a count")
    return ErpList(cleaner.rows(rows if max_rows is None else _first(rows, max_rows)), count)


def _first(rows: bytes, max_rows: int) -> bytes:
    # Same result as `count(b"{")`, but it jumps from brace to brace instead of testing each byte.
    if len(rows) - len(rows.replace(b"{", b"")) <= max_rows:
        return rows
    records = array_decoder.decode(rows)
    return rows if len(records) <= max_rows else encode_json(records[:max_rows])


def _parse_page(body: bytes) -> ErpRows:
    envelope = _page_decoder.decode(body)
    rows = bytes(envelope.value)
    if rows[:1] != b"[":
        raise ErpReplyUnreadable("a page without rows")
    return ErpRows(rows, more=bool(envelope.next_v1 or envelope.next_v2))


def _parse_object(body: bytes, cleaner: Cleaner) -> bytes:
    return encode_json(cleaner.record(body))


def _parse_value(body: bytes, cleaner: Cleaner) -> bytes:
    return cleaner.value(body.strip())


def _parse_record(body: bytes, header_tag: str | None, cleaner: Cleaner, location: str | None) -> ErpRecord:
    fields = cleaner.record(body)
    tag: object = None
    if cleaner.true_tags:
        tag = msgspec.json.decode(fields[ETAG]) if ETAG in fields else header_tag
    # The tag is sent back in a header, so a malformed one counts as missing.
    etag = tag if isinstance(tag, str) and _TAG_FORM.fullmatch(tag) else None
    return ErpRecord(encode_json(fields), etag, location)
