"""Use cases of execution: one run per planning at a time, which continues if the browser disconnects."""

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
from supplier_returns.execution.record import RunRecord
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.repeats import refused_again
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.sent_content import to_prepare
from supplier_returns.execution.run import Run
from supplier_returns.execution.run_handle import RunHandle
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.execution.start_checks import (
    check_documents_exist,
    check_executable,
    check_ready,
    documents_to_execute,
)
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
    """Executes, reprocesses and closes plannings. The process has one instance.

    Args:
        context: context that all runs share.
        locks: the plannings' locks, shared with planning.
        sessions: store that removes a session if the ERP ends it during an execution.
    """

    _context: RunContext
    _locks: KeyedLocks
    _sessions: WebSessionStore
    _runs: dict[int, RunHandle] = field(init=False, factory=dict)

    def __len__(self) -> int:
        """Return the number of running executions."""
        return len(self._runs)

    def is_running(self, planning_id: int) -> bool:
        """Return whether an execution of this planning runs in this process."""
        return planning_id in self._runs

    def stop(self) -> None:
        """End every execution after its current document."""
        self._context.is_stopping = True

    def execute(
        self, erp: ExecutionSources, planning_id: int, version: int, chosen: Collection[int] | None
    ) -> RunHandle:
        """Start an execution of pending documents.

        Args:
            erp: the user's access to the ERP.
            planning_id: number of the planning.
            version: version that the user sees.
            chosen: documents to execute; None for all pending ones.

        Raises:
            PlanningInExecution: another run of the planning has not ended.
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
        """Start a reprocessing: look up the results of an earlier execution, and process the rest.

        Args:
            erp: the user's access to the ERP.
            planning_id: number of the planning.
            chosen: documents to reprocess; None for all.
            replan: whether to plan failed documents again, under new keys.

        Raises:
            PlanningInExecution: a run of the planning has not ended.
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
        # There is nothing to execute, but the record differs from the ERP.
        if whole or planning.is_state_outdated or reprocessing.planning != actual:
            return await run.record.end(reprocessing.planning, whole=whole)
        return planning

    async def close(self, erp: ExecutionSources, planning_id: int, reason: str | None) -> Planning:
        """Close the planning and drop the documents without a return; a closed planning does not change.

        Raises:
            PlanningInExecution: a run of the planning has not ended.
            DocumentsUncertain: it is unknown whether some of its documents exist.
            NotClosed: the documents are dropped, but the record is still open.
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
        """Close a planning; return it, and whether it was open before."""
        if self.is_running(planning_id):
            raise PlanningInExecution
        repository = erp.planning.repository
        async with self._locks.hold(planning_id):
            planning = await repository.get(planning_id)
            if planning.state is PlanningState.CLOSED:
                return planning, False
            # A closed record can't store the result of an uncertain document.
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
            # A separate write: the first may be late while the ERP creates a return, and nothing corrects a
            # closed record.
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
        """Start a run in the background. It continues if the client disconnects.

        Raises:
            PlanningInExecution: another run of the planning has not ended.
        """
        audit = ExecutionAudit.of(action, erp, planning_id)
        # Refuse at once, since waiting for the lock would take as long as the other run.
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
                # The ERP ended the session, so the web session is useless.
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
