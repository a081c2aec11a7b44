"""The journal: entries by hand, reversals, and that the books always balance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim.business.journal import Booking, Voucher, post
from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.desk import Desk
from erpsim.facts import Facts
from erpsim.world import World

ENTRY = {
    "Memo": "Ajuste",
    "JournalEntryLines": [
        {"AccountCode": "5.2.01.001", "Debit": 1000, "Credit": 0},
        {"AccountCode": "1.1.01.001", "Debit": 0, "Credit": 1000},
    ],
}


def number(value: Value) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(0)


def transaction(entry: Fields) -> int:
    value = entry["JdtNum"]
    assert isinstance(value, int)
    return value


def test_an_entry_by_hand_changes_the_balances(desk: Desk) -> None:
    before = number(desk.read("ChartOfAccounts", "5.2.01.001")["Balance"])
    made = desk.create("JournalEntries", ENTRY)
    assert number(desk.read("ChartOfAccounts", "5.2.01.001")["Balance"]) == before + 1000
    assert made["OriginalJournal"] == "ttJournalEntry"
    assert made["ReferenceDate"] == "2026-01-15T00:00:00Z"
    assert [row["Line_ID"] for row in rows_of(made, "JournalEntryLines")] == [0, 1]
    assert made["Number"] != made["JdtNum"]


def test_a_partner_line_posts_to_the_control_account(desk: Desk) -> None:
    before = number(desk.read("BusinessPartners", "C00001")["CurrentAccountBalance"])
    lines = [{"ShortName": "C00001", "Debit": 500}, {"AccountCode": "4.1.01.001", "Credit": 500}]
    made = desk.create("JournalEntries", {"JournalEntryLines": lines})
    assert rows_of(made, "JournalEntryLines")[0]["AccountCode"] == "1.1.03.001"
    assert number(desk.read("BusinessPartners", "C00001")["CurrentAccountBalance"]) == before + 500


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "Enter at least one row  [JDT1.Account]"),
        ([{"AccountCode": "5.2.01.001", "Debit": 1}], "Unbalanced Transaction"),
        ([{"AccountCode": "9", "Debit": 1}], "Invalid account code  [JDT1.Account][line: 1]"),
    ],
)
def test_an_invalid_journal_entry_is_refused(desk: Desk, lines: list[Fields], text: str) -> None:
    refusal = desk.refusal(desk.create, "JournalEntries", {"JournalEntryLines": lines})
    assert (refusal.status, refusal.code, refusal.text) == (400, -5002, text)


def test_cancelling_an_entry_posts_one_reversal(desk: Desk) -> None:
    before = number(desk.read("ChartOfAccounts", "5.2.01.001")["Balance"])
    made = desk.create("JournalEntries", ENTRY)
    assert desk.act("JournalEntries", transaction(made), "Cancel") is None
    assert number(desk.read("ChartOfAccounts", "5.2.01.001")["Balance"]) == before
    reversal = desk.rows("JournalEntries")[-1]
    assert reversal["Memo"] == f"Ajuste (Reversal) - {made['JdtNum']}"
    assert rows_of(reversal, "JournalEntryLines")[0]["Credit"] == Decimal("1000.0")
    for again in (transaction(made), transaction(reversal)):
        refusal = desk.refusal(desk.act, "JournalEntries", again, "Cancel")
        assert (refusal.status, refusal.code) == (400, -5006)


def test_an_entry_of_a_document_can_not_be_cancelled(desk: Desk) -> None:
    posted = next(row for row in desk.rows("JournalEntries") if row["OriginalJournal"] == "ttARInvoice")
    refusal = desk.refusal(desk.act, "JournalEntries", transaction(posted), "Cancel")
    assert refusal.code == -5006


def test_an_entry_accepts_changed_texts_and_no_amounts(desk: Desk) -> None:
    made = desk.create("JournalEntries", ENTRY)
    lines = [{"Line_ID": 0, "LineMemo": "detalle"}]
    desk.change("JournalEntries", transaction(made), {"Memo": "Otro", "JournalEntryLines": lines})
    after = desk.read("JournalEntries", transaction(made))
    assert after["Memo"] == "Otro"
    assert rows_of(after, "JournalEntryLines")[0]["LineMemo"] == "detalle"
    for change in ({"ReferenceDate": "2026-01-01"}, {"JournalEntryLines": [{"Line_ID": 0, "Debit": 5}]}):
        refusal = desk.refusal(desk.change, "JournalEntries", transaction(made), change)
        assert refusal.code == -1029
    assert desk.refusal(desk.delete, "JournalEntries", transaction(made)).code == -5006


# --- whatever happens, the books agree


def check_books(desk: Desk) -> None:
    """Compare balances, stock and reservations with what entries and documents add up to."""
    accounts: dict[str, Decimal] = defaultdict(Decimal)
    partners: dict[str, Decimal] = defaultdict(Decimal)
    for entry in desk.rows("JournalEntries"):
        total = Decimal(0)
        for row in rows_of(entry, "JournalEntryLines"):
            amount = number(row["Debit"]) - number(row["Credit"])
            total += amount
            accounts[str(row["AccountCode"])] += amount
            if row["ShortName"] != row["AccountCode"]:
                partners[str(row["ShortName"])] += amount
        assert total == 0, entry
    for account in desk.rows("ChartOfAccounts"):
        assert account["Balance"] == accounts[str(account["Code"])], account["Code"]
    for partner in desk.rows("BusinessPartners"):
        assert partner["CurrentAccountBalance"] == partners[str(partner["CardCode"])], partner["CardCode"]
    check_reservations(desk)


def check_reservations(desk: Desk) -> None:
    held: dict[tuple[str, str, str], Decimal] = defaultdict(Decimal)
    for set_name, name in (("Orders", "Committed"), ("PurchaseOrders", "Ordered")):
        for document in desk.rows(set_name, filter="DocumentStatus eq 'bost_Open'"):
            for row in rows_of(document, "DocumentLines"):
                if row["LineStatus"] == "bost_Open":
                    held[str(row["ItemCode"]), str(row["WarehouseCode"]), name] += number(
                        row["RemainingOpenInventoryQuantity"]
                    )
    for item in desk.rows("Items"):
        places = rows_of(item, "ItemWarehouseInfoCollection")
        for place in places:
            assert number(place["InStock"]) >= 0
            for name in ("Committed", "Ordered"):
                expected = held[str(item["ItemCode"]), str(place["WarehouseCode"]), name]
                assert place[name] == expected, (item["ItemCode"], place["WarehouseCode"], name)
        assert item["QuantityOnStock"] == sum(number(place["InStock"]) for place in places)


@pytest.mark.parametrize("seed", ["small", pytest.param("full", marks=pytest.mark.check)])
def test_the_books_of_the_seeds_balance(make_world: Callable[..., World], seed: str) -> None:
    check_books(Desk(make_world(seed=seed)))


_ITEMS = ("A/1", "N+1", "PIÑA-3")
_lines = st.lists(
    st.fixed_dictionaries(
        {
            "ItemCode": st.sampled_from(_ITEMS),
            "Quantity": st.integers(1, 40),
            "UnitPrice": st.decimals(1, 5000, places=2),
            "DiscountPercent": st.sampled_from([0, 5, Decimal("33.3")]),
            "WarehouseCode": st.sampled_from(["01", "02"]),
        }
    ),
    min_size=1,
    max_size=3,
)
_selling = st.tuples(
    st.sampled_from(["Orders", "DeliveryNotes", "Invoices", "CreditNotes"]), st.just("C00002")
)
_buying = st.tuples(
    st.sampled_from(["PurchaseOrders", "PurchaseDeliveryNotes", "PurchaseInvoices", "PurchaseCreditNotes"]),
    st.just("P00002"),
)
_create = st.tuples(st.just("create"), _selling | _buying, _lines, st.sampled_from([0, Decimal("7.5")]))
_steps = st.one_of(
    _create,
    st.tuples(st.just("follow"), st.integers(0, 9), st.integers(1, 20), st.booleans()),
    st.tuples(st.just("act"), st.integers(0, 9), st.sampled_from(["Cancel", "Close", "Reopen"]), st.none()),
    st.tuples(st.just("pay"), st.integers(0, 9), st.integers(1, 5000), st.none()),
    st.tuples(st.just("change"), st.integers(0, 9), _lines, st.booleans()),
)
Steps = list[tuple[str, Any, Any, Any]]


def _stories(length: int) -> st.SearchStrategy[Steps]:
    """Some documents first, then anything."""
    return st.builds(
        lambda first, then: [*first, *then],
        st.lists(_create, min_size=1, max_size=4),
        st.lists(_steps, max_size=length),
    )


_FOLLOWS = {
    "Orders": (17, "DeliveryNotes"),
    "DeliveryNotes": (15, "Invoices"),
    "Invoices": (13, "CreditNotes"),
    "PurchaseOrders": (22, "PurchaseDeliveryNotes"),
    "PurchaseDeliveryNotes": (20, "PurchaseReturns"),
    "PurchaseInvoices": (18, "PurchaseCreditNotes"),
}


class Trade:
    """Runs random steps; a refusal is as good as a success, as long as the books agree afterwards."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.made: list[tuple[str, Fields]] = []

    def create(self, kind: tuple[str, str], lines: list[Fields], discount: Value) -> None:
        set_name, partner = kind
        body = {"CardCode": partner, "DiscountPercent": discount, "DocumentLines": lines}
        self.made.append((set_name, self.desk.create(set_name, body)))

    def follow(self, index: int, quantity: int, _: bool) -> None:
        set_name, base = self._pick(index)
        if set_name not in _FOLLOWS:
            raise SlError(0, 0, "nothing follows")
        code, target = _FOLLOWS[set_name]
        drawn = {"BaseType": code, "BaseEntry": base["DocEntry"], "BaseLine": 0, "Quantity": quantity}
        body = {"CardCode": base["CardCode"], "DocumentLines": [drawn]}
        self.made.append((target, self.desk.create(target, body)))

    def act(self, index: int, action: str, _: None) -> None:
        set_name, document = self._pick(index)
        self.desk.act(set_name, int(str(document["DocEntry"])), action)

    def pay(self, index: int, amount: int, _: None) -> None:
        set_name, document = self._pick(index)
        incoming = set_name == "Invoices"
        rows = [{"DocEntry": document["DocEntry"], "SumApplied": amount}]
        body = {"CardCode": document["CardCode"], "CashSum": amount, "PaymentInvoices": rows}
        self.desk.create("IncomingPayments" if incoming else "VendorPayments", body)

    def change(self, index: int, lines: list[Fields], replace: bool) -> None:
        set_name, document = self._pick(index)
        key = int(str(document["DocEntry"]))
        self.desk.change(set_name, key, {"DocumentLines": lines}, replace_collections=replace)

    def _pick(self, index: int) -> tuple[str, Fields]:
        if not self.made:
            raise SlError(0, 0, "nothing made yet")
        return self.made[index % len(self.made)]


def run_trade(world: World, steps: Steps) -> None:
    world.reset()
    trade = Trade(Desk(world))
    for name, *arguments in steps:
        try:
            getattr(trade, name)(*arguments)
        except SlError:
            continue
    check_books(trade.desk)
    for set_name, made in trade.made:
        document = trade.desk.read(set_name, int(str(made["DocEntry"])))
        rows = rows_of(document, "DocumentLines")
        net = sum((number(row["LineTotal"]) for row in rows), Decimal(0))
        expected = net - number(document["TotalDiscount"]) + number(document["VatSum"])
        assert document["DocTotal"] == expected
        for row in rows:
            assert Decimal(0) <= number(row["RemainingOpenQuantity"]) <= number(row["Quantity"])


@given(steps=_stories(12))
@settings(max_examples=40, deadline=None)
def test_the_books_balance_after_random_operations(world_for_trade: World, steps: Steps) -> None:
    run_trade(world_for_trade, steps)


@pytest.mark.proof
@given(steps=_stories(40))
@settings(max_examples=1500, deadline=None)
def test_the_books_balance_after_many_random_operations(world_for_trade: World, steps: Steps) -> None:
    run_trade(world_for_trade, steps)


@pytest.fixture(scope="module")
def world_for_trade(facts: Facts) -> World:
    return World(facts, seed="small")


def test_a_posting_that_does_not_balance_is_impossible(desk: Desk) -> None:
    voucher = Voucher(date="2026-01-15", due_date="2026-01-15", tax_date="2026-01-15", memo="x")
    with pytest.raises(SlError, match="Unbalanced Transaction"):
        post(desk.world.company, voucher, [Booking("1.1.01.001", Decimal(1))])
    assert post(desk.world.company, voucher, [Booking("1.1.01.001", Decimal(0))]) is None
