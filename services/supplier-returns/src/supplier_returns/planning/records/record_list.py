"""Lists of records, of which another program may have spoiled one."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

import msgspec

from supplier_returns.planning.records.rows import (
    KeyRow,
)

SPOILED: Final = (msgspec.MsgspecError, LookupError, ValueError, ArithmeticError)
"""What reading a record raises where somebody else changed it."""

RECORDS: Final = msgspec.json.Decoder(list[msgspec.Raw])
KEY_ROW: Final = msgspec.json.Decoder(KeyRow)

_T = TypeVar("_T")


class UnreadableRecordError(ValueError):
    """What the ERP holds is no planning of this service: a field is missing, or a row refers to none."""


def read_each(rows: bytes, read: Callable[[msgspec.Raw], _T]) -> list[_T]:
    """Read every record of a list; leave out those that are spoiled.

    Raises:
        UnreadableRecordError: It is no list, or one of its records has no key.
    """
    found: list[_T] = []
    try:
        for record in RECORDS.decode(rows):
            KEY_ROW.decode(record)
            with suppress(*SPOILED):
                found.append(read(record))
    except msgspec.MsgspecError as error:
        raise UnreadableRecordError("a record without a key") from error
    return found
