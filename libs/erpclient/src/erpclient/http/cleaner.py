"""Removes hidden properties and the ERP's own addresses from replies, without I/O."""

import re
from functools import cache
from typing import Final

import msgspec
from attrs import frozen
from msgspec import Raw

from erpclient.errors import ErpReplyUnreadable

VERSION: Final = "DataVersion"
"""The property from which entity tags are computed (seen live on Service Layer 1000340)."""

MAX_DEPTH: Final = 64
"""Maximum nesting for removals; the ERP's own replies have four levels."""

ETAG: Final = "odata.etag"
_ETAG_V2: Final = "@odata.etag"
# The only escape that can hide a name: others do not encode letters, digits or underscores.
_ESCAPE: Final = re.compile(rb"\\u")

_URL_ANNOTATIONS: Final = frozenset(
    {"context", "metadata", "id"}
    | {f"{kind}Link" for kind in ("next", "delta", "edit", "read", "navigation", "association")}
    | {f"{kind}LinkUrl" for kind in ("navigation", "association")}
)

_object_decoder: Final = msgspec.json.Decoder(dict[str, Raw])
array_decoder: Final = msgspec.json.Decoder(list[Raw])
_value_decoder: Final = msgspec.json.Decoder(Raw)
_rows_decoder: Final = msgspec.json.Decoder(list[dict[str, Raw]])
encode_json: Final = msgspec.json.Encoder().encode


@frozen
class Cleaner:
    """Properties to remove from a reply, besides the ERP's own addresses (next links, metadata URLs).

    Attributes:
        hidden: ASCII property names in lower case, removed at every depth in any letter case.
        added_version: whether ``DataVersion`` was added to the caller's selection.
        true_tags: whether the entity tags of this reply are correct; otherwise they are removed. With a
            ``$select`` without ``DataVersion`` the Service Layer returns the tag of version 1 for any version
            (seen live on Service Layer 1000340).
    """

    hidden: frozenset[str] = frozenset()
    added_version: bool = False
    true_tags: bool = True

    def rows(self, raw: bytes) -> bytes:
        """Clean a JSON array of records. The same bytes come back if nothing changes."""
        concerned = self._may_concern(raw)
        if not (concerned or self.added_version or (not self.true_tags and b"odata.etag" in raw)):
            return raw
        return encode_json(self._records(_rows_decoder.decode(raw), raw, concerned))

    def record(self, raw: bytes) -> dict[str, Raw]:
        """Clean a JSON object and return its properties in order."""
        (record,) = self._records([_object_decoder.decode(raw)], raw, self._may_concern(raw))
        return record

    def value(self, raw: bytes) -> bytes:
        """Clean a JSON value of any kind, an object as :meth:`record` does."""
        if raw[:1] == b"{":
            return encode_json(self.record(raw))
        return bytes(self._value(_value_decoder.decode(raw), MAX_DEPTH))

    def _records(self, records: list[dict[str, Raw]], raw: bytes, concerned: bool) -> list[dict[str, Raw]]:
        if concerned:
            annotations = sum(["odata." in name for record in records for name in record])
            nested = self._mentions_hidden(raw) or raw.count(b"odata.") != annotations
            records = [self._fields(record, MAX_DEPTH if nested else 0) for record in records]
        for record in records:
            if self.added_version:
                record.pop(VERSION, None)
            if not self.true_tags:
                record.pop(ETAG, None)
        return records

    def _fields(self, fields: dict[str, Raw], depth: int) -> dict[str, Raw]:
        """Clean an object. At depth 0 its values stay unchanged."""
        cleaned = {}
        for name, value in fields.items():
            if (self.hidden and name.lower() in self.hidden) or ("odata." in name and _is_address(name)):
                continue
            cleaned[ETAG if name == _ETAG_V2 else name] = self._value(value, depth) if depth else value
        return cleaned

    def _value(self, value: Raw, depth: int) -> Raw:
        raw = bytes(value)
        opening = raw[:1]
        if opening not in (b"{", b"[") or not self._may_concern(raw):
            return value
        if depth == 1:
            raise ErpReplyUnreadable("nested too deeply")
        if opening == b"[":
            return Raw(encode_json([self._value(item, depth - 1) for item in array_decoder.decode(raw)]))
        return Raw(encode_json(self._fields(_object_decoder.decode(raw), depth - 1)))

    def _may_concern(self, raw: bytes) -> bool:
        untagged = b"".join(raw.rsplit(b'"odata.etag"'))  # Nearly every row has one that may stay.
        return _contains(untagged, b"odata.") or self._mentions_hidden(raw)

    def _mentions_hidden(self, raw: bytes) -> bool:
        if not self.hidden:
            return False
        if _ESCAPE.search(raw) is not None:
            return True
        folded = raw.lower()
        return any(_contains(folded, name) for name in _shortest_names(self.hidden))


def _contains(raw: bytes, name: bytes) -> bool:
    return raw.rfind(name) >= 0


@cache
def _shortest_names(hidden: frozenset[str]) -> tuple[bytes, ...]:
    """Return the hidden names that contain no other hidden name. If the reply contains none of these, it
    contains no hidden name at all.
    """
    return tuple(name.encode() for name in sorted(hidden) if not any(o != name and o in name for o in hidden))


def _is_address(name: str) -> bool:
    owner, _, kind = name.rpartition("odata.")
    return owner[-1:] in ("", "@") and kind in _URL_ANNOTATIONS
