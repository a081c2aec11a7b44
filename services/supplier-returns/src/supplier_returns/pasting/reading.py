"""Reads the body of a paste, in whatever process: from bytes to values that cost little to hand back.

Notes about cells, of which a bad paste has tens of thousands, are handed back as JSON that is ready to send.
"""

import hashlib
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from attrs import field, frozen

from servicekit.endpoint import InvalidValue, parse_json
from servicekit.endpoint.shapes import structure
from servicekit.errors import BadRequest, FieldProblem
from supplier_returns.pasting.numbers import NumberFormat
from supplier_returns.pasting.table import (
    CellNote,
    PastedTable,
    PasteRefusedError,
    PasteRules,
    RequestedLine,
)
from supplier_returns.pasting.text import parse_paste

MAX_PASTE_BYTES: Final = 10 * 1024 * 1024
"""Largest body of a paste."""

MAX_WHS_CODE: Final = 8
"""Characters of a warehouse's code."""


def check_whs_code(_instance: object, _attribute: object, value: str) -> None:
    """Refuse what can't be a warehouse's code (as a validator of attrs)."""
    if not 1 <= len(value) <= MAX_WHS_CODE or not value.isprintable():
        raise InvalidValue(f"Debe tener entre 1 y {MAX_WHS_CODE} caracteres.")


@frozen(kw_only=True)
class PasteBody:
    """What is pasted, and for which warehouse."""

    whs_code: str = field(validator=check_whs_code)
    texto: str
    formato_numero: NumberFormat = NumberFormat.AUTO


@frozen
class PasteReading:
    """What a paste says.

    Attributes:
        columns: 0-based position of each recognised column, by its name on the wire.
        has_header: Whether a header row was found.
        rows_read: Rows that hold anything, header and titles excluded.
        rows_empty: Rows of empty cells only.
        lines: What is asked.
        problems: Rows left out, each with its reason: the inside of a JSON array.
        warnings: What was read but deserves a look: likewise.
        digest: SHA-256 of the text, hexadecimal.
        doubted_codes: Cells left out that would be codes if the ERP had items of these names.
    """

    whs_code: str
    columns: dict[str, int]
    has_header: bool
    rows_read: int
    rows_empty: int
    lines: tuple[RequestedLine, ...]
    problems: bytes
    warnings: bytes
    digest: str
    doubted_codes: tuple[str, ...] = ()


@frozen
class PasteRefusal:
    """Why nothing of a paste was read.

    Attributes:
        code: Of the error to answer.
        detail: For the person, in Spanish.
        problems: Of single fields of the body.
    """

    code: str
    detail: str
    problems: tuple[FieldProblem, ...] = ()


def read_paste(
    body: bytes, decimals: int, known_codes: AbstractSet[str] = frozenset()
) -> PasteReading | PasteRefusal:
    """Read the JSON body of a paste. Never raises for what a client may send.

    Args:
        body: As it arrived.
        decimals: Decimals that the ERP keeps for quantities.
        known_codes: Codes that the ERP has although they look like something else.
    """
    try:
        paste = structure(parse_json(body), PasteBody)
        rules = PasteRules(
            whs_code=paste.whs_code,
            number_format=paste.formato_numero,
            decimals=decimals,
            known_codes=known_codes,
        )
        table = parse_paste(paste.texto, rules)
    except BadRequest as error:
        return PasteRefusal(error.code, error.detail, error.errors)
    except PasteRefusedError as error:
        return PasteRefusal(error.code, error.message)
    return _reading(table, paste)


def notes_json(notes: Iterable[CellNote]) -> bytes:
    """Write notes as the inside of a JSON array."""
    return b",".join(
        _ENCODER.encode(
            {
                "fila": note.row,
                "columna": note.column,
                "valor": note.value,
                "code": note.code,
                "message": note.message,
            }
        )
        for note in notes
    )


_ENCODER: Final = msgspec.json.Encoder()


def _reading(table: PastedTable, paste: PasteBody) -> PasteReading:
    return PasteReading(
        whs_code=paste.whs_code,
        columns=table.columns,
        has_header=table.has_header,
        rows_read=table.rows_read,
        rows_empty=table.rows_empty,
        lines=tuple(table.lines),
        problems=notes_json(table.problems),
        warnings=notes_json(table.warnings),
        digest=hashlib.sha256(paste.texto.encode("utf-8")).hexdigest(),
        doubted_codes=table.doubted_codes,
    )
