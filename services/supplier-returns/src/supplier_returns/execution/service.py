"""The use cases of execution: one run of a planning at a time, which goes on when its browser leaves."""

from collections.abc import Callable, Collection, Coroutine, Iterable
from http import HTTPStatus
from typing import Any, Final

import attrs
from attrs import define, field, frozen

from erpclient import ErpError, SessionEnded
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from servicekit.tasks import FollowedTask
from supplier_returns.execution.errors import (
    BatchesRequired,
    BinsUnsupported,
    DocumentNotFound,
    DocumentNotPending,
    DocumentsUncertain,
    ExecutionInterrupted,
    NotClosed,
    NothingToReturn,
    ReturnFieldsRequired,
)
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.repeats import refused_again
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.sent_content import to_prepare
from supplier_returns.execution.run import ErpAccess, Progress, Run, RunContext
from supplier_returns.planning.computing import beside_the_loop
from supplier_returns.planning.errors import PlanningClosed, PlanningInExecution, StaleVersion
from supplier_returns.planning.rules.asked_fields import AskedField, lacking
from supplier_returns.planning.rules.model import Planning
from supplier_returns.planning.rules.states import DocumentState, PlanningState
from supplier_returns.planning.service import KeyedLocks
from supplier_returns.web.audit_log import Action, Result, audit
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.session import SessionExpired, WebSessionStore

_RESOURCE: Final = "planificaciones"


@frozen
class ExecutionLog:
    """Writes the line of one execution, reprocessing or closing.

    Attributes:
        user: ERP user code.
        ip: Of the person's browser.
        planning_id: Of the planning.
    """

    action: Action
    user: str
    ip: str
    planning_id: int

    def ended(self, planning: Planning) -> None:
        """Tell that it came to its end; single documents may have failed, which the planning's state says."""
        self._write(Result.OK, detail={"state": planning.state.value})

    def failed(self, error: Exception) -> None:
        """Tell why it did not; an error that nobody expected with its trace."""
        match error:
            case OutcomeUnknown():
                self._write(Result.UNKNOWN, reason=error.code)
            case SessionExpired():
                self._write(Result.ERROR, reason=error.code)
            case ServiceError():
                was_refused = error.status < HTTPStatus.INTERNAL_SERVER_ERROR
                result = Result.DENIED if was_refused else Result.ERROR
                self._write(result, reason=error.code)
            case ErpError():  # of a read: what a write meets is translated where it is made
                reason = upstream_service_error(error).code
                self._write(Result.ERROR, reason=reason, cause=str(error))
            case _:
                self._write(Result.ERROR, reason="internal_error", exc_info=error)

    def _write(self, result: Result, **facts: object) -> None:
        key = str(self.planning_id)
        audit(self.action, result, user=self.user, ip=self.ip, resource=_RESOURCE, key=key, **facts)


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
    _runs: dict[int, Run] = field(init=False, factory=dict)

    def __len__(self) -> int:
        """Return how many executions run."""
        return len(self._runs)

    def is_running(self, planning_id: int) -> bool:
        """Tell whether an execution of this planning runs in this process."""
        return planning_id in self._runs

    def stop(self) -> None:
        """Let every execution end after the document that it is at."""
        self._context.is_stopping = True

    def execute(self, erp: ErpAccess, planning_id: int, version: int, chosen: Collection[int] | None) -> Run:
        """Begin to execute what was planned.

        Args:
            erp: The user's access to the ERP.
            planning_id: Which.
            version: The version that the person has seen.
            chosen: Only these documents, None for all that wait.

        Raises:
            PlanningInExecution: It is being executed already.
        """

        async def work(run: Run) -> Planning:
            planning = await run.read()
            check_executable(planning, version)
            await run.check_nothing_appeared()
            doc_ids = executable(planning, chosen)
            check_ready(planning, doc_ids, self._context.rules.fields.asked)
            return await run.carry_out(await run.prepared(planning, doc_ids), doc_ids)

        return self._start(Action.EXECUTE, erp, planning_id, work)

    def reprocess(
        self, erp: ErpAccess, planning_id: int, chosen: Collection[int] | None, *, replan: bool
    ) -> Run:
        """Begin to find out what became of an execution, and to do what is left of it.

        Args:
            erp: The user's access to the ERP.
            planning_id: Which.
            chosen: Only these documents, None for all.
            replan: Make what failed anew, under new keys.

        Raises:
            PlanningInExecution: It is being executed.
        """

        async def work(run: Run) -> Planning:
            planning = await run.read()
            if planning.state is PlanningState.CLOSED:
                raise PlanningClosed
            check_known(planning, chosen)
            known = await run.read_known()
            repeated = await beside_the_loop(refused_again, known, self._context.rules.fields)
            sorted_out = Reprocessing.of(known, chosen, replan=replan, repeated=repeated)
            whole = known != planning
            if sorted_out.resume or sorted_out.given_up:
                again = to_prepare(sorted_out.planning, sorted_out.resume)
                prepared = await run.prepared(sorted_out.planning, again)
                return await run.carry_out(prepared, sorted_out.resume, sorted_out, whole=whole)
            if whole or planning.is_misstated or sorted_out.planning != known:
                return await run.end(sorted_out.planning, whole=whole)
            return planning

        return self._start(Action.REPROCESS, erp, planning_id, work)

    async def close(self, erp: ErpAccess, planning_id: int, reason: str | None) -> Planning:
        """Drop what was not made, and close the planning; one that is closed stays as it is.

        Raises:
            PlanningInExecution: It is being executed.
            DocumentsUncertain: Nobody knows yet whether some of its documents exist.
            NotClosed: What was not made is dropped, and the record still open.
        """
        log = _log_of(Action.CLOSE, erp, planning_id)
        try:
            with erp.session.finishing():
                planning, is_new = await self._close(erp, planning_id, reason)
        except Exception as error:
            log.failed(error)
            raise
        if is_new:
            log.ended(planning)
        return planning

    async def _close(self, erp: ErpAccess, planning_id: int, reason: str | None) -> tuple[Planning, bool]:
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
            known = reconcile(planning, await erp.returns.find_all(planning_id))
            whole = known != planning
            planning = attrs.evolve(
                known.with_states().closed(),
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
        erp: ErpAccess,
        planning_id: int,
        work: Callable[[Run], Coroutine[Any, Any, Planning]],
    ) -> Run:
        log = _log_of(action, erp, planning_id)
        if planning_id in self._runs:
            log.failed(PlanningInExecution())
            raise PlanningInExecution
        run = Run(erp, planning_id, self._context)

        async def go(tell: Callable[[Progress], None]) -> Planning:
            run.tell = tell
            try:
                with erp.session.finishing():
                    async with self._locks.hold(planning_id):
                        run.in_doubt = self._locks.has_unanswered(planning_id)
                        planning = await work(run)
            except (ErpError, ServiceError) as error:
                if isinstance(error, SessionEnded | SessionExpired):
                    self._sessions.end(erp.session)
                log.failed(error)
                raise
            except Exception as error:
                log.failed(error)
                raise
            finally:
                del self._runs[planning_id]
            log.ended(planning)
            return planning

        run.task = FollowedTask(go)
        self._runs[planning_id] = run
        return run


def check_executable(planning: Planning, version: int) -> None:
    """Check that a planning may be executed by somebody who has seen this version.

    Raises:
        PlanningClosed: It is closed.
        ExecutionInterrupted: An execution was cut off.
        StaleVersion: It was changed since.
    """
    if planning.state is PlanningState.CLOSED:
        raise PlanningClosed
    if planning.state is PlanningState.RUNNING:
        raise ExecutionInterrupted
    if planning.version != version:
        raise StaleVersion(planning.version)


def check_known(planning: Planning, chosen: Collection[int] | None) -> None:
    """Check that a planning has the documents that somebody chose.

    Raises:
        DocumentNotFound: It has not all of them.
    """
    known = {document.doc_id for document in planning.documents}
    for doc_id in chosen or ():
        if doc_id not in known:
            raise DocumentNotFound(members={"documento": doc_id})


def executable(planning: Planning, chosen: Collection[int] | None) -> tuple[int, ...]:
    """Return the documents to execute, in their order.

    Args:
        planning: As recorded.
        chosen: Only these, None for all that wait.

    Raises:
        DocumentNotFound: It has not all of them.
        DocumentNotPending: One of them was executed before.
        NothingToReturn: None waits.
    """
    check_known(planning, chosen)
    states = {document.doc_id: document.state for document in planning.documents}
    for doc_id in chosen or ():
        if states[doc_id] is not DocumentState.PENDING:
            raise DocumentNotPending(members={"documento": doc_id})
    doc_ids = tuple(
        doc_id
        for doc_id, state in states.items()
        if state is DocumentState.PENDING and (chosen is None or doc_id in chosen)
    )
    if not doc_ids:
        raise NothingToReturn
    return doc_ids


def check_ready(planning: Planning, doc_ids: Collection[int], asked: Iterable[AskedField]) -> None:
    """Check that these documents lack nothing that the ERP or the installation asks for.

    What is asked for can't be filled in any more once a document holds the header; then it is not waited for.

    Raises:
        ReturnFieldsRequired: A required field is not filled in.
        BinsUnsupported: The warehouse keeps its stock in bins.
        BatchesRequired: Batches or serial numbers are not picked.
    """
    if planning.header.has_bins:
        raise BinsUnsupported
    unanswered = lacking(asked, planning.header.return_fields or {})
    if unanswered and not any(document.state.holds_lines for document in planning.documents):
        raise ReturnFieldsRequired(members={"campos": list(unanswered)})
    without_picks = sorted(
        {
            line.line_id
            for line in planning.lines
            if line.lacks_picks and any(part.doc_id in doc_ids for part in line.allocations)
        }
    )
    if without_picks:
        raise BatchesRequired(members={"lineas": without_picks})


def _log_of(action: Action, erp: ErpAccess, planning_id: int) -> ExecutionLog:
    return ExecutionLog(action, erp.planning.user, erp.ip, planning_id)
