"""Completes document lines: values missing in the request come from the base line, the item and the
partner.
"""

from __future__ import annotations

from erpsim.business.documents.line_header import Header
from erpsim.business.documents.pricing import (
    ONE,
    default_tax_code,
    line_tax_percent,
    sent_discount,
    unit_price,
)
from erpsim.business.documents.validity import is_inactive
from erpsim.company.company import Company
from erpsim.company.errors import invalid, no_match, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import as_decimal
from erpsim.facts.document_kinds import Side

OPEN = "bost_Open"
CLOSED = "bost_Close"
NO_BASE = -1

# Fields that a line inherits from its base line.
_FROM_BASE = (
    "ItemCode", "ItemDescription", "UnitPrice", "DiscountPercent", "Currency", "Rate", "VatGroup",
    "TaxCode", "TaxLiable", "WarehouseCode", "MeasureUnit", "UnitsOfMeasurment", "UoMEntry", "UoMCode",
    "AccountCode", "ProjectCode", "CostingCode", "CostingCode2", "CostingCode3", "CostingCode4",
    "CostingCode5", "SalesPersonCode", "FreeText", "ShipDate", "BarCode", "SupplierCatNum",
)  # fmt: skip


def new_line(company: Company, header: Header, sent: Fields, base: Fields | None, position: int) -> Fields:
    """Complete a new line, without its amounts.

    Args:
        company: the company.
        header: of the document.
        sent: the line in the request.
        base: the line it is drawn from, None without one.
        position: in the document, from 1.

    Raises:
        SlError: a missing or unknown item, warehouse, tax code or account.
    """
    sent_values = {name: value for name, value in sent.items() if value is not None}
    line: Fields = {}
    if base is not None:
        line |= {name: base[name] for name in _FROM_BASE if base.get(name) is not None}
        line |= {name: value for name, value in base.items() if name.startswith("U_")}
        line["Quantity"] = base.get("RemainingOpenQuantity")
    line |= sent_values
    if header.service:
        line = _service_defaults(company, header, line, position)
    else:
        line = _item_defaults(company, header, line, position)
    if as_decimal(line.get("Quantity")) <= 0:
        raise invalid(
            f"Enter a quantity greater than zero  {header.place('Quantity', position)}"
        )  # assumed text
    line.setdefault("DiscountPercent", sent_discount(sent_values))
    line.setdefault("Currency", header.currency)
    line["UnitPrice"] = unit_price(company, header, line, sent_values)
    line["LineStatus"] = OPEN
    line.setdefault("BaseType", NO_BASE)
    return line


def _service_defaults(company: Company, header: Header, line: Fields, position: int) -> Fields:
    account = line.get("AccountCode")
    if not isinstance(account, str) or company.find("ChartOfAccounts", account) is None:
        raise invalid(f"Enter valid account code  {header.place('AcctCode', position)}")  # assumed text
    return {
        "Quantity": ONE,
        **line,
        "TaxPercentagePerRow": line_tax_percent(company, header, line, None),
    } | _tax_code(company, header, line, None)


def _item_defaults(company: Company, header: Header, line: Fields, position: int) -> Fields:
    code = line.get("ItemCode")
    if not code:
        # Seen live on receipts, with the property's name instead of the table's.
        raise invalid(
            "Item number is missing; specify an item number  [DocumentLines.ItemCode]" + f"[line: {position}]"
        )
    item = company.referred("Items", code)
    if is_inactive(item, header.posting_date):
        raise refused(f"Item is inactive  {header.place('ItemCode', position)}")  # assumed text
    warehouse = line.get("WarehouseCode") or item.get("DefaultWarehouse") or _company_warehouse(company)
    if company.find("Warehouses", str(warehouse)) is None:
        raise no_match()
    unit = "PurchaseUnit" if header.kind.side is Side.PURCHASING else "SalesUnit"
    complete: Fields = {
        "ItemDescription": item.get("ItemName"),
        "Quantity": ONE,
        "MeasureUnit": item.get(unit) or item.get("InventoryUOM"),
        "UnitsOfMeasurment": ONE,
        "UoMEntry": -1,
        "UoMCode": "Manual",
        **line,
        "WarehouseCode": warehouse,
    }
    complete |= _tax_code(company, header, complete, item)
    complete["TaxPercentagePerRow"] = line_tax_percent(company, header, complete, item)
    return complete


def _company_warehouse(company: Company) -> Value:
    return company.admin_info().get("DefaultWarehouse")


def _tax_code(company: Company, header: Header, line: Fields, item: Fields | None) -> Fields:
    code = line.get("VatGroup") or line.get("TaxCode") or default_tax_code(company, header, item)
    if code is None:
        return {}
    if company.find("VatGroups", str(code)) is None:
        raise no_match()
    return {"VatGroup": code, "TaxCode": code}
