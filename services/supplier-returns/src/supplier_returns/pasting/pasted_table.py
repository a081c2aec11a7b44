"""Content of a paste."""

from decimal import Decimal

import msgspec
from attrs import frozen


class CellNote(msgspec.Struct, frozen=True, gc=False):
    """Problem or warning about one cell, with its JSON names.

    Attributes:
        row: 1-based row of the text.
        column: API name of the column. None for a note about the whole row.
        value: shortened value of the cell.
        code: stable snake_case code.
        message: Spanish text for the user.
    """

    row: int = msgspec.field(name="fila")
    column: str | None = msgspec.field(name="columna")
    value: str = msgspec.field(name="valor")
    code: str
    message: str


class RequestedLine(msgspec.Struct, gc=False):
    """Requested quantity of one item for one reason, summed over its rows."""

    item_code: str
    quantity: Decimal
    reason: str | None = None
    rows: list[int] = msgspec.field(default_factory=list)


@frozen
class PastedTable:
    """Content of a paste.

    Attributes:
        columns: 0-based position of each recognized column, by its API name.
        has_header: whether a header row was found.
        rows_read: number of non-empty rows, without header and titles.
        rows_empty: number of empty rows.
        lines: requested lines in order of first appearance.
        problems: skipped rows with their reasons.
        warnings: warnings about used cells.
        doubtful_codes: skipped cells that would be codes if the ERP had such items.
    """

    columns: dict[str, int]
    has_header: bool
    rows_read: int
    rows_empty: int
    lines: list[RequestedLine]
    problems: list[CellNote]
    warnings: list[CellNote]
    doubtful_codes: tuple[str, ...] = ()
