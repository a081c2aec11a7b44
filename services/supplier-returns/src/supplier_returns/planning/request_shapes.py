# ruff: noqa: RUF009 - attribute() only declares fields, as attrs.field does
"""Request bodies of the planning routes. Attributes have the JSON names in snake_case."""

from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal

from attrs import field, frozen

from servicekit.endpoint import InvalidValue
from supplier_returns.pasting.limits import PasteLimits
from supplier_returns.pasting.shapes import check_whs_code
from supplier_returns.planning.rules.names import MAX_REASON
from supplier_returns.quantities import MAX_DECIMALS
from supplier_returns.shape_fields import attribute

MAX_INTEGER_DIGITS: Final = 12
MAX_COMMENT: Final = 254
MAX_CARD_CODE: Final = 15
MAX_BATCH: Final = 36
MAX_PICKS: Final = 1_000
LIMITS: Final = PasteLimits()


def text_of(minimum: int, maximum: int, *, line_breaks: bool = False) -> Any:
    """Return a validator for printable texts of this length. None is valid."""

    def check(_instance: object, _attribute: object, value: str | None) -> None:
        if value is None:
            return
        if not minimum <= len(value) <= maximum:
            raise InvalidValue(
                f"Debe tener entre {minimum} y {maximum} caracteres."
                if minimum
                else f"Debe tener hasta {maximum} caracteres."
            )
        if not (value.replace("\n", "") if line_breaks else value).isprintable():
            raise InvalidValue("Contiene caracteres no válidos.")

    return check


def check_quantity(_instance: object, _attribute: Any, value: Any) -> None:
    """Check that a quantity is positive, and has few digits and decimals. None is valid.

    Raises:
        InvalidValue: the quantity is invalid.
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
    """Check that a number can be a key of the ERP. None is valid.

    Raises:
        InvalidValue: the number is out of range.
    """
    if value is not None and not 0 < value < 2**31:
        raise InvalidValue("Debe ser un número entero mayor que cero.")


def check_rows(_instance: object, _attribute: object, value: tuple[int, ...]) -> None:
    """Check that the numbers can be rows of a paste.

    Raises:
        InvalidValue: there are too many, or one is out of range.
    """
    if len(value) > LIMITS.rows or any(not 0 < row < 2**31 for row in value):
        raise InvalidValue("Deben ser números de fila.")


def check_digest(_instance: object, _attribute: object, value: str | None) -> None:
    """Check that a text is a hexadecimal SHA-256 digest. None is valid.

    Raises:
        InvalidValue: the text is not a digest.
    """
    if value is not None and (len(value) != 64 or set(value) - set("0123456789abcdef")):  # noqa: PLR2004
        raise InvalidValue("No es una huella de la vista previa.")


def check_pick_count(_instance: object, _attribute: Any, value: Any) -> None:
    """Check the number of picks of a line. None is valid.

    Raises:
        InvalidValue: the line has too many picks.
    """
    if value is not None and len(value) > MAX_PICKS:
        raise InvalidValue(f"Puede tener hasta {MAX_PICKS} elementos.")


def check_serials(_instance: object, _attribute: object, value: tuple[str, ...] | None) -> None:
    """Check the number, length and uniqueness of serial numbers. None is valid.

    Raises:
        InvalidValue: a serial number is invalid or repeated.
    """
    check_pick_count(_instance, _attribute, value)
    known_serials: set[str] = set()
    for index, serial in enumerate(value or ()):
        if not 1 <= len(serial) <= MAX_BATCH or not serial.isprintable():
            raise InvalidValue(f"Debe tener entre 1 y {MAX_BATCH} caracteres.", f"[{index}]")
        if serial in known_serials:
            raise InvalidValue("Está repetida.", f"[{index}]")
        known_serials.add(serial)


TransferKind = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9"]
DispatchKind = Literal["1", "2", "3"]


def _lines(_instance: object, _attribute: object, value: tuple["LineBody", ...]) -> None:
    if not 1 <= len({line.item_code for line in value}) <= LIMITS.items:
        raise InvalidValue(f"Debe tener entre 1 y {LIMITS.items} artículos.")


# --- requests


@frozen(kw_only=True)
class HeaderBody:
    """Header of a new planning. The posting date defaults to today, the document date to the posting date."""

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
    """Line of a new planning."""

    item_code: str = field(validator=text_of(1, LIMITS.code_length))
    cantidad: Decimal = attribute("quantity", validator=check_quantity)
    motivo: str | None = attribute("reason", default=None, validator=text_of(1, MAX_REASON))
    filas: tuple[int, ...] = attribute("rows", default=(), validator=check_rows)


@frozen(kw_only=True)
class CreateBody:
    """New planning."""

    cabecera: HeaderBody
    lineas: tuple[LineBody, ...] = field(validator=_lines)
    huella: str | None = field(default=None, validator=check_digest)
    permitir_otra: bool = False


@frozen(kw_only=True)
class HeaderChanges:
    """Changes of the header. Omitted fields don't change; null, or {}, clears an optional field."""

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
    """Quantity of a line from one batch, in inventory units."""

    lote: str = field(validator=text_of(1, MAX_BATCH))
    cantidad: Decimal = field(validator=check_quantity)


@frozen(kw_only=True)
class LineChanges:
    """Changes of a line. Omitted fields don't change; null clears an optional field."""

    version: int
    cantidad: Decimal | None = attribute("quantity", default=None, validator=check_quantity)
    excluida: bool | None = attribute("excluded", default=None)
    motivo: str | None = attribute("reason", default=None, validator=text_of(1, MAX_REASON))
    card_code: str | None = field(default=None, validator=text_of(1, MAX_CARD_CODE))
    lotes: tuple[BatchBody, ...] | None = field(default=None, validator=check_pick_count)
    series: tuple[str, ...] | None = field(default=None, validator=check_serials)


@frozen(kw_only=True)
class AddBody:
    """Lines to add to a planning."""

    version: int
    lineas: tuple[LineBody, ...] = field(validator=_lines)


@frozen(kw_only=True)
class ReplanBody:
    """Version of the planning that the user saw."""

    version: int


CLEARABLE: Final = frozenset({"serie", "tipoDespacho", "motivo", "comentario", "cardCode"})
"""Fields that null clears in a change. In other fields null is invalid."""
