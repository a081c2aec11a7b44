"""New record of a document for each result of a run. The texts are for users."""

from collections.abc import Sequence
from datetime import UTC, datetime

import attrs

from supplier_returns.execution.rules.failures import (
    DUPLICATE_CODE,
    ErrorClass,
    Posted,
    Refused,
    classify,
)
from supplier_returns.execution.rules.finding import DraftStatus, ErpDraft, ErpReturn, Match
from supplier_returns.planning.model.documents import OwnCode, SupplierDocument
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import copies, copies_sentence

MAX_CODE = 20
"""Length of the ERP field for an error code."""

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""Time of an attempt whose recorded time can't be read. A retry then needs no waiting time."""


def written_at(moment: datetime) -> str:
    """Format a time for the record: ISO 8601, UTC, whole seconds, 20 characters."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def last_attempt(document: SupplierDocument) -> datetime:
    """Return the time of the last attempt, or `LONG_AGO` if the recorded text is not a time."""
    try:
        moment = datetime.fromisoformat(document.last_attempt)
    except ValueError:
        return LONG_AGO
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def attempt_recorded(document: SupplierDocument, at: datetime, *, is_first: bool) -> SupplierDocument:
    """Return the document with a recorded attempt. A repeated record does not count as another attempt."""
    return attrs.evolve(
        document,
        state=DocumentState.RUNNING,
        attempts=document.attempts + is_first,
        last_attempt=written_at(at),
        error_class=None,
        error_code=None,
        message=None,
        warnings=frozenset(),
    )


def created(document: SupplierDocument, posted: Posted) -> SupplierDocument:
    """Return the document with its new return."""
    return attrs.evolve(
        document,
        state=DocumentState.CREATED,
        doc_entry=posted.doc_entry,
        doc_num=posted.doc_num,
        folio=posted.folio,
        # Freight, discounts and rounding of the ERP may change the planned total.
        total=document.total if posted.total in (None, document.total) else posted.total,
        error_class=None,
        error_code=None,
        message=None,
        warnings=frozenset(),
    )


def found(document: SupplierDocument, match: Match) -> SupplierDocument:
    """Return the document with a return that a lookup found in the ERP."""
    erp_return = match.found
    if erp_return.card_code != document.card_code:
        return failed(
            document,
            ErrorClass.ERP,
            OwnCode.FOREIGN_RETURN.value,
            f"La devolución {erp_return.doc_num} del ERP lleva la clave de este documento, pero es del "
            f"proveedor {erp_return.card_code}. Revísela; después reprocese con una planificación nueva.",
        )
    as_posted = Posted(
        doc_entry=erp_return.doc_entry,
        doc_num=erp_return.doc_num,
        folio=erp_return.folio,
        total=erp_return.total,
    )
    after = attrs.evolve(created(document, as_posted), key=erp_return.key)
    if erp_return.is_cancelled:
        after = cancelled(after, erp_return)
    elif erp_return.key != document.key:
        number = erp_return.doc_num
        # The return has another body, so the recorded digest would be wrong.
        after = attrs.evolve(after, payload_hash="").with_message(
            f"El registro no contaba con la devolución {number}: compárela con lo planificado."
        )
    return with_copies(after, match.others)


def cancelled(document: SupplierDocument, erp_return: ErpReturn) -> SupplierDocument:
    """Return the document with a return that a user cancelled in the ERP."""
    after = attrs.evolve(document, state=DocumentState.CANCELLED)
    return after.with_message(f"La devolución {erp_return.doc_num} fue anulada en el ERP.")


def with_copies(document: SupplierDocument, others: Sequence[ErpReturn]) -> SupplierDocument:
    """Return the document with a message that names further live returns. The message is added once."""
    numbers = [each.doc_num for each in others]
    return document.with_warning(copies_sentence(numbers), copies(numbers)) if numbers else document


def refused(document: SupplierDocument, refusal: Refused) -> SupplierDocument:
    """Return the document as failed, with the ERP's code and text."""
    code = None if refusal.code is None else str(refusal.code)[:MAX_CODE]
    text = refusal.text or "El ERP rechazó la devolución sin decir por qué."
    return failed(document, classify(refusal.code, refusal.text), code, text)


def failed(
    document: SupplierDocument, error_class: ErrorClass, code: str | None, message: str
) -> SupplierDocument:
    """Return the document as failed: the ERP has no return of it and will create none."""
    return attrs.evolve(
        document,
        state=DocumentState.FAILED,
        error_class=error_class.value,
        error_code=code,
        message=message,
        warnings=frozenset(),
    )


def refusal_clause(refusal: Refused) -> str:
    """Return a clause that describes the refusal in the ERP's words."""
    return f"El ERP rechazó la devolución («{refusal.text.strip()}»)" if refusal.text else "El ERP la rechazó"


def uncertain(
    document: SupplierDocument, retry_at: str, *, is_key_taken: bool, reason: str | None = None
) -> SupplierDocument:
    """Return the document as uncertain: it was sent, and its result is unknown.

    Args:
        retry_at: time from which it may be posted again, as text for users.
        is_key_taken: whether its key is used up in the ERP.
        reason: clause that describes the situation. By default, a lookup found no return.
    """
    clause = "El ERP no respondió y la devolución no aparece"
    if is_key_taken:
        clause = "La clave ya está usada en el ERP, pero la devolución no aparece"
    return attrs.evolve(
        document,
        state=DocumentState.UNCERTAIN,
        error_class=None,
        error_code=OwnCode.KEY_TAKEN.value if is_key_taken else None,
    ).with_message(f"{reason or clause}; podría aparecer todavía. Reprocese después de las {retry_at}.")


def not_sent(document: SupplierDocument, reason: str) -> SupplierDocument:
    """Return the document as pending again, because its post was not sent."""
    return attrs.evolve(document, state=DocumentState.PENDING).with_message(reason)


def in_approval(document: SupplierDocument, draft: ErpDraft) -> SupplierDocument:
    """Return the document with the draft that the ERP stored."""
    if draft.status is DraftStatus.REFUSED:
        return failed(
            document,
            ErrorClass.ERP,
            OwnCode.DRAFT_REFUSED.value,
            f"La aprobación fue rechazada; en el ERP queda el borrador {draft.doc_entry}. Elimínelo y "
            "reprocese con una planificación nueva.",
        )
    return attrs.evolve(
        document,
        state=DocumentState.IN_APPROVAL,
        error_class=None,
        error_code=None,
    ).with_message(f"Espera aprobación en el ERP (borrador {draft.doc_entry}).")


def draft_gone(document: SupplierDocument) -> SupplierDocument:
    """Return the document as failed: its draft disappeared without a return."""
    return failed(
        document,
        ErrorClass.ERP,
        OwnCode.DRAFT_GONE.value,
        "El borrador que esperaba aprobación ya no está en el ERP y no hay devolución. "
        "Reprocese con una planificación nueva.",
    )


def key_taken(document: SupplierDocument) -> SupplierDocument:
    """Return the document as failed: its key is used up, but there is no return and no draft."""
    return failed(
        document,
        ErrorClass.ERP,
        OwnCode.KEY_TAKEN.value,
        "La clave está usada en el ERP, pero no hay devolución ni borrador con ella. "
        "Revíselo en el ERP y reprocese con una planificación nueva.",
    )


def may_be_the_key(refusal: Refused) -> bool:
    """Return whether the refusal may concern the row of the key, which exists already, and not the return."""
    # A refused change set has one error for all its requests, which names the table but not the request.
    return refusal.code == DUPLICATE_CODE or "LIB_CLAVE" in refusal.text
