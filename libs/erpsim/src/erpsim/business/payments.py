"""Incoming and outgoing payments: means, settled invoices, bookings, cancellation."""

from __future__ import annotations

from decimal import Decimal

import attrs

from erpsim.business import journal
from erpsim.business.documents.rules import touch_partner
from erpsim.business.documents.settlement import open_balance, settle
from erpsim.business.journal import Booking, Voucher, account_for
from erpsim.business.rules import (
    Answer,
    Modification,
    Operation,
    changed_row,
    check_references,
    number_collections,
    unknown_action,
)
from erpsim.company.company import Company
from erpsim.company.errors import (
    NotSimulatedError,
    field_fixed,
    invalid,
    no_match,
    not_supported,
    refused,
)
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import differing, rows_of
from erpsim.company.rows.values import ZERO, as_decimal, as_int, normal
from erpsim.company.series import take_number

INVOICES = "PaymentInvoices"
_OPEN_FIELDS = frozenset({
    "Remarks", "JournalRemarks", "Reference1", "Reference2", "CounterReference", "ContactPersonCode",
    "TransferReference",
})  # fmt: skip
# Entity set by invoice type. Credit notes have the opposite sign.
_SETTLED_SETS = {
    "it_Invoice": ("Invoices", 1),
    "it_CredItnote": ("CreditNotes", -1),
    "it_PurchaseInvoice": ("PurchaseInvoices", 1),
    "it_PurchaseCreditNote": ("PurchaseCreditNotes", -1),
}


@attrs.frozen
class PaymentRules:
    """Payments of one direction.

    Args:
        code: object number (24 incoming, 46 outgoing).
        card_type: type of the partner.
        receipt_type: default of `DocType`.
        default_invoice: default invoice type of a row.
        sign: 1 for incoming payments.
    """

    code: int
    card_type: str
    receipt_type: str
    default_invoice: str
    sign: int

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Book a payment.

        Raises:
            SlError: unknown partner, no money, or an invoice that is closed, of another partner or overpaid.
        """
        company, set_name = at.company, at.set_name
        check_references(company, at.row_type.type, fields)
        fields = {name: value for name, value in fields.items() if value is not None}
        day = str(fields.get("DocDate") or company.today())
        payment: Fields = {
            "DocType": self.receipt_type,
            "HandWritten": "tNO",
            "DocDate": day,
            "TaxDate": day,
            "DueDate": day,
            "VatDate": day,
            "DocCurrency": company.local_currency,
            "DocRate": ZERO,
            "CashAccount": account_for(company, "cash") if fields.get("CashSum") else None,
            "TransferAccount": account_for(company, "bank") if fields.get("TransferSum") else None,
            "TransferDate": day if fields.get("TransferSum") else None,
            "Cancelled": "tNO",
            "DocObjectCode": company.enum_member("BoPaymentsObjectType", str(self.code)),
            **fields,
        }
        partner = self._partner(company, payment)
        if partner is not None:
            payment["CardName"] = payment.get("CardName") or partner.get("CardName")
            payment["ControlAccount"] = partner.get("DebitorAccount")
            payment.setdefault("JournalRemarks", f"{set_name} - {partner['CardCode']}")
        total = money(payment)
        if total <= 0:
            raise invalid("Enter a payment means with an amount")  # assumed text
        payment = number_collections(company.row_type(set_name), payment)
        payment[INVOICES] = self._settle(company, payment, total)
        series, number = take_number(company, self.code, fields.get("Series"))
        payment |= {"DocEntry": company.next_number(set_name), "DocNum": number, "Series": series}
        payment["$transaction"] = self._book(company, payment, partner, total)
        key = company.insert(set_name, payment)
        touch_partner(company, payment.get("CardCode"))
        return key

    def _partner(self, company: Company, payment: Fields) -> Fields | None:
        if payment.get("DocType") == "rAccount":
            return None
        partner = company.find("BusinessPartners", str(payment.get("CardCode") or ""))
        expected = {"rCustomer": "cCustomer", "rSupplier": "cSupplier"}.get(str(payment.get("DocType")))
        if partner is None or partner.get("CardType") != (expected or self.card_type):
            table = "ORCT" if self.sign > 0 else "OVPM"
            raise invalid(f"Invalid BP code  [{table}.CardCode] , '{payment.get('CardCode') or ''}'")
        return partner

    def _settle(self, company: Company, payment: Fields, total: Decimal) -> list[Value]:
        """Settle the invoices of a payment; return its rows completed."""
        rows: list[Value] = []
        applied = Decimal(0)
        for position, row in enumerate(rows_of(payment, INVOICES), 1):
            invoice_type = str(row.get("InvoiceType") or self.default_invoice)
            if invoice_type not in _SETTLED_SETS:
                raise NotSimulatedError(f"payments on {invoice_type}")
            set_name, sign = _SETTLED_SETS[invoice_type]
            entry = as_int(row.get("DocEntry"))
            invoice = company.find(set_name, entry)
            if invoice is None or invoice.get("CardCode") != payment.get("CardCode"):
                raise no_match()
            balance = open_balance(invoice)
            amount = as_decimal(row["SumApplied"]) if row.get("SumApplied") is not None else balance
            if invoice.get("DocumentStatus") == "bost_Close" or amount > balance:
                # The well-known text for a row that can't take the amount. The number is the usual one.
                raise refused(f"Invoice is already closed or blocked  [line: {position}]")
            settle(company, set_name, entry, amount)
            applied += sign * amount
            rows.append(
                {**row, "InvoiceType": invoice_type, "SumApplied": normal(amount), "InstallmentId": 1}
            )
        if applied > total:
            raise invalid("The payment is smaller than the sum applied to its invoices")  # assumed text
        return rows

    def _book(self, company: Company, payment: Fields, partner: Fields | None, total: Decimal) -> int:
        means = [
            (str(payment.get("CashAccount") or ""), as_decimal(payment.get("CashSum"))),
            (str(payment.get("TransferAccount") or ""), as_decimal(payment.get("TransferSum"))),
            (
                str(payment.get("CheckAccount") or account_for(company, "checks")),
                _sum(payment, "PaymentChecks", "CheckSum"),
            ),
            (account_for(company, "cards"), _sum(payment, "PaymentCreditCards", "CreditSum")),
        ]
        bookings = [Booking(account, self.sign * amount) for account, amount in means if amount]
        if partner is not None:
            against = [
                Booking(str(partner["DebitorAccount"]), -self.sign * total, partner=str(partner["CardCode"]))
            ]
        else:
            against = [
                Booking(str(row.get("AccountCode")), -self.sign * as_decimal(row.get("SumPaid")))
                for row in rows_of(payment, "PaymentAccounts")
            ]
        voucher = Voucher(
            date=str(payment["DocDate"]),
            due_date=str(payment["DueDate"]),
            tax_date=str(payment["TaxDate"]),
            memo=str(payment.get("JournalRemarks") or ""),
            origin=self.code,
            origin_entry=as_int(payment["DocEntry"]),
            origin_number=as_int(payment["DocNum"]),
        )
        return journal.post(company, voucher, bookings + against) or 0

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change texts and references.

        Raises:
            SlError: -1029 for anything else.
        """
        new = differing(at.row_type, row, change.fields)
        if any(name not in _OPEN_FIELDS and not name.startswith("U_") for name in new):
            raise field_fixed()
        at.company.update(at.set_name, changed_row(at.row_type, row, Modification(change.fields)))

    def delete(self, _at: Operation, _row: Fields, /) -> None:
        """Refuse: booked payments cannot be removed (SAP manual 1.22, 3.5.4)."""
        raise not_supported()

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Cancel: reverse the booking and open the invoices again (metadata; SAP API reference).

        `CancelbyCurrentSystemDate` (so spelt) books the reversal on today's date.

        Raises:
            SlError: -5006 for a cancelled payment.
        """
        if action not in {"Cancel", "CancelbyCurrentSystemDate"}:
            raise unknown_action(at, action)
        company = at.company
        if row.get("Cancelled") == "tYES":
            raise not_supported()
        for each in rows_of(row, INVOICES):
            set_name, _ = _SETTLED_SETS[str(each["InvoiceType"])]
            settle(company, set_name, as_int(each.get("DocEntry")), -as_decimal(each.get("SumApplied")))
        if row.get("$transaction"):
            date = company.today() if action == "CancelbyCurrentSystemDate" else None
            journal.reverse(company, as_int(row["$transaction"]), date=date)
        company.update(at.set_name, {**row, "Cancelled": "tYES"})
        touch_partner(company, row.get("CardCode"))
        return None


def money(payment: Fields) -> Decimal:
    """Return the sum of a payment's means in local money."""
    return (
        as_decimal(payment.get("CashSum"))
        + as_decimal(payment.get("TransferSum"))
        + _sum(payment, "PaymentChecks", "CheckSum")
        + _sum(payment, "PaymentCreditCards", "CreditSum")
    )


def _sum(payment: Fields, collection: str, name: str) -> Decimal:
    return sum((as_decimal(row.get(name)) for row in rows_of(payment, collection)), Decimal(0))


INCOMING = PaymentRules(24, "cCustomer", "rCustomer", "it_Invoice", 1)
OUTGOING = PaymentRules(46, "cSupplier", "rSupplier", "it_PurchaseInvoice", -1)
