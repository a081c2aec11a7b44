"""Decides what reprocessing does with each document of a planning."""

from collections.abc import Collection, Container

import attrs
from attrs import frozen

from supplier_returns.execution.rules.failures import passes
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState


@frozen(kw_only=True)
class Reprocessing:
    """What to do with the documents of a planning that was executed before.

    Attributes:
        planning: With the documents that are tried again pending.
        resume: Documents to look up and, if the ERP has no return of them, to post again under their keys.
        given_up: Documents whose goods are planned anew if they still are failed after `resume`. They keep
            their state until then, because the run may stop before it plans.
    """

    planning: Planning
    resume: tuple[int, ...]
    given_up: tuple[int, ...]

    @classmethod
    def of(
        cls,
        planning: Planning,
        chosen: Collection[int] | None,
        *,
        replan: bool,
        repeated: Container[int] = (),
    ) -> "Reprocessing":
        """Decide for the documents of a planning.

        Args:
            planning: As recorded, with what the ERP has of it.
            chosen: Only these documents, None for all.
            replan: Plan what failed anew, under new keys, even if it could be posted again as it is.
            repeated: Documents whose lines were refused before for the same cause, left to a person.
        """
        filled = planning.filled
        documents: list[SupplierDocument] = []
        resume: list[int] = []
        given_up: list[int] = []
        for document in planning.documents:
            if chosen is not None and document.doc_id not in chosen:
                documents.append(document)
                continue
            if _is_leftover(document, filled):
                documents.append(attrs.evolve(document, state=DocumentState.OMITTED))
                continue
            can_pass = document.may_be_given_up and passes(document.error_class)
            is_dead = document.may_be_given_up and not can_pass and document.doc_id not in repeated
            if is_dead or (replan and document.state is DocumentState.FAILED):
                given_up.append(document.doc_id)
                can_pass = False
            if can_pass or _is_looked_up(document):
                resume.append(document.doc_id)
            state = DocumentState.PENDING if can_pass else document.state
            documents.append(attrs.evolve(document, state=state))
        after = attrs.evolve(planning, documents=tuple(documents))
        return cls(planning=after, resume=tuple(resume), given_up=tuple(given_up))


def _is_leftover(document: SupplierDocument, filled: Collection[int]) -> bool:
    """Whether an empty document that the ERP does not have came back with a late write of the record."""
    is_free = document.may_be_given_up or document.state is DocumentState.PENDING
    return is_free and document.doc_id not in filled


def _is_looked_up(document: SupplierDocument) -> bool:
    may_come_to_life = document.state is DocumentState.FAILED and document.needs_new_key
    return document.state.is_unresolved or document.was_started or may_come_to_life
