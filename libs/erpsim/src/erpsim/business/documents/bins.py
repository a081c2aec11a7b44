"""Goods that leave a warehouse with bin locations: out of named bins, or by the warehouse's rule.

What lies in which bin is not kept: where the rule takes the only bin there is, a warehouse with several is
one where SAP can't choose.
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
_SINGLE_CHOICE = "whsBinSingleChoiceOnly"
"""The rule of a warehouse that nobody gave another one (the first member of the metadata)."""


def check_bins(company: Company, line: Fields, quantity: Decimal) -> None:
    """Check that it is said which bins a line's goods leave.

    Args:
        company: the company.
        line: with its warehouse and its allocations.
        quantity: what leaves, in inventory units, above zero.

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
    named = sum((as_decimal(row.get("Quantity")) for row in allocations), Decimal(0))
    if named == quantity or (not allocations and _chooses(company, warehouse, code)):
        return
    item = line.get("ItemCode")
    raise refused(f'1470000341 - Fully allocate item "{item}" to bin locations in warehouse "{code}"')


def _chooses(company: Company, warehouse: Fields, code: str) -> bool:
    """Whether the warehouse's rule finds the bins by itself."""
    if (warehouse.get("AutoAllocOnIssue") or _SINGLE_CHOICE) != _SINGLE_CHOICE:
        return True
    own = [
        row
        for row in company.rows("BinLocations")
        if row.get("Warehouse") == code and row.get("IsSystemBin") != _YES
    ]
    return len(own) <= 1
