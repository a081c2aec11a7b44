"""How `LIB_ODEV` keeps a planning: each field of its rows, said once for those who read and who write them.

Rows of allocations (`LIB_DEV2`) have no identity: they are numbered anew by every write. Those of lines and
documents keep their `LineId`, which is what `lineId` and `docId` are.
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
"""Most decimals that the ERP keeps for quantities."""

MAX_DIGITS: Final = 19
"""Digits of the longest number that the ERP keeps; longer ones can't be reckoned with exactly."""

MAX_ROWS_TEXT: Final = 254
"""Characters that the ERP's field for row numbers holds."""

PLANNING_STATES: Final = {state.letters: state for state in PlanningState if state.letters}
DOCUMENT_STATES: Final = {state.letters: state for state in DocumentState}
LINE_STATES: Final = {state.letters: state for state in LineState}
_TEXTS_BY_NAME: Final = msgspec.json.Decoder(dict[str, str])
MANAGEMENTS: Final = {"N": Management.NONE, "L": Management.BATCHES, "S": Management.SERIALS}


@frozen
class Kind:
    """How a value is kept in a field.

    Attributes:
        type: what the ERP's JSON holds.
        read: makes the value of it; None where it is kept for reports alone.
        write: the way back.
        is_needed: whether a row without it is spoiled; the others may be null or absent.
    """

    type: type
    read: Callable[[Any], Any] | None = lambda kept: kept
    write: Callable[[Any], Any] = lambda value: value
    is_needed: bool = False


def text(most: int | None = None) -> Kind:
    """Return a text that may be empty, and is cut at `most` characters."""
    return Kind(str, lambda kept: kept or "", lambda value: value[:most] or None)


def number(least: int = 0) -> Kind:
    """Return a whole number, which is `least` where the ERP has none."""
    return Kind(int, lambda kept: kept or least)


def word(words: Mapping[str, Any], usual: str) -> Kind:
    """Return one of some values, each kept as a word; `usual` where the ERP has none."""
    by_value = {value: each for each, value in words.items()}
    return Kind(str, lambda kept: words[kept or usual], by_value.__getitem__)


def day(kept: str) -> date:
    """Read a date, with or without a time behind it.

    Raises:
        ValueError: it is none.
    """
    return date.fromisoformat(kept[:10])


def _amount(kept: Decimal | None) -> Decimal:
    """Drop the zeros that the ERP adds: it answers 7.0 for 7.

    Raises:
        ValueError: It is no number that the ERP could keep.
    """
    if not kept:
        return ZERO
    if not kept.is_finite() or not -MAX_DIGITS < kept.adjusted() < MAX_DIGITS:
        raise ValueError("not a number that the ERP keeps")
    kept = kept.normalize()
    return kept.quantize(Decimal(1)) if kept == kept.to_integral_value() else kept


def _rows_text(rows: Sequence[int]) -> str | None:
    kept = ",".join(map(str, rows))
    if len(kept) > MAX_ROWS_TEXT:
        kept = kept[: MAX_ROWS_TEXT - 1].rpartition(",")[0] + ",…"
    return kept or None


KEY: Final = Kind(int, is_needed=True)
NAME: Final = Kind(str, is_needed=True)
TEXT: Final = text()
OR_NONE: Final = Kind(str, lambda kept: kept or None)
NUMBER_OR_NONE: Final = Kind(int, lambda kept: kept or None)
AMOUNT: Final = Kind(Decimal, _amount)
NEEDED_AMOUNT: Final = Kind(Decimal, _amount, is_needed=True)
DAY: Final = Kind(str, day, date.isoformat, is_needed=True)
DAY_OR_NONE: Final = Kind(str, lambda kept: day(kept) if kept else None, date.isoformat)
DECIMALS: Final = Kind(int, lambda kept: kept if kept is not None and 0 <= kept <= MAX_DECIMALS else None)
FLAG: Final = Kind(str, lambda kept: kept == "Y", {True: "Y", False: "N"}.get)
FLAG_OR_NONE: Final = Kind(str, {"Y": True, "N": False}.get, FLAG.write)
TEXTS_BY_NAME: Final = Kind(
    str,
    lambda kept: _TEXTS_BY_NAME.decode(kept) if kept else None,
    lambda value: msgspec.json.encode(value).decode(),
)
ROW_NUMBERS: Final = Kind(
    str, lambda kept: tuple(int(each) for each in (kept or "").split(",") if each.isdigit()), _rows_text
)


class Fields:
    """Fields of one kind of row, and the attributes of the value that they keep.

    Args:
        fields: each attribute (`receipt.factor` is one of a value inside), its field in the ERP, its kind.
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
            name: (name, kind.type) if kind.is_needed else (name, kind.type | None, None)
            for _, name, kind in fields
            if kind.read is not None
        }

    def read(self, row: Any, inside: str = "") -> dict[str, Any]:
        """Return the attributes of the value, or of the one inside.

        Raises:
            ValueError, LookupError: a field holds what this service never writes.
        """
        return {attribute: read(kept(row)) for attribute, kept, read in self._read[inside]}

    def write(self, value: Any) -> dict[str, Any]:
        """Return the row's fields; what is None clears what was there."""
        return {name: write(found(value)) for name, found, write in self._written}


HEAD: Final = Fields(
    ("header.whs_code", "U_WhsCode", NAME),
    ("state", "U_Estado", Kind(str, PLANNING_STATES.get, word(PLANNING_STATES, "P").write)),
    ("version", "U_Version", number()),
    ("header.posting_date", "U_Fecha", DAY),
    ("header.document_date", "U_FechaDoc", DAY_OR_NONE),
    ("header.series", "U_Serie", NUMBER_OR_NONE),
    ("header.transfer_kind", "U_IndTras", Kind(str, lambda kept: kept or "7")),
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
"""Written once there is something in it: an ERP whose definitions are older has no such field."""
WARNING_CODES: Final = "U_CodAviso"
"""Field for the codes of a document's warnings; an ERP whose definitions are older has no such field."""
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
    """What every record has, whoever wrote it."""

    DocEntry: int


class SummaryRow(KeyRow, kw_only=True):
    """What a list shows."""

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


def _row(*parts: Fields, further: Sequence[tuple[Any, ...]] = (), base: type = msgspec.Struct) -> Any:
    """Return the structure of a row with the fields of these parts, and further ones."""
    declared = {name: each for part in parts for name, each in part.declared.items()}
    known = getattr(base, "__struct_fields__", ())
    own = [each for name, each in declared.items() if name not in known]
    return msgspec.defstruct("Row", [*own, *further], bases=(base,), kw_only=True)


LineRow: Final = _row(LINE)
AllocationRow: Final = _row(ALLOCATION, further=[("U_LinRef", int)])
DocumentRow: Final = _row(DOCUMENT, further=[(WARNING_CODES, str | None | msgspec.UnsetType, msgspec.UNSET)])
PlanningRow: Final = _row(
    HEAD,
    RETURN_FIELDS,
    EXECUTION,
    CLOSING,
    further=[
        (name, GenericAlias(list, (row,)), [])
        for name, row in ((LINES, LineRow), (ALLOCATIONS, AllocationRow), (DOCUMENTS, DocumentRow))
    ],
    base=SummaryRow,
)
"""The whole object."""
