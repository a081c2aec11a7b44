"""How a planning looks in `LIB_ODEV`: field names, one-letter states, rows.

Rows of allocations (`LIB_DEV2`) have no identity: they are numbered anew by every write. Those of lines and
documents keep their `LineId`, which is what `lineId` and `docId` are.
"""

from decimal import Decimal
from typing import Final

import msgspec

from supplier_returns.planning.rules.model import DocumentState, LineState, Management, PlanningState

OBJECT: Final = "LIB_ODEV"
LINES: Final = "LIB_DEV1Collection"
ALLOCATIONS: Final = "LIB_DEV2Collection"
DOCUMENTS: Final = "LIB_DEV3Collection"

PLANNING_STATES: Final = {
    "P": PlanningState.PLANNED,
    "E": PlanningState.RUNNING,
    "X": PlanningState.WITH_ERRORS,
    "T": PlanningState.DONE,
}
DOCUMENT_STATES: Final = {
    "P": DocumentState.PENDING,
    "E": DocumentState.RUNNING,
    "I": DocumentState.UNCERTAIN,
    "C": DocumentState.CREATED,
    "X": DocumentState.FAILED,
    "B": DocumentState.IN_APPROVAL,
    "O": DocumentState.OMITTED,
    "A": DocumentState.CANCELLED,
}
LINE_STATES: Final = {
    "PL": LineState.PLANNED,
    "PA": LineState.PARTIAL,
    "SS": LineState.NO_STOCK,
    "SE": LineState.NO_RECEIPT,
    "ND": LineState.INDIVISIBLE,
    "RL": LineState.NEEDS_PICKS,
    "EX": LineState.EXCLUDED,
    "DV": LineState.RETURNED,
    "ER": LineState.FAILED,
    "DE": LineState.DROPPED,
}
BINS: Final = {"Y": True, "N": False}
MANAGEMENTS: Final = {"N": Management.NONE, "L": Management.BATCHES, "S": Management.SERIALS}


class KeyRow(msgspec.Struct):
    """What every record has, whoever wrote it."""

    DocEntry: int


class HeadRow(KeyRow):
    """The header's fields."""

    U_WhsCode: str
    U_Fecha: str
    DocNum: int | None = None
    Status: str | None = None
    Canceled: str | None = None
    CreateDate: str | None = None
    CreateTime: str | int | None = None
    U_Estado: str | None = None
    U_Version: int | None = None
    U_FechaDoc: str | None = None
    U_Serie: int | None = None
    U_IndTras: str | None = None
    U_TipoDesp: str | None = None
    U_Motivo: str | None = None
    U_Coment: str | None = None
    U_MaxLin: int | None = None
    U_DecCant: int | None = None
    U_Ubicac: str | None = None
    U_UsrCrea: str | None = None
    U_UsrEjec: str | None = None
    U_EjecId: str | None = None
    U_EjecIni: str | None = None
    U_EjecFin: str | None = None
    U_UsrCierra: str | None = None
    U_MotCierre: str | None = None
    U_Huella: str | None = None
    U_TotLin: int | None = None
    U_TotDoc: int | None = None
    U_TotOk: int | None = None
    U_TotErr: int | None = None


SUMMARY_FIELDS: Final = (
    "DocEntry",
    "DocNum",
    "Status",
    "Canceled",
    "CreateDate",
    "CreateTime",
    "U_WhsCode",
    "U_Estado",
    "U_Fecha",
    "U_UsrCrea",
    "U_TotLin",
    "U_TotDoc",
    "U_TotOk",
    "U_TotErr",
)


class LineRow(msgspec.Struct):
    """A line, `LIB_DEV1`."""

    LineId: int
    U_ItemCode: str
    U_ItemName: str | None = None
    U_UniMed: str | None = None
    U_CantSol: Decimal | None = None
    U_SinStock: Decimal | None = None
    U_SinEnt: Decimal | None = None
    U_NoDiv: Decimal | None = None
    U_StockIni: Decimal | None = None
    U_Gestion: str | None = None
    U_Motivo: str | None = None
    U_Excluida: str | None = None
    U_CardLim: str | None = None
    U_Estado: str | None = None
    U_Mensaje: str | None = None
    U_Filas: str | None = None


class AllocationRow(msgspec.Struct):
    """An allocation, `LIB_DEV2`."""

    U_LinRef: int
    U_BaseEntry: int
    U_BaseLine: int
    U_BaseFec: str
    U_CardCode: str
    U_CantInv: Decimal
    U_CantDoc: Decimal
    U_DocRef: int | None = None
    U_Orden: int | None = None
    U_BaseNum: int | None = None
    U_BaseRef: str | None = None
    U_Moneda: str | None = None
    U_BPLId: int | None = None
    U_Precio: Decimal | None = None
    U_TaxCode: str | None = None
    U_Factor: Decimal | None = None
    U_AbiertoIni: Decimal | None = None
    U_Lote: str | None = None
    U_NumSerie: str | None = None


class DocumentRow(msgspec.Struct):
    """A supplier document, `LIB_DEV3`."""

    LineId: int
    U_CardCode: str
    U_CardName: str | None = None
    U_Rut: str | None = None
    U_Moneda: str | None = None
    U_BPLId: int | None = None
    U_Parte: int | None = None
    U_Clave: str | None = None
    U_Huella: str | None = None
    U_Estado: str | None = None
    U_Intentos: int | None = None
    U_UltInt: str | None = None
    U_DevEntry: int | None = None
    U_DevNum: int | None = None
    U_Folio: int | None = None
    U_Clase: str | None = None
    U_CodErr: str | None = None
    U_Mensaje: str | None = None
    U_NLin: int | None = None
    U_Total: Decimal | None = None


class PlanningRow(HeadRow):
    """The whole object."""

    LIB_DEV1Collection: list[LineRow] = msgspec.field(default_factory=list)
    LIB_DEV2Collection: list[AllocationRow] = msgspec.field(default_factory=list)
    LIB_DEV3Collection: list[DocumentRow] = msgspec.field(default_factory=list)
