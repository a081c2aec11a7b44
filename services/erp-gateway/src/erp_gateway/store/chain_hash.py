"""Chain of audit records: SHA-256 over each record and its predecessor, so that changes show. Pure values."""

import hashlib
import json
import re
from typing import Final

from attrs import frozen

START: Final = "0" * 64
"""Predecessor hash of the first record."""

MEMBERS: Final = (
    *("id", "at", "webUser", "ip", "action", "resource", "key"),
    *("result", "fields", "detail", "reason", "requestId"),
)
"""Members of a record that are hashed, named as in an export; `chain` itself is not among them."""

GROWING_MEMBER: Final = "attempts"
"""Member of `detail` that is not hashed, because it grows while a login block or a minute lasts."""

SQL_NAME: Final = "audit_link"
"""Name of `link` as an SQL function in the schema's scripts."""


@frozen
class ChainPosition:
    """A record's number and chain hash (64 hexadecimal digits); as text `1204:3f5c…`."""

    entry_id: int
    chain: str

    def as_text(self) -> str:
        """Return the text form of logs and commands."""
        return f"{self.entry_id}:{self.chain}"


_POSITION: Final = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})", re.ASCII)


def parse_position(text: str) -> ChainPosition | None:
    """Parse the text of `ChainPosition.as_text`; return None for any other text."""
    match = _POSITION.fullmatch(text)
    return None if match is None else ChainPosition(int(match[1]), match[2])


def link(previous: str, *row: object) -> str:
    """Return the chain hash of a record.

    It is the SHA-256, in hexadecimal digits, of the predecessor's hash, a line feed, and the record as JSON
    in UTF-8: members sorted by name, no spaces, and no escapes that JSON does not require.

    Args:
        previous: hash of the predecessor.
        row: values of the columns that `MEMBERS` names, in that order; `fields` and `detail` as stored JSON.

    Raises:
        ValueError: the number of values is wrong, or one of the two texts is not JSON.
    """
    record = dict(zip(MEMBERS, row, strict=True))
    record["fields"] = json.loads(str(record["fields"]))
    record["detail"] = _without_growing(json.loads(str(record["detail"])))
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _without_growing(detail: object) -> object:
    if not isinstance(detail, dict):
        return detail
    return {name: value for name, value in detail.items() if name != GROWING_MEMBER}
