"""Factories for the values of the execution rules."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from supplier_returns.execution.rules.timing import Timing
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warehouse import StockItem

NOW = datetime(2026, 3, 4, 12, 0, 0, tzinfo=UTC)
WAIT = timedelta(seconds=180)


def timing(later_s: float = 0) -> Timing:
    return Timing(
        now=NOW + timedelta(seconds=later_s),
        uncertain_wait=WAIT,
        clock_time=lambda moment: moment.strftime("%H:%M:%S"),
    )


def document(doc_id: int = 1, state: DocumentState = DocumentState.PENDING, **more: Any) -> SupplierDocument:
    given: dict[str, Any] = {
        "card_code": "P1",
        "name": "Proveedor",
        "tax_id": "76-K",
        "currency": "CLP",
        "branch": None,
        "part": 1,
        "line_count": 1,
        "total": Decimal(0),
        "key": f"ODEV-1-{doc_id}-aa",
    }
    return SupplierDocument(doc_id=doc_id, state=state, **{**given, **more})


def attempted(state: DocumentState, *, ago_s: float = 0, **more: Any) -> SupplierDocument:
    at = (NOW - timedelta(seconds=ago_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return document(state=state, attempts=1, last_attempt=at, **more)


def receipt(entry: int = 501, line_num: int = 0, item: str = "A", **more: Any) -> OpenReceiptLine:
    given: dict[str, Any] = {
        "doc_date": date(2026, 1, 1),
        "card_code": "P1",
        "currency": "CLP",
        "branch": None,
        "open_inventory": Decimal(10),
        "open_document": Decimal(10),
        "doc_num": entry * 10,
    }
    return OpenReceiptLine(entry, line_num, item_code=item, **{**given, **more})


def part(quantity: int | str = 2, doc_id: int = 1, **more: Any) -> Allocation:
    part_fields = {
        name: more.pop(name) for name in ("position", "batch", "serial", "document") if name in more
    }
    return Allocation(
        receipt(**more),
        Decimal(quantity),
        part_fields.pop("document", Decimal(quantity)),
        doc_id=doc_id,
        **part_fields,
    )


def line(line_id: int = 1, *parts: Allocation, **more: Any) -> PlanningLine:
    given: dict[str, Any] = {
        "item_code": "A",
        "quantity": sum((each.inventory for each in parts), Decimal(0)),
    }
    return PlanningLine(line_id=line_id, allocations=parts, **{**given, **more})


def planning(*lines: PlanningLine, documents: tuple[SupplierDocument, ...] = (), **more: Any) -> Planning:
    header = PlanningHeader(
        whs_code="01",
        posting_date=date(2026, 3, 4),
        document_date=date(2026, 3, 5),
        max_lines=60,
        **more.pop("header", {}),
    )
    given: dict[str, Any] = {"id": 1, "number": 7, "created_by": "bodega"}
    return Planning(header=header, lines=lines, documents=documents, **{**given, **more})


def item(code: str = "A", on_hand: int | str = 10, **more: Any) -> StockItem:
    return StockItem(code, f"Artículo {code}", "UN", Decimal(on_hand), **more)
