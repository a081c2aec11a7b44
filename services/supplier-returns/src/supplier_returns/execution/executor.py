"""Carries out what the rules decide, one step at a time, and puts every step's end on record.

Nothing is kept in memory that the next run would need: it can be killed between any two steps.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from http import HTTPStatus

import structlog
from attrs import define, evolve, frozen

from erpclient import ErpError, ErpRefused, SessionEnded
from servicekit.clock import Clock
from servicekit.errors import ServiceError
from supplier_returns.execution.ports import ErpReturns
from supplier_returns.execution.rules import settled
from supplier_returns.execution.rules.failures import DUPLICATE_CODE
from supplier_returns.execution.rules.finding import identify, standing_draft
from supplier_returns.execution.rules.next_step import (
    Check,
    FailedLook,
    KeyUse,
    Look,
    Mark,
    Not,
    Post,
    PostAlone,
    Seen,
    Settle,
    Stage,
    Timing,
    UnsettledStep,
    UseUp,
    can_do_without,
    next_step,
)
from supplier_returns.execution.rules.posting import Posted, Refused, Unknown
from supplier_returns.execution.rules.recheck import Holdings, Problem, Taken, find_problem
from supplier_returns.execution.rules.return_body import ReturnFields, lines_of, write_return
from supplier_returns.execution.rules.settling import with_document
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.rules.model import DocumentState, Planning, SupplierDocument
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.session import SessionExpired
from supplier_returns.web.upstream_errors import OutcomeUnknown

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class ExecutionRules:
    """What the installation says about executions.

    Attributes:
        uncertain_wait: How long after an attempt without an answer nothing is posted again.
        fields: Names of the return's fields.
        clock_time: Writes a moment as people in the company read it.
        needs_fence: Whether nothing may be posted without the fence.
    """

    uncertain_wait: timedelta
    fields: ReturnFields
    clock_time: Callable[..., str]
    needs_fence: bool = False


@frozen(kw_only=True)
class Progress:
    """How far an execution is.

    Attributes:
        done: Documents that this run is through with.
        total: Documents of this run.
        document: The one it was through with last, None at the beginning.
    """

    done: int
    total: int
    document: SupplierDocument | None = None


@define
class _Run:
    """One document's run.

    Attributes:
        is_sent: Whether a post of it was begun.
    """

    document: SupplierDocument
    seen: Seen
    is_sent: bool = False


class Executor:
    """Executes documents of one planning in one user's session.

    Attributes:
        planning: As it is, as far as is known; the record may lag behind by the write that failed last.
        is_plan_known: Whether the record's plan is surely that of `planning`; a write of another one that got
            no answer may have replaced it.

    Args:
        planning: On record, with keys for the documents that are executed.
        returns: The ERP's returns.
        repository: Where the planning is kept.
        rules: Of the installation.
        clock: Time.
        tell: Told of the progress.
        stopping: Tells whether to stop before the next document.
    """

    def __init__(
        self,
        *,
        planning: Planning,
        returns: ErpReturns,
        repository: PlanningRepository,
        rules: ExecutionRules,
        clock: Clock,
        tell: Callable[[Progress], None],
        stopping: Callable[[], bool],
    ) -> None:
        self.planning = planning
        self.is_plan_known = True
        self._returns = returns
        self._repository = repository
        self._rules = rules
        self._clock = clock
        self._tell = tell
        self._stopping = stopping
        self._done = self._total = 0

    async def run(self, doc_ids: Sequence[int], holdings: Holdings, *, fenced: bool) -> bool:
        """Bring documents to an end, one after another, each as far as it can be brought today.

        Called once more, it counts on.

        Args:
            doc_ids: Which, in their order.
            holdings: What was there when the execution began.
            fenced: Whether to post with the fence.

        Returns:
            Whether it came to all of them.

        Raises:
            ErpError: The ERP could not be asked; what was recorded before stands.
            OutcomeUnknown: A write got no answer, and that could not be put on record.
            ServiceError: The record could not be written.
        """
        taken = Taken()
        self._total += len(doc_ids)
        self._tell(Progress(done=self._done, total=self._total))
        for doc_id in doc_ids:
            if self._stopping():
                _log.info("execution_stopped", planning=self.planning.id, left=self._total - self._done)
                return False
            settled_as = await self._bring_to_an_end(doc_id, holdings, taken, fenced=fenced)
            self._done += 1
            self._tell(Progress(done=self._done, total=self._total, document=settled_as.document))
            if settled_as.stops:
                return False
        return True

    async def _bring_to_an_end(
        self, doc_id: int, holdings: Holdings, taken: Taken, *, fenced: bool
    ) -> Settle:
        parts = [part for line in lines_of(self.planning, doc_id).values() for part in line]
        day = self.planning.header.posting_date
        run = _Run(next(each for each in self.planning.documents if each.doc_id == doc_id), Seen())
        while True:
            step = next_step(run.document, run.seen, self._timing())
            if isinstance(step, Settle):
                if step.document != run.document:
                    self.planning = with_document(self.planning, step.document)
                    await self._save_end(step.document, run.seen)
                if isinstance(run.seen.outcome, Posted | Unknown):
                    taken.add(parts)
                return step
            try:
                await self._take(
                    step, run, lambda: find_problem(parts, holdings, taken, return_date=day), fenced=fenced
                )
            except (ErpError, ServiceError) as error:
                self._put_back(run, error)
                raise

    async def _take(
        self, step: UnsettledStep, run: _Run, check: Callable[[], Problem | None], *, fenced: bool
    ) -> None:
        match step:
            case Mark():
                await self._mark(run, in_doubt=step.in_doubt)
            case Check():
                run.seen = evolve(run.seen, problem=check() or Not.THERE)
            case Post():
                await self._post(run, fenced=fenced)
            case UseUp():
                run.seen = run.seen.used_up(await self._use_up(run.document.key) if fenced else KeyUse.OPEN)
            case PostAlone():
                await self._post_alone(run)
            case Look():
                run.seen = await self._try_to_look(step, run)

    def _put_back(self, run: _Run, error: ErpError | ServiceError) -> None:
        """Let a document wait again that was marked and surely never sent; the record hears of it at the end.

        A kill leaves the mark, and with it the doubt.
        """
        if run.is_sent or run.seen.stage is not Stage.MARKED or run.seen.in_doubt:
            return
        told = upstream_service_error(error) if isinstance(error, ErpError) else error
        reason = "No se envió." if isinstance(told, OutcomeUnknown) else f"No se envió. {told.detail}"
        self.planning = with_document(self.planning, settled.not_sent(run.document, reason))

    async def _mark(self, run: _Run, *, in_doubt: bool) -> None:
        at = self._clock.now()
        document = settled.marked(run.document, at, is_first=run.seen.stage is Stage.LOOKING_BACK)
        await self._save(document)
        self.planning = with_document(self.planning, document)
        run.document, run.seen = document, run.seen.marked(at, in_doubt=in_doubt)

    async def _post(self, run: _Run, *, fenced: bool) -> None:
        run.is_sent = True
        body = write_return(self.planning, run.document, self._rules.fields)
        outcome = await self._returns.post(run.document.key, body.content, fenced=fenced)
        _log.info(
            "return_posted",
            planning=self.planning.id,
            document=run.document.doc_id,
            outcome=type(outcome).__name__.lower(),
        )
        run.seen = run.seen.posted(outcome, fenced=fenced)

    async def _post_alone(self, run: _Run) -> None:
        key_use = await self._use_up(run.document.key)
        run.seen = run.seen.used_up(key_use)
        if key_use is KeyUse.USED_UP:
            await self._post(run, fenced=False)
        else:
            run.seen = run.seen.posted(Refused(code=DUPLICATE_CODE, text=""), fenced=True)

    async def _use_up(self, key: str) -> KeyUse:
        return KeyUse.USED_UP if await self._returns.use_up(key) else KeyUse.TAKEN

    async def _try_to_look(self, look: Look, run: _Run) -> Seen:
        """Look; some documents can be settled where they can't be looked for."""
        try:
            return await self._look(look, run)
        except SessionEnded:
            raise
        except (ErpError, ServiceError) as error:
            failed = FailedLook(look, is_silent=not _is_refusal(error))
            if not can_do_without(run.document, run.seen, failed):
                raise
            _log.warning(
                "return_not_looked_for",
                planning=self.planning.id,
                document=run.document.doc_id,
                reason=str(error),
            )
            return evolve(run.seen, failed_look=failed)

    async def _look(self, look: Look, run: _Run) -> Seen:
        key = run.document.key
        match look:
            case Look.RETURN | Look.RETURN_AGAIN:
                found = identify(key, run.document.card_code, await self._returns.find_returns(key))
                again = look is Look.RETURN_AGAIN
                return evolve(run.seen, found=found or Not.THERE, looked_twice=again)
            case Look.DRAFT:
                draft = standing_draft(await self._returns.find_drafts(key))
                return evolve(run.seen, draft=draft or Not.THERE)
            case Look.FENCE:
                return evolve(run.seen, is_fenced=await self._returns.is_fenced(key))

    async def _save_end(self, document: SupplierDocument, seen: Seen) -> None:
        """Put an end on record; where that fails, a post without an answer is what people have to know of."""
        try:
            await self._save(document)
        except SessionExpired:
            raise
        except ServiceError as error:
            is_lost = isinstance(seen.outcome, Unknown) and document.state is DocumentState.UNCERTAIN
            if not is_lost or isinstance(error, OutcomeUnknown):
                raise
            raise OutcomeUnknown from error

    async def _save(self, document: SupplierDocument) -> None:
        planning = with_document(self.planning, document)
        await self._repository.save_progress(planning, doc_ids=(document.doc_id,))

    def _timing(self) -> Timing:
        return Timing(
            now=self._clock.now(),
            uncertain_wait=self._rules.uncertain_wait,
            clock_time=self._rules.clock_time,
        )


def _is_refusal(error: ErpError | ServiceError) -> bool:
    """Whether the ERP will not tell this person, as against not now."""
    return isinstance(error, ErpRefused) and error.status != HTTPStatus.TOO_MANY_REQUESTS
