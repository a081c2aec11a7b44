"""A planning around its documents' runs: what to execute, what became of it, how it closes."""

from collections.abc import Callable, Collection, Container, Iterable

import attrs
from attrs import frozen

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.failures import ErrorClass, passes
from supplier_returns.execution.rules.return_body import ReturnFields, lines_by_document, write_return
from supplier_returns.planning.rules.drafting import state_of
from supplier_returns.planning.rules.model import (
    DocumentState,
    LineState,
    Planning,
    PlanningLine,
    SupplierDocument,
)
from supplier_returns.planning.rules.policy import OPEN_ENDED, open_ended, state_of_planning

_FINISHED = frozenset({DocumentState.CREATED, DocumentState.CANCELLED})
_MAY_BE_TWICE = (
    "Apareció en el ERP una devolución que se había omitido; sus artículos pueden estar también en esta. "
    "Compárelas antes de ejecutarla."
)
_MAY_BE_TWICE_TOO = (
    "El plan cambió mientras se hacía una devolución; sus artículos pueden estar también en esta. "
    "Compárelas antes de ejecutarla."
)
_CHANGED = "El plan cambió mientras se hacía esta devolución: compárela con lo planificado."
_HELD_BACK = frozenset({_MAY_BE_TWICE, _MAY_BE_TWICE_TOO})
_MADE_OR_MAY_BE = OPEN_ENDED | {DocumentState.CREATED}
_MAY_BE_MADE = _FINISHED | {DocumentState.IN_APPROVAL, DocumentState.UNCERTAIN}


@frozen(kw_only=True)
class Reprocessing:
    """What to do with the documents of a planning that was executed before.

    Attributes:
        planning: With the documents that are tried again pending.
        resume: Documents to look for and, where they are not there, to post again under their keys.
        given_up: Documents whose goods are planned anew where they still stand as failed after that. Until it
            is done they stand so: a run may end before it.
    """

    planning: Planning
    resume: tuple[int, ...]
    given_up: tuple[int, ...]


def sort_out(
    planning: Planning,
    chosen: Collection[int] | None,
    *,
    replan: bool,
    repeated: Container[int] = (),
) -> Reprocessing:
    """Sort the documents by what reprocessing does with them.

    What failed or waits and holds nothing is dropped: an older write that came late brought it back after its
    goods went into another document.

    Args:
        planning: As recorded, with what the ERP has of it.
        chosen: Only these documents, None for all.
        replan: Make what failed anew, under new keys, also where it could be posted again as it is.
        repeated: Documents whose lines were refused before for the same cause: they are left to a person.
    """
    documents: list[SupplierDocument] = []
    resume: list[int] = []
    given_up: list[int] = []
    unsettled = open_ended(planning.documents)
    filled = {part.doc_id for line in planning.lines for part in line.allocations}
    for document in planning.documents:
        kept = document
        if chosen is None or document.doc_id in chosen:
            is_free = document.may_be_given_up or document.state is DocumentState.PENDING
            if is_free and document.doc_id not in filled:
                kept = attrs.evolve(document, state=DocumentState.OMITTED)
            elif document.state is DocumentState.FAILED:
                if document.needs_new_key:
                    resume.append(document.doc_id)
                can_pass = document.may_be_given_up and passes(document.error_class)
                is_repeated = document.doc_id in repeated
                if replan or (document.may_be_given_up and not can_pass and not is_repeated):
                    given_up.append(document.doc_id)
                elif can_pass:
                    kept = attrs.evolve(document, state=DocumentState.PENDING)
                    resume.append(document.doc_id)
            elif document.doc_id in unsettled or _was_begun(document):
                resume.append(document.doc_id)
        documents.append(kept)
    return Reprocessing(
        planning=attrs.evolve(planning, documents=tuple(documents)),
        resume=tuple(resume),
        given_up=tuple(given_up),
    )


def _was_begun(document: SupplierDocument) -> bool:
    """Tell whether a document waits that a run meant to send, and no person is to look at first."""
    waits = document.state is DocumentState.PENDING and document.message not in _HELD_BACK
    return waits and bool(document.key)


def give_up(planning: Planning, doc_ids: Collection[int]) -> Planning:
    """Return a planning without those of the documents that failed; what they held is still to be planned.

    Picks that the ERP refused are forgotten.
    """
    failed = [
        document
        for document in planning.documents
        if document.doc_id in doc_ids and document.state is DocumentState.FAILED
    ]
    omitted = (attrs.evolve(document, state=DocumentState.OMITTED) for document in failed)
    planning = with_documents(planning, omitted)
    refused = {each.doc_id for each in failed if each.error_class == ErrorClass.BATCHES.value}
    lines = (_without_picks(line, refused) for line in planning.lines)
    return attrs.evolve(planning, lines=tuple(lines))


def _without_picks(line: PlanningLine, doc_ids: Container[int]) -> PlanningLine:
    allocations = (
        attrs.evolve(part, batch=None, serial=None) if part.doc_id in doc_ids else part
        for part in line.allocations
    )
    return attrs.evolve(line, allocations=tuple(allocations))


def has_made(before: Planning, after: Planning) -> bool:
    """Tell whether the ERP has, or may have, something of a planning's documents that it had not before.

    Args:
        before: As it was when a run began.
        after: As it is now.
    """
    former = {document.doc_id: (document.state, document.attempts) for document in before.documents}
    return any(
        document.state in _MAY_BE_MADE and (document.state, document.attempts) != former.get(document.doc_id)
        for document in after.documents
    )


def has_appeared(before: Planning, known: Planning) -> bool:
    """Tell whether the ERP has a return of a document that was omitted, or is no longer on record.

    Args:
        before: As recorded.
        known: With what the ERP has of it.
    """
    standing = {each.doc_id for each in before.documents if each.state is not DocumentState.OMITTED}
    return any(each.doc_id not in standing and each.state in _FINISHED for each in known.documents)


def held_back(before: Planning, known: Planning) -> Planning:
    """Leave to people what was never sent, where a return was made whose goods a document has no more.

    A write that came late gave them to other documents: they may stand in those too. Without its key such a
    document is only executed, never reprocessed.

    Args:
        before: As recorded.
        known: With what the ERP has of it.
    """
    if has_appeared(before, known):
        why = _MAY_BE_TWICE
    elif _has_hollow(known):
        why = _MAY_BE_TWICE_TOO
    else:
        return known
    documents = (
        _held_back(document, why)
        if document.state is DocumentState.PENDING and not document.attempts
        else document
        for document in known.documents
    )
    return attrs.evolve(known, documents=tuple(documents))


def _held_back(document: SupplierDocument, why: str) -> SupplierDocument:
    """Return a document that waits with its reason, and without its key where nothing was sent under it."""
    message = document.message if document.message in _HELD_BACK else why
    kept = document if document.attempts else recorded_outcomes.without_key(document)
    return attrs.evolve(kept, message=message)


def sent_otherwise(planning: Planning, fields: ReturnFields) -> frozenset[int]:
    """Name the documents of which something else was sent than the record says now: a plan came late.

    Args:
        planning: As recorded while its documents were sent, or right after that.
        fields: As for `write_return`.
    """
    lines = lines_by_document(planning)
    return frozenset(
        document.doc_id
        for document in planning.documents
        if document.state in _MADE_OR_MAY_BE
        and document.payload_hash
        and document.payload_hash
        != write_return(planning, document, fields, lines.get(document.doc_id, {})).digest
    )


def told_of_change(planning: Planning, doc_ids: Collection[int]) -> Planning:
    """Say of these documents, where they were made, that the record shows another plan of them."""
    return with_documents(
        planning,
        (
            attrs.evolve(document, message=f"{document.message or ''} {_CHANGED}".strip())
            for document in planning.documents
            if document.doc_id in doc_ids
            and document.state is DocumentState.CREATED
            and _CHANGED not in (document.message or "")
        ),
    )


def with_late_plan(ours: Planning, recorded: Planning, fields: ReturnFields) -> Planning:
    """Return what is true of a planning whose record a plan may have reached late: its lines, our documents.

    Where something else was sent than the record says now, documents say so, and what waits is left to
    people: the same goods may stand in it.

    Args:
        ours: As a run has just put it on record.
        recorded: As the record says after that.
        fields: As for `write_return`.
    """
    known_ids = {document.doc_id for document in ours.documents}
    further = (document for document in recorded.documents if document.doc_id not in known_ids)
    known = attrs.evolve(recorded, documents=(*ours.documents, *further), execution=ours.execution)
    otherwise = sent_otherwise(known, fields)
    told = told_of_change(known, otherwise)
    if told != known or not otherwise.isdisjoint(open_ended(known.documents)):
        waiting = (each for each in told.documents if each.state is DocumentState.PENDING)
        told = with_documents(told, [_held_back(document, _MAY_BE_TWICE_TOO) for document in waiting])
    return finished(told)


def is_newly_held(before: Planning, known: Planning) -> bool:
    """Tell whether documents are held back that a person has not been told of."""
    told = {document.doc_id: document.message for document in before.documents}
    return any(
        document.message in _HELD_BACK and document.message != told.get(document.doc_id)
        for document in known.documents
    )


def _has_hollow(planning: Planning) -> bool:
    """Tell whether a document was made, or may be, that holds nothing any more."""
    filled = {part.doc_id for line in planning.lines for part in line.allocations}
    return any(
        document.state in _MADE_OR_MAY_BE and document.line_count and document.doc_id not in filled
        for document in planning.documents
    )


def to_prepare(planning: Planning, doc_ids: Iterable[int]) -> list[int]:
    """Name those of the documents that are given a key or a digest (again) before they are posted.

    They have no key, or none any more, or they wait: what they stand for may have been changed meanwhile.
    """
    unprepared = {
        document.doc_id
        for document in planning.documents
        if not document.key or document.state is DocumentState.PENDING
    }
    return [doc_id for doc_id in doc_ids if doc_id in unprepared]


def with_keys(
    planning: Planning,
    doc_ids: Iterable[int],
    make_key: Callable[[Planning, int], str],
    fields: ReturnFields,
) -> Planning:
    """Give documents what is recorded before anything is sent: a key, which stays, and what it stands for.

    Args:
        planning: With its id.
        doc_ids: Documents that may be posted now.
        make_key: Makes a key of the planning and the document's number.
        fields: As for `write_return`.
    """
    chosen = set(doc_ids)
    lines = lines_by_document(planning)
    documents = []
    for document in planning.documents:
        prepared = document
        if document.doc_id in chosen:
            if not document.key:
                prepared = attrs.evolve(document, key=make_key(planning, document.doc_id))
            body = write_return(planning, prepared, fields, lines.get(document.doc_id, {}))
            prepared = attrs.evolve(prepared, payload_hash=body.digest)
        documents.append(prepared)
    return attrs.evolve(planning, documents=tuple(documents))


def with_documents(planning: Planning, changed: Iterable[SupplierDocument]) -> Planning:
    """Return a planning with these documents changed."""
    by_id = {document.doc_id: document for document in changed}
    documents = tuple(by_id.get(document.doc_id, document) for document in planning.documents)
    return attrs.evolve(planning, documents=documents)


def finished(planning: Planning) -> Planning:
    """Return a planning with the states that its documents' states mean."""
    return attrs.evolve(planning, state=state_of_planning(planning.documents), lines=line_states(planning))


def line_states(planning: Planning) -> tuple[PlanningLine, ...]:
    """Say what became of each line, by the documents that its parts are in."""
    by_id = {document.doc_id: document.state for document in planning.documents}
    return tuple(attrs.evolve(line, state=_line_state(line, by_id)) for line in planning.lines)


def _line_state(line: PlanningLine, by_id: dict[int, DocumentState]) -> LineState:
    states = {by_id.get(part.doc_id, DocumentState.PENDING) for part in line.allocations}
    if DocumentState.FAILED in states:
        return LineState.FAILED
    if states == {DocumentState.CREATED}:
        return LineState.RETURNED
    if states and states <= _FINISHED:  # cancelled in the ERP, whole or in part: those goods are back
        return LineState.PARTIAL if DocumentState.CREATED in states else LineState.DROPPED
    return LineState.EXCLUDED if line.excluded else state_of(line)


def closing(planning: Planning) -> Planning:
    """Return a planning without what was not made: its documents omitted, its lines dropped.

    Args:
        planning: Without unsettled documents.
    """
    documents = tuple(
        document if document.state in _FINISHED else attrs.evolve(document, state=DocumentState.OMITTED)
        for document in planning.documents
    )
    by_id = {document.doc_id: document.state for document in documents}
    lines = tuple(attrs.evolve(line, state=_closed_state(line, by_id)) for line in planning.lines)
    return attrs.evolve(planning, documents=documents, lines=lines)


def _closed_state(line: PlanningLine, by_id: dict[int, DocumentState]) -> LineState:
    states = {by_id.get(part.doc_id) for part in line.allocations}
    if line.excluded or states == {DocumentState.CREATED}:
        return line.state
    return LineState.PARTIAL if DocumentState.CREATED in states else LineState.DROPPED
