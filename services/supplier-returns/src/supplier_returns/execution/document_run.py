"""Perform the steps that the rules decide for one document, until it is finished."""

from collections.abc import Sequence
from typing import Final

import structlog
from attrs import define, evolve, field

from erpclient import ErpError
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from supplier_returns.execution.attempt import Attempt
from supplier_returns.execution.context import RunContext
from supplier_returns.execution.lookups import Lookups
from supplier_returns.execution.record import RunRecord
from supplier_returns.execution.repository import ReturnRepository
from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.evidence import KeyUse, Missing, Stage
from supplier_returns.execution.rules.failures import DUPLICATE_CODE, Posted, Refused, Unknown
from supplier_returns.execution.rules.next_step import next_step
from supplier_returns.execution.rules.recheck import Holdings, Problem, Taken, find_problem
from supplier_returns.execution.rules.return_body import write_return
from supplier_returns.execution.rules.steps import (
    Check,
    Finish,
    Lookup,
    OpenStep,
    Post,
    PostAlone,
    RecordAttempt,
    UseUp,
)
from supplier_returns.web.error_map import upstream_service_error

MAX_UNRECORDED_ENDS: Final = 10
"""Maximum results that wait for one common write. Used only with the fence, since a kill may lose them."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class DocumentRun:
    """Processes documents of a run, one after another.

    Args:
        returns: returns in the ERP.
        lookups: lookups of this planning's documents.
        record: record of the run.
        context: context that all runs share.
        holdings: stock and receipts at the start of the run.
        fenced: whether posts include the fence.
    """

    _returns: ReturnRepository
    _lookups: Lookups
    _record: RunRecord
    _context: RunContext
    _holdings: Holdings
    _fenced: bool = field(kw_only=True)
    _planning_id: int = field(kw_only=True)
    _taken: Taken = field(init=False, factory=Taken)

    async def finish_document(self, attempt: Attempt, batch: Sequence[Attempt]) -> Finish:
        """Perform steps until the document is finished for this run.

        Args:
            attempt: document to process.
            batch: pending documents whose attempts the same write recorded.

        Raises:
            ErpError, ServiceError: a step failed; the document is pending again if it was not sent.
        """
        while True:
            # `finish` is set if a lookup before the common write already decided the document.
            step = attempt.finish or next_step(attempt.document, attempt.evidence, self._context.timing())
            if isinstance(step, Finish):
                await self._end(step, attempt, batch)
                return step
            try:
                await self._take(step, attempt, batch)
            # The run ends with this error, so the document must not look as if it was sent.
            except (ErpError, ServiceError) as error:
                self._put_back(attempt, error)
                raise

    async def _end(self, step: Finish, attempt: Attempt, batch: Sequence[Attempt]) -> None:
        if step.document != attempt.document:
            self._record.add_result(step.document, attempt.evidence)
            # A created return can be looked up again; the reason of a failure exists only in this run.
            can_wait = self._fenced and step.document.state.is_made
            if not can_wait or (batch and self._record.unrecorded_count >= MAX_UNRECORDED_ENDS):
                await self._record.save(self._record.planning, ())
        # An unknown post may have taken the goods, so the next documents must not count on them.
        if isinstance(attempt.evidence.outcome, Posted | Unknown):
            self._taken.add(attempt.parts)

    async def _take(self, step: OpenStep, attempt: Attempt, batch: Sequence[Attempt]) -> None:
        match step:
            case RecordAttempt():
                await self._record_attempt(attempt, batch, in_doubt=step.in_doubt)
            case Check():
                attempt.evidence = evolve(attempt.evidence, problem=self._find_problem(attempt))
            case Post():
                await self._post(attempt, fenced=self._fenced)
            case UseUp():
                # Without the fence no post checks the key, so a used key would prevent nothing.
                key_use = await self._use_up(attempt.document.key) if self._fenced else KeyUse.OPEN
                attempt.evidence = attempt.evidence.used_up(key_use)
            case PostAlone():
                await self._post_alone(attempt)
            case Lookup():
                attempt.evidence = await self._lookups.look_up(step, attempt, batch)

    def _put_back(self, attempt: Attempt, error: ErpError | ServiceError) -> None:
        """Make a document pending again if nothing of it was sent; the run's last write records that.

        A kill before that write leaves the recorded attempt, so the document stays unknown.
        """
        # After a started post the return may exist. An attempt in doubt may have created it earlier.
        if attempt.is_sent or attempt.evidence.stage is not Stage.RECORDED or attempt.evidence.in_doubt:
            return
        answer = upstream_service_error(error) if isinstance(error, ErpError) else error
        reason = "No se envió." if isinstance(answer, OutcomeUnknown) else f"No se envió. {answer.detail}"
        waiting = recorded_outcomes.not_sent(attempt.document, reason)
        self._record.planning = self._record.planning.with_documents([waiting])

    async def _record_attempt(self, attempt: Attempt, batch: Sequence[Attempt], *, in_doubt: bool) -> None:
        at = self._record.now()
        # One write records the whole batch again: a write for each document would double the number of calls.
        begun = [attempt, *(each for each in batch if each.finish is None)]
        recordings = {each.document.doc_id: each.attempt_recorded(at) for each in begun}
        await self._record.save(self._record.planning.with_documents(recordings.values()), recordings)
        for each in begun:
            each.document, each.evidence = (
                recordings[each.document.doc_id],
                evolve(each.evidence, recorded_at=at),
            )
            if self._fenced:  # time has passed: look up every pending document again
                each.evidence = evolve(each.evidence, found=Missing.NOT_LOOKED_UP)
        attempt.evidence = attempt.evidence.attempt_recorded(at, in_doubt=in_doubt)

    def _find_problem(self, attempt: Attempt) -> Problem | Missing:
        day = self._record.planning.header.posting_date
        found = find_problem(attempt.parts, self._holdings, self._taken, return_date=day)
        return found or Missing.ABSENT

    async def _post(self, attempt: Attempt, *, fenced: bool) -> None:
        attempt.is_sent = True
        document = attempt.document
        # The body is not stored: equal plannings give equal bytes, and the record has the digest.
        body = write_return(self._record.planning, document, self._context.rules.fields, attempt.lines)
        outcome = await self._returns.post(document.key, body.content, fenced=fenced)
        _log.info(
            "return_posted",
            planning=self._planning_id,
            document=document.doc_id,
            outcome=type(outcome).__name__.lower(),
        )
        attempt.evidence = attempt.evidence.posted(outcome, fenced=fenced)

    async def _post_alone(self, attempt: Attempt) -> None:
        key_use = await self._use_up(attempt.document.key)
        attempt.evidence = attempt.evidence.used_up(key_use)
        # The used key protects this post like the fence: no earlier post can still succeed.
        if key_use is KeyUse.USED_UP:
            await self._post(attempt, fenced=False)
        else:
            # Another process used the key since our last lookup. The rules treat that like a duplicate.
            attempt.evidence = attempt.evidence.posted(Refused(code=DUPLICATE_CODE, text=""), fenced=True)

    async def _use_up(self, key: str) -> KeyUse:
        return KeyUse.USED_UP if await self._returns.use_up(key) else KeyUse.TAKEN
