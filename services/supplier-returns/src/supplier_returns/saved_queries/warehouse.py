"""Stock and open receipts for planning, read by stored queries in the signed-in user's ERP session."""

from collections.abc import Sequence

from typing_extensions import override

from erpclient import Caller, ErpClient
from supplier_returns.planning.computing import Computing
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import Management, StockItem
from supplier_returns.planning.readers import WarehouseReader
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.saved_queries.queries import BATCHES, OPEN_RECEIPTS, SERIALS, STOCK
from supplier_returns.saved_queries.reader import PAGE_ROWS, QueryReader
from supplier_returns.saved_queries.rows import LotRow, ReceiptRow, SharedLines, StockRow


class StoredQueries:
    """The queries that planning runs, each with its reader. One for the whole process.

    Args:
        installer: keeps the queries installed.
        computing: where their pages are read.
        page_rows: rows asked for at a time.
    """

    def __init__(
        self, installer: QueryInstaller, computing: Computing, *, page_rows: int = PAGE_ROWS
    ) -> None:
        self.stock = QueryReader(STOCK, StockRow, installer, computing, page_rows=page_rows)
        self.receipts = QueryReader(OPEN_RECEIPTS, ReceiptRow, installer, computing, page_rows=page_rows)
        self.lots = {
            Management.BATCHES: QueryReader(BATCHES, LotRow, installer, computing, page_rows=page_rows),
            Management.SERIALS: QueryReader(SERIALS, LotRow, installer, computing, page_rows=page_rows),
        }

    def warehouse(self, erp: ErpClient, caller: Caller) -> "ErpWarehouse":
        """Return what reads warehouses in this session."""
        return ErpWarehouse(self, erp, caller)


class ErpWarehouse(WarehouseReader):
    """What lies in warehouses, for one request.

    Args:
        queries: run in this session.
        erp: the signed-in user's session.
        caller: for whom.
    """

    def __init__(self, queries: StoredQueries, erp: ErpClient, caller: Caller) -> None:
        self._queries = queries
        self._erp = erp
        self._caller = caller

    @override
    async def read_stock(self, whs_code: str, *, item_code: str | None = None) -> Sequence[StockItem]:
        """Run `DP_Stock`; see `WarehouseReader.read_stock`."""
        return await self._queries.stock.read(
            self._erp, self._caller, keep=StockRow.as_item, whs_code=whs_code, item_code=item_code
        )

    @override
    async def read_open_receipts(
        self, whs_code: str, *, item_code: str | None = None
    ) -> Sequence[OpenReceiptLine]:
        """Run `DP_EntradasAbiertas`; see `WarehouseReader.read_open_receipts`."""
        return await self._queries.receipts.read(
            self._erp, self._caller, keep=SharedLines().keep, whs_code=whs_code, item_code=item_code
        )

    @override
    async def read_lots(
        self, whs_code: str, management: Management, *, item_code: str | None = None
    ) -> Sequence[Lot]:
        """Run `DP_Lotes` or `DP_Series`; see `WarehouseReader.read_lots`."""
        return await self._queries.lots[management].read(
            self._erp, self._caller, keep=LotRow.as_lot, whs_code=whs_code, item_code=item_code
        )
