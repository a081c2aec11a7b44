"""Interfaces for reading company data in the signed-in user's ERP session.

Implementations raise `erpclient.ErpError` and `servicekit.errors.ServiceError`.
"""

from collections.abc import Sequence
from typing import Protocol

from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import Management, StockItem, WarehouseFacts
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.settings.custom_fields import CustomField


class WarehouseReader(Protocol):
    """Reads the contents of a warehouse, or of one item in it, in any order.

    Codes have the spelling of the ERP. Incomplete rows would give a wrong plan, so an implementation raises a
    ServiceError if it can't prove that the result is complete.
    """

    async def read_stock(self, whs_code: str, *, item_code: str | None = None) -> Sequence[StockItem]:
        """Return the stock of every item that the warehouse has."""
        ...

    async def read_open_receipts(
        self, whs_code: str, *, item_code: str | None = None
    ) -> Sequence[OpenReceiptLine]:
        """Return every goods receipt line of the warehouse with a returnable quantity."""
        ...

    async def read_lots(
        self, whs_code: str, management: Management, *, item_code: str | None = None
    ) -> Sequence[Lot]:
        """Return every batch, or every serial number."""
        ...


class CatalogueReader(Protocol):
    """Reads the company's settings. The values may be some minutes old."""

    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        """Return the warehouse, or None if the ERP has none with this code."""
        ...

    async def read_reasons(self) -> Sequence[Reason]:
        """Return the valid values of the reason. Empty if any text is valid."""
        ...

    async def read_custom_fields(self) -> Sequence[CustomField]:
        """Return the installation's fields of a planning, with the valid values of the ERP."""
        ...

    async def quantity_decimals(self) -> int:
        """Return the number of decimals of quantities in the ERP, 0 to 6."""
        ...

    async def price_decimals(self) -> int | None:
        """Return the number of decimals of prices, or None if the ERP does not supply it."""
        ...

    async def has_open_series(self, series: int) -> bool:
        """Return whether the series exists for returns and is not locked."""
        ...
