"""HANA's types, their DuckDB storage types, and the result types of their combinations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from erpsim.hana.protocol.codes import Type
from erpsim.hana.protocol.columns import FLOATING_SCALE, Column

_INTEGERS: Final = {Type.TINYINT: 3, Type.SMALLINT: 5, Type.INTEGER: 10, Type.BIGINT: 19}
_FIXED: Final = frozenset({Type.FIXED8, Type.FIXED12, Type.FIXED16})
_TEXTS: Final = frozenset({Type.VARCHAR, Type.NVARCHAR})
_LOBS: Final = frozenset({Type.CLOB, Type.NCLOB})
_KEPT_IN: Final = {
    Type.TINYINT: "UTINYINT",
    Type.SMALLINT: "SMALLINT",
    Type.INTEGER: "INTEGER",
    Type.BIGINT: "BIGINT",
    Type.REAL: "FLOAT",
    Type.DOUBLE: "DOUBLE",
    Type.DECIMAL: "DOUBLE",
    Type.BOOLEAN: "BOOLEAN",
    Type.VARBINARY: "BLOB",
    Type.BLOB: "BLOB",
    Type.DATE: "DATE",
    Type.TIME: "TIME",
    Type.SECONDDATE: "TIMESTAMP",
    Type.TIMESTAMP: "TIMESTAMP",
}
MOST_DIGITS: Final = 38
_WIDTHS: Final = ((18, Type.FIXED8), (28, Type.FIXED12), (MOST_DIGITS, Type.FIXED16))
_MOST_SCALE_OF_PRODUCT: Final = 20


@frozen
class HanaType:
    """A type.

    Attributes:
        code: on the wire; fixed decimals are the FIXED types, DECIMAL is the floating one.
        length: characters, bytes or digits.
        scale: decimals.
    """

    code: Type
    length: int = 0
    scale: int = 0

    @classmethod
    def of(cls, column: Column) -> HanaType:
        """Return a column's type."""
        return cls(column.type, column.length, column.scale)

    def column(self, name: str) -> Column:
        """Return a column of this type."""
        return Column(name, self.code, self.length, self.scale)

    @property
    def is_integer(self) -> bool:
        """True if it is a whole number."""
        return self.code in _INTEGERS

    @property
    def is_fixed(self) -> bool:
        """True if it is a decimal with a fixed scale."""
        return self.code in _FIXED

    @property
    def is_binary_float(self) -> bool:
        """True if it is REAL or DOUBLE."""
        return self.code in {Type.REAL, Type.DOUBLE}

    @property
    def is_floating_decimal(self) -> bool:
        """True if it is a decimal without a scale, the result of a division."""
        return self.code is Type.DECIMAL

    @property
    def is_number(self) -> bool:
        """True if it is a number of any kind."""
        return self.is_integer or self.is_fixed or self.is_binary_float or self.is_floating_decimal

    @property
    def is_text(self) -> bool:
        """True if it is a text that can be compared."""
        return self.code in _TEXTS

    @property
    def is_long_text(self) -> bool:
        """True if it is a text LOB."""
        return self.code in _LOBS

    @property
    def is_lob(self) -> bool:
        """True if it is a LOB of any kind."""
        return self.is_long_text or self.code is Type.BLOB

    @property
    def is_day(self) -> bool:
        """True if it contains a date: DATE, SECONDDATE, TIMESTAMP."""
        return self.code in {Type.DATE, Type.SECONDDATE, Type.TIMESTAMP}

    @property
    def kept_in(self) -> str:
        """DuckDB's storage type."""
        if self.is_fixed:
            return f"DECIMAL({self.length},{self.scale})"
        return _KEPT_IN.get(self.code, "VARCHAR")

    @property
    def name(self) -> str:
        """Name in HANA's catalogue."""
        return "DECIMAL" if self.is_fixed else self.code.name


def decimal(digits: int, scale: int) -> HanaType:
    """Return the fixed decimal of so many digits."""
    digits = max(1, min(digits, MOST_DIGITS), scale)
    code = next(code for most, code in _WIDTHS if digits <= most)
    return HanaType(code, digits, scale)


def text(length: int) -> HanaType:
    """Return the text type of so many characters."""
    return HanaType(Type.NVARCHAR, max(1, min(length, 5000)))


TINYINT: Final = HanaType(Type.TINYINT, 3)
SMALLINT: Final = HanaType(Type.SMALLINT, 5)
INTEGER: Final = HanaType(Type.INTEGER, 10)
BIGINT: Final = HanaType(Type.BIGINT, 19)
REAL: Final = HanaType(Type.REAL, 7)
DOUBLE: Final = HanaType(Type.DOUBLE, 15)
FLOATING: Final = HanaType(Type.DECIMAL, 34, FLOATING_SCALE)
BOOLEAN: Final = HanaType(Type.BOOLEAN, 1)
DATE: Final = HanaType(Type.DATE, 10)
TIME: Final = HanaType(Type.TIME, 8)
SECONDDATE: Final = HanaType(Type.SECONDDATE, 19)
TIMESTAMP: Final = HanaType(Type.TIMESTAMP, 27, 7)
NVARCHAR: Final = HanaType(Type.NVARCHAR, 5000)
NCLOB: Final = HanaType(Type.NCLOB)
UNBOUND: Final = NVARCHAR
"""Type of a parameter whose context does not determine one."""


def as_decimal_type(number: HanaType) -> HanaType:
    """Return the fixed decimal that holds an integer or a fixed decimal."""
    return decimal(_INTEGERS[number.code], 0) if number.is_integer else number


def common_number(types: Iterable[HanaType]) -> HanaType:
    """Return the number type that holds values of all of these."""
    every = list(types)
    for kind in (DOUBLE, REAL, FLOATING):
        if any(each.code is kind.code for each in every):
            return DOUBLE if kind is REAL and any(not each.is_binary_float for each in every) else kind
    if all(each.is_integer for each in every):
        return max(every, key=lambda each: each.length)
    fixed = [as_decimal_type(each) for each in every]
    scale = max(each.scale for each in fixed)
    return decimal(max(each.length - each.scale for each in fixed) + scale, scale)


def sum_type(left: HanaType, right: HanaType) -> HanaType:
    """Return the type of a sum or difference of two numbers."""
    common = common_number((left, right))
    if common.is_fixed:
        return decimal(common.length + 1, common.scale)
    return INTEGER if common.is_integer and common.length < INTEGER.length else common


def product_type(left: HanaType, right: HanaType) -> HanaType:
    """Return the type of a product of two numbers."""
    common = common_number((left, right))
    if not common.is_fixed:
        return sum_type(left, right)
    one, other = as_decimal_type(left), as_decimal_type(right)
    scale = one.scale + other.scale
    return decimal(one.length + other.length, scale) if scale <= _MOST_SCALE_OF_PRODUCT else FLOATING
