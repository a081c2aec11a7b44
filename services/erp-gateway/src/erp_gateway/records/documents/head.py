"""The head of a document or payment, as several answers show it, and how to read it from the ERP."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final, Literal, TypeAlias

import msgspec
from attrs import frozen

from erp_gateway.records.proxy.declarations.registry import Registered
from erp_gateway.values.paths import record_path
from erpclient import ErpReplyUnreadable

DocumentState: TypeAlias = Literal["open", "closed", "cancelled", "cancellation"]

DOCUMENT_COLUMNS: Final = (
    "DocEntry",
    "DocNum",
    "DocDate",
    "DocDueDate",
    "CardCode",
    "DocTotal",
    "DocTotalFc",
    "DocCurrency",
    "DocumentStatus",
    "Cancelled",
    "CancelStatus",
)
PAYMENT_COLUMNS: Final = (
    "DocEntry",
    "DocNum",
    "DocDate",
    "CardCode",
    "DocCurrency",
    "DocRate",
    "CashSum",
    "TransferSum",
    "BillOfExchangeAmount",
    "PaymentChecks",
    "PaymentCreditCards",
    "PaymentInvoices",
    "Cancelled",
)
INVOICES: Final = frozenset(
    {
        "Invoices",
        "CreditNotes",
        "DownPayments",
        "PurchaseInvoices",
        "PurchaseCreditNotes",
        "PurchaseDownPayments",
    }
)
"""Documents that payments settle."""
PAYMENTS: Final = frozenset({"IncomingPayments", "VendorPayments"})

_YES: Final = "tYES"
_DAY_LENGTH: Final = len("2026-01-31")


@frozen(kw_only=True)
class DocumentHead:
    """A document or payment in a few words.

    Attributes:
        resource: its resource.
        singular: what people call one of them, if declared.
        key: its key.
        number: the number that people use.
        date: its date.
        due_date: when it is due.
        total: its total in `currency`; None where the reader may not see it.
        currency: code of the currency of its amounts; None for the company's own.
        open: what of an invoice is not paid, in `currency`; None for anything else, and where the ERP does
            not say it.
        applied: what a payment applied to an invoice, where the two are shown together.
        state: `open`, `closed`, `cancelled`, or `cancellation` for a document that cancels another.
        path: where the record is.
    """

    resource: str
    singular: str | None
    key: str
    number: int | None
    date: str | None
    due_date: str | None
    total: Decimal | None
    currency: str | None
    open: Decimal | None = None
    applied: Decimal | None = None
    state: DocumentState
    path: str


class BaseLine(msgspec.Struct, rename="pascal"):
    """The reference of a line to the document that it was made from."""

    base_type: int | str | None = None
    base_entry: int | None = None


class _Check(msgspec.Struct, rename="pascal"):
    check_sum: Decimal | None = None


class _Card(msgspec.Struct, rename="pascal"):
    credit_sum: Decimal | None = None


class PaidInvoice(msgspec.Struct, rename="pascal"):
    """A row of a payment: an invoice, and what of it is paid."""

    doc_entry: int | None = None
    invoice_type: str | int | None = None
    sum_applied: Decimal | None = None
    applied_fc: Decimal | None = msgspec.field(name="AppliedFC", default=None)

    @property
    def applied(self) -> Decimal | None:
        """The applied amount, in the invoice's currency."""
        return self.applied_fc or self.sum_applied


class HeadRow(msgspec.Struct, rename="pascal"):
    """The read columns of a document or payment; those that were not selected are None."""

    doc_entry: int
    doc_num: int | None = None
    doc_date: str | None = None
    doc_due_date: str | None = None
    card_code: str | None = None
    doc_total: Decimal | None = None
    doc_total_fc: Decimal | None = None
    doc_currency: str | None = None
    document_status: str | None = None
    cancelled: str | None = None
    cancel_status: str | None = None
    paid_to_date: Decimal | None = None
    paid_to_date_fc: Decimal | None = msgspec.field(name="PaidToDateFC", default=None)
    document_lines: list[BaseLine] | None = None
    doc_rate: Decimal | None = None
    cash_sum: Decimal | None = None
    transfer_sum: Decimal | None = None
    bill_of_exchange_amount: Decimal | None = None
    payment_checks: list[_Check] | None = None
    payment_credit_cards: list[_Card] | None = None
    payment_invoices: list[PaidInvoice] | None = None

    @property
    def is_foreign(self) -> bool:
        """True if the document has amounts in a currency other than the company's."""
        return bool(self.doc_total_fc)

    @property
    def total(self) -> Decimal | None:
        """Total in the document's currency."""
        return self.doc_total_fc if self.is_foreign else self.doc_total

    @property
    def paid(self) -> Decimal | None:
        """The paid part of the total; None if the ERP does not say it."""
        return self.paid_to_date_fc if self.is_foreign else self.paid_to_date

    @property
    def open(self) -> Decimal | None:
        """The unpaid part of the total; None if the ERP does not say it."""
        total, paid = self.total, self.paid
        return None if total is None or paid is None else total - paid

    @property
    def state(self) -> DocumentState:
        """State of the document. A payment is closed until it is cancelled."""
        if self.cancel_status == "csCancellation":
            return "cancellation"
        if self.cancelled == _YES or self.cancel_status == "csYes":
            return "cancelled"
        return "open" if self.document_status == "bost_Open" else "closed"

    @property
    def paid_by_means(self) -> Decimal:
        """Sum of the payment's means of payment, in the company's currency."""
        means = (
            self.cash_sum,
            self.transfer_sum,
            self.bill_of_exchange_amount,
            *(check.check_sum for check in self.payment_checks or ()),
            *(card.credit_sum for card in self.payment_credit_cards or ()),
        )
        return sum((amount for amount in means if amount is not None), Decimal())


_ROW: Final = msgspec.json.Decoder(HeadRow)
_ROWS: Final = msgspec.json.Decoder(list[HeadRow])
_MEMBERS: Final = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])


def read_head(body: bytes) -> HeadRow:
    """Read one record.

    Raises:
        ErpReplyUnreadable: it is no document.
    """
    try:
        return _ROW.decode(body)
    except msgspec.MsgspecError as error:
        raise ErpReplyUnreadable("not the document that was read") from error


def read_heads(rows: bytes) -> list[HeadRow]:
    """Read the rows of a list.

    Raises:
        ErpReplyUnreadable: they are no documents.
    """
    try:
        return _ROWS.decode(rows)
    except msgspec.MsgspecError as error:
        raise ErpReplyUnreadable("not the documents that were read") from error


def read_joined_heads(rows: bytes, path: str) -> list[HeadRow]:
    """Read the documents of a cross-join, each once: it has a row for each of their lines.

    Raises:
        ErpReplyUnreadable: they are no documents.
    """
    try:
        found = [_ROW.decode(row[path]) for row in _MEMBERS.decode(rows)]
    except (msgspec.MsgspecError, KeyError) as error:
        raise ErpReplyUnreadable("not the documents that were joined") from error
    return list({row.doc_entry: row for row in found}.values())


def head_of(target: Registered, row: HeadRow, *, applied: Decimal | None = None) -> DocumentHead:
    """Return the head of a row.

    Args:
        target: its resource.
        row: the read columns.
        applied: what a payment applied, where it is shown beside the document.
    """
    resource = target.resource
    is_payment = resource.name in PAYMENTS
    key = str(row.doc_entry)
    return DocumentHead(
        resource=resource.name,
        singular=resource.singular,
        key=key,
        number=row.doc_num,
        date=_day(row.doc_date),
        due_date=_day(row.doc_due_date),
        total=row.paid_by_means if is_payment else row.total,
        currency=None if is_payment else row.doc_currency,
        open=row.open if resource.name in INVOICES and row.state in ("open", "closed") else None,
        applied=applied,
        state=row.state,
        path=record_path(target.resource.name, key),
    )


def shown(columns: Iterable[str], target: Registered) -> tuple[str, ...]:
    """Return the columns that the resource does not hide."""
    hidden = {name.casefold() for name in target.hidden}
    return tuple(name for name in columns if name.casefold() not in hidden)


def _day(text: str | None) -> str | None:
    # Newer builds of the ERP add a time to dates.
    return None if text is None else text[:_DAY_LENGTH]
