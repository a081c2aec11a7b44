"""Rules of documents: create, change, close, cancel and reopen."""

from __future__ import annotations

import attrs

from erpsim.business import approvals, journal
from erpsim.business.documents.base_documents import (
    LINES,
    draw,
    give_back,
    insert_document,
    opened,
    store_document,
    with_status,
)
from erpsim.business.documents.changing import change_document
from erpsim.business.documents.composing import compose
from erpsim.business.documents.lines import CLOSED, OPEN
from erpsim.business.documents.postings import book, move_goods
from erpsim.business.documents.settlement import PAID, settle_bases
from erpsim.business.documents.validity import check_posting_date
from erpsim.business.rules import Answer, Modification, Operation, unknown_action
from erpsim.company.company import Company
from erpsim.company.errors import not_supported
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_decimal, as_int
from erpsim.company.series import take_number
from erpsim.facts.document_kinds import Ending, Kind

_YES = "tYES"


def add_document(company: Company, kind: Kind, document: Fields) -> int:
    """Number a composed document, apply its effects, store it and return its key.

    Raises:
        SlError: posting date, base quantities, stock, series or the customer's own rules don't allow it.
    """
    check_posting_date(company, kind, str(document["DocDate"]))
    series, number = _numbered(company, kind, document)
    entry = company.next_number(kind.set_name)
    lines = [{**line, "DocEntry": entry} for line in rows_of(document, LINES)]
    document = {**document, "DocEntry": entry, "DocNum": number, "Series": series, LINES: list[Value](lines)}
    draw(company, kind, lines)
    moved = move_goods(company, kind, document)
    transaction = book(company, kind, document, moved)
    if transaction is not None:
        document["TransNum"] = transaction
    if settle_bases(company, kind, document):
        document["DocumentStatus"] = CLOSED
    insert_document(company, kind, with_status(kind, document))
    touch_partner(company, document.get("CardCode"))
    return entry


def _numbered(company: Company, kind: Kind, document: Fields) -> tuple[Value, Value]:
    if document.get("HandWritten") == _YES and document.get("DocNum"):
        return document.get("Series", -1), document["DocNum"]
    return take_number(company, kind.code, document.get("Series"))


def touch_partner(company: Company, card_code: Value) -> None:
    """Raise a partner's version, as creating or changing its documents does (seen live)."""
    partner = company.find("BusinessPartners", str(card_code)) if card_code else None
    if partner is not None:
        company.update("BusinessPartners", partner)


@attrs.frozen
class DocumentRules:
    """Documents of one kind.

    Args:
        kind: of the documents.
    """

    kind: Kind

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Add a document.

        Raises:
            SlError: a rule is broken, or an approval procedure holds the document.
        """
        document = compose(at.company, self.kind, fields)
        approvals.check(at.company, self.kind, document, at.user)
        return (add_document(at.company, self.kind, document),)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change a document and its partner's version."""
        changed = change_document(at.company, self.kind, row, change)
        self._store(at.company, row, with_status(self.kind, changed))

    def delete(self, _at: Operation, _row: Fields, /) -> None:
        """Refuse: documents cannot be removed (SAP manual 1.22, 3.5.4)."""
        raise not_supported()

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Run `Close`, `Cancel`, `Reopen` or `CreateCancellationDocument` (metadata; SAP manual).

        Raises:
            SlError: -5006 where the document's state does not allow it (seen live for Cancel on a closed
                order).
        """
        if action == "CreateCancellationDocument":
            return at.set_name, (self._cancel_by_document(at, row),)
        steps = {"Close": self._close, "Reopen": self._reopen}
        if action == "Cancel":
            self._cancel(at, row)
            return None
        if action not in steps:
            raise unknown_action(at, action)
        steps[action](at.company, row)
        return None

    def _close(self, company: Company, row: Fields) -> None:
        if row.get("DocumentStatus") == CLOSED or self.kind.settled:
            raise not_supported()
        self._store(company, row, {**_with_lines_status(row, CLOSED), "DocumentStatus": CLOSED})

    def _cancel(self, at: Operation, row: Fields) -> None:
        company = at.company
        if self.kind.ending is Ending.BY_DOCUMENT:
            self._cancel_by_document(at, row)
            return
        if self.kind.ending is Ending.NEVER or row.get("DocumentStatus") == CLOSED or _was_drawn(row):
            raise not_supported()
        give_back(company, self.kind, rows_of(row, LINES))
        cancelled = {
            **_with_lines_status(row, CLOSED),
            "DocumentStatus": CLOSED,
            "Cancelled": _YES,
            "CancelStatus": "csYes",
            "CancelDate": company.today(),
        }
        self._store(company, row, cancelled)

    def _reopen(self, company: Company, row: Fields) -> None:
        lines = rows_of(row, LINES)
        has_rest = any(as_decimal(line.get("RemainingOpenQuantity")) > 0 for line in lines)
        if (
            row.get("DocumentStatus") != CLOSED
            or row.get("Cancelled") == _YES
            or self.kind.settled
            or not has_rest
        ):
            raise not_supported()
        open_lines = [opened(line, as_decimal(line.get("RemainingOpenQuantity"))) for line in lines]
        self._store(company, row, {**row, LINES: list[Value](open_lines), "DocumentStatus": OPEN})

    def _cancel_by_document(self, at: Operation, row: Fields) -> int:
        kind, company = self.kind, at.company
        if (
            kind.ending is not Ending.BY_DOCUMENT
            or row.get("CancelStatus", "csNo") != "csNo"
            or _was_drawn(row)
            or as_decimal(row.get(PAID))
            or (row.get("DocumentStatus") == CLOSED and not kind.reverses)
        ):
            raise not_supported()
        check_posting_date(company, kind, str(row["DocDate"]))
        # A cancellation is a new document, so an approval procedure catches it like any other (assumed).
        approvals.check(company, kind, {**row, "CancelStatus": "csCancellation"}, at.user)
        series, number = take_number(company, kind.code, row.get("Series"))
        entry = company.next_number(kind.set_name)
        lines = [
            {
                **line,
                "DocEntry": entry,
                "BaseType": kind.code,
                "BaseEntry": row["DocEntry"],
                "BaseLine": line["LineNum"],
                "LineStatus": CLOSED,
            }
            for line in rows_of(row, LINES)
        ]
        cancellation: Fields = {
            **row,
            "DocEntry": entry,
            "DocNum": number,
            "Series": series,
            "CancelStatus": "csCancellation",
            "DocumentStatus": CLOSED,
            LINES: list[Value](lines),
        }
        move_goods(company, kind, row, back=True)
        if row.get("TransNum"):
            cancellation["TransNum"] = journal.reverse(company, as_int(row["TransNum"]))
        give_back(company, kind, rows_of(row, LINES))
        settle_bases(company, kind, row, undo=True)
        company.insert(kind.set_name, cancellation)
        cancelled = {**_with_lines_status(row, CLOSED), "DocumentStatus": CLOSED, "CancelStatus": "csYes"}
        self._store(company, row, {**cancelled, "Cancelled": _YES})
        return entry

    def _store(self, company: Company, old: Fields, new: Fields) -> None:
        store_document(company, self.kind, old, new)
        touch_partner(company, old.get("CardCode"))


def _with_lines_status(row: Fields, status: str) -> Fields:
    return {**row, LINES: [{**line, "LineStatus": status} for line in rows_of(row, LINES)]}


def _was_drawn(row: Fields) -> bool:
    return any(
        as_decimal(line.get("RemainingOpenQuantity")) < as_decimal(line.get("Quantity"))
        for line in rows_of(row, LINES)
    )
