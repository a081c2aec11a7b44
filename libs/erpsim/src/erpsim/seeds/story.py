"""Two years of trade, told in whole numbers: who ordered what, what arrived, was billed and paid, and what is
open.

The story keeps its own books (stock, open quantities, balances) by the same rules as the living company, so
that rows made of it look as if the simulator had booked them one by one. Tests compare the two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from erpsim.documents.kinds import KINDS, Kind
from erpsim.records import Fields
from erpsim.seeds.catalogue import LISTED_FACTORS, SeedItem
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale
from erpsim.seeds.settings import (
    FIRST_NUMBER,
    PURCHASE_EXEMPT,
    PURCHASE_TAX,
    SALES_EXEMPT,
    SALES_TAX,
    TAX_PERCENT,
)

_FRIDAY = 4
_OPENING_LINES = 10
_POPULAR = 1500


class Line(NamedTuple):
    """A line: item and warehouse by number, quantity, pesos for a unit, and what it is drawn from."""

    item: int
    quantity: int
    price: int
    place: int
    base_code: int = -1
    base_entry: int | None = None
    base_line: int | None = None

    @property
    def total(self) -> int:
        """Pesos before tax."""
        return self.quantity * self.price


class Paper:
    """A document as far as the story goes.

    Args:
        kind: of the document.
        entry: its key.
        day: its date.
        partner: row of its partner, None for inventory documents.
        lines: as told.
    """

    __slots__ = (
        "cancelled", "closed", "day", "due", "entry", "kind", "lines", "open", "paid", "partner", "taxes",
        "transaction",
    )  # fmt: skip

    def __init__(self, kind: Kind, entry: int, day: date, partner: Fields | None, lines: list[Line]) -> None:
        self.kind = kind
        self.entry = entry
        self.day = day
        self.due = day
        self.partner = partner
        self.lines = lines
        self.open = [line.quantity for line in lines]
        percent = 0 if partner is None or partner["VatLiable"] == "vExempted" else TAX_PERCENT
        self.taxes = [(line.total * percent + 50) // 100 for line in lines]
        self.closed = False
        self.cancelled = False
        self.paid = 0
        self.transaction: int | None = None

    @property
    def number(self) -> int:
        """Number shown to people."""
        return FIRST_NUMBER + self.entry - 1

    @property
    def net(self) -> int:
        """Pesos before tax."""
        return sum(line.total for line in self.lines)

    @property
    def total(self) -> int:
        """Pesos with tax."""
        return self.net + sum(self.taxes)

    @property
    def tax_code(self) -> str | None:
        """Tax code of its lines."""
        if self.partner is None:
            return None
        exempt = self.partner["VatLiable"] == "vExempted"
        if self.partner["CardType"] == "cSupplier":
            return PURCHASE_EXEMPT if exempt else PURCHASE_TAX
        return SALES_EXEMPT if exempt else SALES_TAX

    def draw(self, line: int, quantity: int) -> None:
        """Take an open quantity; the document closes with its last line (invoices: when paid)."""
        self.open[line] -= quantity
        if not self.kind.settled and not any(self.open):
            self.closed = True

    def settle(self, amount: int) -> None:
        """Pay a part of an invoice."""
        self.paid += amount
        self.closed = self.paid >= self.total


class Payment(NamedTuple):
    """A payment of one invoice."""

    entry: int
    day: date
    invoice: Paper
    amount: int
    in_cash: bool
    transaction: int


class Posting(NamedTuple):
    """A journal entry: its lines are account role, amount (debit positive), partner code and tax code."""

    number: int
    day: date
    due: date
    memo: str
    origin: int
    origin_entry: int | None
    origin_number: int | None
    lines: list[tuple[str, int, str | None, str | None]]


class Story:
    """Everything that happened, day by day.

    Args:
        scale: how much.
        items: the catalogue.
        partners: rows of the partners.
    """

    def __init__(self, scale: Scale, items: tuple[SeedItem, ...], partners: list[Fields]) -> None:
        self.items = items
        self.papers: dict[str, list[Paper]] = {name: [] for name in KINDS}
        self.payments: dict[str, list[Payment]] = {"IncomingPayments": [], "VendorPayments": []}
        self.transfers: list[tuple[date, list[Line]]] = []
        self.postings: list[Posting] = []
        self.stock: dict[tuple[int, int], int] = defaultdict(int)
        self.balances: dict[str, int] = defaultdict(int)
        self.account_balances: dict[str, int] = defaultdict(int)
        self._dice = Dice(f"story {scale.name}")
        active = [row for row in partners if row["Frozen"] == "tNO"]
        self._customers = [row for row in active if row["CardType"] == "cCustomer"]
        self._suppliers = [
            row for row in active if row["CardType"] == "cSupplier" and row["Currency"] == "CLP"
        ]
        self._popular = [number for number in range(min(len(items), _POPULAR)) if (number + 1) % 500]
        self._plans: dict[date, list[Callable[[date], None]]] = defaultdict(list)
        if items:
            self._tell(scale)

    def _tell(self, scale: Scale) -> None:
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
        """Plan something for a working day; what lies behind the last day never happens."""
        due = day + timedelta(days=days)
        while due.weekday() > _FRIDAY:
            due += timedelta(days=1)
        self._plans[due].append(plan)

    def _add(self, name: str, day: date, partner: Fields | None, lines: list[Line]) -> Paper:
        papers = self.papers[name]
        paper = Paper(KINDS[name], len(papers) + 1, day, partner, lines)
        papers.append(paper)
        return paper

    # --- opening and monthly costs

    def _open(self, day: date) -> None:
        """Fill the warehouses on the first day."""
        by_place: dict[int, list[Line]] = defaultdict(list)
        for number, item in enumerate(self.items):
            for place in item.places:
                by_place[place].append(Line(number, self._dice.between(20, 900), item.cost, place))
        for place in sorted(by_place):
            lines = by_place[place]
            for start in range(0, len(lines), _OPENING_LINES):
                self._book_goods(
                    self._add("InventoryGenEntries", day, None, lines[start : start + _OPENING_LINES])
                )

    def _monthly_costs(self, day: date) -> None:
        for role, memo, amount in (
            ("salaries", "Remuneraciones", 18500000),
            ("rent", "Arriendo bodegas", 4200000),
        ):
            self._post(
                day, day, memo, 30, None, None, [(role, amount, None, None), ("bank", -amount, None, None)]
            )

    def _transfer(self, day: date) -> None:
        """Move some goods to where there are fewer."""
        lines = []
        for _ in range(self._dice.between(1, 3)):
            number = self._dice.pick(self._popular)
            places = self.items[number].places
            if len(places) > 1 and self.stock[number, places[0]] > 10:  # noqa: PLR2004 - a handful stays
                quantity = self._dice.between(1, 9)
                self.stock[number, places[0]] -= quantity
                self.stock[number, places[1]] += quantity
                lines.append(Line(number, quantity, self.items[number].cost, places[0], base_line=places[1]))
        if lines:
            self.transfers.append((day, lines))

    # --- purchasing

    def _purchase(self, day: date) -> None:
        lines = []
        for _ in range(self._dice.between(1, 5)):
            number = self._dice.pick(self._popular)
            item = self.items[number]
            lines.append(Line(number, self._dice.between(1, 12) * 10, item.cost, item.places[0]))
        order = self._add("PurchaseOrders", day, self._dice.pick(self._suppliers), lines)
        if self._dice.chance(3):
            order.cancelled = order.closed = True
            return
        self._later(day, self._dice.between(2, 12), lambda on: self._receive(on, order))

    def _receive(self, day: date, order: Paper) -> None:
        partial = self._dice.chance(15)
        receipt = self._follow("PurchaseDeliveryNotes", day, order, half=partial)
        if receipt is None:
            return
        self._book_goods(receipt)
        if partial and not order.closed and self._dice.chance(60):
            self._later(day, self._dice.between(5, 20), lambda on: self._receive(on, order))
        if self._dice.chance(5):
            self._later(day, 2, lambda on: self._send_back(on, receipt))
        if self._dice.chance(88):
            self._later(day, self._dice.between(3, 15), lambda on: self._invoice(on, receipt))

    def _send_back(self, day: date, receipt: Paper) -> None:
        """Return a part of one received line."""
        line = receipt.lines[0]
        quantity = min(receipt.open[0], max(1, line.quantity // 4), self.stock[line.item, line.place])
        if quantity > 0:
            drawn = line._replace(quantity=quantity, base_code=20, base_entry=receipt.entry, base_line=0)
            receipt.draw(0, quantity)
            self._book_goods(self._add("PurchaseReturns", day, receipt.partner, [drawn]))

    # --- sales

    def _order(self, day: date) -> None:
        customer = self._dice.pick(self._customers)
        percent = LISTED_FACTORS[int(str(customer["PriceListNum"])) - 1]
        lines = []
        for _ in range(self._dice.between(1, 6)):
            number = self._dice.pick(self._popular)
            item = self.items[number]
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
            base = self._add("Quotations", day, customer, lines)
            if self._dice.chance(40):
                return
            lines = [
                line._replace(base_code=23, base_entry=base.entry, base_line=position)
                for position, line in enumerate(lines)
            ]
            for position, line in enumerate(lines):
                base.draw(position, line.quantity)
        order = self._add("Orders", day, customer, lines)
        order.due = day + timedelta(days=7)
        if base is None and self._dice.chance(3):
            order.cancelled = order.closed = True
        elif self._dice.chance(2):
            order.closed = True
        else:
            self._later(day, self._dice.between(1, 6), lambda on: self._deliver(on, order))

    def _deliver(self, day: date, order: Paper) -> None:
        delivery = self._follow("DeliveryNotes", day, order, half=self._dice.chance(8))
        if delivery is None:
            return
        self._book_goods(delivery)
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
            self._book_goods(self._add("Returns", day, delivery.partner, [drawn]))

    # --- what both sides do

    def _follow(self, name: str, day: date, base: Paper, *, half: bool) -> Paper | None:
        """Draw a document from another: what is open, as far as the goods are there."""
        kind = KINDS[name]
        lines = []
        for position, line in enumerate(base.lines):
            quantity = base.open[position]
            if half:
                quantity = (quantity + 1) // 2
            if kind.stock < 0 and not kind.settled:
                quantity = min(quantity, self.stock[line.item, line.place])
            if quantity > 0:
                base.draw(position, quantity)
                lines.append(
                    line._replace(
                        quantity=quantity, base_code=base.kind.code, base_entry=base.entry, base_line=position
                    )
                )
        return self._add(name, day, base.partner, lines) if lines else None

    def _book_goods(self, paper: Paper) -> None:
        """Move the goods of a document and book them at cost."""
        sign = paper.kind.stock
        value = 0
        for line in paper.lines:
            self.stock[line.item, line.place] += sign * line.quantity
            value += sign * line.quantity * self.items[line.item].cost
        counter = {"cCustomer": "cost_of_sales", "cSupplier": "goods_received", "none": "stock_adjustment"}
        role = counter[paper.kind.side.value]
        self._post_paper(paper, [("stock", value, None, None), (role, -value, None, None)])

    def _invoice(self, day: date, base: Paper) -> None:
        selling = base.kind.set_name == "DeliveryNotes"
        invoice = self._follow("Invoices" if selling else "PurchaseInvoices", day, base, half=False)
        if invoice is None or invoice.partner is None:
            return
        terms = invoice.partner["PayTermsGrpCode"]
        days = 30 * terms if isinstance(terms, int) and terms > 0 else 0
        invoice.due = day + timedelta(days=days)
        self._post_invoice(invoice, 1)
        if selling and self._dice.chance(2):
            self._later(day, 5, lambda on: self._credit(on, invoice))
        if self._dice.chance(92):
            self._later(day, days + self._dice.between(8, 20), lambda on: self._pay(on, invoice))

    def _post_invoice(self, paper: Paper, sign: int) -> None:
        selling = paper.kind.side.value == "cCustomer"
        sign = sign if selling else -sign
        partner = str((paper.partner or {})["CardCode"])
        tax, tax_role = sum(paper.taxes), "tax_sales" if selling else "tax_purchases"
        role = ("receivable", "sales") if selling else ("payable", "goods_received")
        self._post_paper(
            paper,
            [
                (role[0], sign * paper.total, partner, None),
                (tax_role, -sign * tax, None, paper.tax_code),
                (role[1], -sign * paper.net, None, None),
            ],
        )

    def _credit(self, day: date, invoice: Paper) -> None:
        """Credit one line of an invoice and take the goods back."""
        if invoice.paid or not invoice.open[0]:
            return
        line = invoice.lines[0]
        drawn = line._replace(base_code=13, base_entry=invoice.entry, base_line=0)
        invoice.open[0] = 0
        credit = self._add("CreditNotes", day, invoice.partner, [drawn])
        credit.closed = True
        invoice.settle(credit.total)
        cost = line.quantity * self.items[line.item].cost
        self.stock[line.item, line.place] += line.quantity
        partner = str((invoice.partner or {})["CardCode"])
        self._post_paper(
            credit,
            [
                ("stock", cost, None, None),
                ("cost_of_sales", -cost, None, None),
                ("receivable", -credit.total, partner, None),
                ("tax_sales", sum(credit.taxes), None, credit.tax_code),
                ("sales", credit.net, None, None),
            ],
        )

    def _pay(self, day: date, invoice: Paper) -> None:
        amount = invoice.total - invoice.paid
        if amount <= 0:
            return
        if self._dice.chance(4):
            amount = (amount + 1) // 2
        selling = invoice.kind.set_name == "Invoices"
        name = "IncomingPayments" if selling else "VendorPayments"
        invoice.settle(amount)
        in_cash = selling and amount < 300000 and self._dice.chance(50)  # noqa: PLR2004 - pesos; more is transferred
        sign = 1 if selling else -1
        partner = str((invoice.partner or {})["CardCode"])
        entry = len(self.payments[name]) + 1
        lines: list[tuple[str, int, str | None, str | None]] = [
            ("cash" if in_cash else "bank", sign * amount, None, None),
            ("receivable" if selling else "payable", -sign * amount, partner, None),
        ]
        memo = f"{name} - {partner}"
        posted = self._post(day, day, memo, 24 if selling else 46, entry, FIRST_NUMBER + entry - 1, lines)
        self.payments[name].append(Payment(entry, day, invoice, amount, in_cash, posted))

    # --- the ledger

    def _post_paper(self, paper: Paper, lines: list[tuple[str, int, str | None, str | None]]) -> None:
        code = f" - {paper.partner['CardCode']}" if paper.partner else ""
        paper.transaction = self._post(
            paper.day,
            paper.due,
            f"{paper.kind.set_name}{code}",
            paper.kind.code,
            paper.entry,
            paper.number,
            [line for line in lines if line[1]],
        )

    def _post(
        self,
        day: date,
        due: date,
        memo: str,
        origin: int,
        entry: int | None,
        number: int | None,
        lines: list[tuple[str, int, str | None, str | None]],
    ) -> int:
        for role, amount, partner, _ in lines:
            self.account_balances[role] += amount
            if partner is not None:
                self.balances[partner] += amount
        self.postings.append(Posting(len(self.postings) + 1, day, due, memo, origin, entry, number, lines))
        return len(self.postings)
