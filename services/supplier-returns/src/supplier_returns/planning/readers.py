"""What planning reads of the company, bound to the signed-in user's ERP session.

Whoever implements the protocols lets `erpclient.ErpError` and `servicekit.errors.ServiceError` through.
"""

from collections.abc import Sequence
from typing import Protocol

from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import Management, StockItem, WarehouseFacts
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.settings.custom_fields import CustomField


class WarehouseReader(Protocol):
    """Reads what lies in a warehouse, or only what of it concerns one item; in any order.

    Codes are as the ERP spells them. A part of the rows would give a wrong plan: where the result can't be
    proved complete, a ServiceError is raised.
    """

    async def read_stock(self, whs_code: str, *, item_code: str | None = None) -> Sequence[StockItem]:
        """Return every item that the warehouse knows."""
        ...

    async def read_open_receipts(
        self, whs_code: str, *, item_code: str | None = None
    ) -> Sequence[OpenReceiptLine]:
        """Return every line of its goods receipts that can still be returned."""
        ...

    async def read_lots(
        self, whs_code: str, management: Management, *, item_code: str | None = None
    ) -> Sequence[Lot]:
        """Return every batch, or every serial number."""
        ...


class CatalogueReader(Protocol):
    """Reads what the company has set up; answers may be some minutes old."""

    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        """Return the warehouse, None if the ERP knows none by this code."""
        ...

    async def read_reasons(self) -> Sequence[Reason]:
        """Return the valid values of the reason; empty if any text will do."""
        ...

    async def read_custom_fields(self) -> Sequence[CustomField]:
        """Return what the installation asks of each planning, with the values that the ERP takes."""
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
