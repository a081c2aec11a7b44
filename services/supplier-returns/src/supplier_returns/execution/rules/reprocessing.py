"""Decide how reprocessing handles each document of a planning."""

from collections.abc import Collection, Container

import attrs
from attrs import frozen

from supplier_returns.execution.rules.failures import is_retryable
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState


@frozen(kw_only=True)
class Reprocessing:
    """Decisions for the documents of a planning that was executed before.

    Attributes:
        planning: planning with the documents to retry as pending.
        resume: documents to look up. If the ERP has no return, they are posted again under their keys.
        given_up: documents whose goods are planned again if they still are failed after `resume`. They keep
            their
        state until then, because the run may stop before it plans.
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
            planning: recorded planning, corrected by the returns in the ERP.
            chosen: documents to reprocess. None means all.
            replan: whether to plan failed documents again under new keys, even if a retry could succeed.
            repeated: documents whose lines were refused before for the same cause. A person has to decide.
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
            can_retry = document.may_be_given_up and is_retryable(document.error_class)
            needs_new_plan = document.may_be_given_up and not can_retry and document.doc_id not in repeated
            # The user has checked these failures, so `replan` also covers retryable ones and own codes.
            if needs_new_plan or (replan and document.state is DocumentState.FAILED):
                given_up.append(document.doc_id)
                can_retry = False
            if can_retry or _is_looked_up(document):
                resume.append(document.doc_id)
            state = DocumentState.PENDING if can_retry else document.state
            documents.append(attrs.evolve(document, state=state))
        after = attrs.evolve(planning, documents=tuple(documents))
        return cls(planning=after, resume=tuple(resume), given_up=tuple(given_up))


def _is_leftover(document: SupplierDocument, filled: Collection[int]) -> bool:
    """Return whether a late write of the record restored this empty document."""
    is_free = document.may_be_given_up or document.state is DocumentState.PENDING
    return is_free and document.doc_id not in filled


def _is_looked_up(document: SupplierDocument) -> bool:
    # A rejected draft can still be approved, and an approved draft becomes a return under the old key.
    may_still_appear = document.state is DocumentState.FAILED and document.needs_new_key
    return document.state.is_unresolved or document.was_started or may_still_appear
