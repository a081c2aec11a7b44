"""Journal entries: posted by documents and payments, or by hand; cancelled by a reversal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

import attrs

from erpsim.business.rules import (
    Answer,
    Modification,
    Operation,
    changed_row,
    number_collections,
    unknown_action,
)
from erpsim.company import series
from erpsim.company.company import Company
from erpsim.company.errors import field_fixed, invalid, not_supported
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import differing, merge_rows, rows_of
from erpsim.company.rows.values import ZERO, as_decimal, as_int, normal

SET = "JournalEntries"
LINES = "JournalEntryLines"
OBJECT = 30
_REVERSED = "$reversed"
# A posted entry only accepts new texts and references; the client's window does not change amounts either.
_OPEN_FIELDS = frozenset(
    {"Memo", "Reference", "Reference2", "Reference3", "ProjectCode", "Indicator", "DueDate"}
)

_BOOKED = frozenset({"Debit", "Credit", "AccountCode", "ShortName", "FCDebit", "FCCredit", "FCCurrency"})


@attrs.frozen
class Booking:
    """One line to post.

    Args:
        account: account of the chart.
        amount: debit when positive, credit when negative, local money.
        partner: business partner whose balance it changes, None for a plain account.
        tax_group: of a tax line.
    """

    account: str
    amount: Decimal
    partner: str | None = None
    tax_group: str | None = None


@attrs.frozen(kw_only=True)
class Voucher:
    """Values shared by all lines of a posting.

    Args:
        date, due_date, tax_date: as rows hold them.
        memo: text of the entry.
        origin: object number that posts it (30: by hand).
        origin_entry, origin_number: key and number of the posting document.
        reference: the document's own reference.
    """

    date: str
    due_date: str
    tax_date: str
    memo: str
    origin: int = OBJECT
    origin_entry: int | None = None
    origin_number: int | None = None
    reference: str | None = None


def account_for(company: Company, role: str) -> str:
    """Return the account of a role (`sales`, `stock`, ...) by the company's account determination."""
    accounts = company.admin_info().get("$accounts")
    return str(accounts[role]) if isinstance(accounts, dict) else ""


def post(company: Company, voucher: Voucher, bookings: Iterable[Booking]) -> int | None:
    """Post an entry and return its number, None without lines.

    Raises:
        SlError: -5002 when debit and credit differ.
    """
    lines = [booking for booking in bookings if booking.amount]
    if not lines:
        return None
    if sum((line.amount for line in lines), Decimal(0)):
        raise unbalanced()
    rows = [_line(index, line, lines, voucher) for index, line in enumerate(lines)]
    return _store(
        company,
        {
            "ReferenceDate": voucher.date,
            "DueDate": voucher.due_date,
            "TaxDate": voucher.tax_date,
            "VatDate": voucher.tax_date,
            "Memo": voucher.memo,
            "Reference": voucher.reference,
            "OriginalJournal": company.enum_member("TransTypesEnum", str(voucher.origin)),
            "Original": voucher.origin_entry,
            "BaseReference": None if voucher.origin_number is None else str(voucher.origin_number),
            LINES: list[Value](rows),
        },
        None,
    )


def _line(index: int, line: Booking, lines: list[Booking], voucher: Voucher) -> Fields:
    contra = next((other for other in lines if (other.amount > 0) is not (line.amount > 0)), line)
    return {
        "Line_ID": index,
        "AccountCode": line.account,
        "ShortName": line.partner or line.account,
        "ControlAccount": line.account,
        "ContraAccount": contra.partner or contra.account,
        "Debit": normal(max(line.amount, Decimal(0))),
        "Credit": normal(max(-line.amount, Decimal(0))),
        "DueDate": voucher.due_date,
        "ReferenceDate1": voucher.date,
        "TaxDate": voucher.tax_date,
        "LineMemo": voucher.memo,
        "Reference1": None if voucher.origin_number is None else str(voucher.origin_number),
        "TaxGroup": line.tax_group,
    }


def _store(company: Company, entry: Fields, wished_series: Value) -> int:
    used, number = series.take_number(company, OBJECT, wished_series)
    transaction = company.next_number(SET)
    company.insert(SET, {**entry, "JdtNum": transaction, "Number": number, "Series": used})
    for line in rows_of(entry, LINES):
        _change_balances(company, line, as_decimal(line.get("Debit")) - as_decimal(line.get("Credit")))
    return transaction


def _change_balances(company: Company, line: Mapping[str, Value], amount: Decimal) -> None:
    account, name = line.get("AccountCode"), line.get("ShortName")
    account_row = company.find("ChartOfAccounts", str(account))
    if account_row is not None:
        balance = normal(as_decimal(account_row.get("Balance")) + amount)
        company.database.put("ChartOfAccounts", (str(account),), {**account_row, "Balance": balance})
    partner = company.find("BusinessPartners", str(name)) if name != account else None
    if partner is not None:
        balance = normal(as_decimal(partner.get("CurrentAccountBalance")) + amount)
        company.database.put("BusinessPartners", (str(name),), {**partner, "CurrentAccountBalance": balance})


def reverse(company: Company, transaction: int, *, date: str | None = None) -> int:
    """Post the reversal of an entry, record it on the entry and return its number."""
    entry = company.get(SET, (transaction,))
    company.update(SET, {**entry, _REVERSED: True})
    lines = [
        {**line, "Debit": line.get("Credit", ZERO), "Credit": line.get("Debit", ZERO)}
        for line in rows_of(entry, LINES)
    ]
    texts = {
        name: value for name, value in entry.items() if name not in {"JdtNum", "Number", "Series", LINES}
    }
    reversal = {
        **texts,
        "ReferenceDate": date or entry.get("ReferenceDate"),
        "Memo": f"{entry.get('Memo') or ''} (Reversal) - {transaction}",
        _REVERSED: True,
        LINES: list[Value](lines),
    }
    return _store(company, reversal, entry.get("Series"))


def unbalanced() -> Exception:
    """Refusal of an entry whose debit and credit differ (the vendor's text)."""
    return invalid("Unbalanced Transaction")


class JournalEntryRules:
    """Rules of manual journal entries."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Post an entry.

        Raises:
            SlError: -5002 for unknown accounts, entries without lines or out of balance.
        """
        company = at.company
        lines = [
            self._line(company, line, position)
            for position, line in enumerate(
                rows_of(number_collections(company.row_type(SET), fields), LINES), 1
            )
        ]
        if not lines:
            raise invalid("Enter at least one row  [JDT1.Account]")  # assumed text
        if sum(as_decimal(line.get("Debit")) - as_decimal(line.get("Credit")) for line in lines):
            raise unbalanced()
        date = fields.get("ReferenceDate") or company.today()
        entry = {
            "DueDate": date,
            "TaxDate": date,
            **{name: value for name, value in fields.items() if value is not None and name != "Series"},
            "ReferenceDate": date,
            "OriginalJournal": company.enum_member("TransTypesEnum", str(OBJECT)),
            LINES: list[Value](lines),
        }
        return (_store(company, entry, fields.get("Series") or None),)

    def _line(self, company: Company, line: Fields, position: int) -> Fields:
        name = line.get("ShortName") or line.get("AccountCode")
        partner = company.find("BusinessPartners", str(name))
        account = str(partner["DebitorAccount"]) if partner else str(line.get("AccountCode") or name)
        if company.find("ChartOfAccounts", account) is None:
            raise invalid(f"Invalid account code  [JDT1.Account][line: {position}]")  # assumed text
        return {**line, "AccountCode": account, "ControlAccount": account, "ShortName": name}

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change texts and references.

        Raises:
            SlError: -1029 for any booked value.
        """
        new = differing(
            at.row_type, row, {name: value for name, value in change.fields.items() if name != LINES}
        )
        if any(name not in _OPEN_FIELDS and not name.startswith("U_") for name in new):
            raise field_fixed()
        nested = at.row_type.collections[LINES]
        for line in merge_rows(nested, rows_of(row, LINES), rows_of(change.fields, LINES), replace=False):
            if line.old is None or set(differing(nested, line.old, line.sent)) & _BOOKED:
                raise field_fixed()
        at.company.update(SET, changed_row(at.row_type, row, Modification(change.fields)))

    def delete(self, _at: Operation, _row: Fields, /) -> None:
        """Refuse: booked entries cannot be removed (SAP manual 1.22, 3.5.4)."""
        raise not_supported()

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Cancel: post the reversal, once, and only of entries made by hand (metadata; SAP API reference).

        Raises:
            SlError: -5006 for a reversed entry or one that a document posted.
        """
        by_hand = at.company.enum_member("TransTypesEnum", str(OBJECT))
        if action != "Cancel":
            raise unknown_action(at, action)
        if row.get(_REVERSED) or row.get("OriginalJournal", by_hand) != by_hand:
            raise not_supported()
        reverse(at.company, as_int(row["JdtNum"]))
        return None
