# ruff: noqa: RUF009 - attribute() only declares fields, as attrs.field does
"""Response bodies of the planning routes. Attributes have the JSON names in snake_case."""

from datetime import date, datetime
from decimal import Decimal

from attrs import frozen

from supplier_returns.shape_fields import attribute

# --- answers


@frozen(kw_only=True)
class NoteShape:
    """Problem or warning about one cell of a paste."""

    fila: int
    columna: str | None
    valor: str
    code: str
    message: str


@frozen(kw_only=True)
class AllocationShape:
    """Part of a line that is returned against one receipt line."""

    doc_id: int
    card_code: str = attribute("receipt.card_code")
    base_entry: int = attribute("receipt.doc_entry")
    base_line: int = attribute("receipt.line_num")
    base_num: int = attribute("receipt.doc_num")
    base_fecha: date = attribute("receipt.doc_date")
    base_referencia: str = attribute("receipt.supplier_reference")
    cantidad: Decimal = attribute("inventory")
    cantidad_documento: Decimal = attribute("document")
    factor: Decimal = attribute("receipt.factor")
    precio: Decimal = attribute("receipt.price")
    moneda: str = attribute("receipt.currency")
    sucursal: int | None = attribute("receipt.branch")
    lote: str | None = attribute("batch")
    serie: str | None = attribute("serial")


@frozen(kw_only=True)
class PreviewLineShape:
    """Line before it is stored."""

    item_code: str
    descripcion: str = attribute("name")
    unidad: str = attribute("unit")
    cantidad: Decimal = attribute("quantity")
    asignada: Decimal = attribute("allocated")
    sin_stock: Decimal = attribute("no_stock")
    sin_entrada: Decimal = attribute("no_receipt")
    no_divisible: Decimal = attribute("indivisible")
    stock: Decimal
    gestion: str = attribute("management")
    motivo: str | None = attribute("reason")
    card_code: str | None
    excluida: bool = attribute("excluded")
    estado: str = attribute("state")
    mensaje: str | None = attribute("message")
    filas: tuple[int, ...] = attribute("rows")
    asignaciones: tuple[AllocationShape, ...] = attribute("allocations")


@frozen(kw_only=True)
class LineShape(PreviewLineShape):
    """Line of a stored planning."""

    line_id: int


@frozen(kw_only=True)
class LotShape:
    """Batch in the warehouse, in inventory units, or serial number with quantities of 1 or 0.

    `disponible` is the quantity that the line may pick, and `elegida` the picked part of it.
    """

    cantidad: Decimal = attribute("lot.quantity")
    disponible: Decimal = attribute("available")
    elegida: Decimal = attribute("picked")
    lote: str | None
    serie: str | None
    vence: date | None = attribute("lot.expires")
    ingreso: date | None = attribute("lot.admitted")


@frozen(kw_only=True)
class LineLotsShape:
    """Lots of a line's item in the warehouse. Empty for an item without batches and serial numbers."""

    line_id: int
    item_code: str
    gestion: str = attribute("management")
    asignada: Decimal = attribute("allocated")
    lotes: tuple[LotShape, ...]


@frozen(kw_only=True)
class DocumentShape:
    """Supplier document, planned or created.

    While `bloqueaLineas` is true, its lines and the header can't change: the document exists or may still be
    created, as is possible for some documents in `error`. `total` is without tax, in `moneda`: the sum of the
    lines, or the ERP's total once the return exists.
    """

    doc_id: int
    card_code: str
    proveedor: str = attribute("name")
    rut: str = attribute("tax_id")
    moneda: str = attribute("currency")
    sucursal: int | None = attribute("branch")
    parte: int = attribute("part")
    lineas: int = attribute("line_count")
    total: Decimal
    estado: str = attribute("state")
    clase: str | None = attribute("error_class")
    mensaje: str | None = attribute("message")
    bloquea_lineas: bool = attribute("locks_its_lines")
    intentos: int = attribute("attempts")
    doc_entry: int | None
    doc_num: int | None
    folio: int | None


@frozen(kw_only=True)
class HeaderShape:
    """Header of a stored planning. `camposDevolucion` is null if the user never set any."""

    whs_code: str
    fecha: date = attribute("posting_date")
    fecha_documento: date = attribute("document_date")
    serie: int | None = attribute("series")
    ind_traslado: str = attribute("transfer_kind")
    tipo_despacho: str | None = attribute("dispatch_kind")
    motivo: str | None = attribute("reason")
    comentario: str | None = attribute("comment")
    max_lineas: int = attribute("max_lines")
    campos_devolucion: dict[str, str] | None = attribute("return_fields")


@frozen(kw_only=True)
class SummaryShape:
    """Counts and sums of the lines that are not excluded, in inventory units.

    `excluidas` counts the excluded lines.
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
    """Planning with all its parts."""

    id: int
    numero: int = attribute("number")
    status: str
    estado: str
    version: int
    usuario: str = attribute("created_by")
    creada: datetime | None = attribute("created_at")
    cabecera: HeaderShape = attribute("header")
    lineas: tuple[LineShape, ...] = attribute("lines")
    documentos: tuple[DocumentShape, ...] = attribute("documents")
    resumen: SummaryShape
    acciones: tuple[str, ...]


@frozen(kw_only=True)
class OpenShape:
    """Newest open planning of the user, or null."""

    planificacion: DetailShape | None


@frozen(kw_only=True)
class PreviewShape:
    """Planning that a paste would create."""

    columnas: dict[str, int] = attribute("reading.table.columns")
    encabezado: bool = attribute("reading.table.has_header")
    filas_leidas: int = attribute("reading.table.rows_read")
    filas_vacias: int = attribute("reading.table.rows_empty")
    lineas: tuple[PreviewLineShape, ...] = attribute("plan.lines")
    documentos: tuple[DocumentShape, ...] = attribute("plan.documents")
    errores: tuple[NoteShape, ...]
    avisos: tuple[NoteShape, ...]
    huella: str = attribute("reading.digest")


@frozen(kw_only=True)
class ListRowShape:
    """Planning in a list. `estado` is `ilegible` if another program damaged the record."""

    id: int
    numero: int = attribute("number")
    status: str
    estado: str
    whs_code: str | None
    fecha: date | None = attribute("posting_date")
    creada: datetime | None = attribute("created_at")
    usuario: str = attribute("created_by")
    total_lineas: int = attribute("line_count")
    total_documentos: int = attribute("document_count")
    creados: int = attribute("created_count")
    errores: int = attribute("failed_count")


@frozen(kw_only=True)
class ListShape:
    """Page of plannings, newest first."""

    datos: tuple[ListRowShape, ...]
    pagina: int
    tamano: int
    total: int
    paginas: int
