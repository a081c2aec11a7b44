"""One line of a document: what the sender leaves out comes from the base line, the item and the partner."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import attrs

from erpsim.business.documents.totals import HUNDRED, LineAmounts, Rounding, line_amounts, percent_between
from erpsim.business.documents.validity import is_inactive
from erpsim.business.rates import rate
from erpsim.company.company import Company
from erpsim.company.errors import invalid, no_match, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import ZERO, as_decimal, normal, rounded
from erpsim.facts.document_kinds import Kind, Side

OPEN = "bost_Open"
CLOSED = "bost_Close"
NO_BASE = -1
_ONE = Decimal("1.0")
_PRICE_DECIMALS = 6

# What a line takes over from the line it is drawn from.
_FROM_BASE = (
    "ItemCode", "ItemDescription", "UnitPrice", "DiscountPercent", "Currency", "Rate", "VatGroup",
    "TaxCode", "TaxLiable", "WarehouseCode", "MeasureUnit", "UnitsOfMeasurment", "UoMEntry", "UoMCode",
    "AccountCode", "ProjectCode", "CostingCode", "CostingCode2", "CostingCode3", "CostingCode4",
    "CostingCode5", "SalesPersonCode", "FreeText", "ShipDate", "BarCode", "SupplierCatNum",
)  # fmt: skip


@attrs.frozen(kw_only=True)
class Header:
    """What the lines of a document need of its header.

    Args:
        kind: of the document.
        partner: its business partner's row, None for inventory documents.
        currency: of the document.
        rounding: of its amounts.
        date: of the taxes.
        posting_date: partners and items have to be active on it.
        discount: header discount in percent.
        service: a document of the service type: lines name accounts, not items.
    """

    kind: Kind
    partner: Fields | None
    currency: str
    rounding: Rounding
    date: str
    posting_date: str
    discount: Decimal
    service: bool

    def place(self, column: str, position: int) -> str:
        """Return the end of a refusal: `[PDN1.ItemCode][line: 4]`, counted from 1 (captures)."""
        return f"[{self.kind.line_table}.{column}][line: {position}]"


def new_line(company: Company, header: Header, sent: Fields, base: Fields | None, position: int) -> Fields:
    """Complete a new line, without its amounts.

    Args:
        company: the company.
        header: of the document.
        sent: what the sender gave.
        base: the line it is drawn from, None without one.
        position: in the document, from 1.

    Raises:
        SlError: a missing or unknown item, warehouse, tax code or account.
    """
    given = {name: value for name, value in sent.items() if value is not None}
    line: Fields = {}
    if base is not None:
        line |= {name: base[name] for name in _FROM_BASE if base.get(name) is not None}
        line |= {name: value for name, value in base.items() if name.startswith("U_")}
        line["Quantity"] = base.get("RemainingOpenQuantity")
    line |= given
    if header.service:
        line = _service_defaults(company, header, line, position)
    else:
        line = _item_defaults(company, header, line, position)
    if as_decimal(line.get("Quantity")) <= 0:
        raise invalid(f"Enter a quantity greater than zero  {header.place('Quantity', position)}")  # our text
    line.setdefault("DiscountPercent", sent_discount(given))
    line.setdefault("Currency", header.currency)
    line["UnitPrice"] = _unit_price(company, header, line, given)
    line["LineStatus"] = OPEN
    line.setdefault("BaseType", NO_BASE)
    return line


def _service_defaults(company: Company, header: Header, line: Fields, position: int) -> Fields:
    account = line.get("AccountCode")
    if not isinstance(account, str) or company.find("ChartOfAccounts", account) is None:
        raise invalid(f"Enter valid account code  {header.place('AcctCode', position)}")  # the text is ours
    return {
        "Quantity": _ONE,
        **line,
        "TaxPercentagePerRow": _tax_percent(company, header, line, None),
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
        raise refused(f"Item is inactive  {header.place('ItemCode', position)}")  # the text is ours
    warehouse = line.get("WarehouseCode") or item.get("DefaultWarehouse") or _company_warehouse(company)
    if company.find("Warehouses", str(warehouse)) is None:
        raise no_match()
    unit = "PurchaseUnit" if header.kind.side is Side.PURCHASING else "SalesUnit"
    complete: Fields = {
        "ItemDescription": item.get("ItemName"),
        "Quantity": _ONE,
        "MeasureUnit": item.get(unit) or item.get("InventoryUOM"),
        "UnitsOfMeasurment": _ONE,
        "UoMEntry": -1,
        "UoMCode": "Manual",
        **line,
        "WarehouseCode": warehouse,
    }
    complete |= _tax_code(company, header, complete, item)
    complete["TaxPercentagePerRow"] = _tax_percent(company, header, complete, item)
    return complete


def _company_warehouse(company: Company) -> Value:
    return company.admin_info().get("DefaultWarehouse")


def _tax_code(company: Company, header: Header, line: Fields, item: Fields | None) -> Fields:
    code = line.get("VatGroup") or line.get("TaxCode") or _default_tax_code(company, header, item)
    if code is None:
        return {}
    if company.find("VatGroups", str(code)) is None:
        raise no_match()
    return {"VatGroup": code, "TaxCode": code}


def _default_tax_code(company: Company, header: Header, item: Fields | None) -> Value:
    purchasing = header.kind.side is Side.PURCHASING
    if header.kind.side is Side.INVENTORY:
        return None
    partner = header.partner or {}
    if partner.get("VatLiable") == "vExempted":
        return company.admin_info().get("$exemptPurchase" if purchasing else "$exemptSale")
    own = None if item is None else item.get("PurchaseVATGroup" if purchasing else "SalesVATGroup")
    return own or company.admin_info().get(
        "TaxGroupforPurchaseItem" if purchasing else "TaxDefinitionforVatitem"
    )


def _tax_percent(company: Company, header: Header, line: Fields, item: Fields | None) -> Decimal:
    code = line.get("VatGroup") or line.get("TaxCode") or _default_tax_code(company, header, item)
    return tax_percent(company, code, header.date)


def tax_percent(company: Company, code: Value, date: str) -> Decimal:
    """Return the percent of a tax code on a day; 0 for none."""
    group = company.find("VatGroups", str(code)) if code else None
    rates = [
        (str(row.get("Effectivefrom")), as_decimal(row.get("Rate")))
        for row in rows_of(group or {}, "VatGroups_Lines")
        if str(row.get("Effectivefrom")) <= date
    ]
    return max(rates, default=("", ZERO))[1]


def _unit_price(company: Company, header: Header, line: Fields, sent: Mapping[str, Value]) -> Decimal:
    """Return the unit price before discount: as sent in one of its forms, else of the base line, else of the
    list."""
    wished = sent_price(header, line, sent)
    if wished is not None:
        return wished
    known = line.get("UnitPrice")
    if isinstance(known, Decimal):
        return known
    if header.service or header.kind.side is Side.INVENTORY:
        return ZERO
    return list_price(company, header, company.referred("Items", line.get("ItemCode")))


def sent_price(header: Header, line: Fields, sent: Mapping[str, Value]) -> Decimal | None:
    """Return the unit price that the sender means, None when nothing says so.

    `UnitPrice` is before the discount; `Price` is taken as the price before one is given besides;
    `PriceAfterVAT` holds the tax; `LineTotal` (local money) and `RowTotalFC` are divided by the quantity.
    """
    if isinstance(price := sent.get("UnitPrice"), Decimal):
        return price
    if isinstance(price := sent.get("Price"), Decimal):
        return price
    if isinstance(price := sent.get("PriceAfterVAT"), Decimal):
        percent = as_decimal(line.get("TaxPercentagePerRow"))
        return rounded(price * HUNDRED / (HUNDRED + percent), _PRICE_DECIMALS)
    quantity = as_decimal(line.get("Quantity")) or _ONE
    left = (HUNDRED - as_decimal(line.get("DiscountPercent"))) / HUNDRED or _ONE
    if isinstance(total := sent.get("RowTotalFC"), Decimal) and header.rounding.rate != 1:
        return rounded(total / quantity / left, _PRICE_DECIMALS)
    if isinstance(total := sent.get("LineTotal"), Decimal):
        return rounded(total / header.rounding.rate / quantity / left, _PRICE_DECIMALS)
    return None


def sent_discount(sent: Mapping[str, Value]) -> Decimal:
    """Return the line discount that two sent prices (before and after it) mean, 0 otherwise."""
    before, after = sent.get("UnitPrice"), sent.get("Price")
    if isinstance(before, Decimal) and isinstance(after, Decimal):
        return percent_between(before, after)
    return ZERO


def list_price(company: Company, header: Header, item: Fields) -> Decimal:
    """Return an item's price in the partner's price list, in the document's currency; 0 where it has none."""
    number = (header.partner or {}).get("PriceListNum") or 1
    row = next((row for row in rows_of(item, "ItemPrices") if row.get("PriceList") == number), {})
    price, currency = as_decimal(row.get("Price")), row.get("Currency") or company.local_currency
    if currency == header.currency or not price:
        return price
    local = price * rate(company, str(currency), header.date)
    return rounded(local / header.rounding.rate, header.rounding.document)


def priced(header: Header, line: Fields) -> tuple[Fields, LineAmounts]:
    """Return a line with its amounts, from quantity, unit price, discount and tax."""
    quantity = as_decimal(line.get("Quantity"))
    amounts = line_amounts(
        quantity,
        as_decimal(line.get("UnitPrice")),
        as_decimal(line.get("DiscountPercent")),
        as_decimal(line.get("TaxPercentagePerRow")),
        header.discount,
        header.rounding.document,
    )
    foreign = header.rounding.rate != 1
    local_total = header.rounding.in_local(amounts.total) if foreign else amounts.total
    local_tax = header.rounding.in_local(amounts.tax) if foreign else amounts.tax
    per_unit = as_decimal(line.get("UnitsOfMeasurment")) or _ONE
    return {
        **line,
        "Price": amounts.price,
        "PriceAfterVAT": rounded(
            amounts.price * (HUNDRED + as_decimal(line.get("TaxPercentagePerRow"))) / HUNDRED, _PRICE_DECIMALS
        ),
        "Rate": header.rounding.rate if foreign else ZERO,
        "LineTotal": local_total,
        "RowTotalFC": amounts.total if foreign else ZERO,
        "RowTotalSC": local_total,
        "TaxTotal": local_tax,
        "NetTaxAmount": local_tax,
        "GrossTotal": normal(local_total + local_tax),
        "OpenAmount": local_total,
        "InventoryQuantity": normal(quantity * per_unit),
    }, amounts
