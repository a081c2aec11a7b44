"""What a paste is read against, and what it says."""

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
    """The paste as a whole can't be used.

    Attributes:
        code: ``columns_unknown``, ``unreadable_paste``, ``paste_too_large`` or what is wrong with the body.
        message: The reason in Spanish, for the person who pasted.
        problems: Of single fields of the body, as the reader of the body has them.
        members: Further members of the answer.
    """

    def __init__(
        self,
        code: str,
        message: str,
        problems: Sequence[Any] = (),
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, problems, members)  # so that it can be sent between processes
        self.code = code
        self.message = message
        self.problems = problems
        self.members = members


@frozen
class PasteLimits:
    """How much one paste may hold."""

    rows: int = 50_000
    columns: int = 50
    items: int = 2_000
    code_length: int = 50
    text_length: int = 254


@frozen
class PasteRules:
    """What a paste is read against.

    Attributes:
        whs_code: The warehouse of the planning; a row that names another one is a problem.
        number_format: How ambiguous quantities are read where the column doesn't tell.
        decimals: Decimals that the ERP keeps for quantities.
        existing_codes: Codes that the ERP has although they look like something else; spelled as in the text.
        columns: 0-based position of each column, None to recognize them.
    """

    whs_code: str
    number_format: NumberFormat = NumberFormat.AUTO
    decimals: int = 6
    existing_codes: AbstractSet[str] = frozenset()
    columns: Mapping[Column, int] | None = None
    limits: PasteLimits = PasteLimits()


class CellNote(msgspec.Struct, frozen=True, gc=False):
    """A problem or a warning about one cell, written as it goes over the wire.

    Attributes:
        row: 1-based row of the text.
        column: Its name on the wire, or None if the note is about the whole row.
        value: What stands there, shortened for showing.
        code: Stable snake_case word.
        message: Spanish text for the person.
    """

    row: int = msgspec.field(name="fila")
    column: str | None = msgspec.field(name="columna")
    value: str = msgspec.field(name="valor")
    code: str
    message: str


class RequestedLine(msgspec.Struct, gc=False):
    """What is asked back of one item (and for one reason); rows of the same kind are added up."""

    item_code: str
    quantity: Decimal
    reason: str | None = None
    rows: list[int] = msgspec.field(default_factory=list)


@frozen
class PastedTable:
    """All that a paste says.

    Attributes:
        columns: 0-based position of each recognised column, by its name on the wire.
        has_header: Whether a header row was found.
        rows_read: Rows that hold anything, header and titles excluded.
        rows_empty: Rows of empty cells only.
        lines: What is asked, in order of first appearance.
        problems: Rows left out, each with its reason.
        warnings: What was read but deserves a look.
        doubtful_codes: Cells left out that would be codes if the ERP had items of these names.
    """

    columns: dict[str, int]
    has_header: bool
    rows_read: int
    rows_empty: int
    lines: list[RequestedLine]
    problems: list[CellNote]
    warnings: list[CellNote]
    doubtful_codes: tuple[str, ...] = ()
