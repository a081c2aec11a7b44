"""The use cases of execution: one run of a planning at a time, which goes on when its browser leaves."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial

import attrs
from attrs import define, field

from erpclient import ErpError, SessionEnded
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from servicekit.tasks import FollowedTask
from supplier_returns.execution.audit import ExecutionAudit
from supplier_returns.execution.context import Progress, RunContext
from supplier_returns.execution.errors import (
    DocumentsUncertain,
    NotClosed,
)
from supplier_returns.execution.policy import (
    check_documents_exist,
    check_executable,
    check_ready,
    documents_to_execute,
)
from supplier_returns.execution.record import RunRecord
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.repeats import refused_again
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.sent_content import to_prepare
from supplier_returns.execution.run import Run
from supplier_returns.execution.run_handle import RunHandle
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.planning.errors import PlanningClosed, PlanningInExecution
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import PlanningState
from supplier_returns.planning.small_work import run_small_work
from supplier_returns.web.audit_log import Action
from supplier_returns.web.session_errors import SessionExpired
from supplier_returns.web.session_store import WebSessionStore


@define(eq=False, repr=False)
class ExecutionService:
    """Executes, reprocesses and closes plannings. One for the whole process.

    Args:
        context: What every run is told.
        locks: Of the plannings, shared with planning.
        sessions: Told when the ERP no longer knows a person's session while an execution runs in it.
    """

    _context: RunContext
    _locks: KeyedLocks
    _sessions: WebSessionStore
    _runs: dict[int, RunHandle] = field(init=False, factory=dict)

    def __len__(self) -> int:
        """Return how many executions run."""
        return len(self._runs)

    def is_running(self, planning_id: int) -> bool:
        """Tell whether an execution of this planning runs in this process."""
        return planning_id in self._runs

    def stop(self) -> None:
        """Let every execution end after the document that it is at."""
        self._context.is_stopping = True

    def execute(
        self, erp: ExecutionSources, planning_id: int, version: int, chosen: Collection[int] | None
    ) -> RunHandle:
        """Begin to execute what was planned.

        Args:
            erp: The user's access to the ERP.
            planning_id: Which.
            version: The version that the person has seen.
            chosen: Only these documents, None for all that wait.

        Raises:
            PlanningInExecution: It is being executed already.
        """
        work = partial(self._execute, version=version, chosen=chosen)
        return self._start(Action.EXECUTE, erp, planning_id, work)

    async def _execute(self, run: Run, version: int, chosen: Collection[int] | None) -> Planning:
        planning = await run.record.read()
        check_executable(planning, version)
        await run.check_nothing_appeared()
        doc_ids = documents_to_execute(planning, chosen)
        check_ready(planning, doc_ids, self._context.rules.fields.custom)
        return await run.carry_out(await run.prepare(planning, doc_ids), doc_ids)

    def reprocess(
        self, erp: ExecutionSources, planning_id: int, chosen: Collection[int] | None, *, replan: bool
    ) -> RunHandle:
        """Begin to find out what became of an execution, and to do what is left of it.

        Args:
            erp: The user's access to the ERP.
            planning_id: Which.
            chosen: Only these documents, None for all.
            replan: Make what failed anew, under new keys.

        Raises:
            PlanningInExecution: It is being executed.
        """
        work = partial(self._reprocess, chosen=chosen, replan=replan)
        return self._start(Action.REPROCESS, erp, planning_id, work)

    async def _reprocess(self, run: Run, chosen: Collection[int] | None, *, replan: bool) -> Planning:
        planning = await run.record.read()
        if planning.state is PlanningState.CLOSED:
            raise PlanningClosed
        check_documents_exist(planning, chosen)
        actual = await run.record.read_actual()
        repeated = await run_small_work(refused_again, actual, self._context.rules.fields)
        reprocessing = Reprocessing.of(actual, chosen, replan=replan, repeated=repeated)
        whole = actual != planning
        if reprocessing.resume or reprocessing.given_up:
            unprepared = to_prepare(reprocessing.planning, reprocessing.resume)
            prepared = await run.prepare(reprocessing.planning, unprepared)
            return await run.carry_out(prepared, reprocessing.resume, reprocessing, whole=whole)
        if whole or planning.is_misstated or reprocessing.planning != actual:
            return await run.record.end(reprocessing.planning, whole=whole)
        return planning

    async def close(self, erp: ExecutionSources, planning_id: int, reason: str | None) -> Planning:
        """Drop what was not made, and close the planning; one that is closed stays as it is.

        Raises:
            PlanningInExecution: It is being executed.
            DocumentsUncertain: Nobody knows yet whether some of its documents exist.
            NotClosed: What was not made is dropped, and the record still open.
        """
        audit = ExecutionAudit.of(Action.CLOSE, erp, planning_id)
        try:
            with erp.session.finishing():
                planning, is_new = await self._close(erp, planning_id, reason)
        except Exception as error:
            audit.failed(error)
            raise
        if is_new:
            audit.ended(planning)
        return planning

    async def _close(
        self, erp: ExecutionSources, planning_id: int, reason: str | None
    ) -> tuple[Planning, bool]:
        """Close a planning; tell whether it was still open."""
        if self.is_running(planning_id):
            raise PlanningInExecution
        repository = erp.planning.repository
        async with self._locks.hold(planning_id):
            planning = await repository.get(planning_id)
            if planning.state is PlanningState.CLOSED:
                return planning, False
            uncertain = planning.unresolved
            if uncertain:
                raise DocumentsUncertain(members={"documentos": list(uncertain)})
            actual = reconcile(planning, await erp.returns.find_all(planning_id))
            whole = actual != planning
            planning = attrs.evolve(
                actual.with_states().closed(),
                version=planning.version + 1,
                closed_by=erp.planning.user,
                close_reason=reason,
            )
            doc_ids = tuple(document.doc_id for document in planning.documents)
            await erp.record(planning, doc_ids=doc_ids, with_lines=True, whole=whole)
            # Not with it: what is closed is never put right, and a return may be made while a write is late.
            try:
                await repository.close(planning_id)
            except (SessionExpired, OutcomeUnknown):
                raise
            except ServiceError as error:
                raise NotClosed(upstream=error.upstream) from error
        return attrs.evolve(planning, state=PlanningState.CLOSED, is_open=False), True

    def _start(
        self,
        action: Action,
        erp: ExecutionSources,
        planning_id: int,
        work: Callable[[Run], Awaitable[Planning]],
    ) -> RunHandle:
        """Start a run in the background; it goes on when the client disconnects.

        Raises:
            PlanningInExecution: Another run of the planning has not ended.
        """
        audit = ExecutionAudit.of(action, erp, planning_id)
        if planning_id in self._runs:
            audit.failed(PlanningInExecution())
            raise PlanningInExecution
        record = RunRecord(erp, planning_id, self._context, partial(self._locks.has_unanswered, planning_id))
        handle = RunHandle(record, FollowedTask(partial(self._run, erp, planning_id, record, audit, work)))
        self._runs[planning_id] = handle
        return handle

    async def _run(
        self,
        erp: ExecutionSources,
        planning_id: int,
        record: RunRecord,
        audit: ExecutionAudit,
        work: Callable[[Run], Awaitable[Planning]],
        report: Callable[[Progress], None],
    ) -> Planning:
        """Do the work of a run under the planning's lock, and audit its outcome."""
        run = Run(erp, planning_id, self._context, record, report)
        try:
            with erp.session.finishing():
                async with self._locks.hold(planning_id):
                    planning = await work(run)
        except (ErpError, ServiceError) as error:
            if isinstance(error, SessionEnded | SessionExpired):
                self._sessions.end(erp.session)
            audit.failed(error)
            raise
        except Exception as error:
            audit.failed(error)
            raise
        finally:
            del self._runs[planning_id]
        audit.ended(planning)
        return planning
