"""One run of a planning. It performs the steps that the rules decide, and records each result.

A run keeps nothing in memory that the next run needs, so a kill between any two steps is safe.
"""

from collections.abc import Callable, Collection, Sequence

import structlog
from attrs import define, evolve, field

from erpclient import ErpError, SessionEnded
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from supplier_returns.execution.attempt import Attempt
from supplier_returns.execution.context import Progress, RunContext
from supplier_returns.execution.document_run import DocumentRun
from supplier_returns.execution.errors import FenceRequired
from supplier_returns.execution.lookups import Lookups
from supplier_returns.execution.record import RunRecord
from supplier_returns.execution.rules.comparison import Comparison
from supplier_returns.execution.rules.failures import ErrorClass
from supplier_returns.execution.rules.keys import new_key
from supplier_returns.execution.rules.recheck import Holdings
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.run_start import RunStart, start_together
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.execution.start_checks import ready_documents
from supplier_returns.planning.errors import StaleVersion
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.plans import remainders_of, replan_remainders
from supplier_returns.planning.small_work import run_small_work
from supplier_returns.web.session_errors import SessionExpired

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class Run:
    """One execution or reprocessing of a planning, in one user's session.

    Attributes:
        sources: the user's access to the ERP.
        record: current state of the planning, and its writes.
        report: publishes the progress.
    """

    sources: ExecutionSources
    planning_id: int
    _context: RunContext
    record: RunRecord
    report: Callable[[Progress], None]
    _lookups: Lookups = field(init=False)
    _fenced: bool = field(init=False, default=False)
    _done: int = field(init=False, default=0)
    _total: int = field(init=False, default=0)

    @_lookups.default
    def _create_lookups(self) -> Lookups:
        return Lookups(self.sources.returns, self.planning_id)

    async def check_nothing_appeared(self) -> None:
        """Look up returns of an earlier run that a late write has hidden.

        Pending documents may contain the same goods.

        Raises:
            StaleVersion: the lookup found some. They are recorded now, so that you see them before a post.
        """
        recorded = self.record.planning
        # Without an earlier execution, the planning has no returns.
        if recorded.execution is None:
            return
        actual = await self.record.read_actual()
        comparison = Comparison(recorded, actual)
        if comparison.has_new_return or comparison.has_new_hold:
            ended = await self.record.end(actual, whole=True)
            raise StaleVersion(ended.version)

    async def prepare(self, planning: Planning, doc_ids: Collection[int]) -> Planning:
        """Return the planning with the content and keys that must be recorded before these posts."""
        return await run_small_work(self.record.sent_content.prepare, planning, doc_ids, new_key)

    async def carry_out(
        self,
        planning: Planning,
        doc_ids: Sequence[int],
        reprocessing: Reprocessing | None = None,
        *,
        whole: bool = False,
    ) -> Planning:
        """Record the start, process the documents, record the end.

        An error after the ERP created a return does not fail the run, because the response must not deny
        that. The run then ends with the planning as it is recorded.

        Args:
            planning: planning with keys for these documents.
            doc_ids: documents to process, in their order.
            reprocessing: decisions of a reprocessing; None for an execution.
            whole: True writes every row at the start, because the ERP had more than the record.

        Raises:
            FenceRequired: the installation requires the fence, and it is not up.
            ErpError: the ERP is unreachable; earlier writes remain.
            OutcomeUnknown: a write got no reply, and the run could not record that.
            ServiceError: the record could not be written.
        """
        self._fenced = await self.sources.is_fence_up()
        if self._context.rules.needs_fence and not self._fenced:
            raise FenceRequired
        snapshot = await self.sources.read_snapshot(planning.header, must_be_open=reprocessing is None)
        # Without documents to post, there is nothing to compare with the stock.
        holdings = await self.sources.holdings_of(planning, snapshot) if doc_ids else Holdings.of((), ())
        start = await self._begin(planning, Attempt.at_each(planning, doc_ids), whole=whole)
        try:
            if whole:
                await self._save_attempts(start)
            is_complete = await self._finish_all(start.attempts, holdings)
            # The documents before the failed lookup are processed, so the error can end the run now.
            if is_complete and start.lookup_error is not None:
                raise start.lookup_error
            if reprocessing is not None and is_complete:
                await self._replan_given_up(reprocessing.given_up, None if doc_ids else snapshot)
            return await self.record.end(self.record.planning)
        # Nothing more can be written without a session. Another session reads the record as it is.
        except (SessionEnded, SessionExpired):
            raise
        except (ErpError, ServiceError) as error:
            return await self._stop_early(planning, error)

    async def _begin(self, planning: Planning, attempts: Sequence[Attempt], *, whole: bool) -> RunStart:
        """Record the start of the run.

        The same write records the attempts, unless the planning is written whole. Without the fence each
        attempt is recorded right before its post, so that `UNCERTAIN_WAIT` counts from there.
        """
        begun = self.record.begun(planning)
        start = RunStart(begun, tuple(attempts))
        if self._fenced:
            start = await start_together(
                begun, attempts, record=self.record, lookups=self._lookups, context=self._context
            )
        # A whole write keeps the documents unsent. A separate write records their attempts.
        written = begun if whole else start.planning
        doc_ids = [attempt.before.doc_id for attempt in attempts]
        try:
            await self.sources.record(written, doc_ids=doc_ids, whole=whole)
        except OutcomeUnknown:
            # Nothing was sent, so the marked documents stay editable.
            if self._fenced and not whole:
                self.record.planning = begun
                await self.record.end_if_ours()
            raise
        self.record.planning = written
        return start

    async def _stop_early(self, before: Planning, error: ErpError | ServiceError) -> Planning:
        """Record the end of a run that failed. Raise its error, or a more important one."""
        if isinstance(error, OutcomeUnknown):
            await self.record.end_if_ours()
            raise error
        has_lost_reply = self.record.has_lost_answer()
        ended = await self.record.try_to_end()
        # The most important error: a return may exist that the record does not show.
        if has_lost_reply:
            raise OutcomeUnknown from error
        if not self.record.planning.has_posted_since(before):
            raise error
        if ended is None:
            raise OutcomeUnknown from error
        _log.warning("execution_cut_short", planning=self.planning_id, reason=str(error))
        return ended

    async def _replan_given_up(self, given_up: Collection[int], snapshot: WarehouseSnapshot | None) -> None:
        """Give up failed documents and plan their goods again, in one write; then execute the new documents.

        Args:
            given_up: documents to give up.
            snapshot: stock and receipts, if nothing was sent since they were read.
        """
        planning, sources = self.record.planning, self.sources.planning
        with_refused_batches = {
            # Picks that the ERP refused would fail again, so the user has to pick others.
            each.doc_id
            for each in planning.documents
            if each.error_class == ErrorClass.BATCHES.value
        }
        before = planning.without_given_up(given_up, without_picks=with_refused_batches)
        if before == planning:
            return
        if snapshot is None or not snapshot.warehouse.is_active:
            snapshot = await self.sources.read_snapshot(before.header, must_be_open=True)
        snapshot = evolve(snapshot, lots=await sources.read_picked_lots(before, remainders_of(before)))
        planning = await self._context.computing.of(sources.user).plan(replan_remainders, before, snapshot)
        doc_ids = ready_documents(planning, before)
        planning = await self.prepare(planning, doc_ids)
        try:
            await sources.repository.save(planning)
        except OutcomeUnknown:
            self.record.is_plan_known = False
            raise
        self.record.replanned(planning)
        # Separate records: if the old document's return appears, the unsent documents are still pending.
        holdings = await self.sources.holdings_of(planning, snapshot)
        await self._finish_all(Attempt.at_each(planning, doc_ids), holdings, at_once=False)

    async def _save_attempts(self, start: RunStart) -> None:
        """Record the attempts after a planning that was written whole.

        The two are separate writes: if the planning arrives late, its documents must be unsent there, so that
        you can still change them where their goods went elsewhere in the meantime.
        """
        doc_ids = [each.document.doc_id for each in start.attempts if each.document != each.before]
        if doc_ids:
            await self.record.save(start.planning, doc_ids)

    async def _finish_all(
        self, attempts: Sequence[Attempt], holdings: Holdings, *, at_once: bool = True
    ) -> bool:
        """Process documents one after another. A second call continues the count.

        Args:
            attempts: documents, in their order.
            holdings: stock and receipts at the start of the execution.
            at_once: whether one write and one lookup cover all of them, if the fence is up.

        Returns:
            True if the run processed all of them.
        """
        documents = DocumentRun(
            self.sources.returns,
            self._lookups,
            self.record,
            self._context,
            holdings,
            fenced=self._fenced,
            planning_id=self.planning_id,
        )
        pending = list(attempts)
        self._total += len(pending)
        self.report(Progress(done=self._done, total=self._total))
        try:
            while pending:
                if self._context.is_stopping:
                    _log.info("execution_stopped", planning=self.planning_id, left=self._total - self._done)
                    return False
                attempt = pending.pop(0)
                end = await documents.finish_document(attempt, pending if self._fenced and at_once else ())
                self._done += 1
                self.report(Progress(done=self._done, total=self._total, document=end.document))
                if end.stops:
                    return False
        finally:
            # The pending documents were not sent, so restore their state from before the common write.
            unsent = (attempt.before for attempt in pending if attempt.finish is None)
            self.record.planning = self.record.planning.with_documents(unsent)
        return True
