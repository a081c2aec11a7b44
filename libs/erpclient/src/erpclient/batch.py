"""In: several writes as values, that the ERP is to do all or not at all (SAP manual 1.29, section 3.9).
Out: one of four results as a value; in between stands one ``$batch``. No I/O.

v1 answers 202 and v2 200 even when nothing was done. A change set that was done comes as a multipart inside
the batch's, one part an operation. One that was refused comes as a single part straight in the batch, with
the error of the operation that failed; only v2 says which that was (SAP manual 1.22 section 3.10.6; a
captured v2 answer). Parts are told apart by their boundaries, never by a length: JSON ends in a line end of
its own, which the lengths of some builds leave out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import field, frozen

from erpclient.errors import ErpError, ErpRefused, ErpReplyUnreadable, Outcome
from erpclient.http.bodies import Cleaner, read_object
from erpclient.http.replies import below_root
from erpclient.http.transport import HttpReply
from erpclient.http.wire import Call, action_call, create_call, find_error, modify_call

MAX_OPERATIONS: Final = 100
"""Most operations of one change set. The ERP names no limit; its own scripts stop at 10 in a transaction."""

Operation = Call
"""One write. An ``If-Match`` has no place in it: inside a batch the ERP ignores it (seen live on 1000340)."""

MAX_HEAD_BYTES: Final = 16 * 1024
"""Longest headers of a part."""

_PATH: Final = re.compile(r"/[\x21-\x7e]{1,8000}")
_LINE_END: Final = b"\r\n"
_HEAD_END: Final = b"\r\n\r\n"
_BOUNDARY: Final = re.compile(r";\s*boundary=(?:\"([^\"\r\n]{1,200})\"|([^\s;\",]{1,200}))", re.IGNORECASE)
_FOLD: Final = re.compile(r"\r\n[ \t]+")
_STATUS_LINE: Final = re.compile(r"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]{0,200})?")


def creation_of(resource: str, body: bytes) -> Operation:
    """Create a record.

    Args:
        resource: entity set.
        body: a JSON object, passed on as it is. It can't name what another operation of the set creates:
            ``$1`` is known in addresses only.
    """
    return create_call(resource, body)


def modification_of(
    resource: str, key_predicate: str, body: bytes, *, replace_collections: bool = False
) -> Operation:
    """Change some properties of a record.

    Args:
        resource: entity set.
        key_predicate: the key for the path, percent-encoded, with its parentheses.
        body: a JSON object, passed on as it is.
        replace_collections: whether collections in the body replace the stored ones instead of being merged
            into them. That the ERP honours this inside a batch is used in production by others, and
            documented nowhere.
    """
    return modify_call(resource, key_predicate, body, if_match=None, replace_collections=replace_collections)


def action_on(resource: str, key_predicate: str, action: str, body: bytes = b"") -> Operation:
    """Run an action on a record.

    Args:
        resource: entity set.
        key_predicate: the key for the path, percent-encoded, with its parentheses.
        action: its name, like ``Close``.
        body: a JSON object, or empty.
    """
    return action_call(resource, key_predicate, action, body, if_match=None)


def batch_call(operations: Sequence[Operation], *, root_path: str, guid: str) -> Call:
    """Write one change set as a call.

    Lines end in CRLF, boundaries stand unquoted, and every part has a ``Content-ID`` from 1 up: v2 demands
    one on each (code 244), and the same one twice was once answered with -1116.

    Args:
        operations: what to do, 1 to 100 writes.
        root_path: the service root without its origin: ``/b1s/v1``.
        guid: letters, digits and hyphens that stand in no body.

    Raises:
        ValueError: none, too many, one that is no write, or one whose path can't stand in a request line.
    """
    if not 1 <= len(operations) <= MAX_OPERATIONS:
        raise ValueError(f"a change set holds 1 to {MAX_OPERATIONS} operations, not {len(operations)}")
    batch, change_set = f"batch_{guid}", f"changeset_{guid}"
    parts = [
        f"--{batch}\r\nContent-Type: multipart/mixed;boundary={change_set}\r\n\r\n".encode(),
        *(_part(operation, number, change_set, root_path) for number, operation in enumerate(operations, 1)),
        f"--{change_set}--\r\n--{batch}--\r\n".encode(),
    ]
    headers = {"Accept": "multipart/mixed", "Content-Type": f"multipart/mixed;boundary={batch}"}
    return Call("POST", "$batch", "/$batch", headers, b"".join(parts), write=True)


def _part(operation: Operation, number: int, boundary: str, root_path: str) -> bytes:
    if not operation.write or not _PATH.fullmatch(operation.path):
        raise ValueError(f"operation {number} has no place in a change set")
    head = [
        f"--{boundary}",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        f"Content-ID: {number}",
        "",
        f"{operation.method} {root_path}{operation.path}",
        *(f"{name}: {value}" for name, value in operation.headers.items()),
        *(["Content-Type: application/json"] if operation.body is not None else []),
        "",
        "",
    ]
    return "\r\n".join(head).encode() + (operation.body or b"") + b"\r\n"


@frozen
class OperationDone:
    """What the ERP answered to one operation of a change set that was done.

    Attributes:
        status: 200, 201 or 204.
        location: where a new record is, below the service root: ``PurchaseReturns(7)``; ``None`` without.
        etag: its entity tag as the ERP sent it; ``None`` without.
        body: a JSON object with every digit as the ERP sent it; empty where there is none.
    """

    status: int
    location: str | None
    etag: str | None
    body: bytes = field(repr=False)


@frozen
class ChangeSetDone:
    """Every operation was done.

    Attributes:
        operations: the answers, in the order of the operations.
    """

    operations: tuple[OperationDone, ...]


@frozen
class ChangeSetRefused:
    """The ERP refused it, and did nothing of it.

    A document refused with code -2028 may have left a draft that waits for approval, as with a single write.

    Attributes:
        operation: which one failed, counted from 0; ``None`` where the ERP does not tell (v1 never does), or
            when it refused the whole batch.
        error: status, code and text of the ERP.
    """

    operation: int | None
    error: ErpRefused


@frozen
class ChangeSetUnknown:
    """It was sent, and nobody knows whether it was done: look before repeating it.

    Attributes:
        error: why it is not known: no answer, a 5xx (on some builds a refusal by the company's own rules
            comes as a 502 page of the balancer), or an answer that can't be read.
    """

    error: ErpError


@frozen
class ChangeSetNotSent:
    """Surely nothing was done: it never left, or was turned away for want of a session. Safe to repeat.

    Attributes:
        error: what stood in the way.
    """

    error: ErpError


ChangeSetResult = ChangeSetDone | ChangeSetRefused | ChangeSetUnknown | ChangeSetNotSent


def result_of(error: ErpError) -> ChangeSetResult:
    """Tell what an error means that came instead of the batch's answer."""
    if isinstance(error, ErpRefused):
        return ChangeSetRefused(None, error)
    return ChangeSetUnknown(error) if error.outcome is Outcome.UNKNOWN else ChangeSetNotSent(error)


@frozen
class _Part:
    headers: Mapping[str, str]
    content: bytes

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "")


@frozen
class _Answer:
    reply: HttpReply
    content_id: str | None
    location: str | None


def read_change_set(
    body: bytes, content_type: str, *, count: int, root_path: str, cleaner: Cleaner
) -> ChangeSetResult:
    """Read what a batch of one change set was answered.

    Args:
        body: of an answer with a status of success.
        content_type: of that answer.
        count: how many operations there were.
        root_path: the service root without its origin: ``/b1s/v1``.
        cleaner: what to take out of the operations' bodies.

    Raises:
        ErpReplyUnreadable: it is not the text that was expected, or it does not fit the operations.
    """
    (part,) = _split(body, content_type, most=1)
    if not _is_multipart(part.type):
        return _read_refusal(_read_answer(part), count)
    answers = [_read_answer(inner) for inner in _split(part.content, part.type, most=count)]
    if len(answers) != count:
        raise ErpReplyUnreadable("a change set with other parts than operations")
    return ChangeSetDone(tuple(_read_done(answer, root_path, cleaner) for answer in _ordered(answers)))


def _read_refusal(answer: _Answer, count: int) -> ChangeSetResult:
    error = find_error(answer.reply)
    if error is None:
        raise ErpReplyUnreadable("a success outside of its change set")
    if not isinstance(error, ErpRefused):
        return ChangeSetUnknown(error)
    numbers = {str(number): number - 1 for number in range(1, count + 1)}
    return ChangeSetRefused(numbers.get(answer.content_id or ""), error)


def _read_done(answer: _Answer, root_path: str, cleaner: Cleaner) -> OperationDone:
    reply = answer.reply
    if find_error(reply) is not None:
        raise ErpReplyUnreadable("an error inside a change set that was done")
    location = below_root(answer.location, root_path)
    # An answer without a body may be followed by more empty lines than one.
    return OperationDone(reply.status, location, reply.etag, read_object(reply.body.strip(), cleaner))


def _ordered(answers: list[_Answer]) -> list[_Answer]:
    """Put answers into the order of their operations: by their numbers, else as they came."""
    ids = [answer.content_id for answer in answers]
    wanted = [str(number) for number in range(1, len(answers) + 1)]
    if not any(ids):
        return answers
    by_id = {answer.content_id: answer for answer in answers}
    if by_id.keys() != set(wanted):
        raise ErpReplyUnreadable("a change set with other numbers than operations")
    return [by_id[number] for number in wanted]


def _read_answer(part: _Part) -> _Answer:
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
    return _Answer(reply, content_id and content_id.strip("<>"), headers.get("location"))


def _split(body: bytes, content_type: str, *, most: int) -> list[_Part]:
    """Cut a multipart text into its parts; one part too many is an error, so that nothing grows with it."""
    boundary = _BOUNDARY.search(content_type) if _is_multipart(content_type) else None
    if boundary is None:
        raise ErpReplyUnreadable("no multipart text")
    delimiter = _LINE_END + b"--" + (boundary[1] or boundary[2]).encode("latin-1")
    pieces = (_LINE_END + body).split(delimiter, most + 2)
    last = pieces.pop()
    if not 2 <= len(pieces) <= most + 1 or not last.startswith(b"--"):  # noqa: PLR2004 - preamble and a part
        raise ErpReplyUnreadable("a multipart text with missing or surplus parts")
    return [_read_part(piece) for piece in pieces[1:]]


def _read_part(piece: bytes) -> _Part:
    piece = piece.lstrip(b" \t")  # RFC 2046 section 5.1.1: there may be some behind a boundary
    head, separator, content = piece.partition(_HEAD_END)
    if not piece.startswith(_LINE_END) or not separator or len(head) > MAX_HEAD_BYTES:
        raise ErpReplyUnreadable("a part of a batch without an end of its headers")
    return _Part(_read_headers(head.decode("latin-1")), content)


def _read_headers(text: str) -> dict[str, str]:
    headers = {}
    for line in _FOLD.sub(" ", text).split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers


def _is_multipart(content_type: str) -> bool:
    return content_type.lower().startswith("multipart/mixed")
