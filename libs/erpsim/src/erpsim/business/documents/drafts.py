"""Drafts: documents of any kind that book nothing until they are added."""

from __future__ import annotations

from erpsim.business.documents.base_documents import LINES
from erpsim.business.documents.changing import change_document
from erpsim.business.documents.composing import compose
from erpsim.business.documents.lines import CLOSED
from erpsim.business.documents.rules import add_document
from erpsim.business.rules import Answer, Modification, Operation
from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, bad_value, not_supported
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_int
from erpsim.company.series import default_series
from erpsim.facts.document_kinds import BY_CODE, DRAFTS, Kind


class DraftRules:
    """Rules of drafts. Unlike documents, drafts can be removed."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Store a draft; its kind comes from `DocObjectCode` (SAP API reference).

        Raises:
            SlError: a kind without rules here, or a rule of the kind is broken.
        """
        document = compose(at.company, kind_of(at.company, fields), fields)
        return (store_draft(at.company, document),)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change a draft like an open document without bookings."""
        kind = kind_of(at.company, row)
        as_order = Kind(set_name=DRAFTS, code=kind.code, table="ODRF", side=kind.side, bases=kind.bases)
        at.company.update(DRAFTS, change_document(at.company, as_order, row, change))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a draft."""
        at.company.remove(DRAFTS, (as_int(row["DocEntry"]),))

    def act(self, _at: Operation, _row: Fields, _action: str, /) -> Answer:
        """Refuse: a draft is removed or added, not closed."""
        raise not_supported()


def kind_of(company: Company, fields: Fields) -> Kind:
    """Return the document kind of a draft."""
    member = fields.get("DocObjectCode")
    code = company.facts.enums["BoObjectTypes"].members.get(str(member)) if member else None
    if code is None:
        raise bad_value(member, "DocObjectCode")
    kind = BY_CODE.get(int(code))
    if kind is None:
        raise NotSimulatedError(f"drafts of {member}")
    return kind


def store_draft(company: Company, document: Fields) -> int:
    """Store a composed document as a draft and return its key.

    The draft shows the next number of its series without taking it.
    """
    entry = company.next_number(DRAFTS)
    kind = kind_of(company, document)
    series = default_series(company, str(kind.code)) or {}
    lines = [{**line, "DocEntry": entry} for line in rows_of(document, LINES)]
    company.insert(
        DRAFTS,
        {
            "Series": series.get("Series"),
            "DocNum": series.get("NextNumber"),
            **document,
            "DocEntry": entry,
            LINES: list[Value](lines),
        },
    )
    return entry


def save_draft(company: Company, entry: int) -> int:
    """Add a draft as its document (`DraftsService_SaveDraftToDocument`) and return the document's key.

    Raises:
        SlError: 404 for no draft, -5006 for one that was added already.
    """
    draft = company.get(DRAFTS, (entry,))
    if draft.get("DocumentStatus") == CLOSED:
        raise not_supported()
    kind = kind_of(company, draft)
    row_type = company.row_type(kind.set_name)
    body = {
        name: value
        for name, value in draft.items()
        if name in row_type.type.properties
        and row_type.type.properties[name].writable
        and name not in {"DocNum", "DocTotal"}
    }
    added = add_document(company, kind, compose(company, kind, body))
    company.update(DRAFTS, {**draft, "DocumentStatus": CLOSED, "AuthorizationStatus": "dasGenerated"})
    return as_int(added)
