"""The use cases of execution: one run of a planning at a time, which goes on when its browser leaves."""

from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any

import attrs
import structlog

from erpclient import ErpError, SessionEnded
from servicekit.clock import Clock
from servicekit.errors import ServiceError
from servicekit.tasks import Following
from supplier_returns.execution.errors import DocumentsUncertain, FenceRequired, NotClosed
from supplier_returns.execution.execution_log import ExecutionAction, ExecutionLog
from supplier_returns.execution.executor import ExecutionRules, Executor, Progress
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.settled import written_at
from supplier_returns.execution.rules.settling import (
    Reprocessing,
    closing,
    finished,
    give_up,
    has_appeared,
    has_made,
    held_back,
    sort_out,
    to_prepare,
    with_keys,
)
from supplier_returns.execution.selection import (
    check_executable,
    check_known,
    check_ready,
    executable,
    pick_ready,
)
from supplier_returns.execution.sources import ExecutionSources, new_key
from supplier_returns.planning.computing import Computing, beside_the_loop
from supplier_returns.planning.errors import PlanningClosed, PlanningInExecution, StaleVersion
from supplier_returns.planning.rules.model import Execution, Planning, PlanningState
from supplier_returns.planning.rules.plans import replan_rest, rests_of
from supplier_returns.planning.rules.policy import is_misstated, open_ended
from supplier_returns.planning.service import KeyedLocks, compute_plan
from supplier_returns.web.session import SessionExpired, SessionSource
from supplier_returns.web.upstream_errors import OutcomeUnknown

_log = structlog.get_logger(__name__)

Run = Following[Progress, Planning]
"""An execution that runs or has run."""


class ExecutionService:
    """Executes, reprocesses and closes plannings. One for the whole process.

    Args:
        rules: Of the installation.
        computing: Where what takes long is computed.
        locks: Of the plannings, shared with planning.
        clock: Time.
        sessions: Told when the ERP no longer knows a person's session while an execution runs in it.
        make_key: Makes a document's key of the planning and the document's number.
    """

    def __init__(
        self,
        *,
        rules: ExecutionRules,
        computing: Computing,
        locks: KeyedLocks,
        clock: Clock,
        sessions: SessionSource,
        make_key: Callable[[Planning, int], str] = new_key,
    ) -> None:
        self._rules = rules
        self._computing = computing
        self._locks = locks
        self._clock = clock
        self._sessions = sessions
        self._make_key = make_key
        self._runs: dict[int, Run] = {}
        self._read: dict[int, Planning] = {}
        self._executors: dict[int, Executor] = {}
        self._stopping = False

    def __len__(self) -> int:
        """Return how many executions run."""
        return len(self._runs)

    def is_running(self, planning_id: int) -> bool:
        """Tell whether an execution of this planning runs in this process."""
        return planning_id in self._runs

    def so_far(self, planning_id: int) -> Planning | None:
        """Return a planning as its execution has brought it until now, None where it has not read it yet."""
        executor = self._executors.get(planning_id)
        return self._read.get(planning_id) if executor is None else executor.planning

    def stop(self) -> None:
        """Let every execution end after the document that it is at."""
        self._stopping = True

    def execute(
        self, at: ExecutionSources, planning_id: int, version: int, chosen: Collection[int] | None
    ) -> Run:
        """Begin to execute what was planned.

        Args:
            at: The user's access to the ERP.
            planning_id: Which.
            version: The version that the person has seen.
            chosen: Only these documents, None for all that wait.

        Raises:
            PlanningInExecution: It is being executed already.
        """

        async def work(tell: Callable[[Progress], None]) -> Planning:
            planning = await self._read_planning(at, planning_id)
            check_executable(planning, version)
            await self._check_nothing_appeared(at, planning)
            doc_ids = executable(planning, chosen)
            check_ready(planning, doc_ids)
            planning = await self._prepared(planning, doc_ids)
            return await self._carry_out(at, planning, doc_ids, tell)

        return self._start(ExecutionAction.EXECUTE, at, planning_id, work)

    def reprocess(
        self, at: ExecutionSources, planning_id: int, chosen: Collection[int] | None, *, replan: bool
    ) -> Run:
        """Begin to find out what became of an execution, and to do what is left of it.

        Args:
            at: The user's access to the ERP.
            planning_id: Which.
            chosen: Only these documents, None for all.
            replan: Make what failed anew, under new keys.

        Raises:
            PlanningInExecution: It is being executed.
        """

        async def work(tell: Callable[[Progress], None]) -> Planning:
            planning = await self._read_planning(at, planning_id)
            if planning.state is PlanningState.CLOSED:
                raise PlanningClosed
            check_known(planning, chosen)
            known = held_back(planning, reconcile(planning, await at.returns.find_all(planning_id)))
            sorted_out = sort_out(known, chosen, replan=replan)
            whole = known != planning
            if sorted_out.resume or sorted_out.given_up:
                again = to_prepare(sorted_out.planning, sorted_out.resume)
                begun = await self._prepared(sorted_out.planning, again)
                return await self._carry_out(at, begun, sorted_out.resume, tell, sorted_out, whole=whole)
            if whole or is_misstated(planning) or sorted_out.planning != known:
                return await self._end(at, sorted_out.planning, whole=whole)
            return planning

        return self._start(ExecutionAction.REPROCESS, at, planning_id, work)

    async def close(self, at: ExecutionSources, planning_id: int, reason: str | None) -> Planning:
        """Drop what was not made, and close the planning; one that is closed stays as it is.

        Raises:
            PlanningInExecution: It is being executed.
            DocumentsUncertain: Nobody knows yet whether some of its documents exist.
            NotClosed: What was not made is dropped, and the record still open.
        """
        log = _log_of(ExecutionAction.CLOSE, at, planning_id)
        try:
            with at.session.finishing():
                planning, is_new = await self._close(at, planning_id, reason)
        except Exception as error:
            log.failed(error)
            raise
        if is_new:
            log.ended(planning)
        return planning

    async def _close(
        self, at: ExecutionSources, planning_id: int, reason: str | None
    ) -> tuple[Planning, bool]:
        """Close a planning; tell whether it was still open."""
        if self.is_running(planning_id):
            raise PlanningInExecution
        repository = at.planning.repository
        async with self._locks.hold(planning_id):
            planning = await repository.get(planning_id)
            if planning.state is PlanningState.CLOSED:
                return planning, False
            uncertain = open_ended(planning.documents)
            if uncertain:
                raise DocumentsUncertain(uncertain)
            known = reconcile(planning, await at.returns.find_all(planning_id))
            whole = known != planning
            planning = attrs.evolve(
                closing(finished(known)),
                version=planning.version + 1,
                closed_by=at.planning.user,
                close_reason=reason,
            )
            doc_ids = tuple(document.doc_id for document in planning.documents)
            await at.record(planning, doc_ids=doc_ids, with_lines=True, whole=whole)
            # Not with it: what is closed is never put right, and a return may be made while a write is late.
            try:
                await repository.close(planning_id)
            except (SessionExpired, OutcomeUnknown):
                raise
            except ServiceError as error:
                raise NotClosed(error) from error
        return attrs.evolve(planning, state=PlanningState.CLOSED, is_open=False), True

    # --- one run

    def _start(
        self,
        action: ExecutionAction,
        at: ExecutionSources,
        planning_id: int,
        work: Callable[[Callable[[Progress], None]], Coroutine[Any, Any, Planning]],
    ) -> Run:
        log = _log_of(action, at, planning_id)
        if planning_id in self._runs:
            log.failed(PlanningInExecution())
            raise PlanningInExecution

        async def run(tell: Callable[[Progress], None]) -> Planning:
            try:
                with at.session.finishing():
                    async with self._locks.hold(planning_id):
                        planning = await work(tell)
            except (ErpError, ServiceError) as error:
                if isinstance(error, SessionEnded | SessionExpired):
                    self._sessions.end(at.session)
                log.failed(error)
                raise
            except Exception as error:
                log.failed(error)
                raise
            finally:
                del self._runs[planning_id]
                self._read.pop(planning_id, None)
                self._executors.pop(planning_id, None)
            log.ended(planning)
            return planning

        following: Run = Following(run)
        self._runs[planning_id] = following
        return following

    async def _read_planning(self, at: ExecutionSources, planning_id: int) -> Planning:
        """Read a planning and keep it for those who ask: the session itself may be busy for long."""
        planning = await at.planning.repository.get(planning_id)
        self._read[planning_id] = planning
        return planning

    async def _check_nothing_appeared(self, at: ExecutionSources, planning: Planning) -> None:
        """Look for returns of an earlier run that a late write has hidden: what waits may hold their goods.

        Raises:
            StaleVersion: There are; they are on record now, for the person to see before anything is sent.
        """
        if planning.execution is None:
            return
        known = held_back(planning, reconcile(planning, await at.returns.find_all(planning.id)))
        if has_appeared(planning, known):
            told = await self._end(at, known, whole=True)
            raise StaleVersion(told.version)

    async def _carry_out(
        self,
        at: ExecutionSources,
        planning: Planning,
        doc_ids: Sequence[int],
        tell: Callable[[Progress], None],
        sorted_out: Reprocessing | None = None,
        *,
        whole: bool = False,
    ) -> Planning:
        """Put the beginning on record, bring the documents to an end, put the end on record.

        A run that stops after the ERP has made something is told by what is on record of it: whatever stopped
        it, "nothing was done" would be untrue.

        `whole` has every row written at the beginning: the ERP knew more than the record.
        """
        fenced = await at.is_fence_up()
        if self._rules.needs_fence and not fenced:
            raise FenceRequired
        scene = await at.read_scene(planning.header, must_be_open=sorted_out is None)
        holdings = await at.holdings_of(planning, scene)
        planning = self._begun(planning, at)
        await at.record(planning, doc_ids=doc_ids, whole=whole)
        executor = Executor(
            returns=at.returns,
            repository=at.planning.repository,
            planning=planning,
            rules=self._rules,
            clock=self._clock,
            tell=tell,
            stopping=lambda: self._stopping,
        )
        self._executors[planning.id] = executor
        try:
            came_to_all = await executor.run(doc_ids, holdings, fenced=fenced)
            if sorted_out is not None and came_to_all:
                await self._make_anew(at, executor, sorted_out.given_up, fenced=fenced)
            return await self._end(at, executor.planning)
        except (SessionEnded, SessionExpired):
            raise
        except (ErpError, ServiceError) as error:
            ended = await self._try_to_end(at, executor)
            if isinstance(error, OutcomeUnknown) or not has_made(planning, executor.planning):
                raise
            if ended is None:
                raise OutcomeUnknown from error
            _log.warning("execution_cut_short", planning=planning.id, reason=str(error))
            return ended

    async def _make_anew(
        self, at: ExecutionSources, executor: Executor, given_up: Collection[int], *, fenced: bool
    ) -> None:
        """Give up what still failed and plan its goods once more, in one write; execute the new documents."""
        before = give_up(executor.planning, given_up)
        if before == executor.planning:
            return
        scene = await at.read_scene(before.header, must_be_open=True)
        scene = attrs.evolve(scene, lots=await at.planning.read_picked_lots(before, rests_of(before)))
        planning = await compute_plan(self._computing.of(at.planning.user), replan_rest, before, scene)
        doc_ids = pick_ready(planning, before)
        planning = await self._prepared(planning, doc_ids)
        try:
            await at.planning.repository.save(planning)
        except OutcomeUnknown:
            executor.is_plan_known = False
            raise
        executor.planning = planning
        holdings = await at.holdings_of(planning, scene)
        await executor.run(doc_ids, holdings, fenced=fenced)

    async def _prepared(self, planning: Planning, doc_ids: Collection[int]) -> Planning:
        """Return a planning with what is recorded before these documents are sent."""
        return await beside_the_loop(with_keys, planning, doc_ids, self._make_key, self._rules.fields)

    def _begun(self, planning: Planning, at: ExecutionSources) -> Planning:
        return attrs.evolve(
            planning,
            state=PlanningState.RUNNING,
            version=planning.version + 1,
            execution=Execution(
                user=at.planning.user, request_id=at.request_id, began=written_at(self._clock.now())
            ),
        )

    async def _end(
        self,
        at: ExecutionSources,
        planning: Planning,
        *,
        whole: bool = False,
    ) -> Planning:
        """Put the end on record: the state, and all documents and lines that it is said of.

        An older write may have come in late since this run wrote a document, or read one that it left alone;
        what says that the planning is done says of what, too.
        """
        execution = planning.execution
        planning = attrs.evolve(
            finished(planning),
            version=planning.version + 1,
            execution=None
            if execution is None
            else attrs.evolve(execution, ended=written_at(self._clock.now())),
        )
        doc_ids = tuple(document.doc_id for document in planning.documents)
        await at.record(planning, doc_ids=doc_ids, with_lines=True, whole=whole)
        return planning

    async def _try_to_end(self, at: ExecutionSources, executor: Executor) -> Planning | None:
        """Put on record how far it came; where that can't be done, the record says that it was cut off."""
        if not executor.is_plan_known:
            return None
        try:
            return await self._end(at, executor.planning)
        except (ErpError, ServiceError) as error:
            _log.warning("execution_end_not_recorded", planning=executor.planning.id, reason=str(error))
            return None


def _log_of(action: ExecutionAction, at: ExecutionSources, planning_id: int) -> ExecutionLog:
    return ExecutionLog(action, at.planning.user, at.ip, planning_id)
