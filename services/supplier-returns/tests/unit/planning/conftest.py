"""Small company in memory: stock, receipts, catalogue, and stored objects like those of the ERP."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, date
from decimal import Decimal
from typing import Any, cast

import pytest
import pytest_asyncio
from attrs import define, field

from erpclient import Caller, ErpClient, ErpList, ErpRecord, ErpRefused, ErpReply
from erpclient.odata import ListQuery, RecordQuery
from supplier_returns.planning.computing import Computing, open_computing
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import Management, StockItem, WarehouseFacts
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.planning.service import PlanningService
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.sources import PlanningSources
from supplier_returns.settings.custom_fields import CustomField

TODAY = date(2026, 3, 4)


@define
class FakeObjects:
    """Objects of the ERP. A write matches rows by `LineId`, and a merge keeps omitted rows. Counts calls."""

    rows: dict[int, dict[str, Any]] = field(factory=dict)
    calls: list[str] = field(factory=list)
    refusal: Exception | None = None
    lists_without_lines: bool = False

    def _called(self, operation: str) -> None:
        self.calls.append(operation)
        if self.refusal is not None:
            raise self.refusal

    async def create(self, resource: str, body: bytes, *, caller: Caller) -> ErpRecord:
        self._called("create")
        number = len(self.rows) + 1
        own = {"DocEntry": number, "DocNum": number, "Status": "O", "Canceled": "N"}
        self.rows[number] = {
            **own,
            "CreateDate": "2026-03-04T00:00:00Z",
            "CreateTime": "11:05:00",
            **json.loads(body),
        }
        return ErpRecord(json.dumps(self.rows[number]).encode(), None)

    async def get(
        self, resource: str, key_predicate: str, query: RecordQuery, *, caller: Caller
    ) -> ErpRecord:
        self._called("get")
        found = self.rows.get(int(key_predicate.strip("()")))
        if found is None:
            raise ErpRefused(404, -2028, "No matching records found (ODBC -2028)")
        return ErpRecord(json.dumps(found).encode(), None)

    async def modify(
        self, resource: str, key_predicate: str, body: bytes, *, caller: Caller, replace_collections: bool
    ) -> None:
        self._called("modify")
        stored = self.rows[int(key_predicate.strip("()"))]
        for name, value in json.loads(body).items():
            if isinstance(value, list):
                before = {row["LineId"]: row for row in stored.get(name, [])}
                sent = {row["LineId"]: {**before.get(row["LineId"], {}), **row} for row in value}
                stored[name] = list((sent if replace_collections else {**before, **sent}).values())
            else:
                stored[name] = value

    async def action(
        self, resource: str, key_predicate: str, action: str, body: bytes, *, caller: Caller
    ) -> ErpReply:
        self._called(action)
        self.rows[int(key_predicate.strip("()"))]["Status"] = "C"
        return ErpReply(204, b"")

    async def list(self, resource: str, query: ListQuery, *, caller: Caller) -> ErpList:
        self._called("list")
        conditions = dict(
            part.split(" eq ") for part in (query.filter or "").split(" and ") if " eq " in part
        )
        unwanted = [part.split(" ne ") for part in (query.filter or "").split(" and ") if " ne " in part]
        since = [part.split(" ge ")[1] for part in (query.filter or "").split(" and ") if " ge " in part]
        found = [
            row
            for _, row in sorted(self.rows.items(), reverse=True)
            if all(str(row[name]) == value.strip("'") for name, value in conditions.items())
            and all(str(row[name]) != value.strip("'") for name, value in unwanted)
            and all(row["CreateDate"][:10] >= value.strip("'") for value in since)
        ]
        page = found[query.skip : query.skip + query.top]
        if self.lists_without_lines:
            page = [{name: value for name, value in row.items() if "Collection" not in name} for row in page]
        return ErpList(json.dumps(page).encode(), len(found))


@define
class FakeCompany:
    """Stock, receipts and catalogue of one company. Each read counts as one call."""

    stock: list[StockItem] = field(factory=list)
    receipts: list[OpenReceiptLine] = field(factory=list)
    warehouses: list[WarehouseFacts] = field(factory=lambda: [WarehouseFacts("01", "Central")])
    reasons: list[Reason] = field(factory=lambda: [Reason("VENC", "Vencido"), Reason("ROTO", "Roto")])
    lots: list[Lot] = field(factory=list)
    decimals: int = 2
    open_series: set[int] = field(factory=lambda: {71})
    calls: list[str] = field(factory=list)
    failure: Exception | None = None

    def add(self, code: str, on_hand: int | str, *receipts: OpenReceiptLine, **more: Any) -> None:
        item = {"name": f"Artículo {code}", "unit": "UN", **more}
        self.stock.append(StockItem(code, on_hand=Decimal(on_hand), **item))
        self.receipts += receipts

    async def read_stock(self, whs_code: str, *, item_code: str | None = None) -> Sequence[StockItem]:
        self.calls.append(f"stock {whs_code} {item_code or '*'}")
        if item_code is None:
            return self.stock
        return [item for item in self.stock if item.code == item_code]

    async def read_open_receipts(
        self, whs_code: str, *, item_code: str | None = None
    ) -> Sequence[OpenReceiptLine]:
        self.calls.append(f"receipts {whs_code} {item_code or '*'}")
        if self.failure is not None:
            raise self.failure
        if item_code is None:
            return self.receipts
        return [line for line in self.receipts if line.item_code == item_code]

    async def read_lots(
        self, whs_code: str, management: Management, *, item_code: str | None = None
    ) -> Sequence[Lot]:
        self.calls.append(f"{management.value} {whs_code} {item_code or '*'}")
        managed = {item.code for item in self.stock if item.management is management}
        return [lot for lot in self.lots if lot.item_code in managed and item_code in (None, lot.item_code)]

    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        return next((each for each in self.warehouses if each.code == whs_code), None)

    async def read_custom_fields(self) -> Sequence[CustomField]:
        return ()

    async def read_reasons(self) -> Sequence[Reason]:
        return self.reasons

    async def price_decimals(self) -> int | None:
        raise NotImplementedError

    async def quantity_decimals(self) -> int:
        return self.decimals

    async def has_open_series(self, series: int) -> bool:
        return series in self.open_series


MakeReceipt = Callable[..., OpenReceiptLine]


def _receipt(
    doc_entry: int,
    item_code: str,
    quantity: int | str,
    *,
    supplier: str = "P1",
    factor: str = "1",
    **more: Any,
) -> OpenReceiptLine:
    values = {
        "line_num": 0,
        "doc_date": date(2026, 1, 1 + doc_entry % 28),
        "currency": "CLP",
        "branch": None,
        "doc_num": 8000 + doc_entry,
        "supplier_name": f"Proveedor {supplier}",
        "supplier_tax_id": "76123456-K",
        "price": Decimal(100),
        **more,
    }
    return OpenReceiptLine(
        doc_entry=doc_entry,
        item_code=item_code,
        card_code=supplier,
        open_inventory=Decimal(quantity) * Decimal(factor),
        open_document=Decimal(quantity),
        factor=Decimal(factor),
        **values,
    )


@pytest.fixture
def receipt() -> MakeReceipt:
    return _receipt


@pytest.fixture
def objects() -> FakeObjects:
    return FakeObjects()


@pytest.fixture
def company() -> FakeCompany:
    company = FakeCompany()
    company.add("A", 10, _receipt(1, "A", 4), _receipt(2, "A", 3, supplier="P2"), _receipt(3, "A", 9))
    company.add("B", 2, _receipt(4, "B", 5))
    company.add("LOTE", 8, _receipt(5, "LOTE", 3), _receipt(6, "LOTE", 5), management=Management.BATCHES)
    company.add("SERIE", 2, _receipt(7, "SERIE", 2), management=Management.SERIALS)
    company.lots = [
        *(Lot("LOTE", name, Decimal(quantity)) for name, quantity in (("L1", 6), ("L2", 4), ("L3", 1))),
        *(Lot("SERIE", name, Decimal(1)) for name in ("S1", "S2", "S", "T")),
    ]
    return company


@pytest_asyncio.fixture
async def computing() -> AsyncIterator[Computing]:
    async with open_computing() as opened:
        yield opened


Sign = Callable[[str], PlanningService]


@pytest_asyncio.fixture
async def signed_in(company: FakeCompany, objects: FakeObjects, computing: Computing) -> AsyncIterator[Sign]:
    locks = KeyedLocks()

    def sign(user: str) -> PlanningService:
        repository = PlanningRepository(cast("ErpClient", objects), Caller(user), UTC)
        sources = PlanningSources(user, company, company, repository)
        return PlanningService(
            sources, computing.of(user), locks, PlanningRules(60, lambda: TODAY, UTC), lambda _: False
        )

    yield sign


@pytest.fixture
def service(signed_in: Sign) -> PlanningService:
    return signed_in("bodega")
