"""Columns that a pasted table can have, and where they are in one table."""

import enum
from collections.abc import Mapping

from attrs import field, frozen


class Column(enum.Enum):
    """Meaning of a column; the value is its name on the wire."""

    CODE = "codigo"
    QUANTITY = "cantidad"
    WAREHOUSE = "almacen"
    REASON = "motivo"
    COMMENT = "comentario"


@frozen
class Layout:
    """Where each column of a table is and where its rows begin.

    Attributes:
        positions: 0-based index of each column that has a meaning.
        first_row: 0-based index of the first row that is read.
        header_row: 0-based index of the header, None without one.
    """

    positions: Mapping[Column, int]
    first_row: int = 0
    header_row: int | None = None


@frozen
class UnknownColumns:
    """Why the code and the quantity column of a table are not certain.

    Attributes:
        message: The reason in Spanish, for the person who pasted.
        header_row: 0-based index of the row with some header words, None without one.
    """

    message: str = field()
    header_row: int | None = None
