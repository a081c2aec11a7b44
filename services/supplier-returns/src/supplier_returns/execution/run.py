"""One run of a planning: takes the steps that the rules decide, and puts the end of each on record.

It keeps nothing in memory that the next run would need: it can be killed between any two steps.
"""

from collections.abc import Callable, Collection, Sequence

import structlog
from attrs import define, evolve, field

from erpclient import ErpError, SessionEnded
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from servicekit.tasks import FollowedTask
from supplier_returns.execution.attempt import Attempt
from supplier_returns.execution.context import Progress, RunContext
from supplier_returns.execution.document_run import DocumentRun
from supplier_returns.execution.errors import FenceRequired
from supplier_returns.execution.lookups import Lookups, found_among
from supplier_returns.execution.policy import ready_documents
from supplier_returns.execution.record import RunRecord
from supplier_returns.execution.rules.comparison import Comparison
from supplier_returns.execution.rules.failures import ErrorClass
from supplier_returns.execution.rules.keys import new_key
from supplier_returns.execution.rules.next_step import Finish, Lookup, RecordAttempt, next_step
from supplier_returns.execution.rules.recheck import Holdings
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.planning.errors import StaleVersion
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.plans import replan_rest, rests_of
from supplier_returns.planning.small_work import run_small_work
from supplier_returns.web.session_errors import SessionExpired

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class Run:
    """One execution or reprocessing of a planning, in one user's session.

    Attributes:
        sources: The user's access to the ERP.
        planning_id: Of the planning.
        record: What it knows of the planning, and writes of it.
        task: What runs in the background; it tells how far the run is and ends with the planning.
        tell: Told of the progress.
    """

    sources: ExecutionSources
    planning_id: int
    _context: RunContext
    record: RunRecord = field(init=False)
    task: FollowedTask[Progress, Planning] = field(init=False)
    tell: Callable[[Progress], None] = field(init=False)
    _lookups: Lookups = field(init=False)
    _fenced: bool = field(init=False, default=False)
    _interruption: ErpError | ServiceError | None = field(init=False, default=None)
    """What kept the run from looking for all documents before it began."""
    _done: int = field(init=False, default=0)
    _total: int = field(init=False, default=0)

    @record.default
    def _create_record(self) -> RunRecord:
        return RunRecord(self.sources, self.planning_id, self._context)

    @_lookups.default
    def _create_lookups(self) -> Lookups:
        return Lookups(self.sources.returns, self.planning_id)

    async def check_nothing_appeared(self) -> None:
        """Look for returns of an earlier run that a late write has hidden.

        Pending documents may hold their goods.

        Raises:
            StaleVersion: There are; they are on record now, for the person to see before anything is sent.
        """
        recorded = self.record.planning
        if recorded.execution is None:
            return
        actual = await self.record.read_actual()
        comparison = Comparison(recorded, actual)
        if comparison.has_new_return or comparison.has_new_hold:
            ended = await self.record.end(actual, whole=True)
            raise StaleVersion(ended.version)

    async def prepare(self, planning: Planning, doc_ids: Collection[int]) -> Planning:
        """Return a planning with what is recorded before these documents are sent."""
        return await run_small_work(self.record.sent_content.prepare, planning, doc_ids, new_key)

    async def carry_out(
        self,
        planning: Planning,
        doc_ids: Sequence[int],
        reprocessing: Reprocessing | None = None,
        *,
        whole: bool = False,
    ) -> Planning:
        """Put the beginning on record, bring the documents to an end, put the end on record.

        A run that stops after the ERP has made something ends with what is on record of it: whatever stopped
        it, "nothing was done" would be untrue.

        Args:
            planning: With keys for the documents that are executed.
            doc_ids: Those documents, in their order.
            reprocessing: What is reprocessed; None where the planning is executed.
            whole: Whether every row is written at the beginning: the ERP knew more than the record.

        Raises:
            FenceRequired: Nothing may be posted without the fence, and it is not up.
            ErpError: The ERP could not be reached; what was recorded before stays.
            OutcomeUnknown: A write got no answer, and that could not be put on record.
            ServiceError: The record could not be written.
        """
        self._fenced = await self.sources.is_fence_up()
        if self._context.rules.needs_fence and not self._fenced:
            raise FenceRequired
        scene = await self.sources.read_scene(planning.header, must_be_open=reprocessing is None)
        holdings = await self.sources.holdings_of(planning, scene) if doc_ids else Holdings.of((), ())
        attempts = Attempt.at_each(planning, doc_ids)
        with_attempts = await self._begin(planning, attempts, whole=whole)
        try:
            if self.record.planning is not with_attempts:
                await self._save_attempts(with_attempts, attempts)
            came_to_all = await self._finish_all(attempts, holdings)
            if reprocessing is not None and came_to_all:
                await self._replan_given_up(reprocessing.given_up, None if doc_ids else scene)
            return await self.record.end(self.record.planning)
        except (SessionEnded, SessionExpired):
            raise
        except (ErpError, ServiceError) as error:
            return await self._stop_early(planning, error)

    async def _begin(self, planning: Planning, attempts: list[Attempt], *, whole: bool) -> Planning:
        """Put the beginning on record; return the planning with the attempts that are recorded at once.

        One write has both, unless the planning is written whole.
        """
        begun = self.record.begun(planning)
        doc_ids = [attempt.before.doc_id for attempt in attempts]
        with_attempts = await self._with_attempts(begun, attempts)
        written = begun if whole else with_attempts
        try:
            await self.sources.record(written, doc_ids=doc_ids, whole=whole)
        except OutcomeUnknown:
            if written is not begun:  # nothing was sent, so the documents stay editable
                self.record.planning = begun
                await self.record.end_if_ours()
            raise
        self.record.planning = written
        return with_attempts

    async def _stop_early(self, before: Planning, error: ErpError | ServiceError) -> Planning:
        """Put on record how far a stopped run came; raise what stopped it, or what people have to know."""
        if isinstance(error, OutcomeUnknown):
            await self.record.end_if_ours()
            raise error
        is_lost = self.record.has_lost_answer()
        ended = await self.record.try_to_end()
        if is_lost:  # it is what people have to know of, whatever else failed
            raise OutcomeUnknown from error
        if not self.record.planning.has_posted_since(before):
            raise error
        if ended is None:
            raise OutcomeUnknown from error
        _log.warning("execution_cut_short", planning=self.planning_id, reason=str(error))
        return ended

    async def _replan_given_up(self, given_up: Collection[int], scene: Scene | None) -> None:
        """Give up what still failed and plan its goods once more, in one write; execute the new documents.

        Args:
            given_up: The documents.
            scene: What is there, where nothing was sent since it was read.
        """
        planning, sources = self.record.planning, self.sources.planning
        batches_refused = {
            each.doc_id for each in planning.documents if each.error_class == ErrorClass.BATCHES.value
        }
        before = planning.giving_up(given_up, without_picks=batches_refused)
        if before == planning:
            return
        if scene is None or not scene.warehouse.is_active:
            scene = await self.sources.read_scene(before.header, must_be_open=True)
        scene = evolve(scene, lots=await sources.read_picked_lots(before, rests_of(before)))
        planning = await self._context.computing.of(sources.user).plan(replan_rest, before, scene)
        doc_ids = ready_documents(planning, before)
        planning = await self.prepare(planning, doc_ids)
        try:
            await sources.repository.save(planning)
        except OutcomeUnknown:
            self.record.is_plan_known = False
            raise
        self.record.replanned(planning)
        # Each is recorded by itself: where the old document's return appears, those that were not sent wait.
        holdings = await self.sources.holdings_of(planning, scene)
        await self._finish_all(Attempt.at_each(planning, doc_ids), holdings, at_once=False)

    async def _with_attempts(self, planning: Planning, attempts: list[Attempt]) -> Planning:
        """Return what is recorded before anything is posted, where the fence is up: all attempts at once.

        Documents that may have been posted before are looked for first; the run ends before one that could
        not be looked for. A kill then leaves all of them in doubt, and the fence none of them twice. Without
        the fence each attempt is recorded right before its post, so that `UNCERTAIN_WAIT` counts from there.
        """
        if not self._fenced:
            return planning
        at = self.record.now()
        for place, attempt in enumerate(attempts):
            if self._context.is_stopping:
                break
            if attempt.document.attempts and self.record.returns is not None:
                attempt.evidence = found_among(self.record.returns, attempt)
            try:
                while isinstance(
                    step := next_step(attempt.document, attempt.evidence, self._context.timing()), Lookup
                ):
                    attempt.evidence = await self._lookups.look_up(step, attempt)
            except SessionEnded:
                raise
            except (ErpError, ServiceError) as error:
                del attempts[place:]
                self._interruption = error
                break
            if isinstance(step, Finish):
                attempt.finish, attempt.document = step, step.document
            else:
                in_doubt = isinstance(step, RecordAttempt) and step.in_doubt
                attempt.document, attempt.evidence = (
                    attempt.attempt_recorded(at),
                    attempt.evidence.attempt_recorded(at, in_doubt=in_doubt),
                )
        return planning.with_documents(attempt.document for attempt in attempts)

    async def _save_attempts(self, planning: Planning, attempts: Sequence[Attempt]) -> None:
        """Put attempts on record beside a plan that was written whole.

        Not in one write with it: a plan that arrives late has to find its documents unsent, so that they wait
        for people where goods of them went elsewhere meanwhile.
        """
        doc_ids = [attempt.document.doc_id for attempt in attempts if attempt.document != attempt.before]
        if doc_ids:
            await self.record.save(planning, doc_ids)

    async def _finish_all(
        self, attempts: Sequence[Attempt], holdings: Holdings, *, at_once: bool = True
    ) -> bool:
        """Bring documents to an end, one after another, each as far as it can be brought today.

        A second call continues the count.

        Args:
            attempts: The documents, in their order.
            holdings: What was there when the execution began.
            at_once: Whether they are recorded and looked for together where the fence is up.

        Returns:
            Whether it came to all of them.
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
        waiting = list(attempts)
        self._total += len(waiting)
        self.tell(Progress(done=self._done, total=self._total))
        try:
            while waiting:
                if self._context.is_stopping:
                    _log.info("execution_stopped", planning=self.planning_id, left=self._total - self._done)
                    return False
                attempt = waiting.pop(0)
                end = await documents.finish_document(attempt, waiting if self._fenced and at_once else ())
                self._done += 1
                self.tell(Progress(done=self._done, total=self._total, document=end.document))
                if end.stops:
                    return False
        finally:  # those were not sent
            unsent = (attempt.before for attempt in waiting if attempt.finish is None)
            self.record.planning = self.record.planning.with_documents(unsent)
        if self._interruption is not None:
            raise self._interruption
        return True
