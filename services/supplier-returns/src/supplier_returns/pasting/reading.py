"""Reads the body of a paste, in whatever process: from bytes to values that cost little to hand back.

Notes about cells, of which a bad paste has tens of thousands, are handed back as JSON that is ready to send.
"""

import hashlib
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from attrs import asdict, evolve, field, frozen

from servicekit.endpoint import InvalidValue, parse_json
from servicekit.endpoint.shapes import structure
from servicekit.errors import BadRequest, FieldProblem, InvalidBody
from supplier_returns.pasting.numbers import NumberFormat
from supplier_returns.pasting.requested_columns import RequestedColumnsError, requested_columns
from supplier_returns.pasting.text import (
    CellNote,
    PastedTable,
    PasteRefusedError,
    PasteRules,
    parse_paste,
)

MAX_PASTE_BYTES: Final = 10 * 1024 * 1024
"""Largest body of a paste."""

_ENCODER: Final = msgspec.json.Encoder()

MAX_WHS_CODE: Final = 8
"""Characters of a warehouse's code."""


def check_whs_code(_instance: object, _attribute: object, value: str) -> None:
    """Refuse what can't be a warehouse's code (as a validator of attrs)."""
    if not 1 <= len(value) <= MAX_WHS_CODE or not value.isprintable():
        raise InvalidValue(f"Debe tener entre 1 y {MAX_WHS_CODE} caracteres.")


@frozen(kw_only=True)
class ColumnsBody:
    """Columns of the pasted table, from 0; null for what it doesn't have."""

    codigo: int
    cantidad: int
    motivo: int | None = None
    almacen: int | None = None
    comentario: int | None = None


@frozen(kw_only=True)
class PasteBody:
    """What is pasted, and for which warehouse; without `columnas` the columns are recognized."""

    whs_code: str = field(validator=check_whs_code)
    texto: str
    formato_numero: NumberFormat = NumberFormat.AUTO
    columnas: ColumnsBody | None = None


@frozen
class PasteReading:
    """What a paste says.

    Attributes:
        table: What the text holds, without its notes.
        problems: Rows left out, each with its reason: the inside of a JSON array.
        warnings: What was read but deserves a look: likewise.
        digest: SHA-256 of the text, hexadecimal.
    """

    whs_code: str
    table: PastedTable
    problems: bytes
    warnings: bytes
    digest: str


def read_paste(body: bytes, decimals: int, known_codes: AbstractSet[str] = frozenset()) -> PasteReading:
    """Read the JSON body of a paste.

    Args:
        body: As it arrived.
        decimals: Decimals that the ERP keeps for quantities.
        known_codes: Codes that the ERP has although they look like something else.

    Raises:
        PasteRefusedError: Nothing of it can be read; a client may send whatever it likes.
    """
    try:
        paste = structure(parse_json(body), PasteBody)
    except BadRequest as error:
        raise PasteRefusedError(error.code, error.detail, error.errors) from None
    rules = PasteRules(
        whs_code=paste.whs_code,
        number_format=paste.formato_numero,
        decimals=decimals,
        known_codes=known_codes,
        columns=None if paste.columnas is None else requested_columns(asdict(paste.columnas)),
    )
    try:
        table = parse_paste(paste.texto, rules)
    except RequestedColumnsError as error:
        problems = [FieldProblem(f"columnas.{column.value}", message) for column, message in error.problems]
        raise PasteRefusedError(InvalidBody.code, InvalidBody.detail, problems) from None
    return PasteReading(
        paste.whs_code,
        evolve(table, problems=[], warnings=[]),
        notes_json(table.problems),
        notes_json(table.warnings),
        hashlib.sha256(paste.texto.encode("utf-8")).hexdigest(),
    )


def notes_json(notes: Iterable[CellNote]) -> bytes:
    """Write notes as the inside of a JSON array."""
    return b",".join(map(_ENCODER.encode, notes))
