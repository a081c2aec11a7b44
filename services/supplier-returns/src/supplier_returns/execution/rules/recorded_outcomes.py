"""What is put on record of a document, for each end that a run of it can have. Texts are for people."""

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
"""Characters that the ERP's field for an error code holds."""

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def written_at(moment: datetime) -> str:
    """Write the moment of an attempt as it is recorded: ISO 8601, UTC, whole seconds, 20 characters."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def last_attempt(document: SupplierDocument) -> datetime:
    """Read when a document was posted last; a text that is no moment counts as long ago."""
    try:
        moment = datetime.fromisoformat(document.last_attempt)
    except ValueError:
        return LONG_AGO
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def attempt_recorded(document: SupplierDocument, at: datetime, *, is_first: bool) -> SupplierDocument:
    """Return a document whose attempt begins, or begins to be counted anew."""
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
    """Return a document that the ERP made."""
    return attrs.evolve(
        document,
        state=DocumentState.CREATED,
        doc_entry=posted.doc_entry,
        doc_num=posted.doc_num,
        folio=posted.folio,
        total=document.total if posted.total in (None, document.total) else posted.total,
        error_class=None,
        error_code=None,
        message=None,
        warnings=frozenset(),
    )


def found(document: SupplierDocument, match: Match) -> SupplierDocument:
    """Return a document of which the ERP has the return already."""
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
        after = attrs.evolve(after, payload_hash="").saying(
            f"El registro no contaba con la devolución {number}: compárela con lo planificado."
        )
    return with_copies(after, match.others)


def cancelled(document: SupplierDocument, erp_return: ErpReturn) -> SupplierDocument:
    """Return a document whose return somebody cancelled in the ERP."""
    after = attrs.evolve(document, state=DocumentState.CANCELLED)
    return after.saying(f"La devolución {erp_return.doc_num} fue anulada en el ERP.")


def with_copies(document: SupplierDocument, others: Sequence[ErpReturn]) -> SupplierDocument:
    """Return a document that says once which further live returns have its name."""
    numbers = [each.doc_num for each in others]
    return document.also_saying(copies_sentence(numbers), copies(numbers)) if numbers else document


def refused(document: SupplierDocument, refusal: Refused) -> SupplierDocument:
    """Return a document that the ERP refused, with the ERP's own words."""
    code = None if refusal.code is None else str(refusal.code)[:MAX_CODE]
    text = refusal.text or "El ERP rechazó la devolución sin decir por qué."
    return failed(document, classify(refusal.code, refusal.text), code, text)


def failed(
    document: SupplierDocument, error_class: ErrorClass, code: str | None, message: str
) -> SupplierDocument:
    """Return a document that surely was not made."""
    return attrs.evolve(
        document,
        state=DocumentState.FAILED,
        error_class=error_class.value,
        error_code=code,
        message=message,
        warnings=frozenset(),
    )


def refusal_clause(refusal: Refused) -> str:
    """Tell of a refusal in a sentence that goes on, with the ERP's own words."""
    return f"El ERP rechazó la devolución («{refusal.text.strip()}»)" if refusal.text else "El ERP la rechazó"


def uncertain(
    document: SupplierDocument, again_at: str, *, is_key_taken: bool, why: str | None = None
) -> SupplierDocument:
    """Return a document that was sent, without a sign of what became of it.

    Args:
        again_at: From when it may be posted again, as people read it.
        is_key_taken: Whether its key is used up in the ERP.
        why: What is known, None where it was looked for and is not there.
    """
    not_there = "El ERP no respondió y la devolución no aparece"
    if is_key_taken:
        not_there = "La clave ya está usada en el ERP, pero la devolución no aparece"
    return attrs.evolve(
        document,
        state=DocumentState.UNCERTAIN,
        error_class=None,
        error_code=OwnCode.KEY_TAKEN.value if is_key_taken else None,
    ).saying(f"{why or not_there}; podría aparecer todavía. Reprocese después de las {again_at}.")


def not_sent(document: SupplierDocument, reason: str) -> SupplierDocument:
    """Return a document whose post never left: it waits again."""
    return attrs.evolve(document, state=DocumentState.PENDING).saying(reason)


def in_approval(document: SupplierDocument, draft: ErpDraft) -> SupplierDocument:
    """Return a document of which the ERP stored a draft."""
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
    ).saying(f"Espera aprobación en el ERP (borrador {draft.doc_entry}).")


def draft_gone(document: SupplierDocument) -> SupplierDocument:
    """Return a document whose draft is there no more, without a return."""
    return failed(
        document,
        ErrorClass.ERP,
        OwnCode.DRAFT_GONE.value,
        "El borrador que esperaba aprobación ya no está en el ERP y no hay devolución. "
        "Reprocese con una planificación nueva.",
    )


def key_taken(document: SupplierDocument) -> SupplierDocument:
    """Return a document whose key is used up without a return or a draft."""
    return failed(
        document,
        ErrorClass.ERP,
        OwnCode.KEY_TAKEN.value,
        "La clave está usada en el ERP, pero no hay devolución ni borrador con ella. "
        "Revíselo en el ERP y reprocese con una planificación nueva.",
    )


def may_be_the_key(refusal: Refused) -> bool:
    """Tell whether a refusal may be that of the key's row, which exists already, and not of the return."""
    return refusal.code == DUPLICATE_CODE or "LIB_CLAVE" in refusal.text
