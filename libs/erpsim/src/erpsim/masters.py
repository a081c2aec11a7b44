"""Business partners and items."""

from __future__ import annotations

from decimal import Decimal

from erpsim.company import Company
from erpsim.documents.base_documents import LINES
from erpsim.documents.kinds import KINDS
from erpsim.entities import PlainRules
from erpsim.errors import SlError, refused
from erpsim.journal import account_for
from erpsim.merging import rows_of
from erpsim.records import Caller, Fields, Value
from erpsim.stock import WAREHOUSES
from erpsim.values import ZERO, as_decimal, as_int

_COUNTERS = "$Counters"


class PartnerRules(PlainRules):
    """Business partners."""

    def complete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> Fields:
        """Add what the window would: group, currency, price list, control account; number contacts and addresses."""
        supplier = row.get("CardType") == "cSupplier"
        role = "payable" if supplier else "receivable"
        defaults: Fields = {
            "CardType": "cCustomer",
            "GroupCode": 101 if supplier else 100,
            "Currency": company.local_currency,
            "PriceListNum": 1,
            "PayTermsGrpCode": -1,
            "Valid": "tYES",
            "Frozen": "tNO",
            "DebitorAccount": account_for(company, role),
            "CurrentAccountBalance": ZERO,
        }
        given = {name: value for name, value in row.items() if value is not None}
        completed = {**row, **{name: value for name, value in defaults.items() if name not in given}}
        code = row.get("CardCode")
        if row.get("BPAddresses"):
            completed["BPAddresses"] = [
                {**address, "BPCode": code} for address in rows_of(row, "BPAddresses")
            ]
        if row.get("ContactEmployees"):
            completed["ContactEmployees"] = self._contacts(company, code, rows_of(row, "ContactEmployees"))
        return completed

    def _contacts(self, company: Company, code: Value, contacts: list[Fields]) -> list[Value]:
        """Give new contacts a number that no contact of the company has: the generic numbering is per partner."""
        counter = company.find(_COUNTERS, "contacts") or {"name": "contacts", "next": 1}
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

    def delete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> None:
        """Remove a partner without documents.

        Raises:
            SlError: -10, with a text of ours.
        """
        code = row["CardCode"]
        sets = [*KINDS, "IncomingPayments", "VendorPayments"]
        if any(each.get("CardCode") == code for name in sets for each in company.rows(name)):
            raise refused(f"Business partner '{code}' is linked to transactions; it cannot be removed")
        super().delete(company, set_name, row, caller)

    def taken(self, row: Fields) -> SlError:
        """Return the refusal of a code that exists (SAP manual 1.22)."""
        return refused(
            f"1320000140 - Business partner code '{row['CardCode']}' already assigned to a business partner; "
            "enter a unique business partner code"
        )


class ItemRules(PlainRules):
    """Items."""

    def complete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> Fields:
        """Add what the window would: group, tax, warehouse, a row for each price list."""
        info = company.admin_info()
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
        given = {name for name, value in row.items() if value is not None}
        completed = {**row, **{name: value for name, value in defaults.items() if name not in given}}
        completed["ItemPrices"] = self._prices(company, row)
        code = row.get("ItemCode")
        warehouses = rows_of(row, WAREHOUSES) or [{"WarehouseCode": info.get("DefaultWarehouse")}]
        completed[WAREHOUSES] = [{"ItemCode": code, **each} for each in warehouses]
        return completed

    def _prices(self, company: Company, row: Fields) -> list[Value]:
        known = {as_int(price.get("PriceList")): price for price in rows_of(row, "ItemPrices")}
        prices: list[Value] = []
        for price_list in company.rows("PriceLists"):
            number = as_int(price_list["PriceListNo"])
            plain: Fields = {
                "PriceList": number,
                "Price": ZERO,
                "BasePriceList": price_list.get("BasePriceList", number),
                "Factor": as_decimal(price_list.get("Factor")) or Decimal("1.0"),
            }
            prices.append({**plain, **known.get(number, {})})
        return prices

    def delete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> None:
        """Remove an item without stock and documents.

        Raises:
            SlError: -10, with a text of ours.
        """
        code = row["ItemCode"]
        used = any(
            line.get("ItemCode") == code
            for name in KINDS
            for document in company.rows(name)
            for line in rows_of(document, LINES)
        )
        if used or as_decimal(row.get("QuantityOnStock")):
            raise refused(f"Item '{code}' is linked to transactions; it cannot be removed")
        super().delete(company, set_name, row, caller)

    def taken(self, row: Fields) -> SlError:
        """Return the refusal of a code that exists (SAP manual 1.22)."""
        return refused(f"Item code '{row['ItemCode']}' already exists")
