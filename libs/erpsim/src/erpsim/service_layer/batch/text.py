"""Multipart text of `$batch`, read and written byte for byte. No execution."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Final

import attrs

from erpsim.company.errors import NotSimulatedError
from erpsim.service_layer.refusals import incomplete_batch
from erpsim.service_layer.wire.messages import SlReply
from erpsim.service_layer.wire.wire_format import WireFormat

_LINE_END: Final = b"\r\n"
_HEADERS_END: Final = b"\r\n\r\n"
_BOUNDARY: Final = re.compile(r'boundary=(?:"([^"]+)"|([^\s;"]+))', re.IGNORECASE)
_REQUEST_LINE: Final = re.compile(r"(?P<method>[A-Za-z]+) (?P<target>\S+)(?: HTTP/1\.[01])?")


@attrs.frozen(kw_only=True)
class BatchRequest:
    """One request inside a batch.

    Args:
        method: in capitals.
        target: as in the request line.
        headers: of the request itself, by lower-case name.
        body: its content.
        content_id: of the MIME part or of the request, None without.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    content_id: str | None = None


@attrs.frozen
class ChangeSet:
    """Requests that succeed or fail together."""

    requests: tuple[BatchRequest, ...]


@attrs.frozen(kw_only=True)
class BatchReply:
    """Response to one request of a batch."""

    reply: SlReply
    content_id: str | None = None


def boundary_of(content_type: str | None) -> str:
    """Return the boundary of a multipart type; quoted ones work too (a client library sends them).

    Raises:
        SlError: 400 when there is none.
    """
    if content_type is None or not content_type.strip().lower().startswith("multipart/mixed"):
        raise incomplete_batch()
    match = _BOUNDARY.search(content_type)
    if match is None:
        raise incomplete_batch()
    return match[1] or match[2]


def parse_batch(body: bytes, content_type: str | None) -> list[BatchRequest | ChangeSet]:
    """Read a whole batch before executing any of it (SAP manual 1.29, 3.9: an invalid format is a 400).

    Raises:
        SlError: 400 for an invalid envelope; 501 for forms whose refusal is unknown.
    """
    parts: list[BatchRequest | ChangeSet] = []
    for headers, content in _split(body, boundary_of(content_type)):
        if headers.get("content-type", "").strip().lower().startswith("multipart/mixed"):
            parts.append(_parse_change_set(content, headers["content-type"]))
        else:
            parts.append(_parse_request(headers, content))
    return parts


def write_batch(parts: Sequence[BatchReply | Sequence[BatchReply]], wire: WireFormat, ids: BatchIds) -> bytes:
    """Write the answer of a batch; a sequence inside is a change set that succeeded."""
    lines: list[bytes] = []
    for part in parts:
        lines.append(f"--{ids.batch}\r\n".encode())
        if isinstance(part, BatchReply):
            lines.append(_write_reply(part, wire))
            continue
        boundary = ids.next_change_set()
        lines.append(f"Content-Type: multipart/mixed; boundary={boundary}\r\n\r\n".encode())
        for inner in part:
            lines.append(f"--{boundary}\r\n".encode())
            lines.append(_write_reply(inner, wire))
        lines.append(f"--{boundary}--\r\n".encode())
    lines.append(f"--{ids.batch}--\r\n".encode())
    return b"".join(lines)


class BatchIds:
    """Boundaries of one answer.

    Args:
        new_guid: makes a GUID's text.
    """

    def __init__(self, new_guid: Callable[[], str]) -> None:
        self._new_guid = new_guid
        self.batch = f"batchresponse_{new_guid()}"

    def next_change_set(self) -> str:
        """Return the boundary of the next change set."""
        return f"changesetresponse_{self._new_guid()}"


def _split(body: bytes, boundary: str) -> list[tuple[dict[str, str], bytes]]:
    """Split a multipart body into the headers and contents of its parts; lines end in CRLF (manual 1.29,
    3.9).
    """
    delimiter = b"--" + boundary.encode()
    pieces = (_LINE_END + body).split(_LINE_END + delimiter)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):  # noqa: PLR2004 - before, a part, the end
        raise incomplete_batch()
    parts = []
    for piece in pieces[1:-1]:
        if not piece.startswith(_LINE_END):
            raise incomplete_batch()
        head, separator, content = piece[len(_LINE_END) :].partition(_HEADERS_END)
        if not separator:
            raise incomplete_batch()
        parts.append((_parse_headers(head), content))
    return parts


def _parse_headers(head: bytes) -> dict[str, str]:
    headers = {}
    for line in head.decode("latin-1").split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers


def _parse_change_set(content: bytes, content_type: str) -> ChangeSet:
    requests = []
    for headers, inner in _split(content, boundary_of(content_type)):
        if headers.get("content-type", "").strip().lower().startswith("multipart/"):
            raise NotSimulatedError("the refusal of a change set inside a change set")
        request = _parse_request(headers, inner)
        if request.method == "GET":
            raise NotSimulatedError("the refusal of a GET inside a change set")
        requests.append(request)
    return ChangeSet(tuple(requests))


def _parse_request(part_headers: Mapping[str, str], content: bytes) -> BatchRequest:
    if not part_headers.get("content-type", "").strip().lower().startswith("application/http"):
        raise incomplete_batch()
    # The blank line after the request's own headers is compulsory, also for a GET: "two blank lines"
    # (SAP manual 1.29, 3.9; users of B1SLayer ran into it).
    head, separator, body = content.partition(_HEADERS_END)
    if not separator:
        raise incomplete_batch()
    line, _, rest = head.partition(_LINE_END)
    match = _REQUEST_LINE.fullmatch(line.decode("latin-1").strip())
    if match is None:
        raise incomplete_batch()
    headers = _parse_headers(rest)
    return BatchRequest(
        method=match["method"].upper(),
        target=match["target"],
        headers=headers,
        body=body,
        content_id=part_headers.get("content-id") or headers.get("content-id"),
    )


def _write_reply(answer: BatchReply, wire: WireFormat) -> bytes:
    echo = f"Content-ID: {answer.content_id}\r\n" if answer.content_id is not None else ""
    reply = answer.reply
    head = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
    if wire.content_id_in_part_header:
        head += echo
    head += f"\r\nHTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n"
    if not wire.content_id_in_part_header:
        head += echo
    for name, value in _inner_headers(reply):
        head += f"{name}: {value}\r\n"
    return f"{head}\r\n".encode() + reply.body + _LINE_END


def _inner_headers(reply: SlReply) -> list[tuple[str, str]]:
    """Return the headers in the captured order: the type, the length, then the rest by name."""
    # The length includes the newline after the JSON: a captured refusal of 209 characters has length 210.
    headers = sorted(reply.headers)
    if reply.body:
        headers = [h for h in headers if h[0] != "Content-Type"]
        content_type = dict(reply.headers)["Content-Type"]
        return [("Content-Type", content_type), ("Content-Length", str(len(reply.body))), *headers]
    return headers
