"""Example bodies of the API's description, one story throughout; the code itself makes what it answers."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from servicekit.csv_cells import BOM
from supplier_returns.planning.api.showing import detail_json, shortages_csv
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.model import (
    OpenReceiptLine,
    Planning,
    PlanningHeader,
    PlanningLine,
    StockItem,
    WarehouseFacts,
)
from supplier_returns.planning.rules.plans import plan

_DIGEST: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

PASTE: Final[dict[str, Any]] = {
    "whsCode": "01",
    "texto": "Código\tCantidad\tMotivo\n0012\t10\tVENC\n000450\t1,5\t\n",
    "formatoNumero": "auto",
}

_TODAY: Final = date(2026, 3, 4)
_RECEIPT: Final = OpenReceiptLine(
    doc_entry=501,
    line_num=0,
    doc_date=date(2025, 11, 2),
    item_code="0012",
    card_code="P001",
    currency="CLP",
    branch=None,
    open_inventory=Decimal(7),
    open_document=Decimal(7),
    doc_num=8801,
    supplier_reference="GD 4410",
    supplier_name="Distribuidora Andina SpA",
    supplier_tax_id="76123456-K",
    price=Decimal(1200),
)
_PLANNED: Final = plan(
    [PlanningLine(line_id=1, item_code="0012", quantity=Decimal(10), reason="VENC", rows=(2,))],
    Scene(WarehouseFacts("01"), [StockItem("0012", "Aceite 1 l", "UN", Decimal(9))], [_RECEIPT], 2),
    max_lines=60,
    return_date=_TODAY,
)
_PLANNING: Final = Planning(
    id=12,
    number=12,
    header=PlanningHeader(
        whs_code="01", posting_date=_TODAY, document_date=_TODAY, series=71, reason="VENC", max_lines=60
    ),
    lines=_PLANNED.lines,
    documents=_PLANNED.documents,
    created_by="bodega",
    created_at=datetime(2026, 3, 4, 14, 5, tzinfo=UTC),
)

DETAIL: Final[dict[str, Any]] = json.loads(detail_json(_PLANNING))

SHORTAGES: Final = shortages_csv(_PLANNING).removeprefix(BOM).decode()

_LINE: Final = DETAIL["lineas"][0]
DETAIL["lineas"] = [{"lineId": _LINE.pop("lineId"), **_LINE}]  # in the order in which people read it

_NOTE: Final[dict[str, Any]] = {
    "fila": 3,
    "columna": "cantidad",
    "valor": "1,2,3",
    "code": "quantity_grouping",
    "message": "Los separadores de la cantidad no corresponden a ningún número.",
}

PREVIEW: Final[dict[str, Any]] = {
    "columnas": {"codigo": 0, "cantidad": 1, "motivo": 2},
    "encabezado": True,
    "filasLeidas": 2,
    "filasVacias": 0,
    "lineas": [_LINE],
    "documentos": DETAIL["documentos"],
    "errores": [_NOTE],
    "avisos": [],
    "huella": _DIGEST,
}

NEW: Final[dict[str, Any]] = {
    "cabecera": {"whsCode": "01", "fecha": "2026-03-04", "serie": 71, "motivo": "VENC"},
    "lineas": [{"itemCode": "0012", "cantidad": 10, "motivo": "VENC", "filas": [2]}],
    "huella": _DIGEST,
}

LIST: Final[dict[str, Any]] = {
    "datos": [
        {
            **{name: DETAIL[name] for name in ("id", "numero", "status", "estado")},
            "whsCode": "01",
            "fecha": "2026-03-04",
            **{name: DETAIL[name] for name in ("creada", "usuario")},
            "totalLineas": 1,
            "totalDocumentos": 1,
            "creados": 0,
            "errores": 0,
        }
    ],
    "pagina": 1,
    "tamano": 20,
    "total": 57,
    "paginas": 3,
}
ADDED: Final[dict[str, Any]] = {
    "version": 1,
    "lineas": [{"itemCode": "000450", "cantidad": 1.5, "motivo": "VENC"}],
}

LOTS: Final[dict[str, Any]] = {
    "lineId": 1,
    "itemCode": "0012",
    "gestion": "lotes",
    "asignada": 7,
    "lotes": [
        {
            "cantidad": 9,
            "disponible": 7,
            "elegida": 2,
            "lote": "L-2025-11",
            "serie": None,
            "vence": "2026-05-31",
            "ingreso": "2025-11-02",
        }
    ],
}
