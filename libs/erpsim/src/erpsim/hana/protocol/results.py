"""Result sets in blocks of rows, and LOBs read in pieces."""

import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice

from attrs import define, field

from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import HanaError, Part, Type
from erpsim.hana.protocol.columns import Column, Value, encoder
from erpsim.hana.protocol.framing import PartData

_FIRST, _NEXT, _LAST, _NO_ROW, _CLOSED = 4, 2, 1, 8, 16
_LOB_FIELD = struct.Struct("<bb2xqqQi")
_LOB_REQUEST = struct.Struct("<Qqi4x")
_LOB_REPLY = struct.Struct("<Qbi3x")
_LOB_KIND = {Type.BLOB: 1, Type.CLOB: 2, Type.NCLOB: 3}
_NULL_LOB = b"\0\1"
_DATA, _DATA_AND_LAST = 2, 6


@define
class Lobs:
    """LOB values of one connection by locator, each kept until its result set is closed.

    Attributes:
        inline: units that travel inside the row.
    """

    inline: int = 1024
    _values: dict[int, tuple[int, str | bytes]] = field(factory=dict)
    _next: int = 1

    def pack(self, owner: int, column: Column, value: Value) -> bytes:
        """Return the field of a row, and store a value that does not fit inline for later reads."""
        if value is None:
            return _NULL_LOB
        content = value if isinstance(value, bytes) else str(value)
        units = len(content) if isinstance(content, bytes) else cesu8.units(content)
        locator, self._next = self._next, self._next + 1
        inline = _cut(content, 0, self.inline)
        complete = units <= self.inline
        if not complete:
            self._values[locator] = (owner, content)
        size = len(content) if isinstance(content, bytes) else len(cesu8.encode(content))
        options = _DATA_AND_LAST if complete else _DATA
        head = _LOB_FIELD.pack(_LOB_KIND[column.type], options, units, size, locator, len(inline))
        return head + inline

    def read(self, request: PartData) -> PartData:
        """Serve one request for a piece.

        Raises:
            HanaError: the locator is unknown or closed.
        """
        locator, offset, length = _LOB_REQUEST.unpack_from(request.data)
        if locator not in self._values:
            raise HanaError(1103, "invalid LOB locator id")
        content = self._values[locator][1]
        units = len(content) if isinstance(content, bytes) else cesu8.units(content)
        piece = _cut(content, offset - 1, length)
        options = _DATA_AND_LAST if offset - 1 + length >= units else _DATA
        return PartData(Part.READLOBREPLY, _LOB_REPLY.pack(locator, options, len(piece)) + piece)

    def forget(self, owner: int) -> None:
        """Drop the values of a closed result set."""
        self._values = {locator: entry for locator, entry in self._values.items() if entry[0] != owner}


def _cut(content: str | bytes, begin: int, count: int) -> bytes:
    if isinstance(content, bytes):
        return content[begin : begin + count]
    return cesu8.encode(cesu8.slice_units(content, begin, count))


@define
class ResultSet:
    """An open cursor that reads and packs rows on request.

    Attributes:
        identifier: by which the client fetches.
        columns: of the result.
        rows_sent: number of rows sent so far.
    """

    identifier: int
    columns: Sequence[Column]
    _rows: Iterator[Sequence[Value]]
    _lobs: Lobs
    rows_sent: int = 0
    is_closed: bool = False
    _next_row: Sequence[Value] | None = None
    _packers: list[Callable[[Value], bytes]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._packers = [self._packer(column) for column in self.columns]

    def _packer(self, column: Column) -> Callable[[Value], bytes]:
        if not column.is_lob:
            return encoder(column)
        return lambda value: self._lobs.pack(self.identifier, column, value)

    def close(self) -> None:
        """Release the rows that were not fetched."""
        if isinstance(self._rows, Generator):
            self._rows.close()

    def block(self, size: int) -> PartData:
        """Return the next block of at most ``size`` rows; the last one closes the cursor."""
        first = self.rows_sent == 0
        rows = (
            list(islice(self._rows, size))
            if self._next_row is None
            else [self._next_row, *islice(self._rows, size - 1)]
        )
        self._next_row = next(self._rows, None) if len(rows) == size else None
        self.rows_sent += len(rows)
        data = b"".join(pack(value) for row in rows for pack, value in zip(self._packers, row, strict=True))
        if self._next_row is not None:
            attributes = _FIRST if first else _NEXT
        else:
            self.is_closed = True
            attributes = (_FIRST if first else _NEXT) | _LAST | _CLOSED
            if first and not rows:
                attributes |= _NO_ROW
        return PartData(Part.RESULTSET, data, len(rows), attributes)
