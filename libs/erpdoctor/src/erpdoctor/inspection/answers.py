"""Results of an inspection: replies with headers and duration, or the reason for a missing one."""

from collections.abc import Mapping
from enum import Enum
from http import HTTPStatus
from typing import Any, Final

import msgspec
from attrs import field, frozen

from erpclient.errors import ErpReplyUnreadable
from erpclient.http.error_replies import is_gateway_page, raise_for, read_error
from erpclient.http.messages import HttpReply
from erpclient.http.ping import is_pong

_OLD_TAG: Final = "odata.etag"
_NEW_TAG: Final = "@odata.etag"


@frozen
class LoginFacts:
    """Facts of a successful login besides its session.

    Attributes:
        version: the ERP's, digits only (``1000340``); empty if missing.
        timeout_minutes: idle timeout of the session; ``None`` if missing.
        route: whether a balancer named a node.
        duration_s: its duration.
    """

    version: str
    timeout_minutes: int | None
    route: bool
    duration_s: float


@frozen
class Answer:
    """One reply with any status.

    Attributes:
        status: the HTTP status.
        headers: by name, without regard to letter case.
        body: unpacked bytes.
        duration_s: its duration.
        reply: the reply of the transport.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    duration_s: float
    reply: HttpReply = field(repr=False)

    @property
    def good(self) -> bool:
        """True if the status is a success."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def error(self) -> tuple[int | str | None, str]:
        """The ERP's own code and text; ``(None, "")`` when the answer is not the ERP's own."""
        return read_error(self.reply)

    @property
    def pong(self) -> bool:
        """True if this is the balancer's pong."""
        return is_pong(self.reply)

    def rows(self) -> list[dict[str, Any]]:
        """Read a page of records.

        Raises:
            ErpError: the status or the body is not that of a page.
        """
        page = self.value()
        rows = page.get("value") if isinstance(page, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ErpReplyUnreadable("no list of records")
        return rows

    def value(self) -> Any:
        """Read any JSON.

        Raises:
            ErpError: a status that is no success, or a body that is no JSON.
        """
        raise_for(self.reply)
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError:
            raise ErpReplyUnreadable("no JSON") from None


def tag_of(row: Mapping[str, Any]) -> str | None:
    """Return a record's entity tag, in the spelling of v1 or v2."""
    tag = row.get(_OLD_TAG, row.get(_NEW_TAG))
    return tag if isinstance(tag, str) else None


# Code and text of the Service Layer for an unknown entity set, with 400 (seen live).
_NO_SUCH_SET: Final = frozenset({200, -1002})


class ReadTrouble(Enum):
    """Reasons why a read returned no records."""

    FORBIDDEN = "forbidden"
    MISSING = "missing"
    """The entity set does not exist."""
    SESSION_LOST = "session_lost"
    GATEWAY = "gateway_page"
    """Only the web server in front of the Service Layer replied."""
    REFUSED = "refused"
    """Any other refusal or failure."""


def read_trouble(answer: Answer) -> ReadTrouble | None:
    """Return the problem of a reply that should contain records, or ``None``."""
    if answer.good:
        return None
    if answer.status == HTTPStatus.FORBIDDEN:
        return ReadTrouble.FORBIDDEN
    if answer.status == HTTPStatus.UNAUTHORIZED:
        return ReadTrouble.SESSION_LOST
    code, text = answer.error
    if answer.status == HTTPStatus.BAD_REQUEST and code in _NO_SUCH_SET:
        return ReadTrouble.MISSING
    if is_gateway_page(answer.reply) or (code is None and not text):
        return ReadTrouble.GATEWAY
    return ReadTrouble.REFUSED
