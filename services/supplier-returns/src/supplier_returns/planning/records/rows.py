"""Layout of a planning in `LIB_ODEV`: the fields of its rows, declared once for reading and writing.

Allocation rows (`LIB_DEV2`) have no identity, and every write numbers them again. Line and document rows keep
their `LineId`, which the API calls `lineId` and `docId`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from operator import attrgetter
from types import GenericAlias
from typing import Any, Final

import msgspec
from attrs import frozen

from supplier_returns.planning.model.states import DocumentState, LineState, PlanningState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.quantities import ZERO

OBJECT: Final = "LIB_ODEV"
LINES: Final = "LIB_DEV1Collection"
ALLOCATIONS: Final = "LIB_DEV2Collection"
DOCUMENTS: Final = "LIB_DEV3Collection"

MAX_DECIMALS: Final = 6
"""Maximum decimals of quantities in the ERP."""

MAX_DIGITS: Final = 19
"""Maximum digits of a number in the ERP. Longer ones can't be computed exactly."""

MAX_ROWS_TEXT: Final = 254
"""Length of the ERP field for row numbers."""

PLANNING_STATES: Final = {state.letters: state for state in PlanningState if state.letters}
DOCUMENT_STATES: Final = {state.letters: state for state in DocumentState}
LINE_STATES: Final = {state.letters: state for state in LineState}
_TEXTS_BY_NAME: Final = msgspec.json.Decoder(dict[str, str])
MANAGEMENTS: Final = {"N": Management.NONE, "L": Management.BATCHES, "S": Management.SERIALS}


@frozen
class Kind:
    """Representation of a value in a field.

    Attributes:
        type: type in the ERP's JSON.
        read: decodes the stored value. None for a field that only reports use.
        write: encodes the value.
        is_needed: whether a row without the field is damaged. Other fields may be null or absent.
    """

    type: type
    read: Callable[[Any], Any] | None = lambda stored: stored
    write: Callable[[Any], Any] = lambda value: value
    is_needed: bool = False


def text(max_length: int | None = None) -> Kind:
    """Return the kind of a text that may be empty. Longer texts are cut at `max_length` characters."""
    return Kind(str, lambda stored: stored or "", lambda value: value[:max_length] or None)


def number(default: int = 0) -> Kind:
    """Return the kind of an integer with a default for null."""
    return Kind(int, lambda stored: stored or default)


def word(values: Mapping[str, Any], default: str) -> Kind:
    """Return the kind of a value that is stored as a word, with a default for null."""
    by_value = {value: each for each, value in values.items()}
    return Kind(str, lambda stored: values[stored or default], by_value.__getitem__)


def day(stored: str) -> date:
    """Decode a date, with or without a time after it.

    Raises:
        ValueError: the text is not a date.
    """
    # The form depends on the build of the Service Layer: `2026-03-01` or `2026-03-01T00:00:00Z`.
    return date.fromisoformat(stored[:10])


def _amount(stored: Decimal | None) -> Decimal:
    """Decode a quantity without trailing zeros, since the ERP returns 7.0 for 7.

    Raises:
        ValueError: the ERP can't store such a number.
    """
    if not stored:
        return ZERO
    if not stored.is_finite() or not -MAX_DIGITS < stored.adjusted() < MAX_DIGITS:
        raise ValueError("not a number that the ERP keeps")
    stored = stored.normalize()
    return stored.quantize(Decimal(1)) if stored == stored.to_integral_value() else stored


def _rows_text(rows: Sequence[int]) -> str | None:
    stored = ",".join(map(str, rows))
    if len(stored) > MAX_ROWS_TEXT:
        # Cut after a complete number, since a part of it would be another row.
        stored = stored[: MAX_ROWS_TEXT - 1].rpartition(",")[0] + ",…"
    return stored or None


KEY: Final = Kind(int, is_needed=True)
NAME: Final = Kind(str, is_needed=True)
TEXT: Final = text()
OR_NONE: Final = Kind(str, lambda stored: stored or None)
NUMBER_OR_NONE: Final = Kind(int, lambda stored: stored or None)
AMOUNT: Final = Kind(Decimal, _amount)
NEEDED_AMOUNT: Final = Kind(Decimal, _amount, is_needed=True)
DAY: Final = Kind(str, day, date.isoformat, is_needed=True)
DAY_OR_NONE: Final = Kind(str, lambda stored: day(stored) if stored else None, date.isoformat)
DECIMALS: Final = Kind(
    int, lambda stored: stored if stored is not None and 0 <= stored <= MAX_DECIMALS else None
)
FLAG: Final = Kind(str, lambda stored: stored == "Y", {True: "Y", False: "N"}.get)
FLAG_OR_NONE: Final = Kind(str, {"Y": True, "N": False}.get, FLAG.write)
TEXTS_BY_NAME: Final = Kind(
    str,
    lambda stored: _TEXTS_BY_NAME.decode(stored) if stored else None,
    lambda value: msgspec.json.encode(value).decode(),
)
ROW_NUMBERS: Final = Kind(
    str, lambda stored: tuple(int(each) for each in (stored or "").split(",") if each.isdigit()), _rows_text
)


class Fields:
    """Fields of one kind of row, and the attributes that they store.

    Args:
        fields: attribute path (`receipt.factor` belongs to a nested value), ERP field, and kind.
    """

    def __init__(self, *fields: tuple[str, str, Kind]) -> None:
        self._written = [(name, attrgetter(path), kind.write) for path, name, kind in fields]
        self._read: defaultdict[str, list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]]]
        self._read = defaultdict(list)
        for path, name, kind in fields:
            if kind.read is not None:
                inside, _, attribute = path.rpartition(".")
                self._read[inside].append((attribute, attrgetter(name), kind.read))
        self.declared = {
            # Optional fields may be absent, because an ERP with older definitions lacks some.
            name: (name, kind.type) if kind.is_needed else (name, kind.type | None, None)
            for _, name, kind in fields
            if kind.read is not None
        }

    def read(self, row: Any, inside: str = "") -> dict[str, Any]:
        """Return the attributes of the value, or of the nested value `inside`.

        Raises:
            ValueError, LookupError: a field has a value that this service never writes.
        """
        return {attribute: read(stored(row)) for attribute, stored, read in self._read[inside]}

    def write(self, value: Any) -> dict[str, Any]:
        """Return the fields of the row. A None clears the stored value."""
        return {name: write(get(value)) for name, get, write in self._written}


HEAD: Final = Fields(
    ("header.whs_code", "U_WhsCode", NAME),
    ("state", "U_Estado", Kind(str, PLANNING_STATES.get, word(PLANNING_STATES, "P").write)),
    ("version", "U_Version", number()),
    ("header.posting_date", "U_Fecha", DAY),
    ("header.document_date", "U_FechaDoc", DAY_OR_NONE),
    ("header.series", "U_Serie", NUMBER_OR_NONE),
    ("header.transfer_kind", "U_IndTras", Kind(str, lambda stored: stored or "7")),
    ("header.dispatch_kind", "U_TipoDesp", OR_NONE),
    ("header.reason", "U_Motivo", OR_NONE),
    ("header.comment", "U_Coment", OR_NONE),
    ("header.max_lines", "U_MaxLin", number(1)),
    ("header.decimals", "U_DecCant", DECIMALS),
    ("header.has_bins", "U_Ubicac", FLAG_OR_NONE),
    ("created_by", "U_UsrCrea", TEXT),
    ("digest", "U_Huella", TEXT),
)
EXECUTION: Final = Fields(
    ("user", "U_UsrEjec", TEXT),
    ("request_id", "U_EjecId", text(36)),
    ("began", "U_EjecIni", TEXT),
    ("ended", "U_EjecFin", TEXT),
)
RETURN_FIELDS: Final = Fields(("header.return_fields", "U_CamposDev", TEXTS_BY_NAME))
"""Written only if it has a value, because an ERP with older definitions has no such field."""
WARNING_CODES: Final = "U_CodAviso"
"""Field for the warning codes of a document. An ERP with older definitions has no such field."""
CLOSING: Final = Fields(("closed_by", "U_UsrCierra", TEXT), ("close_reason", "U_MotCierre", OR_NONE))
LINE: Final = Fields(
    ("line_id", "LineId", KEY),
    ("item_code", "U_ItemCode", NAME),
    ("name", "U_ItemName", text(200)),
    ("unit", "U_UniMed", text(20)),
    ("quantity", "U_CantSol", AMOUNT),
    ("allocated", "U_CantAsg", Kind(Decimal, read=None)),
    ("no_stock", "U_SinStock", AMOUNT),
    ("no_receipt", "U_SinEnt", AMOUNT),
    ("indivisible", "U_NoDiv", AMOUNT),
    ("stock", "U_StockIni", AMOUNT),
    ("management", "U_Gestion", word(MANAGEMENTS, "N")),
    ("reason", "U_Motivo", OR_NONE),
    ("excluded", "U_Excluida", FLAG),
    ("card_code", "U_CardLim", OR_NONE),
    ("state", "U_Estado", word(LINE_STATES, "PL")),
    ("message", "U_Mensaje", OR_NONE),
    ("rows", "U_Filas", ROW_NUMBERS),
)
ALLOCATION: Final = Fields(
    ("doc_id", "U_DocRef", number()),
    ("position", "U_Orden", number()),
    ("receipt.doc_entry", "U_BaseEntry", KEY),
    ("receipt.line_num", "U_BaseLine", KEY),
    ("receipt.doc_num", "U_BaseNum", number()),
    ("receipt.doc_date", "U_BaseFec", DAY),
    ("receipt.supplier_reference", "U_BaseRef", text(100)),
    ("receipt.card_code", "U_CardCode", NAME),
    ("receipt.currency", "U_Moneda", TEXT),
    ("receipt.branch", "U_BPLId", NUMBER_OR_NONE),
    ("receipt.price", "U_Precio", AMOUNT),
    ("receipt.tax_code", "U_TaxCode", TEXT),
    ("inventory", "U_CantInv", NEEDED_AMOUNT),
    ("document", "U_CantDoc", NEEDED_AMOUNT),
    ("receipt.factor", "U_Factor", AMOUNT),
    ("receipt.open_inventory", "U_AbiertoIni", AMOUNT),
    ("batch", "U_Lote", OR_NONE),
    ("serial", "U_NumSerie", OR_NONE),
)
DOCUMENT: Final = Fields(
    ("doc_id", "LineId", KEY),
    ("card_code", "U_CardCode", NAME),
    ("name", "U_CardName", text(100)),
    ("tax_id", "U_Rut", text(32)),
    ("currency", "U_Moneda", TEXT),
    ("branch", "U_BPLId", NUMBER_OR_NONE),
    ("part", "U_Parte", number(1)),
    ("key", "U_Clave", TEXT),
    ("payload_hash", "U_Huella", TEXT),
    ("state", "U_Estado", word(DOCUMENT_STATES, "P")),
    ("attempts", "U_Intentos", number()),
    ("last_attempt", "U_UltInt", TEXT),
    ("doc_entry", "U_DevEntry", NUMBER_OR_NONE),
    ("doc_num", "U_DevNum", NUMBER_OR_NONE),
    ("folio", "U_Folio", NUMBER_OR_NONE),
    ("error_class", "U_Clase", OR_NONE),
    ("error_code", "U_CodErr", OR_NONE),
    ("message", "U_Mensaje", OR_NONE),
    ("line_count", "U_NLin", number()),
    ("total", "U_Total", AMOUNT),
)


class KeyRow(msgspec.Struct, kw_only=True):
    """Key that every record has."""

    DocEntry: int


class SummaryRow(KeyRow, kw_only=True):
    """Fields of a planning in a list."""

    DocNum: int | None = None
    Status: str | None = None
    Canceled: str | None = None
    CreateDate: str | None = None
    CreateTime: str | int | None = None
    U_WhsCode: str
    U_Estado: str | None = None
    U_Fecha: str
    U_UsrCrea: str | None = None
    U_TotLin: int | None = None
    U_TotDoc: int | None = None
    U_TotOk: int | None = None
    U_TotErr: int | None = None


def _row(*parts: Fields, extra: Sequence[tuple[Any, ...]] = (), base: type = msgspec.Struct) -> Any:
    """Build the structure of a row with the fields of these parts and extra ones."""
    declared = {name: each for part in parts for name, each in part.declared.items()}
    inherited = getattr(base, "__struct_fields__", ())
    declared_here = [each for name, each in declared.items() if name not in inherited]
    return msgspec.defstruct("Row", [*declared_here, *extra], bases=(base,), kw_only=True)


LineRow: Final = _row(LINE)
AllocationRow: Final = _row(ALLOCATION, extra=[("U_LinRef", int)])
DocumentRow: Final = _row(DOCUMENT, extra=[(WARNING_CODES, str | None | msgspec.UnsetType, msgspec.UNSET)])
PlanningRow: Final = _row(
    HEAD,
    RETURN_FIELDS,
    EXECUTION,
    CLOSING,
    extra=[
        (name, GenericAlias(list, (row,)), [])
        for name, row in ((LINES, LineRow), (ALLOCATIONS, AllocationRow), (DOCUMENTS, DocumentRow))
    ],
    base=SummaryRow,
)
"""Whole record of a planning."""
