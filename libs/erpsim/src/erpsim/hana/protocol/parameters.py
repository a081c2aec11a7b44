"""Reads the values bound to a prepared statement.

The type code in the request decides, not the declared one. A code with the high bit set is NULL.
"""

import datetime as dt
import struct
from collections.abc import Callable
from decimal import Decimal

from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import HanaError, Type
from erpsim.hana.protocol.columns import HUNDRED_NS_A_DAY, Column, Value, day_of
from erpsim.hana.protocol.framing import PartData, read_prefixed

NULL_BIT = 0x80
_LOB_HEAD = struct.Struct("<bii")
_LAST_DATA = 4
_WHOLE_MICROSECONDS = 10


def read_rows(part: PartData, columns: list[Column]) -> list[list[Value]]:
    """Return the bound values of each row.

    Raises:
        HanaError: 1033 for a type or form that is not simulated.
    """
    rows, position = [], 0
    for _ in range(part.count):
        row: list[Value] = []
        after_row = 0
        for column in columns:
            value, position, used = _read(part.data, position, column)
            row.append(value)
            after_row = max(after_row, used)
        position = max(position, after_row)
        rows.append(row)
    return rows


def _read(data: bytes, position: int, column: Column) -> tuple[Value, int, int]:
    code = data[position]
    position += 1
    if code & NULL_BIT:
        return None, position, 0
    if code in {Type.NCLOB, Type.CLOB, Type.BLOB}:
        return _read_lob(data, position, code)
    if code in _PREFIXED:
        raw, position = read_prefixed(data, position)
        if raw is None or code in {Type.VARBINARY, Type.BSTRING}:
            return raw, position, 0
        text = cesu8.decode(raw)
        is_number = column.type in {Type.DECIMAL, Type.FIXED8, Type.FIXED12, Type.FIXED16}
        return (Decimal(text) if is_number else text), position, 0
    if code in _FIXED_SIZES:
        size = _FIXED_SIZES[code]
        number = int.from_bytes(data[position : position + size], "little", signed=True)
        return Decimal(number).scaleb(-column.scale), position + size, 0
    reader = _READERS.get(code)
    if reader is None:
        raise HanaError(1033, f"error while parsing protocol: parameter type {code} is not simulated")
    packer, convert = reader
    return convert(packer.unpack_from(data, position)[0]), position + packer.size, 0


def _read_lob(data: bytes, position: int, code: int) -> tuple[Value, int, int]:
    options, length, begin = _LOB_HEAD.unpack_from(data, position)
    if not options & _LAST_DATA:
        raise HanaError(
            1033, "error while parsing protocol: LOB parameters in several packets are not simulated"
        )
    begin -= 1 if length and begin else 0
    raw = data[begin : begin + length]
    value: Value = raw if code == Type.BLOB else cesu8.decode(raw)
    return value, position + _LOB_HEAD.size, begin + length


def _timestamp(number: int) -> dt.datetime:
    days, hundred_ns = divmod(number - 1, HUNDRED_NS_A_DAY)
    return dt.datetime.combine(day_of(days + 1), dt.time()) + dt.timedelta(
        microseconds=hundred_ns // _WHOLE_MICROSECONDS
    )


def _seconddate(number: int) -> dt.datetime:
    days, seconds = divmod(number - 1, 86_400)
    return dt.datetime.combine(day_of(days + 1), dt.time()) + dt.timedelta(seconds=seconds)


def _time(number: int) -> dt.time:
    minutes, second = divmod(number - 1, 60)
    hour, minute = divmod(minutes, 60)
    return dt.time(hour, minute, second)


def _same(value: int | float) -> Value:
    return value


# NSTRING is how node-hdb sends a text for NVARCHAR (`lib/protocol/common/NormalizedTypeCode.js`).
_PREFIXED: frozenset[int] = frozenset(
    {Type.STRING, Type.NSTRING, Type.NVARCHAR, Type.VARCHAR, Type.VARBINARY, Type.BSTRING}
)
_FIXED_SIZES: dict[int, int] = {Type.FIXED8: 8, Type.FIXED12: 12, Type.FIXED16: 16}
_READERS: dict[int, tuple[struct.Struct, Callable[..., Value]]] = {
    Type.TINYINT: (struct.Struct("<B"), _same),
    Type.SMALLINT: (struct.Struct("<h"), _same),
    Type.INTEGER: (struct.Struct("<i"), _same),
    Type.BIGINT: (struct.Struct("<q"), _same),
    Type.REAL: (struct.Struct("<f"), _same),
    Type.DOUBLE: (struct.Struct("<d"), _same),
    Type.BOOLEAN: (struct.Struct("<B"), bool),
    Type.DATE: (struct.Struct("<i"), day_of),
    Type.TIME: (struct.Struct("<i"), _time),
    Type.SECONDDATE: (struct.Struct("<q"), _seconddate),
    Type.TIMESTAMP: (struct.Struct("<q"), _timestamp),
}
