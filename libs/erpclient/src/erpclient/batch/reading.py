"""Reads the reply to a change set.

v1 answers 202 and v2 200 even when no operation succeeded. A successful change set is a multipart inside the
batch's, with one part per operation. A refused one is a single part directly in the batch with the error of
the failed operation; only v2 names that operation (SAP manual 1.22 section 3.10.6; a captured v2 answer).
Parts are separated by their boundaries, never by length: JSON ends in a line end that the lengths of some
builds do not count.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from erpclient.batch.results import (
    ChangeSetDone,
    ChangeSetRefused,
    ChangeSetResult,
    ChangeSetUnknown,
    OperationDone,
)
from erpclient.errors import ErpRefused, ErpReplyUnreadable
from erpclient.http.bodies import read_object
from erpclient.http.cleaner import Cleaner
from erpclient.http.error_replies import find_error
from erpclient.http.locations import below_root
from erpclient.http.messages import HttpReply

MAX_HEAD_BYTES: Final = 16 * 1024
"""Longest headers of a part."""

_LINE_END: Final = b"\r\n"
_HEAD_END: Final = b"\r\n\r\n"
_BOUNDARY: Final = re.compile(r";\s*boundary=(?:\"([^\"\r\n]{1,200})\"|([^\s;\",]{1,200}))", re.IGNORECASE)
_FOLD: Final = re.compile(r"\r\n[ \t]+")
_STATUS_LINE: Final = re.compile(r"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]{0,200})?")


@frozen
class Part:
    """One part of a multipart text, with its headers in lower case."""

    headers: Mapping[str, str]
    content: bytes

    @property
    def type(self) -> str:
        """Content type of the part."""
        return self.headers.get("content-type", "")


@frozen
class PartReply:
    """Reply to one request of a batch."""

    reply: HttpReply
    content_id: str | None
    location: str | None


def read_change_set(
    body: bytes, content_type: str, *, root_path: str, cleaners: Sequence[Cleaner]
) -> ChangeSetResult:
    """Read the result of a batch of one change set.

    Args:
        body: body of a successful reply.
        content_type: its content type.
        root_path: the service root without its origin: ``/b1s/v1``.
        cleaners: one for each operation; it removes properties from the reply to it.

    Raises:
        ErpReplyUnreadable: the reply is malformed, or does not match the operations.
    """
    count = len(cleaners)
    (part,) = split_parts(body, content_type, most=1)
    if not _is_multipart(part.type):
        return _read_refusal(read_part_reply(part), count)
    replies = [read_part_reply(inner) for inner in split_parts(part.content, part.type, most=count)]
    if len(replies) != count:
        raise ErpReplyUnreadable("a change set with other parts than operations")
    pairs = zip(_ordered(replies), cleaners, strict=True)
    return ChangeSetDone(tuple(_read_completed(reply, root_path, cleaner) for reply, cleaner in pairs))


def _read_refusal(reply: PartReply, count: int) -> ChangeSetResult:
    error = find_error(reply.reply)
    if error is None:
        raise ErpReplyUnreadable("a success outside of its change set")
    if not isinstance(error, ErpRefused):
        return ChangeSetUnknown(error)
    numbers = {str(number): number - 1 for number in range(1, count + 1)}
    return ChangeSetRefused(numbers.get(reply.content_id or ""), error)


def _read_completed(answer: PartReply, root_path: str, cleaner: Cleaner) -> OperationDone:
    reply = answer.reply
    if find_error(reply) is not None:
        raise ErpReplyUnreadable("an error inside a change set that was done")
    location = below_root(answer.location, root_path)
    # An answer without a body may be followed by more empty lines than one.
    return OperationDone(reply.status, location, reply.etag, read_object(reply.body.strip(), cleaner))


def _ordered(replies: list[PartReply]) -> list[PartReply]:
    ids = [reply.content_id for reply in replies]
    expected_numbers = [str(number) for number in range(1, len(replies) + 1)]
    if not any(ids):
        return replies
    by_id = {reply.content_id: reply for reply in replies}
    if by_id.keys() != set(expected_numbers):
        raise ErpReplyUnreadable("a change set with other numbers than operations")
    return [by_id[number] for number in expected_numbers]


def read_part_reply(part: Part) -> PartReply:
    """Read a part that holds a reply.

    Raises:
        ErpReplyUnreadable: it holds none.
    """
    if not part.type.lower().startswith("application/http"):
        raise ErpReplyUnreadable("a part of a batch that is no answer")
    head, _, body = part.content.partition(_HEAD_END)
    line, _, lines = head[:MAX_HEAD_BYTES].decode("latin-1").partition("\r\n")
    status = _STATUS_LINE.fullmatch(line)
    if status is None:
        raise ErpReplyUnreadable("a part of a batch without a status")
    headers = _read_headers(lines)
    reply = HttpReply(int(status[1]), headers.get("content-type", ""), headers.get("etag"), body=body)
    # v1 repeats the number behind the status line, v2 in front of it.
    content_id = part.headers.get("content-id") or headers.get("content-id")
    return PartReply(reply, content_id and content_id.strip("<>"), headers.get("location"))


def split_parts(body: bytes, content_type: str, *, most: int) -> list[Part]:
    """Split a multipart text. One part too many is an error, so that a hostile reply cannot grow memory."""
    boundary = _BOUNDARY.search(content_type) if _is_multipart(content_type) else None
    if boundary is None:
        raise ErpReplyUnreadable("no multipart text")
    delimiter = _LINE_END + b"--" + (boundary[1] or boundary[2]).encode("latin-1")
    pieces = (_LINE_END + body).split(delimiter, most + 2)
    last = pieces.pop()
    if not 2 <= len(pieces) <= most + 1 or not last.startswith(b"--"):  # noqa: PLR2004 - preamble and a part
        raise ErpReplyUnreadable("a multipart text with missing or surplus parts")
    return [_read_part(piece) for piece in pieces[1:]]


def _read_part(piece: bytes) -> Part:
    piece = piece.lstrip(b" \t")  # RFC 2046 section 5.1.1: there may be some behind a boundary
    head, separator, content = piece.partition(_HEAD_END)
    if not piece.startswith(_LINE_END) or not separator or len(head) > MAX_HEAD_BYTES:
        raise ErpReplyUnreadable("a part of a batch without an end of its headers")
    return Part(_read_headers(head.decode("latin-1")), content)


def _read_headers(text: str) -> dict[str, str]:
    headers = {}
    for line in _FOLD.sub(" ", text).split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers


def _is_multipart(content_type: str) -> bool:
    return content_type.lower().startswith("multipart/mixed")
