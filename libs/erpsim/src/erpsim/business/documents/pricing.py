"""Prices, discounts and tax of a document line."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from erpsim.business.documents.line_header import Header
from erpsim.business.documents.totals import HUNDRED, LineAmounts, line_amounts, percent_between
from erpsim.business.rates import rate
from erpsim.company.company import Company
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import ZERO, as_decimal, normal, rounded
from erpsim.facts.document_kinds import Side

ONE = Decimal("1.0")
_PRICE_DECIMALS = 6


def default_tax_code(company: Company, header: Header, item: Fields | None) -> Value:
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


def line_tax_percent(company: Company, header: Header, line: Fields, item: Fields | None) -> Decimal:
    code = line.get("VatGroup") or line.get("TaxCode") or default_tax_code(company, header, item)
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


def unit_price(company: Company, header: Header, line: Fields, sent: Mapping[str, Value]) -> Decimal:
    """Return the unit price before discount: from the request, else the base line, else the price list."""
    wished = sent_price(header, line, sent)
    if wished is not None:
        return wished
    line_price = line.get("UnitPrice")
    if isinstance(line_price, Decimal):
        return line_price
    if header.service or header.kind.side is Side.INVENTORY:
        return ZERO
    return list_price(company, header, company.referred("Items", line.get("ItemCode")))


def sent_price(header: Header, line: Fields, sent: Mapping[str, Value]) -> Decimal | None:
    """Return the unit price that a request implies, None if it implies none.

    `UnitPrice` is before the discount. `Price` counts as before the discount if `UnitPrice` is missing.
    `PriceAfterVAT` includes the tax. `LineTotal` (local money) and `RowTotalFC` are divided by the quantity.
    """
    if isinstance(price := sent.get("UnitPrice"), Decimal):
        return price
    if isinstance(price := sent.get("Price"), Decimal):
        return price
    if isinstance(price := sent.get("PriceAfterVAT"), Decimal):
        percent = as_decimal(line.get("TaxPercentagePerRow"))
        return rounded(price * HUNDRED / (HUNDRED + percent), _PRICE_DECIMALS)
    quantity = as_decimal(line.get("Quantity")) or ONE
    remaining_share = (HUNDRED - as_decimal(line.get("DiscountPercent"))) / HUNDRED or ONE
    if isinstance(total := sent.get("RowTotalFC"), Decimal) and header.rounding.rate != 1:
        return rounded(total / quantity / remaining_share, _PRICE_DECIMALS)
    if isinstance(total := sent.get("LineTotal"), Decimal):
        return rounded(total / header.rounding.rate / quantity / remaining_share, _PRICE_DECIMALS)
    return None


def sent_discount(sent: Mapping[str, Value]) -> Decimal:
    """Return the line discount implied by two sent prices (before and after it), else 0."""
    before, after = sent.get("UnitPrice"), sent.get("Price")
    if isinstance(before, Decimal) and isinstance(after, Decimal):
        return percent_between(before, after)
    return ZERO


def list_price(company: Company, header: Header, item: Fields) -> Decimal:
    """Return an item's price in the partner's price list and the document's currency, 0 without one."""
    number = (header.partner or {}).get("PriceListNum") or 1
    row = next((row for row in rows_of(item, "ItemPrices") if row.get("PriceList") == number), {})
    price, currency = as_decimal(row.get("Price")), row.get("Currency") or company.local_currency
    if currency == header.currency or not price:
        return price
    local = price * rate(company, str(currency), header.date)
    return rounded(local / header.rounding.rate, header.rounding.document)


def priced(header: Header, line: Fields) -> tuple[Fields, LineAmounts]:
    """Return a line with its amounts, computed from quantity, unit price, discount and tax."""
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
    per_unit = as_decimal(line.get("UnitsOfMeasurment")) or ONE
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
