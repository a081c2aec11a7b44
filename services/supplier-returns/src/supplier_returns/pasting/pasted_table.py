"""Rules for parsing a paste, and its content."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

import msgspec
from attrs import frozen

from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.numbers import (
    NumberFormat,
)


class PasteRefusedError(Exception):
    """The whole paste is unusable.

    Attributes:
        code: ``columns_unknown``, ``unreadable_paste``, ``paste_too_large``, or an error code of the body.
        message: Spanish reason for the user.
        problems: problems of single fields of the body.
        members: further members of the response.
    """

    def __init__(
        self,
        code: str,
        message: str,
        problems: Sequence[Any] = (),
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            code, message, problems, members
        )  # all arguments, so that pickle can restore it in the parent process
        self.code = code
        self.message = message
        self.problems = problems
        self.members = members


@frozen
class PasteLimits:
    """Limits of one paste."""

    rows: int = 50_000
    columns: int = 50
    items: int = 2_000
    code_length: int = 50
    text_length: int = 254


@frozen
class PasteRules:
    """Rules for parsing a paste.

    Attributes:
        whs_code: warehouse of the planning. A row with another one is a problem.
        number_format: format of ambiguous quantities if the column does not prove one.
        decimals: decimals of quantities in the ERP.
        existing_codes: item codes of the ERP that look like something else, spelled as in the text.
        columns: 0-based position of each column. None recognizes them.
    """

    whs_code: str
    number_format: NumberFormat = NumberFormat.AUTO
    decimals: int = 6
    existing_codes: AbstractSet[str] = frozenset()
    columns: Mapping[Column, int] | None = None
    limits: PasteLimits = PasteLimits()


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
