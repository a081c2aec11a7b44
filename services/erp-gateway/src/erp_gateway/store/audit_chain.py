"""What an audit record carries of its predecessor: SHA-256 over both, so that a change shows. Pure values.

It lies beside the store's schema, since bringing an older store up to date chains its records.
"""

import hashlib
import json
import re
from typing import Final

from attrs import frozen

START: Final = "0" * 64
"""What the first record of all follows from."""

MEMBERS: Final = (
    *("id", "at", "webUser", "ip", "action", "resource", "key"),
    *("result", "fields", "detail", "reason", "requestId"),
)
"""Names of what a record says, as an export writes them; `chain` itself is none of it."""

COUNTED_LATER: Final = "attempts"
"""The member of `detail` that grows while a login block or the minute of a refusal lasts: not chained."""

SQL_NAME: Final = "audit_link"
"""What `link` is called in the scripts of the schema."""


@frozen
class ChainEnd:
    """A record's number and its chain, 64 hexadecimal digits; as a text `1204:3f5c…`."""

    entry_id: int
    chain: str

    def as_text(self) -> str:
        """Return it as the log and the commands write it."""
        return f"{self.entry_id}:{self.chain}"


_END: Final = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})", re.ASCII)


def parse_end(text: str) -> ChainEnd | None:
    """Read what `ChainEnd.as_text` writes; None for any other text."""
    match = _END.fullmatch(text)
    return None if match is None else ChainEnd(int(match[1]), match[2])


def link(previous: str, *row: object) -> str:
    """Return the chain of a record.

    It is the SHA-256, in hexadecimal digits, of the predecessor's chain, a line feed, and the record as JSON
    in UTF-8: members sorted by name, no spaces, nothing escaped that need not be.

    Args:
        previous: the predecessor's chain.
        row: the values of the columns that `MEMBERS` names, in their order; `fields` and `detail` as the
            JSON texts that are stored.

    Raises:
        ValueError: there are more or fewer values, or one of the two texts is no JSON.
    """
    record = dict(zip(MEMBERS, row, strict=True))
    record["fields"] = json.loads(str(record["fields"]))
    record["detail"] = _settled(json.loads(str(record["detail"])))
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _settled(detail: object) -> object:
    if not isinstance(detail, dict):
        return detail
    return {name: value for name, value in detail.items() if name != COUNTED_LATER}
