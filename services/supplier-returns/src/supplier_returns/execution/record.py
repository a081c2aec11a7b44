"""Record of a run: the current state of its planning, and its writes to the ERP."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

import structlog
from attrs import define, evolve, field

from erpclient import ErpError
from servicekit.errors import ServiceError
from supplier_returns.execution.context import RunContext
from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.comparison import Comparison
from supplier_returns.execution.rules.evidence import Evidence
from supplier_returns.execution.rules.failures import Unknown
from supplier_returns.execution.rules.finding import ErpReturn
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.repeats import with_repeats
from supplier_returns.execution.rules.sent_content import SentContent
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Execution, Planning
from supplier_returns.planning.model.states import DocumentState, PlanningState
from supplier_returns.planning.small_work import run_small_work

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class RunRecord:
    """Current state of the planning in one run, and its writes.

    Args:
        has_unanswered_write: returns True if an earlier write of the planning got no reply and may arrive
            late. The result cannot change while the run holds the planning's lock.

    Attributes:
        planning: planning in its latest state. The stored record may lag behind by one failed write.
        is_read: whether the planning has been read.
        is_plan_known: False after a new plan was written without a reply. It may have replaced this one.
        returns: the planning's returns in the ERP; None before the lookup.
    """

    _sources: ExecutionSources
    _planning_id: int
    _context: RunContext
    _has_unanswered_write: Callable[[], bool]
    planning: Planning = field(init=False)
    is_read: bool = field(init=False, default=False)
    is_plan_known: bool = field(init=False, default=True)
    returns: Sequence[ErpReturn] | None = field(init=False, default=None)
    _differing: frozenset[int] = field(init=False, default=frozenset())
    """Documents that were sent with content other than the recorded one."""
    _unrecorded: dict[int, Evidence] = field(init=False, factory=dict)
    """Documents whose results are not recorded yet."""

    @property
    def sent_content(self) -> SentContent:
        """Comparison of the sent content with the record."""
        return SentContent(self._context.rules.fields)

    @property
    def unrecorded_count(self) -> int:
        """Number of documents whose results are not recorded yet."""
        return len(self._unrecorded)

    async def read(self) -> Planning:
        """Read the planning and keep a copy, which requests use while the session is busy."""
        self.planning = await self._sources.planning.repository.get(self._planning_id)
        self.is_read = True
        return self.planning

    async def read_actual(self) -> Planning:
        """Look up the planning's returns, and return the planning with their state."""
        # The run compares a finished document when it finishes, so only unresolved documents can differ.
        may_differ = set(self.planning.unresolved)
        # A late write or an interrupted run may have changed the lines of any document.
        if self._has_unanswered_write() or self.planning.state is PlanningState.RUNNING:
            may_differ = {document.doc_id for document in self.planning.documents}
        if may_differ:
            differing = await run_small_work(self.sent_content.differing, self.planning)
            self._differing = differing & may_differ
        self.returns = await self._sources.returns.find_all(self._planning_id)
        actual = Comparison(self.planning, reconcile(self.planning, self.returns)).with_holds()
        return actual.with_content_warnings(self._differing)

    def begun(self, planning: Planning) -> Planning:
        """Return the planning as the first write of this run records it."""
        return evolve(
            planning,
            state=PlanningState.RUNNING,
            version=planning.version + 1,
            execution=Execution(
                user=self._sources.planning.user,
                request_id=self._sources.request_id,
                began=recorded_outcomes.written_at(self.now()),
            ),
        )

    def now(self) -> datetime:
        """Return the present time, aware UTC."""
        return self._context.clock.now()

    def add_result(self, document: SupplierDocument, evidence: Evidence) -> None:
        """Keep the result of a document until the next write."""
        self.planning = self.planning.with_documents([document])
        self._unrecorded[document.doc_id] = evidence

    def replanned(self, planning: Planning) -> None:
        """Replace the plan after its write, which has also recorded every pending result."""
        self.planning = planning
        self._unrecorded.clear()

    async def save(self, planning: Planning, doc_ids: Collection[int]) -> None:
        """Write these documents, and the results that are not recorded yet."""
        await self._sources.record(planning, doc_ids={*doc_ids, *self._unrecorded})
        self.replanned(planning)

    async def end(self, planning: Planning, *, whole: bool = False) -> Planning:
        """Write the end of the run: the state, and all documents and lines.

        An older write may have arrived late, after this run wrote or read a document. So the last write
        includes every document.
        """
        execution = planning.execution
        planning = await run_small_work(with_repeats, planning, self._context.rules.fields)
        # A planning that was never executed has no end to record.
        if execution is not None:
            execution = evolve(execution, ended=recorded_outcomes.written_at(self.now()))
        planning = evolve(
            planning.with_content_warnings(self._differing).with_states(),
            version=planning.version + 1,
            execution=execution,
        )
        await self._save_all(planning, whole=whole)
        return await self._compared_with_record(planning) if self._has_unanswered_write() else planning

    async def try_to_end(self) -> Planning | None:
        """Try to write the end of the run. If that fails, the record shows an interrupted run."""
        # Writing our documents over an unknown plan could mix two plans.
        if not self.is_plan_known:
            return None
        try:
            return await self.end(self.planning)
        except (ErpError, ServiceError) as error:
            _log.warning("execution_end_not_recorded", planning=self._planning_id, reason=str(error))
            return None

    async def end_if_ours(self) -> None:
        """After a write without a reply, write the end of the run, unless another run has written since."""
        try:
            recorded = await self._sources.planning.repository.get(self._planning_id)
        except (ErpError, ServiceError):
            return
        own_execution = self.planning.execution
        # Equal versions alone don't suffice: another run may have written the same number.
        if (recorded.version, recorded.execution) == (self.planning.version, own_execution):
            await self.try_to_end()

    def has_lost_answer(self) -> bool:
        """Return whether a post got no reply and the record does not show that yet."""
        return any(
            isinstance(self._unrecorded[document.doc_id].outcome, Unknown)
            and document.state is DocumentState.UNCERTAIN
            for document in self.planning.documents
            if document.doc_id in self._unrecorded
        )

    async def _save_all(self, planning: Planning, *, whole: bool = False) -> None:
        doc_ids = tuple(document.doc_id for document in planning.documents)
        await self._sources.record(planning, doc_ids=doc_ids, with_lines=True, whole=whole)

    async def _compared_with_record(self, planning: Planning) -> Planning:
        """Write the planning again if a late plan replaced the one whose documents were posted."""
        try:
            recorded = await self._sources.planning.repository.get(self._planning_id)
            merged = await run_small_work(self.sent_content.merge, planning, recorded)
            # The record already contains our state.
            if merged == recorded:
                return merged
            # A version above both, so that the users of either one have to reload.
            merged = evolve(merged, version=max(planning.version, recorded.version) + 1)
            await self._save_all(merged)
        except (ErpError, ServiceError) as error:
            _log.warning("record_not_compared", planning=self._planning_id, reason=str(error))
            return planning
        return merged
