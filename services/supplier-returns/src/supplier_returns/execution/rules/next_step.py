"""What to do next with one document: a decision over what is recorded, what was found, and the time.

::

    looking back ──► recorded ──► posted
         │              │            │
         └──────────────┴────────────┴──► finished: the document's new record

*Looking back*: a document that may have been posted before is looked for first. *Recorded*: its attempt is on
record; it is looked for (again), checked against stock and receipts, and posted. *Posted*: the outcome is
known, or what the ERP has under the key tells it. Whoever carries the steps out may be killed between any two
of them: what is on record by then leads to the same end.

A document that is put on record as failed surely never comes to life: where an earlier post of it had no
answer, its key is used up first, and then it is looked for.
"""

import enum
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import attrs
from attrs import frozen

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.failures import NO_MATCH_CODE, NotSent, Posted, PostOutcome, Refused
from supplier_returns.execution.rules.finding import ErpDraft, Match
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.planning.model.documents import OwnCode, SupplierDocument
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.settings.execution_timing import ATTEMPT_FRESH

MAX_RECORDINGS = 3
"""How often an attempt is put on record for one post, if even that write takes too long."""


class Stage(enum.Enum):
    """How far a document has come in this run."""

    LOOKING_BACK = "looking back"
    RECORDED = "recorded"
    POSTED = "posted"


class Lookup(enum.Enum):
    """What to ask the ERP for, by the document's key."""

    RETURN = "return"
    RETURN_AGAIN = "return again"
    """A draft that was not there any more may have become a return after that was looked for."""
    DRAFT = "draft"
    FENCE = "fence"


_MISSING: Final = {
    Lookup.RETURN: "no se pudo buscar la devolución",
    Lookup.RETURN_AGAIN: "no se pudo buscar la devolución",
    Lookup.DRAFT: "no se pudieron leer los borradores",
    Lookup.FENCE: "no se pudo comprobar su clave",
}


@frozen
class FailedLookup:
    """A look-up that failed.

    Attributes:
        lookup: What was asked for.
        is_silent: Whether the ERP could not be asked; else it refused to tell.
    """

    lookup: Lookup
    is_silent: bool


class Missing(enum.Enum):
    """Why a thing is not there."""

    NOT_LOOKED_UP = "not looked up"
    ABSENT = "absent"


class KeyUse(enum.Enum):
    """What this run knows of the use of the document's key."""

    UNKNOWN = "unknown"
    OPEN = "open"
    """Posts are made without the fence, so that no key can be used up."""
    USED_UP = "used up"
    """This run used it up: no earlier post can come to life with it."""
    TAKEN = "taken"
    """It was used up before."""


@frozen(kw_only=True)
class Evidence:
    """What this run has learnt of a document.

    Attributes:
        recorded_at: When the attempt was put on record last, None before.
        recordings: How often it was put on record.
        in_doubt: Whether an earlier post had no answer, so that the document may still come to life.
        key_use: What was done so that it can't.
        found: The return under the key.
        looked_twice: Whether the return was looked for once more after the draft.
        failed_lookup: What could not be looked for, None where all could.
        draft: The draft under the key.
        is_fenced: Whether the key is used up in the fence, None before anybody asked.
        problem: Why it can't be posted as planned, `Missing.NOT_THERE` once it was checked and may be.
        outcome: What the post came to, None before it.
        was_fenced: Whether it was posted with the fence, in one change set.
    """

    stage: Stage = Stage.LOOKING_BACK
    recorded_at: datetime | None = None
    recordings: int = 0
    in_doubt: bool = False
    key_use: KeyUse = KeyUse.UNKNOWN
    found: Match | Missing = Missing.NOT_LOOKED_UP
    looked_twice: bool = False
    failed_lookup: FailedLookup | None = None
    draft: ErpDraft | Missing = Missing.NOT_LOOKED_UP
    is_fenced: bool | None = None
    problem: Problem | Missing = Missing.NOT_LOOKED_UP
    outcome: PostOutcome | None = None
    was_fenced: bool = False

    def attempt_recorded(self, at: datetime, *, in_doubt: bool = False) -> "Evidence":
        """Return the evidence once the attempt is on record: earlier look-ups no longer count."""
        if self.stage is Stage.RECORDED:
            return attrs.evolve(self, recorded_at=at, recordings=self.recordings + 1)
        return Evidence(stage=Stage.RECORDED, recorded_at=at, recordings=1, in_doubt=in_doubt)

    def posted(self, outcome: PostOutcome, *, fenced: bool) -> "Evidence":
        """It was posted: what the ERP has under the key may have changed."""
        return Evidence(
            stage=Stage.POSTED,
            recorded_at=self.recorded_at,
            in_doubt=self.in_doubt,
            key_use=self.key_use,
            outcome=outcome,
            was_fenced=fenced,
        )

    def used_up(self, key_use: KeyUse) -> "Evidence":
        """The key is used up as far as it can be: the document has to be looked for (again)."""
        return attrs.evolve(
            self,
            key_use=key_use,
            found=Missing.NOT_LOOKED_UP,
            looked_twice=False,
            draft=Missing.NOT_LOOKED_UP,
        )


@frozen
class RecordAttempt:
    """Put the attempt on record.

    Attributes:
        in_doubt: Whether an earlier post had no answer.
    """

    in_doubt: bool = False


@frozen
class Check:
    """Compare the document with stock and receipts."""


@frozen
class Post:
    """Post it."""


@frozen
class UseUp:
    """Use the key up where there is a fence, so that no earlier post can come to life any more."""


@frozen
class PostAlone:
    """Use the key up, then post the return by itself.

    An approval procedure refuses the return and keeps a draft of it; inside a change set the draft may go
    with the refusal.
    """


@frozen
class Finish:
    """Put this on record; the document is done with for this run.

    Attributes:
        stops: The ERP can't be worked with now: what comes after waits for another run.
    """

    document: SupplierDocument
    stops: bool = False


OpenStep = Lookup | RecordAttempt | Check | Post | UseUp | PostAlone
Step = OpenStep | Finish


@frozen(kw_only=True)
class Timing:
    """What time has to do with it.

    Attributes:
        now: Aware UTC.
        uncertain_wait: How long after an attempt without an answer nothing is posted again.
        clock_time: Writes a moment as people in the company read it.
    """

    now: datetime
    uncertain_wait: timedelta
    clock_time: Callable[[datetime], str]


def next_step(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    """Decide.

    Args:
        document: As it is on record now.
        evidence: What this run has learnt since.
        timing: The present.
    """
    if evidence.stage is Stage.LOOKING_BACK:
        return _looking_back(document, evidence, timing)
    if evidence.stage is Stage.RECORDED:
        return _recorded(document, evidence, timing)
    return _posted(document, evidence, timing)


def can_do_without(document: SupplierDocument, evidence: Evidence, failed: FailedLookup) -> bool:
    """Return whether the document can be ended without this look-up; if not, the run ends with the error.

    What failed is given up where it is not found, so it has to be looked for.
    """
    if evidence.stage is Stage.LOOKING_BACK:
        return not failed.is_silent and document.state is not DocumentState.FAILED
    return evidence.stage is Stage.POSTED


def _looking_back(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    if not document.attempts:
        return RecordAttempt()
    if evidence.failed_lookup is not None:
        return Finish(_not_looked_back(document, evidence, evidence.failed_lookup, timing))
    lookup = _look_up(document, evidence)
    if lookup is not None:
        return lookup
    is_key_taken = document.error_code == OwnCode.KEY_TAKEN.value
    in_doubt = document.state in (DocumentState.RUNNING, DocumentState.UNCERTAIN)
    if in_doubt:
        again_at = recorded_outcomes.last_attempt(document) + timing.uncertain_wait
        if timing.now < again_at:
            is_cut_off = document.state is DocumentState.RUNNING and not is_key_taken
            why = "No se sabe si la devolución se envió, y no aparece" if is_cut_off else None
            uncertain = recorded_outcomes.uncertain(
                document, timing.clock_time(again_at), is_key_taken=is_key_taken, why=why
            )
            return Finish(uncertain)
    if document.state is DocumentState.PENDING or (in_doubt and not is_key_taken):
        return RecordAttempt(in_doubt)
    return _look_up_twice(document, evidence) or Finish(_gone(document))


def _not_looked_back(
    document: SupplierDocument, evidence: Evidence, failed: FailedLookup, timing: Timing
) -> SupplierDocument:
    if document.state is DocumentState.IN_APPROVAL:
        return document
    if document.state is DocumentState.PENDING:
        return recorded_outcomes.not_sent(document, f"No se envió: {_MISSING[failed.lookup]}.")
    return _not_looked_for(document, evidence, failed, timing)


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
    is_stale = evidence.recorded_at is None or timing.now - evidence.recorded_at > ATTEMPT_FRESH
    if is_stale and evidence.recordings < MAX_RECORDINGS:
        return RecordAttempt()
    return Post()


def _posted(document: SupplierDocument, evidence: Evidence, timing: Timing) -> Step:
    outcome = evidence.outcome
    if isinstance(outcome, Posted):
        return Finish(recorded_outcomes.created(document, outcome))
    if isinstance(outcome, NotSent):
        if evidence.in_doubt:
            return Finish(_uncertain(document, evidence, timing, is_key_taken=False), stops=True)
        return Finish(recorded_outcomes.not_sent(document, outcome.reason), stops=True)
    if evidence.failed_lookup is not None:
        # Silence: often the lookup only waited behind the post, in the same session.
        unseen = _not_looked_for(document, evidence, evidence.failed_lookup, timing)
        return Finish(unseen, stops=evidence.failed_lookup.is_silent)
    if isinstance(outcome, Refused):
        return _refused(document, evidence, outcome, timing)
    return _unclear(document, evidence, timing, is_key_taken=False)


def _refused(document: SupplierDocument, evidence: Evidence, refusal: Refused, timing: Timing) -> Step:
    """Tell a refusal of the return from one of the key, and from a draft that waits for approval."""
    if refusal.code in (NO_MATCH_CODE, None):  # None: a refusal that came cut off may have been that one
        if evidence.draft is Missing.NOT_LOOKED_UP:
            return Lookup.DRAFT
        if isinstance(evidence.draft, ErpDraft):
            return Finish(recorded_outcomes.in_approval(document, evidence.draft))
        if evidence.was_fenced and refusal.code is not None:
            return PostAlone()
    elif recorded_outcomes.may_be_the_key(refusal):
        if evidence.is_fenced is None:
            return Lookup.FENCE
        if evidence.is_fenced:
            return _unclear(document, evidence, timing, is_key_taken=True)
    return _surely_failed(document, evidence, recorded_outcomes.refused(document, refusal), timing)


def _surely_failed(
    document: SupplierDocument, evidence: Evidence, failed: SupplierDocument, timing: Timing
) -> Step:
    """Settle a failure once nothing can come of an earlier post any more."""
    if evidence.in_doubt:
        if evidence.key_use is KeyUse.UNKNOWN:
            return UseUp()
        lookup = _look_up_twice(document, evidence)
        if lookup is not None:
            return lookup
        if evidence.key_use is KeyUse.TAKEN:
            return Finish(_uncertain(document, evidence, timing, is_key_taken=True))
    return Finish(failed.without_key() if evidence.key_use is KeyUse.USED_UP else failed)


def _unclear(document: SupplierDocument, evidence: Evidence, timing: Timing, *, is_key_taken: bool) -> Step:
    lookup = _look_up(document, evidence)
    if lookup is not None:
        return lookup
    return Finish(_uncertain(document, evidence, timing, is_key_taken=is_key_taken))


def _uncertain(
    document: SupplierDocument, evidence: Evidence, timing: Timing, *, is_key_taken: bool
) -> SupplierDocument:
    again_at = (evidence.recorded_at or timing.now) + timing.uncertain_wait
    return recorded_outcomes.uncertain(document, timing.clock_time(again_at), is_key_taken=is_key_taken)


def _not_looked_for(
    document: SupplierDocument, evidence: Evidence, failed: FailedLookup, timing: Timing
) -> SupplierDocument:
    """It may exist, and the ERP did not tell: the record keeps what is known of it, with the ERP's words."""
    again_at = (evidence.recorded_at or recorded_outcomes.last_attempt(document)) + timing.uncertain_wait
    is_used_up = evidence.is_fenced or evidence.key_use in (KeyUse.USED_UP, KeyUse.TAKEN)
    if isinstance(evidence.outcome, Refused):
        clause = recorded_outcomes.refusal_clause(evidence.outcome)
    else:
        clause = "El ERP no respondió" if evidence.outcome else "No se sabe qué fue de la devolución"
    return recorded_outcomes.uncertain(
        document,
        timing.clock_time(max(again_at, timing.now)),
        is_key_taken=is_used_up or document.error_code == OwnCode.KEY_TAKEN.value,
        why=f"{clause} y {_MISSING[failed.lookup]}",
    )


def _look_up_twice(document: SupplierDocument, evidence: Evidence) -> Step | None:
    """As `_look_up`, and for the return once more: what was a draft may have become one in between."""
    lookup = _look_up(document, evidence)
    return Lookup.RETURN_AGAIN if lookup is None and not evidence.looked_twice else lookup


def _look_up(document: SupplierDocument, evidence: Evidence) -> Step | None:
    """Look for the return, then for a draft; None when neither is there."""
    if evidence.found is Missing.NOT_LOOKED_UP:
        return Lookup.RETURN
    if isinstance(evidence.found, Match):
        return Finish(recorded_outcomes.found(document, evidence.found))
    if evidence.draft is Missing.NOT_LOOKED_UP:
        return Lookup.DRAFT
    if isinstance(evidence.draft, ErpDraft):
        return Finish(recorded_outcomes.in_approval(document, evidence.draft))
    return None
