"""The body of a paste."""

from typing import Final

from attrs import field, frozen

from servicekit.endpoint import InvalidValue
from supplier_returns.pasting.numbers import NumberFormat

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
