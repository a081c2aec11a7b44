"""Bodies of replies, read without I/O.

Only the envelope is parsed. Values stay the bytes the ERP sent (``msgspec.Raw``), so every digit stays too,
and rows in which nothing has to change are not parsed at all.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

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


_T = TypeVar("_T")


def read_list(body: bytes, cleaner: Cleaner, most: int | None = None) -> ErpList:
    """Read a page of records that was asked for with a count.

    Args:
        body: the answer's body.
        cleaner: what to take out.
        most: how many rows were asked for; what an ERP sends beyond them is left out.

    Raises:
        ErpReplyUnreadable: no JSON, no array of rows, or no count.
    """
    return _parsed(lambda text: _list(_list_decoder.decode(text), cleaner, most), body)


def read_page(body: bytes) -> ErpRows:
    """Read a page of what a stored query found.

    Raises:
        ErpReplyUnreadable: no JSON, or no array of rows.
    """
    return _parsed(lambda text: _page(_page_decoder.decode(text)), body)


def read_record(
    body: bytes, header_tag: str | None, cleaner: Cleaner, location: str | None = None
) -> ErpRecord:
    """Read one record.

    Args:
        body: the answer's body.
        header_tag: the answer's ``ETag`` header.
        cleaner: what to take out.
        location: where it is, if the answer says so.

    Raises:
        ErpReplyUnreadable: no JSON object.
    """
    return _parsed(lambda text: _record(text, header_tag, cleaner, location), body)


def read_only_record(body: bytes, header_tag: str | None, cleaner: Cleaner) -> ErpRecord | None:
    """Read the record of a list that can hold one at most; ``None`` when the list is empty.

    A list that was filtered by the key alone carries its tag in the header and not in the row
    (seen live on Service Layer 1000340).

    Raises:
        ErpReplyUnreadable: no JSON, or no array of objects.
    """
    rows = _parsed(lambda text: _rows_envelope_decoder.decode(text).value, body)
    return read_record(bytes(rows[0]), header_tag, cleaner) if rows else None


def read_object(body: bytes, cleaner: Cleaner) -> bytes:
    """Read the object that a write answered; no body stays none.

    Raises:
        ErpReplyUnreadable: no JSON object.
    """
    return _parsed(lambda text: encode_json(cleaner.record(text)), body) if body else b""


def read_value(body: bytes, cleaner: Cleaner) -> bytes:
    """Read what an action answered; no body stays none.

    Most answer an object. Clients of real installations also read a rate or a currency that is the whole
    answer, in no ``value`` (their code takes both forms).

    Raises:
        ErpReplyUnreadable: no JSON.
    """
    return _parsed(lambda text: cleaner.value(text.strip()), body) if body else b""


def _parsed(parse: Callable[[bytes], _T], raw: bytes) -> _T:
    """Read a body; one that can't be read once more, with a replacement for halves of characters."""
    # Raised behind the handlers, so that it has no error as its context: a decoder's holds the whole body.
    with suppress(*DECODE_ERRORS):
        return parse(_decodable(raw))
    whole = with_whole_characters(raw)
    if whole is not raw:
        with suppress(*DECODE_ERRORS):
            return parse(_decodable(whole))
    raise ErpReplyUnreadable("not the JSON that was expected")


def _decodable(raw: bytes) -> bytes:
    if not raw.isascii():
        raw.decode()  # values that pass unparsed are not checked by the parser
    return raw


def _list(envelope: _ListEnvelope, cleaner: Cleaner, most: int | None) -> ErpList:
    rows = bytes(envelope.value)
    if rows[:1] != b"[":
        raise ErpReplyUnreadable("a list without rows")
    count = envelope.count_v1 if envelope.count_v1 is not None else envelope.count_v2
    if isinstance(count, str) and _COUNT_FORM.fullmatch(count):
        count = int(count)
    if not isinstance(count, int) or not 0 <= count < _TOO_MANY:
        raise ErpReplyUnreadable("a list without a count")
    return ErpList(cleaner.rows(rows if most is None else _first(rows, most)), count)


def _first(rows: bytes, most: int) -> bytes:
    """Cut an array of objects to its first ones; the same bytes come back when there are no more."""
    # As `count(b"{")`, which looks at each byte; this goes from brace to brace.
    if len(rows) - len(rows.replace(b"{", b"")) <= most:
        return rows
    records = array_decoder.decode(rows)
    return rows if len(records) <= most else encode_json(records[:most])


def _page(envelope: _PageEnvelope) -> ErpRows:
    rows = bytes(envelope.value)
    if rows[:1] != b"[":
        raise ErpReplyUnreadable("a page without rows")
    return ErpRows(rows, more=bool(envelope.next_v1 or envelope.next_v2))


def _record(body: bytes, header_tag: str | None, cleaner: Cleaner, location: str | None) -> ErpRecord:
    fields = cleaner.record(body)
    tag: object = None
    if cleaner.true_tags:
        tag = msgspec.json.decode(fields[ETAG]) if ETAG in fields else header_tag
    # The tag will stand in a header again: one of an odd form counts as none.
    etag = tag if isinstance(tag, str) and _TAG_FORM.fullmatch(tag) else None
    return ErpRecord(encode_json(fields), etag, location)
