"""Evidence that one run collects about one document."""

import enum
from datetime import datetime

import attrs
from attrs import frozen

from supplier_returns.execution.rules.failures import PostOutcome
from supplier_returns.execution.rules.finding import ErpDraft, Match
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.execution.rules.steps import Lookup


class Stage(enum.Enum):
    """Progress of a document in this run."""

    LOOKING_BACK = "looking back"
    RECORDED = "recorded"
    POSTED = "posted"


@frozen
class FailedLookup:
    """Failed lookup.

    Attributes:
        is_silent: True if the ERP did not reply; False if it refused the request.
    """

    lookup: Lookup
    is_silent: bool


class Missing(enum.Enum):
    """Reason why a result is missing."""

    NOT_LOOKED_UP = "not looked up"
    ABSENT = "absent"


class KeyUse(enum.Enum):
    """Use of the document's key in the fence, as far as this run can tell."""

    UNKNOWN = "unknown"
    OPEN = "open"
    """Posts don't include the fence, so keys are never used up."""
    USED_UP = "used up"
    """This run used it up, so the ERP rejects any late post with it."""
    TAKEN = "taken"
    """It was used up before this run."""


@frozen(kw_only=True)
class Evidence:
    """Evidence about a document in this run.

    Attributes:
        recorded_at: time of the last record of the attempt; None before the first.
        recordings: number of times that the attempt was recorded.
        in_doubt: whether an earlier post got no reply, so that the ERP may still create the document.
        key_use: use of the document's key, which prevents a late creation.
        found: return under the key.
        looked_twice: whether the return was looked up again after the draft.
        failed_lookup: lookup that failed; None if none did.
        draft: draft under the key.
        is_fenced: whether the key is used up in the fence; None before the lookup.
        problem: reason why the document can't be posted as planned; `Missing.ABSENT` after a check without
            problems.
        outcome: outcome of the post; None before it.
        was_fenced: whether the post included the fence, in one change set.
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
        """Return the evidence after the attempt is recorded: earlier lookups no longer count."""
        # The same attempt is recorded again, because its record became stale. Its lookups stay valid.
        if self.stage is Stage.RECORDED:
            return attrs.evolve(self, recorded_at=at, recordings=self.recordings + 1)
        return Evidence(stage=Stage.RECORDED, recorded_at=at, recordings=1, in_doubt=in_doubt)

    def posted(self, outcome: PostOutcome, *, fenced: bool) -> "Evidence":
        """Return the evidence after the post: earlier lookups no longer count."""
        return Evidence(
            stage=Stage.POSTED,
            recorded_at=self.recorded_at,
            in_doubt=self.in_doubt,
            key_use=self.key_use,
            outcome=outcome,
            was_fenced=fenced,
        )

    def used_up(self, key_use: KeyUse) -> "Evidence":
        """Return the evidence after the key was used up: the document needs new lookups."""
        return attrs.evolve(
            self,
            key_use=key_use,
            found=Missing.NOT_LOOKED_UP,
            looked_twice=False,
            draft=Missing.NOT_LOOKED_UP,
        )
