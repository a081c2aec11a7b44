"""Request body of a paste."""

from typing import Final

from attrs import field, frozen

from servicekit.endpoint import InvalidValue
from supplier_returns.pasting.numbers import NumberFormat

MAX_WHS_CODE: Final = 8
"""Maximum characters of a warehouse code."""


def check_whs_code(_instance: object, _attribute: object, value: str) -> None:
    """Check that a text can be a warehouse code (an attrs validator)."""
    if not 1 <= len(value) <= MAX_WHS_CODE or not value.isprintable():
        raise InvalidValue(f"Debe tener entre 1 y {MAX_WHS_CODE} caracteres.")


@frozen(kw_only=True)
class ColumnsBody:
    """Positions of the columns in the pasted table, from 0. Null means that the table lacks the column."""

    codigo: int
    cantidad: int
    motivo: int | None = None
    almacen: int | None = None
    comentario: int | None = None


@frozen(kw_only=True)
class PasteBody:
    """Pasted text and its warehouse. Without `columnas`, the service recognizes the columns."""

    whs_code: str = field(validator=check_whs_code)
    texto: str
    formato_numero: NumberFormat = NumberFormat.AUTO
    columnas: ColumnsBody | None = None
