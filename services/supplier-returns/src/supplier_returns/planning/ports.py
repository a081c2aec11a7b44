"""What planning needs from others: one Protocol for each, bound to the signed-in user's ERP session.

Whoever implements them lets `erpclient.ErpError` and `servicekit.errors.ServiceError` through.
"""

from collections.abc import Sequence
from typing import Protocol

from supplier_returns.planning.rules.model import (
    Management,
    OpenReceiptLine,
    Reason,
    StockItem,
    WarehouseFacts,
)
from supplier_returns.planning.rules.picking.lots import Lot


class StockReader(Protocol):
    """Reads the stock of a warehouse."""

    async def read_stock(self, whs_code: str, *, item_code: str | None = None) -> Sequence[StockItem]:
        """Return every item that the warehouse knows, or only one.

        Args:
            whs_code: The warehouse, as the ERP spells it.
            item_code: The one item to read, as the ERP spells it.

        Raises:
            ServiceError: The result can't be proved complete.
        """
        ...


class ReceiptReader(Protocol):
    """Reads the lines of goods receipts that can still be returned."""

    async def read_open_receipts(
        self, whs_code: str, *, item_code: str | None = None
    ) -> Sequence[OpenReceiptLine]:
        """Return every open receipt line of the warehouse, or only those of one item, in any order.

        Raises:
            ServiceError: The result can't be proved complete: a plan on a part of them is a wrong plan.
        """
        ...


class LotReader(Protocol):
    """Reads which batches and serial numbers lie in a warehouse."""

    async def read_lots(
        self, whs_code: str, management: Management, *, item_code: str | None = None
    ) -> Sequence[Lot]:
        """Return every batch, or every serial number, of the warehouse or of one of its items, in any order.

        Args:
            whs_code: The warehouse, as the ERP spells it.
            management: Batches or serial numbers.
            item_code: The one item, as the ERP spells it.

        Raises:
            ServiceError: The result can't be proved complete.
        """
        ...


class CatalogueReader(Protocol):
    """Reads what the company has set up; answers may be some minutes old."""

    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        """Return the warehouse, None if the ERP knows none by this code."""
        ...

    async def read_reasons(self) -> Sequence[Reason]:
        """Return the valid values of the reason; empty if any text will do."""
        ...

    async def quantity_decimals(self) -> int:
        """Return how many decimals the ERP keeps for quantities, 0 to 6."""
        ...

    async def price_decimals(self) -> int | None:
        """Return how many decimals the ERP keeps for prices; None where it does not tell."""
        ...

    async def has_open_series(self, series: int) -> bool:
        """Tell whether returns can be numbered by this series: it exists and is not locked."""
        ...
