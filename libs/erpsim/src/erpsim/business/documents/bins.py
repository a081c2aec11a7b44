"""Bin locations of goods that leave a warehouse: named in the line, or chosen by the warehouse's rule.

The simulator does not track bin contents. In a warehouse with several bins, the rule that takes the only bin
therefore cannot choose.
"""

from __future__ import annotations

from decimal import Decimal

from erpsim.company.company import Company
from erpsim.company.errors import no_match, refused
from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_decimal

_YES = "tYES"
_ALLOCATIONS = "DocumentLinesBinAllocations"
# Default rule of a warehouse (the first member of the metadata).
_SINGLE_CHOICE = "whsBinSingleChoiceOnly"


def check_bins(company: Company, line: Fields, quantity: Decimal) -> None:
    """Check that a line names the bins its goods leave.

    Args:
        company: the company.
        line: with its warehouse and its allocations.
        quantity: issued quantity in inventory units, above zero.

    Raises:
        SlError: -10 with SAP's own message (two integrators' captures) where bins are missing or don't add
            up; -2028 for a bin that is not the warehouse's (assumed).
    """
    code = str(line.get("WarehouseCode"))
    warehouse = company.find("Warehouses", code)
    if warehouse is None or warehouse.get("EnableBinLocations") != _YES:
        return
    bins = {row.get("AbsEntry") for row in company.rows("BinLocations") if row.get("Warehouse") == code}
    allocations = rows_of(line, _ALLOCATIONS)
    if any(row.get("BinAbsEntry") not in bins for row in allocations):
        raise no_match()
    allocated = sum((as_decimal(row.get("Quantity")) for row in allocations), Decimal(0))
    if allocated == quantity or (not allocations and _chooses(company, warehouse, code)):
        return
    item = line.get("ItemCode")
    raise refused(f'1470000341 - Fully allocate item "{item}" to bin locations in warehouse "{code}"')


def _chooses(company: Company, warehouse: Fields, code: str) -> bool:
    if (warehouse.get("AutoAllocOnIssue") or _SINGLE_CHOICE) != _SINGLE_CHOICE:
        return True
    own = [
        row
        for row in company.rows("BinLocations")
        if row.get("Warehouse") == code and row.get("IsSystemBin") != _YES
    ]
    return len(own) <= 1
