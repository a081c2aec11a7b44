"""Two years of simulated trade: orders, receipts, invoices, payments and open documents.

It follows the rules of the running company, so that its rows look as if the simulator had booked them one by
one. Tests compare the two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta

from erpsim.company.exchange import Fields
from erpsim.seeds.books import Books, Line, Paper
from erpsim.seeds.catalogue import LISTED_FACTORS, SeedItem
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale

_FRIDAY = 4
_OPENING_LINES = 10
_POPULAR = 1500
_KEPT_BACK = 10
# Amount in pesos; larger ones are transferred.
_SMALL = 300000


class Story:
    """All trade, day by day.

    Args:
        scale: size of the seed.
        items: the catalogue.
        partners: rows of the partners.
    """

    def __init__(self, scale: Scale, items: tuple[SeedItem, ...], partners: list[Fields]) -> None:
        self.books = Books(items)
        self._items = items
        self._dice = Dice(f"story {scale.name}")
        active = [row for row in partners if row["Frozen"] == "tNO"]
        self._customers = [row for row in active if row["CardType"] == "cCustomer"]
        self._suppliers = [
            row for row in active if row["CardType"] == "cSupplier" and row["Currency"] == "CLP"
        ]
        self._popular = [
            number for number in range(min(len(items) - scale.receipt_items, _POPULAR)) if (number + 1) % 500
        ]
        self._plans: dict[date, list[Callable[[date], None]]] = defaultdict(list)
        if items:
            self._trade(scale)

    def _trade(self, scale: Scale) -> None:
        day = scale.first_day
        self._open(day)
        while day <= scale.last_day:
            if day.weekday() <= _FRIDAY:
                for _ in range(scale.purchases_per_day):
                    self._purchase(day)
                for _ in range(scale.orders_per_day):
                    self._order(day)
                if day.day % 7 == 0:
                    self._transfer(day)
            for plan in self._plans.pop(day, ()):
                plan(day)
            if day.day == 1:
                self._monthly_costs(day)
            day += timedelta(days=1)

    def _later(self, day: date, days: int, plan: Callable[[date], None]) -> None:
        due = day + timedelta(days=days)
        while due.weekday() > _FRIDAY:
            due += timedelta(days=1)
        self._plans[due].append(plan)

    # --- opening and monthly costs

    def _open(self, day: date) -> None:
        by_place: dict[int, list[Line]] = defaultdict(list)
        for number, item in enumerate(self._items):
            for place in item.places:
                by_place[place].append(Line(number, self._dice.between(20, 900), item.cost, place))
        for place in sorted(by_place):
            lines = by_place[place]
            for start in range(0, len(lines), _OPENING_LINES):
                self.books.book_goods(
                    self.books.add("InventoryGenEntries", day, None, lines[start : start + _OPENING_LINES])
                )

    def _monthly_costs(self, day: date) -> None:
        for role, memo, amount in (
            ("salaries", "Remuneraciones", 18500000),
            ("rent", "Arriendo bodegas", 4200000),
        ):
            self.books.post(
                day, day, memo, 30, None, None, [(role, amount, None, None), ("bank", -amount, None, None)]
            )

    def _transfer(self, day: date) -> None:
        lines = []
        for _ in range(self._dice.between(1, 3)):
            number = self._dice.pick(self._popular)
            places = self._items[number].places
            if len(places) > 1 and self.books.stock[number, places[0]] > _KEPT_BACK:
                quantity = self._dice.between(1, 9)
                self.books.stock[number, places[0]] -= quantity
                self.books.stock[number, places[1]] += quantity
                lines.append(Line(number, quantity, self._items[number].cost, places[0], base_line=places[1]))
        if lines:
            self.books.transfers.append((day, lines))

    # --- purchasing

    def _purchase(self, day: date) -> None:
        lines = []
        for _ in range(self._dice.between(1, 5)):
            number = self._dice.pick(self._popular)
            item = self._items[number]
            lines.append(Line(number, self._dice.between(1, 12) * 10, item.cost, item.places[0]))
        order = self.books.add("PurchaseOrders", day, self._dice.pick(self._suppliers), lines)
        if self._dice.chance(3):
            order.cancelled = order.closed = True
            return
        self._later(day, self._dice.between(2, 12), lambda on: self._receive(on, order))

    def _receive(self, day: date, order: Paper) -> None:
        partial = self._dice.chance(15)
        receipt = self.books.follow("PurchaseDeliveryNotes", day, order, half=partial)
        if receipt is None:
            return
        self.books.book_goods(receipt)
        if partial and not order.closed and self._dice.chance(60):
            self._later(day, self._dice.between(5, 20), lambda on: self._receive(on, order))
        if self._dice.chance(5):
            self._later(day, 2, lambda on: self._send_back(on, receipt))
        if self._dice.chance(88):
            self._later(day, self._dice.between(3, 15), lambda on: self._invoice(on, receipt))

    def _send_back(self, day: date, receipt: Paper) -> None:
        line = receipt.lines[0]
        quantity = min(receipt.open[0], max(1, line.quantity // 4), self.books.stock[line.item, line.place])
        if quantity > 0:
            drawn = line._replace(quantity=quantity, base_code=20, base_entry=receipt.entry, base_line=0)
            receipt.draw(0, quantity)
            self.books.book_goods(self.books.add("PurchaseReturns", day, receipt.partner, [drawn]))

    # --- sales

    def _order(self, day: date) -> None:
        customer = self._dice.pick(self._customers)
        percent = LISTED_FACTORS[int(str(customer["PriceListNum"])) - 1]
        lines = []
        for _ in range(self._dice.between(1, 6)):
            number = self._dice.pick(self._popular)
            item = self._items[number]
            lines.append(
                Line(
                    number,
                    self._dice.between(1, 24),
                    item.price * percent // 100,
                    self._dice.pick(item.places),
                )
            )
        base: Paper | None = None
        if self._dice.chance(20):
            base = self.books.add("Quotations", day, customer, lines)
            if self._dice.chance(40):
                return
            lines = [
                line._replace(base_code=23, base_entry=base.entry, base_line=position)
                for position, line in enumerate(lines)
            ]
            for position, line in enumerate(lines):
                base.draw(position, line.quantity)
        order = self.books.add("Orders", day, customer, lines)
        order.due = day + timedelta(days=7)
        if base is None and self._dice.chance(3):
            order.cancelled = order.closed = True
        elif self._dice.chance(2):
            order.closed = True
        else:
            self._later(day, self._dice.between(1, 6), lambda on: self._deliver(on, order))

    def _deliver(self, day: date, order: Paper) -> None:
        delivery = self.books.follow("DeliveryNotes", day, order, half=self._dice.chance(8))
        if delivery is None:
            return
        self.books.book_goods(delivery)
        if self._dice.chance(3):
            self._later(day, 1, lambda on: self._take_back(on, delivery))
        if self._dice.chance(96):
            self._later(day, self._dice.between(1, 4), lambda on: self._invoice(on, delivery))

    def _take_back(self, day: date, delivery: Paper) -> None:
        line = delivery.lines[-1]
        last = len(delivery.lines) - 1
        quantity = min(delivery.open[last], max(1, line.quantity // 3))
        if quantity > 0:
            drawn = line._replace(quantity=quantity, base_code=15, base_entry=delivery.entry, base_line=last)
            delivery.draw(last, quantity)
            self.books.book_goods(self.books.add("Returns", day, delivery.partner, [drawn]))

    # --- shared by both sides

    def _invoice(self, day: date, base: Paper) -> None:
        selling = base.kind.set_name == "DeliveryNotes"
        invoice = self.books.follow("Invoices" if selling else "PurchaseInvoices", day, base, half=False)
        if invoice is None or invoice.partner is None:
            return
        terms = invoice.partner["PayTermsGrpCode"]
        days = 30 * terms if isinstance(terms, int) and terms > 0 else 0
        invoice.due = day + timedelta(days=days)
        self.books.post_invoice(invoice)
        if selling and self._dice.chance(2):
            self._later(day, 5, lambda on: self.books.credit(on, invoice))
        if self._dice.chance(92):
            self._later(day, days + self._dice.between(8, 20), lambda on: self._pay(on, invoice))

    def _pay(self, day: date, invoice: Paper) -> None:
        """Pay an invoice, sometimes only half of it; small amounts in cash."""
        amount = invoice.total - invoice.paid
        if amount <= 0:
            return
        if self._dice.chance(4):
            amount = (amount + 1) // 2
        small = invoice.kind.set_name == "Invoices" and amount < _SMALL
        self.books.pay(day, invoice, amount, in_cash=small and self._dice.chance(50))
