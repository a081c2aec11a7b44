"""Columns of a pasted table and their positions."""

import enum
from collections.abc import Mapping

from attrs import field, frozen


class Column(enum.Enum):
    """Meaning of a column. The value is its API name."""

    CODE = "codigo"
    QUANTITY = "cantidad"
    WAREHOUSE = "almacen"
    REASON = "motivo"
    COMMENT = "comentario"


@frozen
class Layout:
    """Position of each column, and the first row.

    Attributes:
        positions: 0-based index of each column with a meaning.
        first_row: 0-based index of the first row to read.
        header_row: 0-based index of the header, if there is one.
    """

    positions: Mapping[Column, int]
    first_row: int = 0
    header_row: int | None = None


@frozen
class UnknownColumns:
    """Reason why the code and quantity columns of a table are not certain.

    Attributes:
        message: Spanish text for the user.
        header_row: 0-based index of a row with some header words, if there is one.
    """

    message: str = field()
    header_row: int | None = None
