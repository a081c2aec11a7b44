# ruff: noqa: RUF009 - of() only declares fields, as attrs.field does
"""The bodies that the planning routes take and answer; attributes are named as on the wire, in snake_case."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal

from attrs import field, frozen

from servicekit.endpoint import InvalidValue
from supplier_returns.answers import MAX_DECIMALS, of
from supplier_returns.pasting.reading import check_whs_code
from supplier_returns.pasting.text import PasteLimits
from supplier_returns.planning.rules.names import MAX_REASON

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
    fecha: date | None = of("posting_date", default=None)
    fecha_documento: date | None = of("document_date", default=None)
    serie: int | None = of("series", default=None, validator=check_positive)
    ind_traslado: TransferKind = of("transfer_kind", default="7")
    tipo_despacho: DispatchKind | None = of("dispatch_kind", default=None)
    motivo: str | None = of("reason", default=None, validator=text_of(1, MAX_REASON))
    comentario: str | None = of("comment", default=None, validator=text_of(0, MAX_COMMENT, line_breaks=True))
    campos_devolucion: dict[str, str] | None = of("return_fields", default=None)


@frozen(kw_only=True)
class LineBody:
    """A line of a new planning."""

    item_code: str = field(validator=text_of(1, LIMITS.code_length))
    cantidad: Decimal = of("quantity", validator=check_quantity)
    motivo: str | None = of("reason", default=None, validator=text_of(1, MAX_REASON))
    filas: tuple[int, ...] = of("rows", default=(), validator=check_rows)


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
    fecha: date | None = of("posting_date", default=None)
    fecha_documento: date | None = of("document_date", default=None)
    serie: int | None = of("series", default=None, validator=check_positive)
    ind_traslado: TransferKind | None = of("transfer_kind", default=None)
    tipo_despacho: DispatchKind | None = of("dispatch_kind", default=None)
    motivo: str | None = of("reason", default=None, validator=text_of(1, MAX_REASON))
    comentario: str | None = of("comment", default=None, validator=text_of(0, MAX_COMMENT, line_breaks=True))
    campos_devolucion: dict[str, str] | None = of("return_fields", default=None)

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
    cantidad: Decimal | None = of("quantity", default=None, validator=check_quantity)
    excluida: bool | None = of("excluded", default=None)
    motivo: str | None = of("reason", default=None, validator=text_of(1, MAX_REASON))
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


# --- answers


@frozen(kw_only=True)
class NoteShape:
    """A problem or a warning about one cell of a paste."""

    fila: int
    columna: str | None
    valor: str
    code: str
    message: str


@frozen(kw_only=True)
class AllocationShape:
    """A part of a line that goes back against one receipt line."""

    doc_id: int
    card_code: str = of("receipt.card_code")
    base_entry: int = of("receipt.doc_entry")
    base_line: int = of("receipt.line_num")
    base_num: int = of("receipt.doc_num")
    base_fecha: date = of("receipt.doc_date")
    base_referencia: str = of("receipt.supplier_reference")
    cantidad: Decimal = of("inventory")
    cantidad_documento: Decimal = of("document")
    factor: Decimal = of("receipt.factor")
    precio: Decimal = of("receipt.price")
    moneda: str = of("receipt.currency")
    sucursal: int | None = of("receipt.branch")
    lote: str | None = of("batch")
    serie: str | None = of("serial")


@frozen(kw_only=True)
class PreviewLineShape:
    """A line before it is stored."""

    item_code: str
    descripcion: str = of("name")
    unidad: str = of("unit")
    cantidad: Decimal = of("quantity")
    asignada: Decimal = of("allocated")
    sin_stock: Decimal = of("no_stock")
    sin_entrada: Decimal = of("no_receipt")
    no_divisible: Decimal = of("indivisible")
    stock: Decimal
    gestion: str = of("management")
    motivo: str | None = of("reason")
    card_code: str | None
    excluida: bool = of("excluded")
    estado: str = of("state")
    mensaje: str | None = of("message")
    filas: tuple[int, ...] = of("rows")
    asignaciones: tuple[AllocationShape, ...] = of("allocations")


@frozen(kw_only=True)
class LineShape(PreviewLineShape):
    """A line of a stored planning."""

    line_id: int


@frozen(kw_only=True)
class LotShape:
    """A batch in the warehouse, in inventory units; or a serial number, whose quantities are 1 or 0.

    `disponible` is what the line may pick, `elegida` what it has picked of that.
    """

    cantidad: Decimal = of("lot.quantity")
    disponible: Decimal = of("left")
    elegida: Decimal = of("picked")
    lote: str | None
    serie: str | None
    vence: date | None = of("lot.expires")
    ingreso: date | None = of("lot.admitted")


@frozen(kw_only=True)
class LineLotsShape:
    """What lies in the warehouse of a line's item; empty where the item has neither batches nor serials."""

    line_id: int
    item_code: str
    gestion: str = of("management")
    asignada: Decimal = of("allocated")
    lotes: tuple[LotShape, ...]


@frozen(kw_only=True)
class DocumentShape:
    """A supplier document, to be made or made.

    While `bloqueaLineas`, its lines and the header can't be changed: it exists or may come to exist, as some
    documents in `error` may. `total` is without tax, in `moneda`: the sum of the lines, or the ERP's total
    once the return exists.
    """

    doc_id: int
    card_code: str
    proveedor: str = of("name")
    rut: str = of("tax_id")
    moneda: str = of("currency")
    sucursal: int | None = of("branch")
    parte: int = of("part")
    lineas: int = of("line_count")
    total: Decimal
    estado: str = of("state")
    clase: str | None = of("error_class")
    mensaje: str | None = of("message")
    bloquea_lineas: bool = of("locks_its_lines")
    intentos: int = of("attempts")
    doc_entry: int | None
    doc_num: int | None
    folio: int | None


@frozen(kw_only=True)
class HeaderShape:
    """The header of a stored planning; `camposDevolucion` is null where nobody ever filled any in."""

    whs_code: str
    fecha: date = of("posting_date")
    fecha_documento: date = of("document_date")
    serie: int | None = of("series")
    ind_traslado: str = of("transfer_kind")
    tipo_despacho: str | None = of("dispatch_kind")
    motivo: str | None = of("reason")
    comentario: str | None = of("comment")
    max_lineas: int = of("max_lines")
    campos_devolucion: dict[str, str] | None = of("return_fields")


@frozen(kw_only=True)
class SummaryShape:
    """Counts and sums over the lines that are not excluded, in inventory units.

    `excluidas` counts the other lines.
    """

    lineas: int
    excluidas: int
    documentos: int
    proveedores: int
    pedida: Decimal
    asignada: Decimal
    sin_stock: Decimal
    sin_entrada: Decimal
    no_divisible: Decimal


@frozen(kw_only=True)
class DetailShape:
    """A planning with everything in it."""

    id: int
    numero: int = of("number")
    status: str
    estado: str
    version: int
    usuario: str = of("created_by")
    creada: datetime | None = of("created_at")
    cabecera: HeaderShape = of("header")
    lineas: tuple[LineShape, ...] = of("lines")
    documentos: tuple[DocumentShape, ...] = of("documents")
    resumen: SummaryShape
    acciones: tuple[str, ...]


@frozen(kw_only=True)
class OpenShape:
    """The user's open planning, or null."""

    planificacion: DetailShape | None


@frozen(kw_only=True)
class PreviewShape:
    """What a paste would become."""

    columnas: dict[str, int] = of("reading.table.columns")
    encabezado: bool = of("reading.table.has_header")
    filas_leidas: int = of("reading.table.rows_read")
    filas_vacias: int = of("reading.table.rows_empty")
    lineas: tuple[PreviewLineShape, ...] = of("plan.lines")
    documentos: tuple[DocumentShape, ...] = of("plan.documents")
    errores: tuple[NoteShape, ...]
    avisos: tuple[NoteShape, ...]
    huella: str = of("reading.digest")


@frozen(kw_only=True)
class ListRowShape:
    """A planning of a list; `estado` is `ilegible` where another program spoiled the record."""

    id: int
    numero: int = of("number")
    status: str
    estado: str
    whs_code: str | None
    fecha: date | None = of("posting_date")
    creada: datetime | None = of("created_at")
    usuario: str = of("created_by")
    total_lineas: int = of("line_count")
    total_documentos: int = of("document_count")
    creados: int = of("created_count")
    errores: int = of("failed_count")


@frozen(kw_only=True)
class ListShape:
    """One page of plannings, newest first."""

    datos: tuple[ListRowShape, ...]
    pagina: int
    tamano: int
    total: int
    paginas: int
