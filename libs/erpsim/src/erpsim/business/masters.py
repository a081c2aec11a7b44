"""Rules of business partners and items."""

from __future__ import annotations

from decimal import Decimal

from erpsim.business.documents.base_documents import LINES
from erpsim.business.journal import account_for
from erpsim.business.rules import Operation
from erpsim.business.stock import WAREHOUSES
from erpsim.company.company import Company
from erpsim.company.errors import SlError, already_exists, invalid, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import ZERO, as_decimal, as_int
from erpsim.facts.document_kinds import KINDS

_COUNTERS = "$Counters"


def complete_partner(at: Operation, row: Fields) -> Fields:
    """Add a partner's defaults: group, currency, price list, control account, numbers."""
    company = at.company
    supplier = row.get("CardType") == "cSupplier"
    defaults: Fields = {
        "CardType": "cCustomer",
        "GroupCode": 101 if supplier else 100,
        "Currency": company.local_currency,
        "PriceListNum": 1,
        "PayTermsGrpCode": -1,
        "Valid": "tYES",
        "Frozen": "tNO",
        "DebitorAccount": account_for(company, "payable" if supplier else "receivable"),
        "CurrentAccountBalance": ZERO,
    }
    completed = _with_defaults(row, defaults)
    code = row.get("CardCode")
    if row.get("BPAddresses"):
        completed["BPAddresses"] = _addresses(code, rows_of(row, "BPAddresses"))
    if row.get("ContactEmployees"):
        completed["ContactEmployees"] = _numbered_contacts(company, code, rows_of(row, "ContactEmployees"))
    return completed


def _with_defaults(row: Fields, defaults: Fields) -> Fields:
    return {**row, **{name: value for name, value in defaults.items() if row.get(name) is None}}


def _addresses(code: Value, rows: list[Fields]) -> list[Value]:
    """Return a partner's addresses. Name and type together identify an address.

    Raises:
        SlError: an address without a name, or one that is there.
    """
    # Recorded on 1000310, including texts. The number of the first refusal, and the default type, are
    # assumed.
    addresses = [{"AddressType": "bo_ShipTo", **row, "BPCode": code} for row in rows]
    if not all(row.get("AddressName") for row in addresses):
        raise invalid("Address is empty")
    if len({(row["AddressName"], row["AddressType"]) for row in addresses}) < len(addresses):
        raise already_exists()
    return list[Value](addresses)


def _numbered_contacts(company: Company, code: Value, contacts: list[Fields]) -> list[Value]:
    """Number new contacts uniquely in the company: the generic numbering is per partner."""
    counter = company.database.get(_COUNTERS, ("contacts",)) or {"name": "contacts", "next": 1}
    following = as_int(counter["next"])
    numbered: list[Value] = []
    for contact in contacts:
        if contact.get("CardCode") == code and contact.get("InternalCode") is not None:
            numbered.append(contact)
        else:
            numbered.append({**contact, "CardCode": code, "InternalCode": following})
            following += 1
    company.database.put(_COUNTERS, ("contacts",), {**counter, "next": following})
    return numbered


def check_partner_removal(at: Operation, row: Fields) -> None:
    """Refuse to remove a partner with documents.

    Raises:
        SlError: -10, with an assumed text.
    """
    code = row["CardCode"]
    sets = [*KINDS, "IncomingPayments", "VendorPayments"]
    if any(each.get("CardCode") == code for name in sets for each in at.company.rows(name)):
        raise refused(f"Business partner '{code}' is linked to transactions; it cannot be removed")


def partner_taken(row: Fields) -> SlError:
    """Return the refusal of a partner code that exists (SAP manual 1.22)."""
    return refused(
        f"1320000140 - Business partner code '{row['CardCode']}' already assigned to a business partner; "
        "enter a unique business partner code"
    )


def complete_item(at: Operation, row: Fields) -> Fields:
    """Add an item's defaults: group, tax, warehouse, a row for each price list."""
    info = at.company.admin_info()
    defaults: Fields = {
        "ItemsGroupCode": 100,
        "SalesVATGroup": info.get("TaxDefinitionforVatitem"),
        "PurchaseVATGroup": info.get("TaxGroupforPurchaseItem"),
        "Valid": "tYES",
        "Frozen": "tNO",
        "UoMGroupEntry": -1,
        "SalesItemsPerUnit": Decimal("1.0"),
        "PurchaseItemsPerUnit": Decimal("1.0"),
        "QuantityOnStock": ZERO,
        "MovingAveragePrice": ZERO,
    }
    completed = _with_defaults(row, defaults)
    completed["ItemPrices"] = _prices(at.company, row)
    code = row.get("ItemCode")
    warehouses = rows_of(row, WAREHOUSES) or [{"WarehouseCode": info.get("DefaultWarehouse")}]
    completed[WAREHOUSES] = [{**each, "ItemCode": code} for each in warehouses]
    return completed


def _prices(company: Company, row: Fields) -> list[Value]:
    price_rows = {as_int(price.get("PriceList")): price for price in rows_of(row, "ItemPrices")}
    prices: list[Value] = []
    for price_list in company.rows("PriceLists"):
        number = as_int(price_list["PriceListNo"])
        plain: Fields = {
            "PriceList": number,
            "Price": ZERO,
            "BasePriceList": price_list.get("BasePriceList", number),
            "Factor": as_decimal(price_list.get("Factor")) or Decimal("1.0"),
        }
        prices.append({**plain, **price_rows.get(number, {})})
    return prices


def check_item_removal(at: Operation, row: Fields) -> None:
    """Refuse to remove an item with stock or documents.

    Raises:
        SlError: -10, with an assumed text.
    """
    code = row["ItemCode"]
    used = any(
        line.get("ItemCode") == code
        for name in KINDS
        for document in at.company.rows(name)
        for line in rows_of(document, LINES)
    )
    if used or as_decimal(row.get("QuantityOnStock")):
        raise refused(f"Item '{code}' is linked to transactions; it cannot be removed")


def item_taken(row: Fields) -> SlError:
    """Return the refusal of an item code that exists (SAP manual 1.22)."""
    return refused(f"Item code '{row['ItemCode']}' already exists")
