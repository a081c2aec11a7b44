"""Option parts: lists of (id, type, value) exchanged at connect."""

import struct
from collections.abc import Mapping
from typing import TypeAlias

from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import Part, Type
from erpsim.hana.protocol.framing import PartData

Option: TypeAlias = bool | int | str

CONNECTION_ID = 1
DATA_FORMAT_VERSION = 12
DATA_FORMAT_VERSION_2 = 23

_FIXED: dict[int, struct.Struct] = {
    Type.BOOLEAN: struct.Struct("<?"),
    Type.TINYINT: struct.Struct("<b"),
    Type.INTEGER: struct.Struct("<i"),
    Type.BIGINT: struct.Struct("<q"),
    Type.DOUBLE: struct.Struct("<d"),
}


def parse_options(data: bytes, count: int) -> dict[int, Option]:
    """Read an option part; texts are decoded."""
    options: dict[int, Option] = {}
    position = 0
    for _ in range(count):
        identifier, type_code = struct.unpack_from("<bB", data, position)
        position += 2
        fixed = _FIXED.get(type_code)
        if fixed is not None:
            (options[identifier],) = fixed.unpack_from(data, position)
            position += fixed.size
        else:
            (length,) = struct.unpack_from("<h", data, position)
            position += 2
            options[identifier] = cesu8.decode(data[position : position + length])
            position += length
    return options


def options_part(kind: Part, options: Mapping[int, Option]) -> PartData:
    """Build an option part from booleans, 32-bit integers and texts."""
    return PartData(kind, b"".join(_pack(*option) for option in options.items()), len(options))


def _pack(identifier: int, value: Option) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<bB?", identifier, Type.BOOLEAN, value)
    if isinstance(value, int):
        return struct.pack("<bBi", identifier, Type.INTEGER, value)
    raw = cesu8.encode(value)
    return struct.pack("<bBh", identifier, Type.STRING, len(raw)) + raw
