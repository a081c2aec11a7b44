"""Correct a planning's record by the returns in the ERP.

A record can be out of date for three reasons: a write arrived late, a post arrived after its waiting time, or
a user cancelled a return in the ERP.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import attrs

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.finding import ErpReturn, Match, identify
from supplier_returns.execution.rules.keys import document_name, name_of
from supplier_returns.planning.model.documents import OwnCode, SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.quantities import ZERO


def reconcile(planning: Planning, returns: Iterable[ErpReturn]) -> Planning:
    """Return the planning with the state of its returns in the ERP.

    Unresolved documents don't change. The next run looks them up.

    Args:
        planning: planning as recorded.
        returns: every return of the planning, including cancelled ones.
    """
    by_name: defaultdict[str, list[ErpReturn]] = defaultdict(list)
    by_entry: dict[int, ErpReturn] = {}
    for each in returns:
        by_name[name_of(each.key)].append(each)
        by_entry[each.doc_entry] = each
    recorded = {document.doc_entry for document in planning.documents}
    documents = [
        _reconciled(
            document,
            [
                each
                for each in by_name[document_name(planning.id, document.doc_id)]
                if each.doc_entry not in recorded and _is_live(each) and each.card_code == document.card_code
            ],
            by_entry,
        )
        for document in planning.documents
    ]
    # A return that no document names gets a new document, so that users see it.
    number = max((document.doc_id for document in documents), default=0)
    for unnamed in _unnamed_returns(planning.id, documents, by_entry):
        number += 1
        documents.append(_document_of(unnamed, number))
    return attrs.evolve(planning, documents=tuple(documents))


def _reconciled(
    document: SupplierDocument, unassigned: Sequence[ErpReturn], by_entry: Mapping[int, ErpReturn]
) -> SupplierDocument:
    """Return the corrected document. `unassigned` contains its live returns that no document names."""
    if document.state.is_made:
        made = by_entry.get(document.doc_entry or 0)
        if document.state is DocumentState.CREATED and made is not None:
            document = attrs.evolve(document, folio=made.folio or document.folio)
            if made.is_cancelled:
                document = recorded_outcomes.cancelled(document, made)
        return recorded_outcomes.with_copies(document, unassigned)
    if document.state.is_not_made:
        match = identify(document.key, document.card_code, unassigned)
        if match is not None:
            return _appeared(document, match)
    return document


def _appeared(document: SupplierDocument, match: Match) -> SupplierDocument:
    after = recorded_outcomes.found(document, match)
    if document.state is not DocumentState.OMITTED:
        return after
    return after.with_message(
        f"La devolución {after.doc_num} apareció en el ERP cuando este documento ya se había "
        "omitido; sus artículos pueden estar también en otro. Revísela."
    )


def _unnamed_returns(
    planning_id: int, documents: Iterable[SupplierDocument], by_entry: Mapping[int, ErpReturn]
) -> list[ErpReturn]:
    """Return the live returns that no document names. A manual copy of a return has the same name."""
    entries, suppliers = set(), {}
    for document in documents:
        entries.add(document.doc_entry)
        # A return of another supplier with this document's name belongs to the document until a lookup
        # decides.
        accepts_any_supplier = (
            document.state.is_unresolved or document.error_code == OwnCode.FOREIGN_RETURN.value
        )
        suppliers[document_name(planning_id, document.doc_id)] = (
            None if accepts_any_supplier else document.card_code
        )
    return [
        each
        for entry, each in sorted(by_entry.items())
        if _is_live(each)
        and entry not in entries
        and suppliers.get(name_of(each.key), "") not in (None, each.card_code)
    ]


def _is_live(found: ErpReturn) -> bool:
    return not (found.is_cancelled or found.is_cancellation)


def _document_of(unnamed: ErpReturn, doc_id: int) -> SupplierDocument:
    return SupplierDocument(
        doc_id=doc_id,
        card_code=unnamed.card_code,
        name="",
        tax_id="",
        currency="",
        branch=None,
        part=1,
        line_count=0,
        total=ZERO if unnamed.total is None else unnamed.total,
        state=DocumentState.CREATED,
        key=unnamed.key,
        message=f"La devolución {unnamed.doc_num} del ERP es de esta planificación, pero ningún documento "
        "la nombraba. Revísela.",
        doc_entry=unnamed.doc_entry,
        doc_num=unnamed.doc_num,
        folio=unnamed.folio,
    )
