"""The reads of a flow: the documents before a document, and those made from it. No I/O."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from typing import Final

from attrs import field, frozen

from erp_gateway.records.documents.batch_reader import DocumentRead
from erp_gateway.records.documents.head import (
    DOCUMENT_COLUMNS,
    INVOICES,
    PAYMENT_COLUMNS,
    PAYMENTS,
    HeadRow,
    read_heads,
    read_joined_heads,
    shown,
)
from erp_gateway.records.flow.links import FOLLOWING, PAID_BY
from erp_gateway.records.proxy.declarations.object_types import read_object_type
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erpclient import CrossJoin, ErpList, ErpReplyUnreadable, ErpRows, JoinedPath
from erpclient.batch import BatchResult
from erpclient.odata import ListQuery, quote_string
from erpclient.reads import ListRead

MOST_ROWS: Final = 100
"""Rows of one read: lines of following documents, base documents, payments."""


class Side(Enum):
    """A direction of the flow."""

    BASE = "base"
    FOLLOWING = "following"


@frozen
class FoundHead:
    """A document that a read found, and what a payment applied."""

    row: HeadRow
    applied: Decimal | None = None


@frozen(kw_only=True)
class PlannedRead(DocumentRead):
    """One read of the flow.

    Attributes:
        side: where its documents belong.
        applied: by the number of a base document, what the payment applied to it.
        paid: object type and number of the invoice whose payments are wanted, among all of a partner.
        base_type: object type of the document that following documents are made from.
    """

    side: Side
    applied: Mapping[int, Decimal | None] = field(factory=dict)
    paid: tuple[int, int] | None = None
    base_type: int | None = None

    def read_result(self, result: BatchResult) -> tuple[list[FoundHead], bool]:
        """Return the found documents, and whether they are all.

        Raises:
            ErpReplyUnreadable: they are none.
        """
        if isinstance(result, ErpRows):
            rows = read_joined_heads(result.rows, self.target.resource.name)
            return [FoundHead(row) for row in rows], not result.more
        if not isinstance(result, ErpList):
            raise ErpReplyUnreadable("no list of documents")
        rows = read_heads(result.rows)
        is_complete = result.count <= len(rows)
        if self.paid is None:
            return [FoundHead(row, self.applied.get(row.doc_entry)) for row in rows], is_complete
        return [found for row in rows for found in _payments_of(row, self.paid)], is_complete


def _payments_of(row: HeadRow, paid: tuple[int, int]) -> Iterator[FoundHead]:
    applied = [
        each.applied or Decimal()
        for each in row.payment_invoices or ()
        if (read_object_type(each.invoice_type), each.doc_entry) == paid
    ]
    if applied:
        yield FoundHead(row, sum(applied, Decimal()))


@frozen
class Bases:
    """Documents that a document was made from.

    Attributes:
        entries: numbers of the base documents by object type, each with what a payment applied.
        is_unreadable: whether a reference has a type that can't be read.
    """

    entries: Mapping[int, Mapping[int, Decimal | None]]
    is_unreadable: bool


def bases_of(row: HeadRow) -> Bases:
    """Return the documents that the lines of a document, or the rows of a payment, refer to."""
    entries: dict[int, dict[int, Decimal | None]] = {}
    is_unreadable = False
    for line in row.document_lines or ():
        object_type = read_object_type(line.base_type)
        if line.base_entry is None or object_type == -1:
            continue
        if object_type is None:
            is_unreadable = True
            continue
        entries.setdefault(object_type, {})[line.base_entry] = None
    for paid in row.payment_invoices or ():
        object_type = read_object_type(paid.invoice_type)
        if paid.doc_entry is None:
            continue
        if object_type is None:
            is_unreadable = True
            continue
        of_type = entries.setdefault(object_type, {})
        of_type[paid.doc_entry] = (of_type.get(paid.doc_entry) or Decimal()) + (paid.applied or Decimal())
    return Bases(entries, is_unreadable)


@frozen
class FlowPlan:
    """Plans the reads of one document's flow.

    Attributes:
        registry: the registered resources.
        target: the document's resource.
        row: its read columns.
        paid_columns: columns with the paid amounts, if the ERP has them.
    """

    registry: Registry
    target: Registered
    row: HeadRow
    paid_columns: tuple[str, ...]

    def base_reads(self, bases: Bases) -> Iterator[PlannedRead]:
        """Yield a read for each kind of base document that is registered."""
        object_types = self.registry.object_types
        for object_type, entries in bases.entries.items():
            base = self.registry.find(object_types.get(object_type, ""))
            if base is None:
                continue
            numbers = sorted(entries)[:MOST_ROWS]
            condition = " or ".join(f"DocEntry eq {number}" for number in numbers)
            read = self._list(base, condition)
            yield PlannedRead(side=Side.BASE, target=base, read=read, applied=entries)

    def following_reads(self) -> Iterator[PlannedRead]:
        """Yield a read for each kind of document that can be made from this one."""
        name, object_type = self.target.resource.name, self.target.resource.object_type
        kinds = FOLLOWING.get(name, ())
        if self.row.state == "cancelled":
            kinds = (*kinds, name)  # the document that cancels it has lines made from it
        for kind in kinds:
            following = self.registry.find(kind)
            if following is not None and object_type is not None:
                yield PlannedRead(
                    side=Side.FOLLOWING,
                    target=following,
                    read=self._join(following, object_type),
                    base_type=object_type,
                )
        payments = self.registry.find(PAID_BY.get(name, ""))
        if payments is not None and object_type is not None and self._may_be_paid():
            yield PlannedRead(
                side=Side.FOLLOWING,
                target=payments,
                read=self._payments(payments),
                paid=(object_type, self.row.doc_entry),
            )

    def _may_be_paid(self) -> bool:
        is_unpaid = self.row.state == "open" and self.row.paid is not None and not self.row.paid
        return self.row.card_code is not None and not is_unpaid

    def _columns(self, target: Registered) -> tuple[str, ...]:
        name = target.resource.name
        if name in PAYMENTS:
            return shown(PAYMENT_COLUMNS, target)
        paid = self.paid_columns if name in INVOICES else ()
        return shown((*DOCUMENT_COLUMNS, *paid), target)

    def _list(self, target: Registered, condition: str, *, orderby: tuple[str, ...] = ()) -> ListRead:
        query = ListQuery(select=self._columns(target), filter=condition, orderby=orderby, top=MOST_ROWS)
        hidden = frozenset(name.lower() for name in target.hidden)
        return ListRead(target.resource.name, query, is_tagged=False, hidden=hidden, ignores_case=False)

    def _join(self, target: Registered, object_type: int) -> CrossJoin:
        name = target.resource.name
        lines = f"{name}/DocumentLines"
        condition = (
            f"{name}/DocEntry eq {lines}/DocEntry and {lines}/BaseType eq {object_type} "
            f"and {lines}/BaseEntry eq {self.row.doc_entry}"
        )
        paths = (JoinedPath(name, self._columns(target)), JoinedPath(lines, ("LineNum",)))
        return CrossJoin(paths, condition, MOST_ROWS)

    def _payments(self, target: Registered) -> ListRead:
        """Return the read of the partner's payments since the invoice: rows of a list can't be filtered."""
        conditions = [f"CardCode eq {quote_string(self.row.card_code or '')}"]
        if self.row.doc_date is not None:
            conditions.append(f"DocDate ge {quote_string(self.row.doc_date[:10])}")
        return self._list(target, " and ".join(conditions), orderby=("DocEntry",))
