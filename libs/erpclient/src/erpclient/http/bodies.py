"""Answer bodies, no I/O: what the client reads of them and what it takes out.

Only the envelope is parsed. Values stay the bytes the ERP sent (``msgspec.Raw``), so every digit stays too,
and rows in which nothing has to change are not parsed at all.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Final, TypeVar

import msgspec
from attrs import frozen
from msgspec import Raw

from erpclient.errors import ErpReplyUnreadable
from erpclient.http.half_characters import with_whole_characters
from erpclient.http.replies import ErpList, ErpRecord, ErpRows

VERSION: Final = "DataVersion"
"""The property an entity tag is computed from (seen live on Service Layer 1000340)."""

MAX_DEPTH: Final = 64
"""Deepest nesting in which something is taken out; the ERP's own answers have four levels."""

_ETAG: Final = "odata.etag"
_ETAG_V2: Final = "@odata.etag"
_TAG_FORM: Final = re.compile(r'W/"[\x21\x23-\x7e]{1,128}"')
_ESCAPE: Final = re.compile(rb"\\u")
"""The escape behind which a name could hide: no other stands for a letter, a digit or an underscore."""
_COUNT_FORM: Final = re.compile(r"[0-9]{1,18}")
_TOO_MANY: Final = 10**18
_URL_ANNOTATIONS: Final = frozenset(
    {"context", "metadata", "id"}
    | {f"{kind}Link" for kind in ("next", "delta", "edit", "read", "navigation", "association")}
    | {f"{kind}LinkUrl" for kind in ("navigation", "association")}
)


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
_object_decoder: Final = msgspec.json.Decoder(dict[str, Raw])
_array_decoder: Final = msgspec.json.Decoder(list[Raw])
_value_decoder: Final = msgspec.json.Decoder(Raw)
_rows_decoder: Final = msgspec.json.Decoder(list[dict[str, Raw]])
_encode: Final = msgspec.json.Encoder().encode

_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_T = TypeVar("_T")


@frozen
class Cleaner:
    """What to take out of an answer, besides the ERP's own addresses (next links, metadata URLs).

    Attributes:
        hidden: ASCII property names in lower case, taken out at every depth whatever their letter case.
        added_version: whether ``DataVersion`` was asked for without the caller's wish.
        true_tags: whether the entity tags in this answer can be trusted; if not, they are taken out.
            With a ``$select`` that lacks ``DataVersion`` the Service Layer answers the tag of version 1,
            whatever the version (seen live on Service Layer 1000340).
    """

    hidden: frozenset[str] = frozenset()
    added_version: bool = False
    true_tags: bool = True

    def rows(self, raw: bytes) -> bytes:
        """Clean a JSON array of records; the same bytes come back when nothing has to change."""
        concerned = self._may_concern(raw)
        if not (concerned or self.added_version or (not self.true_tags and b"odata.etag" in raw)):
            return raw
        return _encode(self._records(_rows_decoder.decode(raw), raw, concerned))

    def record(self, raw: bytes) -> dict[str, Raw]:
        """Clean a JSON object and leave it open: its properties in their order."""
        (record,) = self._records([_object_decoder.decode(raw)], raw, self._may_concern(raw))
        return record

    def value(self, raw: bytes) -> bytes:
        """Clean a JSON value of any kind, an object as :meth:`record` does."""
        if raw[:1] == b"{":
            return _encode(self.record(raw))
        return bytes(self._value(_value_decoder.decode(raw), MAX_DEPTH))

    def _records(self, records: list[dict[str, Raw]], raw: bytes, concerned: bool) -> list[dict[str, Raw]]:
        if concerned:
            annotations = sum("odata." in name for record in records for name in record)
            nested = self._mentions_hidden(raw) or raw.count(b"odata.") != annotations
            records = [self._fields(record, MAX_DEPTH if nested else 0) for record in records]
        for record in records:
            if self.added_version:
                record.pop(VERSION, None)
            if not self.true_tags:
                record.pop(_ETAG, None)
        return records

    def _fields(self, fields: dict[str, Raw], depth: int) -> dict[str, Raw]:
        """Clean an object; with a depth of 0 its values are left alone."""
        cleaned = {}
        for name, value in fields.items():
            if (self.hidden and name.lower() in self.hidden) or ("odata." in name and _is_address(name)):
                continue
            cleaned[_ETAG if name == _ETAG_V2 else name] = self._value(value, depth) if depth else value
        return cleaned

    def _value(self, value: Raw, depth: int) -> Raw:
        raw = bytes(value)
        opening = raw[:1]
        if opening not in (b"{", b"[") or not self._may_concern(raw):
            return value
        if depth == 1:
            raise ErpReplyUnreadable("nested too deeply")
        if opening == b"[":
            return Raw(_encode([self._value(item, depth - 1) for item in _array_decoder.decode(raw)]))
        return Raw(_encode(self._fields(_object_decoder.decode(raw), depth - 1)))

    def _may_concern(self, raw: bytes) -> bool:
        """Tell whether something may have to change; a false alarm costs time and nothing else."""
        untagged = b"".join(raw.rsplit(b'"odata.etag"'))  # nearly every row has one, and it may stay
        return _holds(untagged, b"odata.") or self._mentions_hidden(raw)

    def _mentions_hidden(self, raw: bytes) -> bool:
        if not self.hidden:
            return False
        if _ESCAPE.search(raw) is not None:
            return True
        folded = raw.lower()
        return any(_holds(folded, name) for name in _telling(self.hidden))


def _holds(raw: bytes, name: bytes) -> bool:
    """Tell whether a name is there, from the end: that finds out twice as fast that it is not."""
    return raw.rfind(name) >= 0


@cache
def _telling(hidden: frozenset[str]) -> tuple[bytes, ...]:
    """Return the hidden names that contain no other one: where none of these is, none of all is."""
    return tuple(name.encode() for name in sorted(hidden) if not any(o != name and o in name for o in hidden))


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
    return _parsed(lambda text: _encode(cleaner.record(text)), body) if body else b""


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
    with suppress(*_UNREADABLE):
        return parse(_decodable(raw))
    whole = with_whole_characters(raw)
    if whole is not raw:
        with suppress(*_UNREADABLE):
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
    records = _array_decoder.decode(rows)
    return rows if len(records) <= most else _encode(records[:most])


def _page(envelope: _PageEnvelope) -> ErpRows:
    rows = bytes(envelope.value)
    if rows[:1] != b"[":
        raise ErpReplyUnreadable("a page without rows")
    return ErpRows(rows, more=bool(envelope.next_v1 or envelope.next_v2))


def _record(body: bytes, header_tag: str | None, cleaner: Cleaner, location: str | None) -> ErpRecord:
    fields = cleaner.record(body)
    tag: object = None
    if cleaner.true_tags:
        tag = msgspec.json.decode(fields[_ETAG]) if _ETAG in fields else header_tag
    # The tag will stand in a header again: one of an odd form counts as none.
    etag = tag if isinstance(tag, str) and _TAG_FORM.fullmatch(tag) else None
    return ErpRecord(_encode(fields), etag, location)


def _is_address(name: str) -> bool:
    owner, _, kind = name.rpartition("odata.")
    return owner[-1:] in ("", "@") and kind in _URL_ANNOTATIONS
