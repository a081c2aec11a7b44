"""What to do next with one document: a decision over what is recorded, what was found, and the time.

::

    looking back ──► marked ──► posted
         │             │           │
         └─────────────┴───────────┴──► settled: the document's new record

*Looking back*: a document that may have been posted before is looked for first. *Marked*: its attempt is on
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
from supplier_returns.planning.rules.model import OwnCode, SupplierDocument
from supplier_returns.planning.rules.states import DocumentState

MARK_FRESH = timedelta(seconds=15)
"""A mark older than this is written again before the post: the waiting time counts from it."""


MOST_MARKS = 3
"""How often a mark is written for one post, where even writing it takes longer than it stays fresh."""


class Stage(enum.Enum):
    """How far a document has come in this run."""

    LOOKING_BACK = "looking back"
    MARKED = "marked"
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
    """A look that came to nothing.

    Attributes:
        look: What was asked for.
        is_silent: Whether the ERP could not be asked; else it refused to tell.
    """

    look: Lookup
    is_silent: bool


class Missing(enum.Enum):
    """Two ways of not knowing a thing."""

    NOT_ASKED = "not asked"
    NOT_THERE = "not there"


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
        marked_at: When the mark was written last, None before.
        marks: How often it was written.
        in_doubt: Whether an earlier post had no answer, so that the document may still come to life.
        key_use: What was done so that it can't.
        found: The return under the key.
        looked_twice: Whether the return was looked for once more after the draft.
        failed_look: What could not be looked for, None where all could.
        draft: The draft under the key.
        is_fenced: Whether the key is used up in the fence, None before anybody asked.
        problem: Why it can't be posted as planned, `Missing.NOT_THERE` once it was checked and may be.
        outcome: What the post came to, None before it.
        was_fenced: Whether it was posted with the fence, in one change set.
    """

    stage: Stage = Stage.LOOKING_BACK
    marked_at: datetime | None = None
    marks: int = 0
    in_doubt: bool = False
    key_use: KeyUse = KeyUse.UNKNOWN
    found: Match | Missing = Missing.NOT_ASKED
    looked_twice: bool = False
    failed_look: FailedLookup | None = None
    draft: ErpDraft | Missing = Missing.NOT_ASKED
    is_fenced: bool | None = None
    problem: Problem | Missing = Missing.NOT_ASKED
    outcome: PostOutcome | None = None
    was_fenced: bool = False

    def marked(self, at: datetime, *, in_doubt: bool = False) -> "Evidence":
        """The mark is on record: what was looked for before the first one has to be looked for again."""
        if self.stage is Stage.MARKED:
            return attrs.evolve(self, marked_at=at, marks=self.marks + 1)
        return Evidence(stage=Stage.MARKED, marked_at=at, marks=1, in_doubt=in_doubt)

    def posted(self, outcome: PostOutcome, *, fenced: bool) -> "Evidence":
        """It was posted: what the ERP has under the key may have changed."""
        return Evidence(
            stage=Stage.POSTED,
            marked_at=self.marked_at,
            in_doubt=self.in_doubt,
            key_use=self.key_use,
            outcome=outcome,
            was_fenced=fenced,
        )

    def used_up(self, key_use: KeyUse) -> "Evidence":
        """The key is used up as far as it can be: the document has to be looked for (again)."""
        return attrs.evolve(
            self, key_use=key_use, found=Missing.NOT_ASKED, looked_twice=False, draft=Missing.NOT_ASKED
        )


@frozen
class Mark:
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
class Settle:
    """Put this on record; the document is done with for this run.

    Attributes:
        stops: The ERP can't be worked with now: what comes after waits for another run.
    """

    document: SupplierDocument
    stops: bool = False


UnsettledStep = Lookup | Mark | Check | Post | UseUp | PostAlone
Step = UnsettledStep | Settle


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


def next_step(document: SupplierDocument, seen: Evidence, timing: Timing) -> Step:
    """Decide.

    Args:
        document: As it is on record now.
        seen: What this run has learnt since.
        timing: The present.
    """
    if seen.stage is Stage.LOOKING_BACK:
        return _looking_back(document, seen, timing)
    if seen.stage is Stage.MARKED:
        return _marked(document, seen, timing)
    return _posted(document, seen, timing)


def can_do_without(document: SupplierDocument, seen: Evidence, failed: FailedLookup) -> bool:
    """Tell whether there is something to settle without this look; else the run ends with what stopped it.

    What failed is given up where it is not found, so it has to be looked for.
    """
    if seen.stage is Stage.LOOKING_BACK:
        return not failed.is_silent and document.state is not DocumentState.FAILED
    return seen.stage is Stage.POSTED


def _looking_back(document: SupplierDocument, seen: Evidence, timing: Timing) -> Step:
    if not document.attempts:
        return Mark()
    if seen.failed_look is not None:
        return Settle(_not_looked_back(document, seen, seen.failed_look, timing))
    look = _look(document, seen)
    if look is not None:
        return look
    is_key_taken = document.error_code == OwnCode.KEY_TAKEN.value
    in_doubt = document.state in (DocumentState.RUNNING, DocumentState.UNCERTAIN)
    if in_doubt:
        again_at = recorded_outcomes.last_attempt(document) + timing.uncertain_wait
        if timing.now < again_at:
            is_cut_off = document.state is DocumentState.RUNNING and not is_key_taken
            why = "No se sabe si la devolución se envió, y no aparece" if is_cut_off else None
            told = recorded_outcomes.uncertain(
                document, timing.clock_time(again_at), is_key_taken=is_key_taken, why=why
            )
            return Settle(told)
    if document.state is DocumentState.PENDING or (in_doubt and not is_key_taken):
        return Mark(in_doubt)
    return _look_twice(document, seen) or Settle(_gone(document))


def _not_looked_back(
    document: SupplierDocument, seen: Evidence, failed: FailedLookup, timing: Timing
) -> SupplierDocument:
    if document.state is DocumentState.IN_APPROVAL:
        return document
    if document.state is DocumentState.PENDING:
        return recorded_outcomes.not_sent(document, f"No se envió: {_MISSING[failed.look]}.")
    return _not_looked_for(document, seen, failed, timing)


def _gone(document: SupplierDocument) -> SupplierDocument:
    if document.state is DocumentState.IN_APPROVAL:
        return recorded_outcomes.draft_gone(document)
    return document if document.state is DocumentState.FAILED else recorded_outcomes.key_taken(document)


def _marked(document: SupplierDocument, seen: Evidence, timing: Timing) -> Step:
    if seen.found is Missing.NOT_ASKED:
        return Lookup.RETURN
    if isinstance(seen.found, Match):
        return Settle(recorded_outcomes.found(document, seen.found))
    if seen.problem is Missing.NOT_ASKED:
        return Check()
    if isinstance(seen.problem, Problem):
        failed = recorded_outcomes.failed(document, seen.problem.error_class, None, seen.problem.message)
        return _surely_failed(document, seen, failed, timing)
    is_stale = seen.marked_at is None or timing.now - seen.marked_at > MARK_FRESH
    if is_stale and seen.marks < MOST_MARKS:
        return Mark()
    return Post()


def _posted(document: SupplierDocument, seen: Evidence, timing: Timing) -> Step:
    outcome = seen.outcome
    if isinstance(outcome, Posted):
        return Settle(recorded_outcomes.created(document, outcome))
    if isinstance(outcome, NotSent):
        if seen.in_doubt:
            return Settle(_uncertain(document, seen, timing, is_key_taken=False), stops=True)
        return Settle(recorded_outcomes.not_sent(document, outcome.reason), stops=True)
    if seen.failed_look is not None:  # silence: often it only waited behind the post, in the same session
        unseen = _not_looked_for(document, seen, seen.failed_look, timing)
        return Settle(unseen, stops=seen.failed_look.is_silent)
    if isinstance(outcome, Refused):
        return _refused(document, seen, outcome, timing)
    return _unclear(document, seen, timing, is_key_taken=False)


def _refused(document: SupplierDocument, seen: Evidence, refusal: Refused, timing: Timing) -> Step:
    """Tell a refusal of the return from one of the key, and from a draft that waits for approval."""
    if refusal.code in (NO_MATCH_CODE, None):  # None: a refusal that came cut off may have been that one
        if seen.draft is Missing.NOT_ASKED:
            return Lookup.DRAFT
        if isinstance(seen.draft, ErpDraft):
            return Settle(recorded_outcomes.in_approval(document, seen.draft))
        if seen.was_fenced and refusal.code is not None:
            return PostAlone()
    elif recorded_outcomes.may_be_the_key(refusal):
        if seen.is_fenced is None:
            return Lookup.FENCE
        if seen.is_fenced:
            return _unclear(document, seen, timing, is_key_taken=True)
    return _surely_failed(document, seen, recorded_outcomes.refused(document, refusal), timing)


def _surely_failed(
    document: SupplierDocument, seen: Evidence, failed: SupplierDocument, timing: Timing
) -> Step:
    """Settle a failure once nothing can come of an earlier post any more."""
    if seen.in_doubt:
        if seen.key_use is KeyUse.UNKNOWN:
            return UseUp()
        look = _look_twice(document, seen)
        if look is not None:
            return look
        if seen.key_use is KeyUse.TAKEN:
            return Settle(_uncertain(document, seen, timing, is_key_taken=True))
    return Settle(failed.without_key() if seen.key_use is KeyUse.USED_UP else failed)


def _unclear(document: SupplierDocument, seen: Evidence, timing: Timing, *, is_key_taken: bool) -> Step:
    look = _look(document, seen)
    if look is not None:
        return look
    return Settle(_uncertain(document, seen, timing, is_key_taken=is_key_taken))


def _uncertain(
    document: SupplierDocument, seen: Evidence, timing: Timing, *, is_key_taken: bool
) -> SupplierDocument:
    again_at = (seen.marked_at or timing.now) + timing.uncertain_wait
    return recorded_outcomes.uncertain(document, timing.clock_time(again_at), is_key_taken=is_key_taken)


def _not_looked_for(
    document: SupplierDocument, seen: Evidence, failed: FailedLookup, timing: Timing
) -> SupplierDocument:
    """It may exist, and the ERP did not tell: the record keeps what is known of it, with the ERP's words."""
    again_at = (seen.marked_at or recorded_outcomes.last_attempt(document)) + timing.uncertain_wait
    is_used_up = seen.is_fenced or seen.key_use in (KeyUse.USED_UP, KeyUse.TAKEN)
    if isinstance(seen.outcome, Refused):
        known = recorded_outcomes.refusal_told(seen.outcome)
    else:
        known = "El ERP no respondió" if seen.outcome else "No se sabe qué fue de la devolución"
    return recorded_outcomes.uncertain(
        document,
        timing.clock_time(max(again_at, timing.now)),
        is_key_taken=is_used_up or document.error_code == OwnCode.KEY_TAKEN.value,
        why=f"{known} y {_MISSING[failed.look]}",
    )


def _look_twice(document: SupplierDocument, seen: Evidence) -> Step | None:
    """As `_look`, and for the return once more: what was a draft may have become one in between."""
    look = _look(document, seen)
    return Lookup.RETURN_AGAIN if look is None and not seen.looked_twice else look


def _look(document: SupplierDocument, seen: Evidence) -> Step | None:
    """Look for the return, then for a draft; None when neither is there."""
    if seen.found is Missing.NOT_ASKED:
        return Lookup.RETURN
    if isinstance(seen.found, Match):
        return Settle(recorded_outcomes.found(document, seen.found))
    if seen.draft is Missing.NOT_ASKED:
        return Lookup.DRAFT
    if isinstance(seen.draft, ErpDraft):
        return Settle(recorded_outcomes.in_approval(document, seen.draft))
    return None
