"""Binary format of messages, segments and parts. No sockets.

A message is a 32-byte header and one segment. A segment is a 24-byte header and its parts. A part is a
16-byte header and data padded to eight bytes; the padding counts in the segment's length but not in the
part's.
"""

import struct
from collections.abc import Iterator, Sequence

from attrs import field, frozen

from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import Part, Segment

MESSAGE_HEADER = struct.Struct("<qiIIhb9x")
_SEGMENT_HEAD = struct.Struct("<iihhb")
_PART_HEADER = struct.Struct("<bbhiii")
SEGMENT_SIZE = 24
MAX_SHORT_COUNT = 32_767

INITIALIZATION_SIZE = 14
INITIALIZATION_REPLY = struct.pack("<bhbhxx", 4, 20, 4, 1)


@frozen
class PartData:
    """One part of a request or a reply.

    Attributes:
        kind: see `erpsim.hana.protocol.codes.Part`; unknown kinds are kept as numbers.
        data: without padding.
        count: number of arguments in it.
        attributes: bit flags of result sets and parameters.
    """

    kind: int
    data: bytes = field(repr=False)
    count: int = 1
    attributes: int = 0


@frozen
class Request:
    """One request.

    Attributes:
        session_id: 0 until connected.
        packet_count: echoed in the reply.
        message: see `erpsim.hana.protocol.codes.Message`.
        commit: the flag by which a client under autocommit asks to commit at once.
        parts: in the order sent.
    """

    session_id: int
    packet_count: int
    message: int
    commit: bool
    parts: tuple[PartData, ...]

    def find(self, kind: Part) -> PartData | None:
        """Return the first part of a kind, if any."""
        return next((part for part in self.parts if part.kind == kind), None)

    def get(self, kind: Part) -> PartData:
        """Return the first part of a kind.

        Raises:
            LookupError: there is none.
        """
        part = self.find(kind)
        if part is None:
            raise LookupError(f"the request has no part {kind.name}")
        return part


def parse_request(header: bytes, variable: bytes) -> Request:
    """Read one message from its header and the bytes behind it."""
    session_id, packet_count, *_ = MESSAGE_HEADER.unpack(header)
    _, _, parts_count, _, _ = _SEGMENT_HEAD.unpack_from(variable)
    message, commit = struct.unpack_from("<bb", variable, 13)
    return Request(session_id, packet_count, message, bool(commit), tuple(_read_parts(variable, parts_count)))


def _read_parts(variable: bytes, parts_count: int) -> Iterator[PartData]:
    position = SEGMENT_SIZE
    for _ in range(parts_count):
        kind, attributes, count, big_count, length, _ = _PART_HEADER.unpack_from(variable, position)
        position += _PART_HEADER.size
        data = variable[position : position + length]
        yield PartData(kind, data, big_count if count == -1 else count, attributes)
        position += _padded(length)


def build_reply(
    parts: Sequence[PartData], *, session_id: int, packet_count: int, function: int, is_error: bool = False
) -> bytes:
    """Pack parts into one message."""
    body = b"".join(_pack_part(part) for part in parts)
    length = SEGMENT_SIZE + len(body)
    kind = Segment.ERROR if is_error else Segment.REPLY
    head = _SEGMENT_HEAD.pack(length, 0, len(parts), 1, kind) + struct.pack("<bh8x", 0, function)
    return MESSAGE_HEADER.pack(session_id, packet_count, length, length, 1, 0) + head + body


def _pack_part(part: PartData) -> bytes:
    short = part.count <= MAX_SHORT_COUNT
    header = _PART_HEADER.pack(
        part.kind,
        part.attributes,
        part.count if short else -1,
        0 if short else part.count,
        len(part.data),
        1 << 20,
    )
    return header + part.data + bytes(_padded(len(part.data)) - len(part.data))


def _padded(length: int) -> int:
    return (length + 7) & ~7


def length_prefix(length: int) -> bytes:
    """Return the prefix of a text or binary value of that many bytes."""
    if length <= 245:  # noqa: PLR2004 - the protocol's own bounds
        return bytes([length])
    if length <= MAX_SHORT_COUNT:
        return b"\xf6" + struct.pack("<h", length)
    return b"\xf7" + struct.pack("<i", length)


def prefixed_text(text: str) -> bytes:
    """Return a text with its length before it."""
    raw = cesu8.encode(text)
    return length_prefix(len(raw)) + raw


def read_prefixed(data: bytes, position: int) -> tuple[bytes | None, int]:
    """Return a length-prefixed value (None for NULL) and the position behind it.

    The two-byte length is unsigned here: that is how the driver sends 32,768 and more.
    """
    first = data[position]
    position += 1
    if first == 255:  # noqa: PLR2004 - the protocol's NULL
        return None, position
    length = first
    if first == 246:  # noqa: PLR2004
        (length,) = struct.unpack_from("<H", data, position)
        position += 2
    elif first == 247:  # noqa: PLR2004
        (length,) = struct.unpack_from("<i", data, position)
        position += 4
    return data[position : position + length], position + length
