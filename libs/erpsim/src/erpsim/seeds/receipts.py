"""Receipts that can be returned: from many suppliers in three warehouses, most of them open.

They are added after the story, with separate random draws, so that the story stays unchanged.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from erpsim.company.exchange import Fields
from erpsim.company.rows.values import as_decimal
from erpsim.seeds.books import Books, Line, Paper
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale

# Numbers of the three receiving warehouses, weighted by repetition.
_PLACES: Final = (0, 0, 0, 1, 1, 2)
_BOX: Final = 12
_LONGEST: Final = 14
_CURRENCY: Final = "USD"
_INVOICED: Final = range(10)
_CLOSED: Final = range(10, 15)
# Percentage of receipts; the others stay open.
_SENT_BACK: Final = range(15, 35)
_PAID_WITHIN: Final = timedelta(days=30)


def add_receipts(books: Books, scale: Scale, partners: list[Fields], rates: list[Fields]) -> None:
    """Add receipts to the books until enough of their lines are open.

    Some are invoiced, some closed manually with open quantities, some partly returned. The boxes of twelve
    have a factor, and the foreign suppliers' prices are in dollars.

    Args:
        books: the books so far.
        scale: size of the seed.
        partners: rows of the partners.
        rates: exchange rates, rows of the days.
    """
    if not scale.open_receipt_lines:
        return
    dice = Dice(f"receipts {scale.name}")
    active = [row for row in partners if row["CardType"] == "cSupplier" and row["Frozen"] == "tNO"]
    suppliers = active[: scale.receipt_suppliers]
    dollars = {
        str(row["Date"]): int(as_decimal(row["Rate"])) for row in rates if row["Currency"] == _CURRENCY
    }
    first_item = scale.items - scale.receipt_items
    days = (scale.last_day - scale.first_day).days
    open_lines = 0
    while open_lines < scale.open_receipt_lines:
        day = scale.first_day + timedelta(days=days * open_lines // scale.open_receipt_lines)
        partner = dice.pick(suppliers)
        rate = dollars[day.isoformat()] if partner["Currency"] != "CLP" else 1
        place = dice.pick(_PLACES)
        line_count = min(dice.between(3, _LONGEST), scale.open_receipt_lines - open_lines)
        numbers = dict.fromkeys(first_item + dice.below(scale.receipt_items) for _ in range(line_count))
        lines = [_line(books, dice, number, place, rate) for number in numbers]
        receipt = books.add("PurchaseDeliveryNotes", day, partner, lines)
        receipt.rate, receipt.currency = rate, "CLP" if rate == 1 else _CURRENCY
        books.book_goods(receipt)
        _settle(books, dice, receipt)
        if not receipt.closed:
            open_lines += sum(1 for quantity in receipt.open if quantity)


def _line(books: Books, dice: Dice, number: int, place: int, rate: int) -> Line:
    item = books.items[number]
    boxed = not item.managed and dice.chance(8)
    factor = _BOX if boxed else 1
    quantity = dice.between(1, 3) if item.managed == "serial" else dice.between(1, 60)
    price = max(1, item.cost * factor * dice.between(90, 110) // 100)
    if rate == 1:
        return Line(number, quantity, price, place, factor=factor)
    foreign = max(1, price // rate)
    return Line(number, quantity, foreign * rate, place, factor=factor, foreign=foreign)


def _settle(books: Books, dice: Dice, receipt: Paper) -> None:
    plain = receipt.rate == 1 and not any(
        line.factor != 1 or books.items[line.item].managed for line in receipt.lines
    )
    fate = dice.below(100)
    if fate in _INVOICED and receipt.rate == 1:
        invoice = books.follow("PurchaseInvoices", receipt.day, receipt, half=False)
        if invoice is not None:
            invoice.due = receipt.day + _PAID_WITHIN
            books.post_invoice(invoice)
    elif fate in _CLOSED:
        receipt.closed = True
    elif fate in _SENT_BACK and plain:
        sent_back = books.follow("PurchaseReturns", receipt.day, receipt, half=True)
        if sent_back is not None:
            books.book_goods(sent_back)
