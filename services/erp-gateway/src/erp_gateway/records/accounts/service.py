"""Reads the open invoices of a partner, in one call to the ERP."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec
from attrs import define, field

from erp_gateway.records.accounts.ages import accounts_of
from erp_gateway.records.accounts.shapes import PartnerAccount
from erp_gateway.records.documents.batch_reader import BatchReader, DocumentRead
from erp_gateway.records.documents.head import (
    DOCUMENT_COLUMNS,
    DocumentHead,
    head_of,
    read_heads,
    shown,
)
from erp_gateway.records.documents.paid_columns import PaidColumns
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.plans import RecordPlan
from erpclient import Caller, ErpList, ErpRecord, ErpReplyUnreadable
from erpclient.odata import ListQuery, RecordQuery, quote_string
from erpclient.reads import ListRead, RecordRead
from servicekit.clock import Clock

MOST_DOCUMENTS: Final = 200
"""Open documents of one resource."""

MOST_CALLS: Final = 2
"""One call, and a second one without the read that the ERP refused."""

_PARTNERS: Final = "BusinessPartners"
_OPEN_DOCUMENTS: Final = ("Invoices", "CreditNotes", "PurchaseInvoices", "PurchaseCreditNotes")
_PARTNER_COLUMNS: Final = ("CardCode", "CardName", "Currency", "CurrentAccountBalance")

MayRead = Callable[[Registered], bool]


class _Partner(msgspec.Struct, rename="pascal"):
    card_code: str
    card_name: str | None = None
    currency: str | None = None
    current_account_balance: Decimal | None = None


_PARTNER: Final = msgspec.json.Decoder(_Partner)


@define(eq=False)
class _Found:
    """Documents that were read so far."""

    partner: _Partner | None = None
    documents: list[DocumentHead] = field(factory=list)
    has_hidden: bool = False
    is_complete: bool = True

    def add(self, target: Registered, page: ErpList, *, is_readable: bool) -> None:
        if not is_readable:
            self.has_hidden = self.has_hidden or page.count > 0
            return
        rows = read_heads(page.rows)
        self.is_complete = self.is_complete and page.count <= len(rows)
        self.documents += (head_of(target, row) for row in rows)


@define(eq=False, repr=False)
class AccountService:
    """Reads accounts.

    Args:
        registry: the registered resources.
        batches: reads partner and documents together.
        paid_columns: whether the ERP shows paid amounts.
        clock: the time of an answer.
        today: the company's day.
    """

    _registry: Registry
    _batches: BatchReader
    _paid_columns: PaidColumns
    _clock: Clock
    _today: Callable[[], date]

    async def read(self, plan: RecordPlan, key: str, may_read: MayRead, caller: Caller) -> PartnerAccount:
        """Read the account of a partner whose record the reader may read.

        Raises:
            ErpRefused: 404 if there is no such partner.
            ErpError: the ERP gives no answer.
        """
        found = _Found()
        reads = [_partner_read(plan), *self._document_reads(key, may_read)]
        for read, result in await self._batches.read(reads, caller, most_calls=MOST_CALLS):
            if isinstance(result, ErpRecord):
                found.partner = _read_partner(result.body)
            elif isinstance(result, ErpList):
                found.add(read.target, result, is_readable=may_read(read.target))
            else:
                found.is_complete = False
        partner = found.partner or _Partner(card_code=key)
        documents = sorted(found.documents, key=lambda each: (each.due_date or "", each.number or 0))
        return PartnerAccount(
            card_code=partner.card_code,
            card_name=partner.card_name,
            balance=partner.current_account_balance,
            currency=partner.currency,
            accounts=accounts_of(documents, self._today()),
            documents=tuple(documents),
            has_hidden=found.has_hidden,
            is_complete=found.is_complete and found.partner is not None,
            open_known=self._paid_columns.are_known,
            read_at=self._clock.now(),
        )

    def _document_reads(self, key: str, may_read: MayRead) -> Iterator[DocumentRead]:
        condition = (
            f"CardCode eq {quote_string(key)} and DocumentStatus eq 'bost_Open' and Cancelled eq 'tNO'"
        )
        for name in _OPEN_DOCUMENTS:
            target = self._registry.find(name)
            if target is None:
                continue
            is_readable = may_read(target)
            columns = shown((*DOCUMENT_COLUMNS, *self._paid_columns.names), target)
            query = ListQuery(
                select=columns if is_readable else ("DocEntry",),
                filter=condition,
                orderby=("DocDueDate", "DocEntry"),
                top=MOST_DOCUMENTS if is_readable else 1,
            )
            read = ListRead(name, query, is_tagged=False, hidden=_folded(target), ignores_case=False)
            yield DocumentRead(target=target, read=read)


def _partner_read(plan: RecordPlan) -> DocumentRead:
    query = RecordQuery(select=shown(_PARTNER_COLUMNS, plan.target))
    read = RecordRead(_PARTNERS, plan.predicate, query, False, _folded(plan.target), None)
    return DocumentRead(target=plan.target, read=read)


def _folded(target: Registered) -> frozenset[str]:
    return frozenset(name.lower() for name in target.hidden)


def _read_partner(body: bytes) -> _Partner:
    try:
        return _PARTNER.decode(body)
    except msgspec.MsgspecError as error:
        raise ErpReplyUnreadable("not the partner that was read") from error
