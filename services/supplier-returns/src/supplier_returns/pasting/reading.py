"""Decode the body of a paste, in a thread or another process.

A bad paste has tens of thousands of notes about cells. They are returned as encoded JSON, which is cheap to
send to the parent process.
"""

import hashlib
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from attrs import asdict, evolve, frozen

from servicekit.endpoint import parse_json
from servicekit.endpoint.shapes import structure
from servicekit.errors import BadRequest, FieldProblem, InvalidBody
from supplier_returns.pasting.pasted_table import CellNote, PastedTable
from supplier_returns.pasting.refusal import PasteRefusedError
from supplier_returns.pasting.requested_columns import RequestedColumnsError, requested_columns
from supplier_returns.pasting.rules import PasteRules
from supplier_returns.pasting.shapes import PasteBody
from supplier_returns.pasting.text import parse_paste

MAX_PASTE_BYTES: Final = 10 * 1024 * 1024
"""Maximum size of a paste's request body."""

_ENCODER: Final = msgspec.json.Encoder()


@frozen
class PasteReading:
    """Content of a paste.

    Attributes:
        table: table without its notes.
        problems: skipped rows with their reasons, as the inside of a JSON array.
        warnings: warnings about used cells, in the same form.
        digest: SHA-256 of the text, in hexadecimal.
    """

    whs_code: str
    table: PastedTable
    problems: bytes
    warnings: bytes
    digest: str


def read_paste(body: bytes, decimals: int, existing_codes: AbstractSet[str] = frozenset()) -> PasteReading:
    """Decode the JSON body of a paste.

    Args:
        body: request body.
        decimals: decimals of quantities in the ERP.
        existing_codes: item codes of the ERP that look like something else.

    Raises:
        PasteRefusedError: the body or the table is unusable.
    """
    try:
        paste = structure(parse_json(body), PasteBody)
    except BadRequest as error:
        raise PasteRefusedError(error.code, error.detail, error.errors) from None
    rules = PasteRules(
        whs_code=paste.whs_code,
        number_format=paste.formato_numero,
        decimals=decimals,
        existing_codes=existing_codes,
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
    """Encode notes as the inside of a JSON array."""
    return b",".join(map(_ENCODER.encode, notes))
