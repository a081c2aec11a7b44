"""Decide the next step of one document from its record, the evidence and the time.

::
|
    looking back ──► recorded ──► posted
         │              │            │
         └──────────────┴────────────┴──► finished: the document's new record

*Looking back*: a run looks up a document that an earlier run may have posted. *Recorded*: the attempt is
recorded. The run looks the document up (again), checks it against stock and receipts, and posts it. *Posted*:
the outcome of the post is known, or a lookup by key finds it. If the service is killed between any two steps,
the record leads the next run to the same result.

The ERP never creates a document after it is recorded as failed. If an earlier post got no reply, the run uses
up the key first, and then looks the document up.
"""

from typing import Final

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.evidence import Evidence, FailedLookup, KeyUse, Missing, Stage
from supplier_returns.execution.rules.failures import NO_MATCH_CODE, NotSent, Posted, Refused
from supplier_returns.execution.rules.finding import ErpDraft, Match
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.execution.rules.steps import (
    Check,
    Finish,
    Lookup,
    Post,
    PostAlone,
    RecordAttempt,
    Step,
    UseUp,
)
from supplier_returns.execution.rules.timing import Timing
from supplier_returns.planning.model.documents import OwnCode, SupplierDocument
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.settings.execution_timing import ATTEMPT_FRESH

MAX_RECORDINGS = 3
"""Maximum records of one attempt before its post, since even that write may take too long."""

_FAILED_LOOKUP_TEXTS: Final = {
    Lookup.RETURN: "no se pudo buscar la devolución",
    Lookup.RETURN_AGAIN: "no se pudo buscar la devolución",
    Lookup.DRAFT: "no se pudieron leer los borradores",
    Lookup.FENCE: "no se pudo comprobar su clave",
}


def next_step(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    """Decide the next step.

    Args:
        document: document as it is recorded now.
        evidence: evidence of this run.
        timing: present time.
    """
    if evidence.stage is Stage.LOOKING_BACK:
        return _looking_back(document, evidence, timing)
    if evidence.stage is Stage.RECORDED:
        return _recorded(document, evidence, timing)
    return _posted(document, evidence, timing)


def can_do_without(document: SupplierDocument, evidence: Evidence, failed: FailedLookup) -> bool:
    """Return whether the document can finish without this lookup. If not, the run ends with the error.

    A failed document needs its lookup: if the ERP has no return of it, the service gives it up.
    """
    if evidence.stage is Stage.LOOKING_BACK:
        return not failed.is_silent and document.state is not DocumentState.FAILED
    return evidence.stage is Stage.POSTED


def _looking_back(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    # The document was never posted, so there is nothing to look up.
    if not document.attempts:
        return RecordAttempt()
    if evidence.failed_lookup is not None:
        return Finish(_after_first_lookup_failed(document, evidence, evidence.failed_lookup, timing))
    lookup = _look_up(document, evidence)
    if lookup is not None:
        return lookup
    is_key_taken = document.error_code == OwnCode.KEY_TAKEN.value
    # An attempt without a result: the process may have been killed before or after the post.
    in_doubt = document.state in (DocumentState.RUNNING, DocumentState.UNCERTAIN)
    if in_doubt:
        retry_at = recorded_outcomes.last_attempt(document) + timing.uncertain_wait
        # A post without a reply may still be executed by the ERP. Another post before that could create a
        # duplicate.
        if timing.now < retry_at:
            was_interrupted = document.state is DocumentState.RUNNING and not is_key_taken
            reason = "No se sabe si la devolución se envió, y no aparece" if was_interrupted else None
            uncertain = recorded_outcomes.uncertain(
                document, timing.clock_time(retry_at), is_key_taken=is_key_taken, reason=reason
            )
            return Finish(uncertain)
    if document.state is DocumentState.PENDING or (in_doubt and not is_key_taken):
        return RecordAttempt(in_doubt)
    return _look_up_twice(document, evidence) or Finish(_gone(document))


def _after_first_lookup_failed(
    document: SupplierDocument, evidence: Evidence, failed: FailedLookup, timing: Timing
) -> SupplierDocument:
    if document.state is DocumentState.IN_APPROVAL:
        return document
    if document.state is DocumentState.PENDING:
        return recorded_outcomes.not_sent(document, f"No se envió: {_FAILED_LOOKUP_TEXTS[failed.lookup]}.")
    return _uncertain_after_lookup(document, evidence, failed, timing)


def _gone(document: SupplierDocument) -> SupplierDocument:
    if document.state is DocumentState.IN_APPROVAL:
        return recorded_outcomes.draft_gone(document)
    return document if document.state is DocumentState.FAILED else recorded_outcomes.key_taken(document)


def _recorded(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    if evidence.found is Missing.NOT_LOOKED_UP:
        return Lookup.RETURN
    if isinstance(evidence.found, Match):
        return Finish(recorded_outcomes.found(document, evidence.found))
    if evidence.problem is Missing.NOT_LOOKED_UP:
        return Check()
    if isinstance(evidence.problem, Problem):
        failed = recorded_outcomes.failed(
            document, evidence.problem.error_class, None, evidence.problem.message
        )
        return _surely_failed(document, evidence, failed, timing)
    # `UNCERTAIN_WAIT` counts from the recorded time, so the post must follow it closely.
    is_stale = evidence.recorded_at is None or timing.now - evidence.recorded_at > ATTEMPT_FRESH
    if is_stale and evidence.recordings < MAX_RECORDINGS:
        return RecordAttempt()
    return Post()


def _posted(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    outcome = evidence.outcome
    if isinstance(outcome, Posted):
        return Finish(recorded_outcomes.created(document, outcome))
    # The ERP is unreachable, so the other documents would fail as well.
    if isinstance(outcome, NotSent):
        if evidence.in_doubt:
            return Finish(_uncertain(document, evidence, timing, is_key_taken=False), stops=True)
        return Finish(recorded_outcomes.not_sent(document, outcome.reason), stops=True)
    if evidence.failed_lookup is not None:
        # No reply: often the lookup only queued behind the post, in the same session.
        unseen = _uncertain_after_lookup(document, evidence, evidence.failed_lookup, timing)
        return Finish(unseen, stops=evidence.failed_lookup.is_silent)
    if isinstance(outcome, Refused):
        return _refused(document, evidence, outcome, timing)
    return _unclear(document, evidence, timing, is_key_taken=False)


def _refused(document: SupplierDocument, evidence: Evidence, refusal: Refused, timing: Timing) -> Step:
    """Distinguish a rejected return from a rejected key and from a draft that waits for approval."""
    # An approval procedure answers with -2028 and stores a draft (seen on Service Layer 1000321).
    if refusal.code in (NO_MATCH_CODE, None):
        if evidence.draft is Missing.NOT_LOOKED_UP:
            return Lookup.DRAFT
        if isinstance(evidence.draft, ErpDraft):
            return Finish(recorded_outcomes.in_approval(document, evidence.draft))
        # Inside a change set the ERP may have rolled the draft back, so the return is posted again on its
        # own.
        if evidence.was_fenced and refusal.code is not None:
            return PostAlone()
    elif recorded_outcomes.may_be_the_key(refusal):
        if evidence.is_fenced is None:
            return Lookup.FENCE
        # An earlier post used the key. Only a lookup can tell whether its return exists.
        if evidence.is_fenced:
            return _unclear(document, evidence, timing, is_key_taken=True)
    return _surely_failed(document, evidence, recorded_outcomes.refused(document, refusal), timing)


def _surely_failed(
    document: SupplierDocument, evidence: Evidence, failed: SupplierDocument, timing: Timing
) -> Step:
    """Finish as failed once no earlier post can still create the return."""
    if evidence.in_doubt:
        if evidence.key_use is KeyUse.UNKNOWN:
            return UseUp()
        lookup = _look_up_twice(document, evidence)
        if lookup is not None:
            return lookup
        # An earlier post used the key, and its return may not be visible yet.
        if evidence.key_use is KeyUse.TAKEN:
            return Finish(_uncertain(document, evidence, timing, is_key_taken=True))
    # The ERP would reject another post with the used key, so the next attempt gets a new one.
    return Finish(failed.without_key() if evidence.key_use is KeyUse.USED_UP else failed)


def _unclear(document: SupplierDocument, evidence: Evidence, timing: Timing, *, is_key_taken: bool) -> Step:
    lookup = _look_up(document, evidence)
    if lookup is not None:
        return lookup
    return Finish(_uncertain(document, evidence, timing, is_key_taken=is_key_taken))


def _uncertain(
    document: SupplierDocument, evidence: Evidence, timing: Timing, *, is_key_taken: bool
) -> SupplierDocument:
    retry_at = (evidence.recorded_at or timing.now) + timing.uncertain_wait
    return recorded_outcomes.uncertain(document, timing.clock_time(retry_at), is_key_taken=is_key_taken)


def _uncertain_after_lookup(
    document: SupplierDocument, evidence: Evidence, failed: FailedLookup, timing: Timing
) -> SupplierDocument:
    """Return the document as uncertain, with the reply of its post and the lookup that failed."""
    retry_at = (evidence.recorded_at or recorded_outcomes.last_attempt(document)) + timing.uncertain_wait
    is_used_up = evidence.is_fenced or evidence.key_use in (KeyUse.USED_UP, KeyUse.TAKEN)
    if isinstance(evidence.outcome, Refused):
        clause = recorded_outcomes.refusal_clause(evidence.outcome)
    else:
        clause = "El ERP no respondió" if evidence.outcome else "No se sabe qué fue de la devolución"
    return recorded_outcomes.uncertain(
        document,
        timing.clock_time(max(retry_at, timing.now)),
        is_key_taken=is_used_up or document.error_code == OwnCode.KEY_TAKEN.value,
        reason=f"{clause} y {_FAILED_LOOKUP_TEXTS[failed.lookup]}",
    )


def _look_up_twice(document: SupplierDocument, evidence: Evidence) -> Step | None:
    """Look up as `_look_up`, then the return again: a draft may have become a return in between."""
    lookup = _look_up(document, evidence)
    return Lookup.RETURN_AGAIN if lookup is None and not evidence.looked_twice else lookup


def _look_up(document: SupplierDocument, evidence: Evidence) -> Step | None:
    """Look up the return, then a draft. Return None if neither exists."""
    if evidence.found is Missing.NOT_LOOKED_UP:
        return Lookup.RETURN
    if isinstance(evidence.found, Match):
        return Finish(recorded_outcomes.found(document, evidence.found))
    if evidence.draft is Missing.NOT_LOOKED_UP:
        return Lookup.DRAFT
    if isinstance(evidence.draft, ErpDraft):
        return Finish(recorded_outcomes.in_approval(document, evidence.draft))
    return None
