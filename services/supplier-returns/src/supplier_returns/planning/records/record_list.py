"""Decode lists of records, of which another program may have damaged some."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

import msgspec

from supplier_returns.planning.records.rows import (
    KeyRow,
)

DECODE_ERRORS: Final = (msgspec.MsgspecError, LookupError, ValueError, ArithmeticError)
"""Exceptions from decoding a record that another program changed."""

RECORDS: Final = msgspec.json.Decoder(list[msgspec.Raw])
KEY_ROW: Final = msgspec.json.Decoder(KeyRow)

_T = TypeVar("_T")


class UnreadableRecordError(ValueError):
    """The record is not a planning of this service: a field is missing, or a row refers to a missing row."""


def read_each(rows: bytes, decode: Callable[[msgspec.Raw], _T]) -> list[_T]:
    """Decode every record of a list, and leave out damaged ones.

    Raises:
        UnreadableRecordError: the text is not a list, or a record has no key.
    """
    values: list[_T] = []
    try:
        for record in RECORDS.decode(rows):
            KEY_ROW.decode(record)
            with suppress(*DECODE_ERRORS):
                values.append(decode(record))
    except msgspec.MsgspecError as error:
        raise UnreadableRecordError("a record without a key") from error
    return values
