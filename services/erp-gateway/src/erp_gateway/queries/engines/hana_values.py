"""Converts values to and from SAP HANA's driver."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

from erp_gateway.queries.engines.rows import ValueDoesNotFitError
from erp_gateway.queries.values import Value
from erp_gateway.values.measures import without_end_zeros

REFUSED: Final = object()
MOMENTS: Final = frozenset({14, 15, 16, 61, 62, 63, 64})
BATCH: Final = 200
_LOB_PIECE: Final = 64 * 1024
_WHOLE_CHARACTER: Final = 2
_REPLACEMENT: Final = "\ufffd"

TEXTS: Final = frozenset({8, 9, 10, 11})
# Ranges of the integer types, TINYINT first. The driver refuses larger values without naming the parameter.
_INTEGERS: Final[Mapping[int, tuple[int, int]]] = {
    1: (0, 255),
    2: (-(2**15), 2**15 - 1),
    3: (-(2**31), 2**31 - 1),
    4: (-(2**63), 2**63 - 1),
}

DECIMALS: Final = frozenset({5, 76, 81, 82})
# Precisions of DECIMAL and SMALLDECIMAL, which the driver reports with scale 0 although they have decimals.
_FLOATING: Final = frozenset({34, 16})

# Largest `int` that the driver accepts for any parameter.
_LARGEST_INTEGER: Final = 2**63 - 1


def bind_values(values: Sequence[Value], places: Sequence[Any] | None) -> list[Value | int]:
    """Convert values for the driver.

    Raises:
        ValueDoesNotFitError: the driver would truncate a number, and so run another query.
    """
    if places is not None and len(places) == len(values):
        for position, (value, place) in enumerate(zip(values, places, strict=True)):
            if isinstance(value, Decimal) and not _fits(value, place[1], place[5], place[6]):
                raise ValueDoesNotFitError(position)
    return [_whole(value) if isinstance(value, Decimal) else value for value in values]


def _fits(number: Decimal, code: int, digits: int, scale: int) -> bool:
    if code in MOMENTS:
        return False  # it would count days
    if code in _INTEGERS:
        least, most = _INTEGERS[code]
        return number == number.to_integral_value() and least <= number <= most
    if code in DECIMALS and (scale > 0 or digits not in _FLOATING):
        return -int(without_end_zeros(number).as_tuple().exponent) <= scale
    return True


def _whole(number: Decimal) -> Decimal | int:
    if number != number.to_integral_value():
        return number
    whole = int(number)
    return whole if abs(whole) <= _LARGEST_INTEGER else Decimal(whole)


def lob_pieces(lob: Any) -> Iterator[Any]:
    """Yield the content of a LOB in pieces.

    The driver refuses a piece that ends within a character, and a lone half of a character. Text before such
    a half is read in ever shorter pieces, and the half is replaced.
    """
    position, length = 1, _LOB_PIECE
    while True:
        piece = _piece(lob, length, position)
        if piece is REFUSED and length == _LOB_PIECE:
            piece = _piece(lob, length - 1, position)
        if piece is REFUSED and length > _WHOLE_CHARACTER:
            length //= 2
            continue
        if piece is REFUSED:
            piece = _piece(lob, 1, position)
        if piece is REFUSED:
            piece, length = _REPLACEMENT, _LOB_PIECE
        if not piece:
            return
        yield piece
        position += _length(piece)


def _piece(lob: Any, length: int, position: int) -> Any:
    """Read a piece from a position, counted from 1; empty after the end."""
    with suppress(UnicodeDecodeError):
        return lob.read(length, position)
    return REFUSED


def _length(piece: Any) -> int:
    """Return a piece's length as the driver counts it: a text's in units of UTF-16."""
    return len(piece.encode("utf-16-le")) // 2 if isinstance(piece, str) else len(piece)


def text_of(value: Any) -> object:
    """Return a text, also if the driver returns UTF-16 units because it contains half a character."""
    return str(value, "utf-16-le", "replace") if isinstance(value, memoryview) else value


def plain_value(value: Any) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
