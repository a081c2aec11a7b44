"""Stock, open receipts and lots for planning, read by stored queries in the signed-in user's session."""

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
    """Readers of the stored queries. The process has one instance.

    Args:
        installer: installs the queries.
        computing: decodes the pages.
        page_rows: requested rows in one page.
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
        """Return a reader of warehouses in this session."""
        return ErpWarehouse(self, erp, caller)


class ErpWarehouse(WarehouseReader):
    """Reads the contents of warehouses, for one request.

    Args:
        queries: readers of the stored queries.
        erp: the signed-in user's session.
        caller: user of the requests.
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
