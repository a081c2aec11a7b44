"""Columns, their types and the encoding of their values."""

import datetime as dt
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeAlias

from attrs import frozen

from erpsim.hana.protocol.codes import Part, Type
from erpsim.hana.protocol.framing import PartData, length_prefix, prefixed_text

Value: TypeAlias = "bool | int | float | str | bytes | Decimal | dt.date | dt.time | dt.datetime | None"

NO_NAME = 0xFFFFFFFF
FLOATING_SCALE = 32_767
NULLABLE, NOT_NULL = 2, 1
DAY_OFFSET = 2
"""A day number is the proleptic ordinal plus two, from 15 October 1582 on."""
FIRST_GREGORIAN = 577_738
"""Protocol number of that day. Earlier days are Julian; number 1 is 1 January 0001."""
_MARCH = 3
# Months are counted from March, which is 0.
_JANUARY = 10
_FIVE_MONTHS = 153
HUNDRED_NS_A_DAY = 864_000_000_000
_DECIMAL_BIAS = 6176
_DECIMAL_NULL = bytes(15) + b"\x70"
_NULL_DATE = 3_652_062
_NULL_TIME = 86_402
_NULL_SECONDDATE = 315_538_070_401
_NULL_TIMESTAMP = 3_155_380_704_000_000_001


@frozen
class Column:
    """A column of a table or of a result.

    Attributes:
        name: as shown.
        type: its wire type.
        length: characters, bytes or digits.
        scale: decimals of a fixed decimal; `FLOATING_SCALE` for a floating one.
        nullable: whether it may be NULL.
    """

    name: str
    type: Type
    length: int = 0
    scale: int = 0
    nullable: bool = True

    @property
    def is_lob(self) -> bool:
        """True if its values are sent by locator."""
        return self.type in {Type.CLOB, Type.NCLOB, Type.BLOB}


def day_number(day: dt.date) -> int:
    """Return the protocol's number of a day."""
    if day >= dt.date(1582, 10, 15):
        return day.toordinal() + DAY_OFFSET
    # Years that begin in March have their leap day at the end.
    year = day.year if day.month >= _MARCH else day.year - 1
    month = (day.month - _MARCH) % 12
    return 365 * year + year // 4 + (_FIVE_MONTHS * month + 2) // 5 + day.day - 306


def day_of(number: int) -> dt.date:
    """Return the day of a protocol number.

    Raises:
        ValueError: not a date in Python: before the first one, or a leap day of the Julian calendar only.
    """
    if number >= FIRST_GREGORIAN:
        return dt.date.fromordinal(number - DAY_OFFSET)
    since_march = number + 305
    year = (4 * since_march + 3) // 1461
    rest = since_march - (365 * year + year // 4)
    month = (5 * rest + 2) // _FIVE_MONTHS
    day = rest - (_FIVE_MONTHS * month + 2) // 5 + 1
    return dt.date(year + (month >= _JANUARY), (month + 2) % 12 + 1, day)


def result_metadata(columns: Sequence[Column]) -> PartData:
    """Describe the columns of a result."""
    heads, names = [], b""
    for column in columns:
        options = NULLABLE if column.nullable else NOT_NULL
        offset = len(names)
        names += prefixed_text(column.name)
        heads.append(
            struct.pack(
                "<bbhh2xIIII",
                options,
                column.type,
                column.scale,
                min(column.length, 0x7FFF),
                NO_NAME,
                NO_NAME,
                offset,
                offset,
            )
        )
    return PartData(Part.RESULTSETMETADATA, b"".join(heads) + names, len(columns))


def parameter_metadata(columns: Sequence[Column]) -> PartData:
    """Describe the parameters of a prepared statement; length precedes scale here."""
    data = b"".join(
        struct.pack("<bbbxIhh4x", NULLABLE, column.type, 1, NO_NAME, min(column.length, 0x7FFF), column.scale)
        for column in columns
    )
    return PartData(Part.PARAMETERMETADATA, data, len(columns))


def encoder(column: Column) -> Callable[[Value], bytes]:
    """Return the function that packs values of a column. The column must not be a LOB."""
    return _ENCODERS[column.type](column)


def _integer(size: str) -> Callable[[Column], Callable[[Value], bytes]]:
    packer = struct.Struct(f"<b{size}")

    def make(_: Column) -> Callable[[Value], bytes]:
        return lambda value: b"\0" if value is None else packer.pack(1, int(value))  # type: ignore[arg-type]

    return make


def _floating(size: str) -> Callable[[Column], Callable[[Value], bytes]]:
    packer = struct.Struct(f"<{size}")
    null = b"\xff" * packer.size

    def make(_: Column) -> Callable[[Value], bytes]:
        return lambda value: null if value is None else packer.pack(float(value))  # type: ignore[arg-type]

    return make


def _number(
    packer: struct.Struct, null: int, convert: Callable[[Value], int]
) -> Callable[[Column], Callable[[Value], bytes]]:
    def make(_: Column) -> Callable[[Value], bytes]:
        return lambda value: packer.pack(null if value is None else convert(value))

    return make


def _boolean(_: Column) -> Callable[[Value], bytes]:
    return lambda value: b"\1" if value is None else (b"\2" if value else b"\0")


def _text(_: Column) -> Callable[[Value], bytes]:
    return lambda value: b"\xff" if value is None else prefixed_text(str(value))


def _binary(_: Column) -> Callable[[Value], bytes]:
    def pack(value: Value) -> bytes:
        if value is None:
            return b"\xff"
        raw = value if isinstance(value, bytes) else str(value).encode()
        return length_prefix(len(raw)) + raw

    return pack


def _floating_decimal(_: Column) -> Callable[[Value], bytes]:
    def pack(value: Value) -> bytes:
        if value is None:
            return _DECIMAL_NULL
        sign, digits, exponent = as_decimal(value).as_tuple()
        mantissa = int("".join(map(str, digits)))
        packed = mantissa | (int(exponent) + _DECIMAL_BIAS) << 113 | sign << 127
        return packed.to_bytes(16, "little")

    return pack


def _fixed_decimal(size: int) -> Callable[[Column], Callable[[Value], bytes]]:
    def make(column: Column) -> Callable[[Value], bytes]:
        def pack(value: Value) -> bytes:
            if value is None:
                return b"\0"
            scaled = int(as_decimal(value).scaleb(column.scale).to_integral_value())
            return b"\1" + scaled.to_bytes(size, "little", signed=True)

        return pack

    return make


def as_decimal(value: Value) -> Decimal:
    """Return the exact decimal of a number as written, never a binary float's expansion."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def as_datetime(value: Value) -> dt.datetime:
    """Return a date and time from a value or its ISO text."""
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, dt.time())
    return dt.datetime.fromisoformat(str(value))


def _seconds(moment: dt.time | dt.datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second


def _to_day(value: Value) -> int:
    return day_number(as_datetime(value).date())


def _to_time(value: Value) -> int:
    moment = value if isinstance(value, dt.time) else dt.time.fromisoformat(str(value))
    return _seconds(moment) + 1


def _to_seconddate(value: Value) -> int:
    moment = as_datetime(value)
    return (day_number(moment.date()) - 1) * 86_400 + _seconds(moment) + 1


def _to_timestamp(value: Value) -> int:
    moment = as_datetime(value)
    return (_to_seconddate(moment) - 1) * 10_000_000 + moment.microsecond * 10 + 1


_ENCODERS: dict[Type, Callable[[Column], Callable[[Value], bytes]]] = {
    Type.TINYINT: _integer("B"),
    Type.SMALLINT: _integer("h"),
    Type.INTEGER: _integer("i"),
    Type.BIGINT: _integer("q"),
    Type.DECIMAL: _floating_decimal,
    Type.FIXED8: _fixed_decimal(8),
    Type.FIXED12: _fixed_decimal(12),
    Type.FIXED16: _fixed_decimal(16),
    Type.REAL: _floating("f"),
    Type.DOUBLE: _floating("d"),
    Type.BOOLEAN: _boolean,
    Type.VARCHAR: _text,
    Type.NVARCHAR: _text,
    Type.VARBINARY: _binary,
    Type.DATE: _number(struct.Struct("<i"), _NULL_DATE, _to_day),
    Type.TIME: _number(struct.Struct("<i"), _NULL_TIME, _to_time),
    Type.SECONDDATE: _number(struct.Struct("<q"), _NULL_SECONDDATE, _to_seconddate),
    Type.TIMESTAMP: _number(struct.Struct("<q"), _NULL_TIMESTAMP, _to_timestamp),
}
