# ruff: noqa: RUF009 - attribute() only declares fields, as attrs.field does
"""Bodies that the planning routes accept; attributes are named as on the wire, in snake_case."""

from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal

from attrs import field, frozen

from servicekit.endpoint import InvalidValue
from supplier_returns.pasting.shapes import check_whs_code
from supplier_returns.pasting.table import PasteLimits
from supplier_returns.planning.rules.names import MAX_REASON
from supplier_returns.quantities import MAX_DECIMALS
from supplier_returns.shape_fields import attribute

MAX_INTEGER_DIGITS: Final = 12
MAX_COMMENT: Final = 254
MAX_CARD_CODE: Final = 15
MAX_BATCH: Final = 36
MAX_PICKS: Final = 1_000
LIMITS: Final = PasteLimits()


def text_of(least: int, most: int, *, line_breaks: bool = False) -> Any:
    """Make a check that a text has so many characters and can be shown; None passes."""

    def check(_instance: object, _attribute: object, value: str | None) -> None:
        if value is None:
            return
        if not least <= len(value) <= most:
            raise InvalidValue(
                f"Debe tener entre {least} y {most} caracteres."
                if least
                else f"Debe tener hasta {most} caracteres."
            )
        if not (value.replace("\n", "") if line_breaks else value).isprintable():
            raise InvalidValue("Contiene caracteres no válidos.")

    return check


def check_quantity(_instance: object, _attribute: Any, value: Any) -> None:
    """Check that a quantity is above zero, not too large, and has few decimals; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is None:
        return
    if value <= 0:
        raise InvalidValue("Debe ser mayor que cero.")
    if value >= 10**MAX_INTEGER_DIGITS:
        raise InvalidValue("Es demasiado grande.")
    if value != value.quantize(Decimal(1).scaleb(-MAX_DECIMALS)):
        raise InvalidValue(f"Puede tener hasta {MAX_DECIMALS} decimales.")


def check_positive(_instance: object, _attribute: object, value: int | None) -> None:
    """Check that a number can be a key of the ERP's; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is not None and not 0 < value < 2**31:
        raise InvalidValue("Debe ser un número entero mayor que cero.")


def check_rows(_instance: object, _attribute: object, value: tuple[int, ...]) -> None:
    """Check that these can be rows of a paste.

    Raises:
        InvalidValue: It is otherwise.
    """
    if len(value) > LIMITS.rows or any(not 0 < row < 2**31 for row in value):
        raise InvalidValue("Deben ser números de fila.")


def check_digest(_instance: object, _attribute: object, value: str | None) -> None:
    """Check that a text is a SHA-256 digest in hex; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is not None and (len(value) != 64 or set(value) - set("0123456789abcdef")):  # noqa: PLR2004
        raise InvalidValue("No es una huella de la vista previa.")


def check_few(_instance: object, _attribute: Any, value: Any) -> None:
    """Check that a line has no more picks than it may have; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is not None and len(value) > MAX_PICKS:
        raise InvalidValue(f"Puede tener hasta {MAX_PICKS} elementos.")


def check_serials(_instance: object, _attribute: object, value: tuple[str, ...] | None) -> None:
    """Check serial numbers: few, each of a possible length, each once; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    check_few(_instance, _attribute, value)
    seen: set[str] = set()
    for index, serial in enumerate(value or ()):
        if not 1 <= len(serial) <= MAX_BATCH or not serial.isprintable():
            raise InvalidValue(f"Debe tener entre 1 y {MAX_BATCH} caracteres.", f"[{index}]")
        if serial in seen:
            raise InvalidValue("Está repetida.", f"[{index}]")
        seen.add(serial)


TransferKind = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9"]
DispatchKind = Literal["1", "2", "3"]


def _lines(_instance: object, _attribute: object, value: tuple["LineBody", ...]) -> None:
    if not 1 <= len({line.item_code for line in value}) <= LIMITS.items:
        raise InvalidValue(f"Debe tener entre 1 y {LIMITS.items} artículos.")


# --- requests


@frozen(kw_only=True)
class HeaderBody:
    """The header of a new planning. Dates default to today; the document's date to the posting date."""

    whs_code: str = field(validator=check_whs_code)
    fecha: date | None = attribute("posting_date", default=None)
    fecha_documento: date | None = attribute("document_date", default=None)
    serie: int | None = attribute("series", default=None, validator=check_positive)
    ind_traslado: TransferKind = attribute("transfer_kind", default="7")
    tipo_despacho: DispatchKind | None = attribute("dispatch_kind", default=None)
    motivo: str | None = attribute("reason", default=None, validator=text_of(1, MAX_REASON))
    comentario: str | None = attribute(
        "comment", default=None, validator=text_of(0, MAX_COMMENT, line_breaks=True)
    )
    campos_devolucion: dict[str, str] | None = attribute("return_fields", default=None)


@frozen(kw_only=True)
class LineBody:
    """A line of a new planning."""

    item_code: str = field(validator=text_of(1, LIMITS.code_length))
    cantidad: Decimal = attribute("quantity", validator=check_quantity)
    motivo: str | None = attribute("reason", default=None, validator=text_of(1, MAX_REASON))
    filas: tuple[int, ...] = attribute("rows", default=(), validator=check_rows)


@frozen(kw_only=True)
class CreateBody:
    """A new planning."""

    cabecera: HeaderBody
    lineas: tuple[LineBody, ...] = field(validator=_lines)
    huella: str | None = field(default=None, validator=check_digest)
    permitir_otra: bool = False


@frozen(kw_only=True)
class HeaderChanges:
    """Changes of the header: only what is sent changes; null, or {}, clears what may be empty."""

    version: int
    whs_code: str | None = field(default=None)
    fecha: date | None = attribute("posting_date", default=None)
    fecha_documento: date | None = attribute("document_date", default=None)
    serie: int | None = attribute("series", default=None, validator=check_positive)
    ind_traslado: TransferKind | None = attribute("transfer_kind", default=None)
    tipo_despacho: DispatchKind | None = attribute("dispatch_kind", default=None)
    motivo: str | None = attribute("reason", default=None, validator=text_of(1, MAX_REASON))
    comentario: str | None = attribute(
        "comment", default=None, validator=text_of(0, MAX_COMMENT, line_breaks=True)
    )
    campos_devolucion: dict[str, str] | None = attribute("return_fields", default=None)

    @whs_code.validator
    def _check_whs_code(self, attribute: object, value: str | None) -> None:
        if value is not None:
            check_whs_code(self, attribute, value)


@frozen(kw_only=True)
class BatchBody:
    """A part of a line's quantity out of one batch, in inventory units."""

    lote: str = field(validator=text_of(1, MAX_BATCH))
    cantidad: Decimal = field(validator=check_quantity)


@frozen(kw_only=True)
class LineChanges:
    """Changes of a line: only what is sent changes; null clears what may be empty."""

    version: int
    cantidad: Decimal | None = attribute("quantity", default=None, validator=check_quantity)
    excluida: bool | None = attribute("excluded", default=None)
    motivo: str | None = attribute("reason", default=None, validator=text_of(1, MAX_REASON))
    card_code: str | None = field(default=None, validator=text_of(1, MAX_CARD_CODE))
    lotes: tuple[BatchBody, ...] | None = field(default=None, validator=check_few)
    series: tuple[str, ...] | None = field(default=None, validator=check_serials)


@frozen(kw_only=True)
class AddBody:
    """Lines to add to a planning."""

    version: int
    lineas: tuple[LineBody, ...] = field(validator=_lines)


@frozen(kw_only=True)
class ReplanBody:
    """The planning as the person has seen it."""

    version: int


CLEARABLE: Final = frozenset({"serie", "tipoDespacho", "motivo", "comentario", "cardCode"})
"""Fields of a change that null empties; in the others null is refused."""
