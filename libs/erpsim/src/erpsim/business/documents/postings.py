"""Bookings of documents: goods at cost, invoices at their amounts, tax, and the partner's account."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from erpsim.business.documents.bins import check_bins
from erpsim.business.documents.tracking import move_numbers
from erpsim.business.journal import Booking, Voucher, account_for, post
from erpsim.business.stock import is_stocked, move
from erpsim.company.company import Company
from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_decimal, as_int
from erpsim.facts.document_kinds import ISSUED_ALREADY, Kind, Posting, Side

_LINES = "DocumentLines"


def moves_goods(kind: Kind, line: Fields) -> bool:
    """Return whether a line of this kind moves goods. It does not if it follows a delivery, receipt or
    return, which already moved them.
    """
    return (
        bool(kind.stock)
        and line.get("ItemCode") is not None
        and line.get("WithoutInventoryMovement") != "tYES"
        and not (kind.settled and as_int(line.get("BaseType")) in ISSUED_ALREADY)
    )


def move_goods(company: Company, kind: Kind, document: Fields, *, back: bool = False) -> Decimal:
    """Move the goods of a document; return the value moved at cost (into stock positive).

    Args:
        company: the company.
        kind: of the document.
        document: its row.
        back: undo the movement, for a cancellation.

    Raises:
        SlError: a warehouse would fall below zero, or batch or serial numbers or bins are missing.
    """
    value = Decimal(0)
    for position, line in enumerate(rows_of(document, _LINES), 1):
        if not moves_goods(kind, line):
            continue
        item = company.referred("Items", line.get("ItemCode"))
        quantity = as_decimal(line.get("InventoryQuantity")) * kind.stock * (-1 if back else 1)
        priced = kind.side is Side.PURCHASING or kind.set_name == "InventoryGenEntries"
        total, units = as_decimal(line.get("LineTotal")), as_decimal(line.get("InventoryQuantity"))
        price = total / units if priced and units else None
        place = f"[{kind.line_table}.ItemCode][line: {position}]"
        value += move(company, item, str(line.get("WarehouseCode")), quantity, price=price, place=place)
        move_numbers(company, item, line, quantity, place)
        if quantity < 0:
            check_bins(company, line, -quantity)
    return value


def book(company: Company, kind: Kind, document: Fields, moved: Decimal) -> int | None:
    """Post the journal entry of a document and return its number, None without bookings.

    Goods move between stock and their counter account at cost. Invoices book revenue or the goods received,
    tax and the partner. Amounts are rounded to the local currency, so an entry always balances.
    """
    if kind.posting is Posting.NONE:
        return None
    decimals = as_int(company.admin_info().get("TotalsAccuracy"))
    moved = moved.quantize(Decimal(1).scaleb(-decimals))
    bookings = _goods(company, kind, moved)
    if kind.posting is Posting.INVOICE:
        bookings += _invoice(company, kind, document, moved)
    voucher = Voucher(
        date=str(document["DocDate"]),
        due_date=str(document["DocDueDate"]),
        tax_date=str(document["TaxDate"]),
        memo=str(document.get("JournalMemo") or ""),
        origin=kind.code,
        origin_entry=as_int(document["DocEntry"]),
        origin_number=as_int(document["DocNum"]),
    )
    return post(company, voucher, bookings)


def _goods(company: Company, kind: Kind, moved: Decimal) -> list[Booking]:
    if not moved or (kind.settled and kind.side is Side.PURCHASING):
        return []
    role = {
        Side.SALES: "cost_of_sales",
        Side.PURCHASING: "goods_received",
        Side.INVENTORY: "stock_adjustment",
    }
    return [
        Booking(account_for(company, "stock"), moved),
        Booking(account_for(company, role[kind.side]), -moved),
    ]


def _invoice(company: Company, kind: Kind, document: Fields, moved: Decimal) -> list[Booking]:
    sign = Decimal(1 if kind.side is Side.SALES else -1) * (-1 if kind.reverses else 1)
    partner = company.referred("BusinessPartners", document["CardCode"])
    total, tax = as_decimal(document.get("DocTotal")), as_decimal(document.get("VatSum"))
    taxes: dict[str, Decimal] = defaultdict(Decimal)
    for line in rows_of(document, _LINES):
        taxes[str(line.get("VatGroup"))] += as_decimal(line.get("TaxTotal"))
    taxed = [(group, amount) for group, amount in taxes.items() if amount]
    difference = tax - sum((amount for _, amount in taxed), Decimal(0))
    if taxed and difference:
        taxed[-1] = (taxed[-1][0], taxed[-1][1] + difference)
    tax_role = "tax_sales" if kind.side is Side.SALES else "tax_purchases"
    bookings = [Booking(str(partner["DebitorAccount"]), sign * total, partner=str(partner["CardCode"]))]
    bookings += [Booking(account_for(company, tax_role), -sign * amount, tax_group=g) for g, amount in taxed]
    net = total - sum((amount for _, amount in taxed), Decimal(0))
    if kind.side is Side.SALES:
        return [*bookings, Booking(account_for(company, "sales"), -sign * net)]
    # Goods bought on the invoice itself go to stock. Goods received before clear the goods-received account.
    into_stock = moved
    return [
        *bookings,
        Booking(account_for(company, "stock"), into_stock),
        Booking(account_for(company, _cleared(company, document)), -sign * net - into_stock),
    ]


def _cleared(company: Company, document: Fields) -> str:
    for line in rows_of(document, _LINES):
        if as_int(line.get("BaseType")) in ISSUED_ALREADY:
            return "goods_received"
        code = line.get("ItemCode")
        item = company.find("Items", str(code)) if code is not None else None
        if item is not None and is_stocked(item):
            return "price_difference"
    return "expenses"
