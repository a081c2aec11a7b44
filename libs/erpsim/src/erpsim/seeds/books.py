"""Books of the simulated trade: documents, payments, stock, balances, journal. All amounts are whole
numbers.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import NamedTuple, TypeAlias

from erpsim.company.exchange import Fields
from erpsim.facts.document_kinds import KINDS, Kind
from erpsim.seeds.catalogue import SeedItem
from erpsim.seeds.settings import (
    FIRST_NUMBER,
    PURCHASE_EXEMPT,
    PURCHASE_TAX,
    SALES_EXEMPT,
    SALES_TAX,
    TAX_PERCENT,
)

Booked: TypeAlias = tuple[str, int, str | None, str | None]
"""A line of a posting: account role, amount (debit positive), partner code, tax code."""


class Line(NamedTuple):
    """A line: item and warehouse by number, quantity, unit price in pesos, and its base line.

    `factor` is the number of inventory units in one unit. `foreign` is its price in whole units of the
    document's currency if that is not the peso.
    """

    item: int
    quantity: int
    price: int
    place: int
    base_code: int = -1
    base_entry: int | None = None
    base_line: int | None = None
    factor: int = 1
    foreign: int = 0

    @property
    def total(self) -> int:
        """Pesos before tax."""
        return self.quantity * self.price


class Paper:
    """A document of the seed.

    Args:
        kind: of the document.
        entry: its key.
        day: its date.
        partner: row of its partner, None for inventory documents.
        lines: its lines.
    """

    __slots__ = (
        "cancelled", "closed", "currency", "day", "due", "entry", "kind", "lines", "open", "paid", "partner",
        "rate", "taxes", "transaction",
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
        self.currency = "CLP"
        self.rate = 1

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
        """Take an open quantity. The document closes with its last line (invoices: when paid)."""
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
    """A journal entry."""

    number: int
    day: date
    due: date
    memo: str
    origin: int
    origin_entry: int | None
    origin_number: int | None
    lines: list[Booked]


class Books:
    """Documents and postings of the trade.

    Args:
        items: the catalogue.
    """

    def __init__(self, items: tuple[SeedItem, ...]) -> None:
        self.items = items
        self.papers: dict[str, list[Paper]] = {name: [] for name in KINDS}
        self.payments: dict[str, list[Payment]] = {"IncomingPayments": [], "VendorPayments": []}
        self.transfers: list[tuple[date, list[Line]]] = []
        self.postings: list[Posting] = []
        self.stock: dict[tuple[int, int], int] = defaultdict(int)
        self.balances: dict[str, int] = defaultdict(int)
        self.account_balances: dict[str, int] = defaultdict(int)

    def add(self, name: str, day: date, partner: Fields | None, lines: list[Line]) -> Paper:
        """Write a new document."""
        papers = self.papers[name]
        paper = Paper(KINDS[name], len(papers) + 1, day, partner, lines)
        papers.append(paper)
        return paper

    def follow(self, name: str, day: date, base: Paper, *, half: bool) -> Paper | None:
        """Draw a document from another: its open quantities, limited by the stock."""
        kind = KINDS[name]
        lines = []
        used: dict[tuple[int, int], int] = defaultdict(int)
        for position, line in enumerate(base.lines):
            quantity, place = base.open[position], (line.item, line.place)
            if half:
                quantity = (quantity + 1) // 2
            if kind.stock < 0 and not kind.settled:
                quantity = min(quantity, self.stock[place] - used[place])
            if quantity > 0:
                used[place] += quantity
                base.draw(position, quantity)
                lines.append(
                    line._replace(
                        quantity=quantity, base_code=base.kind.code, base_entry=base.entry, base_line=position
                    )
                )
        return self.add(name, day, base.partner, lines) if lines else None

    def book_goods(self, paper: Paper) -> None:
        """Move the goods of a document and book them at cost."""
        sign = paper.kind.stock
        value = 0
        for line in paper.lines:
            units = line.quantity * line.factor
            self.stock[line.item, line.place] += sign * units
            value += sign * units * self.items[line.item].cost
        counter = {"cCustomer": "cost_of_sales", "cSupplier": "goods_received", "none": "stock_adjustment"}
        role = counter[paper.kind.side.value]
        self._post_paper(paper, [("stock", value, None, None), (role, -value, None, None)])

    def post_invoice(self, paper: Paper) -> None:
        """Book an invoice of either side."""
        selling = paper.kind.side.value == "cCustomer"
        sign = 1 if selling else -1
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

    def credit(self, day: date, invoice: Paper) -> None:
        """Credit one line of an invoice and take the goods back."""
        if invoice.paid or not invoice.open[0]:
            return
        line = invoice.lines[0]
        drawn = line._replace(base_code=13, base_entry=invoice.entry, base_line=0)
        invoice.open[0] = 0
        credit = self.add("CreditNotes", day, invoice.partner, [drawn])
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

    def pay(self, day: date, invoice: Paper, amount: int, *, in_cash: bool) -> None:
        """Pay a part of an invoice, in cash or by transfer."""
        selling = invoice.kind.set_name == "Invoices"
        name = "IncomingPayments" if selling else "VendorPayments"
        invoice.settle(amount)
        sign = 1 if selling else -1
        partner = str((invoice.partner or {})["CardCode"])
        entry = len(self.payments[name]) + 1
        lines: list[Booked] = [
            ("cash" if in_cash else "bank", sign * amount, None, None),
            ("receivable" if selling else "payable", -sign * amount, partner, None),
        ]
        memo = f"{name} - {partner}"
        posted = self.post(day, day, memo, 24 if selling else 46, entry, FIRST_NUMBER + entry - 1, lines)
        self.payments[name].append(Payment(entry, day, invoice, amount, in_cash, posted))

    def _post_paper(self, paper: Paper, lines: list[Booked]) -> None:
        code = f" - {paper.partner['CardCode']}" if paper.partner else ""
        paper.transaction = self.post(
            paper.day,
            paper.due,
            f"{paper.kind.set_name}{code}",
            paper.kind.code,
            paper.entry,
            paper.number,
            [line for line in lines if line[1]],
        )

    def post(
        self,
        day: date,
        due: date,
        memo: str,
        origin: int,
        entry: int | None,
        number: int | None,
        lines: list[Booked],
    ) -> int:
        """Post a journal entry; return its number."""
        for role, amount, partner, _ in lines:
            self.account_balances[role] += amount
            if partner is not None:
                self.balances[partner] += amount
        self.postings.append(Posting(len(self.postings) + 1, day, due, memo, origin, entry, number, lines))
        return len(self.postings)
