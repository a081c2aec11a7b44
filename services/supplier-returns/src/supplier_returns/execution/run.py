"""One run of a planning: takes the steps that the rules decide, and puts the end of each on record.

It keeps nothing in memory that the next run would need: it can be killed between any two steps.
"""

import hashlib
from collections.abc import Callable, Collection, Coroutine, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final

import structlog
from attrs import define, evolve, field, frozen

from erpclient import ErpError, ErpRefused, SessionEnded
from servicekit.clock import Clock
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from servicekit.tasks import FollowedTask
from supplier_returns.execution.errors import FenceRequired
from supplier_returns.execution.returns import ErpReturns
from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.comparison import Comparison
from supplier_returns.execution.rules.failures import DUPLICATE_CODE, ErrorClass, Posted, Refused, Unknown
from supplier_returns.execution.rules.finding import (
    ErpReturn,
    document_name,
    identify,
    name_of,
    standing_draft,
)
from supplier_returns.execution.rules.next_step import (
    Check,
    Evidence,
    FailedLookup,
    KeyUse,
    Lookup,
    Mark,
    Missing,
    Post,
    PostAlone,
    Settle,
    Stage,
    Timing,
    UnsettledStep,
    UseUp,
    can_do_without,
    next_step,
)
from supplier_returns.execution.rules.recheck import Holdings, Problem, Taken, find_problem, has_other_prices
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.repeats import with_repeats
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.return_body import (
    DocumentLines,
    ReturnFields,
    lines_by_document,
    write_return,
)
from supplier_returns.execution.rules.sent_content import SentContent
from supplier_returns.planning.computing import Computing, beside_the_loop
from supplier_returns.planning.errors import StaleVersion, UnknownWarehouse
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.model import (
    Execution,
    Planning,
    PlanningHeader,
    SupplierDocument,
    WarehouseFacts,
)
from supplier_returns.planning.rules.plans import replan_rest, rests_of
from supplier_returns.planning.rules.states import DocumentState, PlanningState
from supplier_returns.planning.service import compute_plan
from supplier_returns.planning.sources import PlanningSources
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.session import SessionExpired, WebSession

_log = structlog.get_logger(__name__)


KEY_DIGITS: Final = 8

ENDS_AT_ONCE: Final = 10
"""Ends of documents that go on record in one write where the fence is up, so that a kill may lose them."""


@frozen
class ErpAccess:
    """What an execution reads and writes, bound to the signed-in user's ERP session.

    Attributes:
        session: Kept open until the execution ends.
        request_id: Of the request that asks for it.
        ip: Of the browser that asks for it.
        planning: Stock, receipts, catalogue and the plannings.
        is_fence_up: Asks whether returns are posted with the fence.
    """

    session: WebSession
    request_id: str
    ip: str
    planning: PlanningSources
    returns: ErpReturns
    is_fence_up: Callable[[], Coroutine[Any, Any, bool]]

    async def read_scene(self, header: PlanningHeader, *, must_be_open: bool) -> Scene:
        """Read what is there; what became of documents is found out also where the warehouse is closed.

        Raises:
            UnknownWarehouse: It is closed, and must not be.
            ServiceError: What is there can't be proved complete.
        """
        warehouse = await self.planning.catalogue.find_warehouse(header.whs_code)
        if warehouse is None or not warehouse.is_active:
            if must_be_open:
                raise UnknownWarehouse
            warehouse = WarehouseFacts(header.whs_code, is_active=False)
        return await self.planning.read_scene(warehouse, await self.planning.find_decimals(header))

    async def holdings_of(self, planning: Planning, scene: Scene) -> Holdings:
        """Return what documents are compared with before they are posted.

        How the company rounds prices is asked only where one differs; it does not tell everybody.
        """
        holdings = Holdings.of(scene.stock, scene.receipts)
        if not has_other_prices(planning, holdings):
            return holdings
        try:
            decimals = await self.planning.catalogue.price_decimals()
        except ErpRefused:
            return holdings
        return Holdings.of(scene.stock, scene.receipts, price_decimals=decimals)

    async def record(
        self,
        planning: Planning,
        *,
        doc_ids: Collection[int],
        with_lines: bool = False,
        whole: bool = False,
    ) -> None:
        """Write what changed, or every row where rows are new."""
        repository = self.planning.repository
        if whole:
            await repository.save(planning)
        else:
            await repository.save_progress(planning, doc_ids=doc_ids, with_lines=with_lines)


def new_key(planning: Planning, doc_id: int) -> str:
    """Make the key of a document: unique, readable, at most 50 characters.

    Its last part follows from the version of the record, which every execution raises. Two processes that
    execute the same version at once then use the same key, and the fence lets one of them make the return.
    """
    version = f"{planning.id} {doc_id} {planning.version} {planning.created_by} {planning.created_at}"
    digest = hashlib.sha256(version.encode()).hexdigest()
    return document_name(planning.id, doc_id) + digest[:KEY_DIGITS]


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


@define(kw_only=True)
class RunContext:
    """What all runs share.

    Attributes:
        rules: Of the installation.
        computing: Where what takes long is computed.
        clock: Time.
        is_stopping: Whether every run is to end after the document that it is at.
    """

    rules: ExecutionRules
    computing: Computing
    clock: Clock
    is_stopping: bool = False


@define
class _Attempt:
    """What a run does with one document.

    Attributes:
        before: The document as the run met it.
        document: As it is now.
        lines: What is in it, which no run changes.
        settled: Its end, where looking back was all that it needed.
        is_sent: Whether a post of it was begun.
    """

    before: SupplierDocument
    document: SupplierDocument
    lines: DocumentLines
    seen: Evidence = field(factory=Evidence)
    settled: Settle | None = None
    is_sent: bool = False

    @classmethod
    def at_each(cls, planning: Planning, doc_ids: Sequence[int]) -> "list[_Attempt]":
        """Begin with these documents of a planning, in their order."""
        documents = {document.doc_id: document for document in planning.documents}
        lines = lines_by_document(planning)
        return [cls(documents[each], documents[each], lines.get(each, {})) for each in doc_ids]

    def marked(self, at: datetime) -> SupplierDocument:
        """Return the document with the mark that is to be written now."""
        return recorded_outcomes.marked(self.document, at, is_first=self.seen.stage is Stage.LOOKING_BACK)


class Run:
    """One execution or reprocessing of a planning, in one user's session: all that is known of it.

    Attributes:
        task: What runs in the background; it tells how far the run is and ends with the planning.
        tell: Told of the progress.
        is_read: Whether the planning is read.
        in_doubt: Whether an earlier write of the planning got no answer and may come late.
        planning: As it is, as far as is known; the record may lag behind by the write that failed last.

    Args:
        erp: The user's access to the ERP.
        planning_id: Of the planning.
        context: What all runs share.
    """

    task: FollowedTask[Progress, Planning]
    tell: Callable[[Progress], None]
    planning: Planning

    def __init__(self, erp: ErpAccess, planning_id: int, context: RunContext) -> None:
        self.is_read = False
        self.in_doubt = False
        self._erp = erp
        self._planning_id = planning_id
        self._context = context
        self._differing: frozenset[int] = frozenset()  # documents sent with other content than is recorded
        self._is_plan_known = True  # a write of another plan that got no answer may have replaced it
        self._fenced = False
        self._returns: Sequence[ErpReturn] | None = None  # of the planning, where this run has looked
        self._marked: list[_Attempt] = []  # in one write with the document that is being posted
        self._ended: dict[int, Evidence] = {}  # documents whose ends are not on record yet
        self._cut_short: ErpError | ServiceError | None = (
            None  # what kept it from looking back at all of them
        )
        self._done = self._total = 0

    @property
    def _sent_content(self) -> SentContent:
        return SentContent(self._context.rules.fields)

    # --- the whole run

    async def read(self) -> Planning:
        """Read the planning and keep it for those who ask: the session itself may be busy for long."""
        self.planning = await self._erp.planning.repository.get(self._planning_id)
        self.is_read = True
        return self.planning

    async def read_known(self) -> Planning:
        """Look for the planning's returns, and say what it is with them: its record may say otherwise."""
        may_differ = set(self.planning.unresolved)  # settled ones were compared when they were settled
        if self.in_doubt or self.planning.state is PlanningState.RUNNING:
            may_differ = {document.doc_id for document in self.planning.documents}
        if may_differ:
            differing = await beside_the_loop(self._sent_content.differing, self.planning)
            self._differing = differing & may_differ
        self._returns = await self._erp.returns.find_all(self._planning_id)
        known = Comparison(self.planning, reconcile(self.planning, self._returns)).with_holds()
        return known.warned_of_other_content(self._differing)

    async def check_nothing_appeared(self) -> None:
        """Look for returns of an earlier run that a late write has hidden: what waits may hold their goods.

        Raises:
            StaleVersion: There are; they are on record now, for the person to see before anything is sent.
        """
        if self.planning.execution is None:
            return
        known = await self.read_known()
        comparison = Comparison(self.planning, known)
        if comparison.has_new_return or comparison.has_new_hold:
            told = await self.end(known, whole=True)
            raise StaleVersion(told.version)

    async def prepared(self, planning: Planning, doc_ids: Collection[int]) -> Planning:
        """Return a planning with what is recorded before these documents are sent."""
        return await beside_the_loop(self._sent_content.prepare, planning, doc_ids, new_key)

    async def carry_out(
        self,
        planning: Planning,
        doc_ids: Sequence[int],
        sorted_out: Reprocessing | None = None,
        *,
        whole: bool = False,
    ) -> Planning:
        """Put the beginning on record, bring the documents to an end, put the end on record.

        A run that stops after the ERP has made something is told by what is on record of it: whatever stopped
        it, "nothing was done" would be untrue.

        Args:
            planning: With keys for the documents that are executed.
            doc_ids: Those documents, in their order.
            sorted_out: What is reprocessed; None where the planning is executed.
            whole: Whether every row is written at the beginning: the ERP knew more than the record.

        Raises:
            FenceRequired: Nothing may be posted without the fence, and it is not up.
            ErpError: The ERP could not be asked; what was recorded before stands.
            OutcomeUnknown: A write got no answer, and that could not be put on record.
            ServiceError: The record could not be written.
        """
        self._fenced = await self._erp.is_fence_up()
        if self._context.rules.needs_fence and not self._fenced:
            raise FenceRequired
        scene = await self._erp.read_scene(planning.header, must_be_open=sorted_out is None)
        holdings = await self._erp.holdings_of(planning, scene) if doc_ids else Holdings.of((), ())
        attempts = _Attempt.at_each(planning, doc_ids)
        marked = await self._begin(planning, attempts, whole=whole)
        try:
            if self.planning is not marked:
                await self._save_marks(marked, attempts)
            came_to_all = await self._bring_all_to_an_end(attempts, holdings)
            if sorted_out is not None and came_to_all:
                await self._make_anew(sorted_out.given_up, None if doc_ids else scene)
            return await self.end(self.planning)
        except (SessionEnded, SessionExpired):
            raise
        except (ErpError, ServiceError) as error:
            return await self._end_early(planning, error)

    async def _begin(self, planning: Planning, attempts: list[_Attempt], *, whole: bool) -> Planning:
        """Put the beginning on record, its marks with it unless it is written whole; return it with them."""
        begun = evolve(
            planning,
            state=PlanningState.RUNNING,
            version=planning.version + 1,
            execution=Execution(
                user=self._erp.planning.user, request_id=self._erp.request_id, began=self._now_written()
            ),
        )
        doc_ids = [attempt.before.doc_id for attempt in attempts]
        marked = await self._with_marks(begun, attempts)
        written = begun if whole else marked
        try:
            await self._erp.record(written, doc_ids=doc_ids, whole=whole)
        except OutcomeUnknown:
            if written is not begun:  # nothing was sent: what is marked there may be changed and closed
                self.planning = begun
                await self._end_where_ours()
            raise
        self.planning = written
        return marked

    async def _end_early(self, before: Planning, error: ErpError | ServiceError) -> Planning:
        """Put on record how far a stopped run came; raise what stopped it, or what people have to know."""
        if isinstance(error, OutcomeUnknown):
            await self._end_where_ours()
            raise error
        is_lost = self._has_lost_answer()
        ended = await self._try_to_end()
        if is_lost:  # it is what people have to know of, whatever else failed
            raise OutcomeUnknown from error
        if not self.planning.has_posted_since(before):
            raise error
        if ended is None:
            raise OutcomeUnknown from error
        _log.warning("execution_cut_short", planning=self._planning_id, reason=str(error))
        return ended

    async def end(self, planning: Planning, *, whole: bool = False) -> Planning:
        """Put the end on record: the state, and all documents and lines that it is said of.

        An older write may have come in late since this run wrote a document, or read one that it left alone;
        what says that the planning is done says of what, too.
        """
        execution = planning.execution
        planning = await beside_the_loop(with_repeats, planning, self._context.rules.fields)
        planning = evolve(
            planning.warned_of_other_content(self._differing).with_states(),
            version=planning.version + 1,
            execution=None if execution is None else evolve(execution, ended=self._now_written()),
        )
        await self._record_all(planning, whole=whole)
        return await self._compared_with_record(planning) if self.in_doubt else planning

    async def _record_all(self, planning: Planning, *, whole: bool = False) -> None:
        doc_ids = tuple(document.doc_id for document in planning.documents)
        await self._erp.record(planning, doc_ids=doc_ids, with_lines=True, whole=whole)

    async def _compared_with_record(self, planning: Planning) -> Planning:
        """Put on record where a plan that came late stands under what was made; nobody else would tell."""
        try:
            recorded = await self._erp.planning.repository.get(self._planning_id)
            known = await beside_the_loop(self._sent_content.merge, planning, recorded)
            if known == recorded:
                return known
            told = evolve(known, version=max(planning.version, recorded.version) + 1)
            await self._record_all(told)
        except (ErpError, ServiceError) as error:
            _log.warning("record_not_compared", planning=self._planning_id, reason=str(error))
            return planning
        return told

    async def _end_where_ours(self) -> None:
        """Put on record how far it came after a write without an answer, unless another run wrote since."""
        try:
            recorded = await self._erp.planning.repository.get(self._planning_id)
        except (ErpError, ServiceError):
            return
        ours = self.planning.execution
        if (recorded.version, recorded.execution) == (self.planning.version, ours):
            await self._try_to_end()

    async def _try_to_end(self) -> Planning | None:
        """Put on record how far it came; where that can't be done, the record says that it was cut off."""
        if not self._is_plan_known:
            return None
        try:
            return await self.end(self.planning)
        except (ErpError, ServiceError) as error:
            _log.warning("execution_end_not_recorded", planning=self._planning_id, reason=str(error))
            return None

    async def _make_anew(self, given_up: Collection[int], scene: Scene | None) -> None:
        """Give up what still failed and plan its goods once more, in one write; execute the new documents.

        Args:
            given_up: The documents.
            scene: What is there, where nothing was sent since it was read.
        """
        batches_refused = {
            each.doc_id for each in self.planning.documents if each.error_class == ErrorClass.BATCHES.value
        }
        before = self.planning.giving_up(given_up, without_picks=batches_refused)
        if before == self.planning:
            return
        sources = self._erp.planning
        if scene is None or not scene.warehouse.is_active:
            scene = await self._erp.read_scene(before.header, must_be_open=True)
        scene = evolve(scene, lots=await sources.read_picked_lots(before, rests_of(before)))
        planning = await compute_plan(self._context.computing.of(sources.user), replan_rest, before, scene)
        doc_ids = pick_ready(planning, before)
        planning = await self.prepared(planning, doc_ids)
        try:
            await sources.repository.save(planning)
        except OutcomeUnknown:
            self._is_plan_known = False
            raise
        self.planning = planning
        self._ended.clear()
        # Each is marked by itself: where the old document's return appears, those that were not sent wait.
        holdings = await self._erp.holdings_of(planning, scene)
        await self._bring_all_to_an_end(_Attempt.at_each(planning, doc_ids), holdings, at_once=False)

    def _now_written(self) -> str:
        return recorded_outcomes.written_at(self._context.clock.now())

    # --- all documents

    async def _with_marks(self, planning: Planning, attempts: list[_Attempt]) -> Planning:
        """Return what is put on record before anything is posted, where the fence is up: one mark for all.

        Documents that may have been posted before are looked for first; the run ends before one that could
        not be looked for. A kill then leaves all of them in doubt, and the fence none of them twice. Without
        the fence each is marked right before its post, so that `UNCERTAIN_WAIT` counts from there.
        """
        if not self._fenced:
            return planning
        at = self._context.clock.now()
        for place, attempt in enumerate(attempts):
            if self._context.is_stopping:
                break
            if attempt.document.attempts and self._returns is not None:
                attempt.seen = _compared(attempt, self._returns)
            try:
                while isinstance(step := next_step(attempt.document, attempt.seen, self._timing()), Lookup):
                    attempt.seen = await self._try_to_look(step, attempt)
            except SessionEnded:
                raise
            except (ErpError, ServiceError) as error:
                del attempts[place:]
                self._cut_short = error
                break
            if isinstance(step, Settle):
                attempt.settled, attempt.document = step, step.document
            else:
                in_doubt = isinstance(step, Mark) and step.in_doubt
                attempt.document, attempt.seen = (
                    attempt.marked(at),
                    attempt.seen.marked(at, in_doubt=in_doubt),
                )
        return planning.with_documents(attempt.document for attempt in attempts)

    async def _save_marks(self, planning: Planning, attempts: Sequence[_Attempt]) -> None:
        """Put marks on record beside a plan that was written whole.

        Not in one write with it: a plan that comes late has to find its documents unsent, so that they wait
        for people where goods of them went elsewhere meanwhile.
        """
        marked = [attempt.document.doc_id for attempt in attempts if attempt.document != attempt.before]
        if marked:
            await self._save(planning, marked)

    async def _bring_all_to_an_end(
        self, attempts: Sequence[_Attempt], holdings: Holdings, *, at_once: bool = True
    ) -> bool:
        """Bring documents to an end, one after another, each as far as it can be brought today.

        Called once more, it counts on.

        Args:
            attempts: At which, in their order.
            holdings: What was there when the execution began.
            at_once: Whether they are marked and looked for together where the fence is up.

        Returns:
            Whether it came to all of them.
        """
        taken = Taken()
        waiting = list(attempts)
        self._total += len(waiting)
        self.tell(Progress(done=self._done, total=self._total))
        try:
            while waiting:
                if self._context.is_stopping:
                    _log.info("execution_stopped", planning=self._planning_id, left=self._total - self._done)
                    return False
                attempt = waiting.pop(0)
                self._marked = waiting if self._fenced and at_once else []
                settled_as = await self._bring_to_an_end(attempt, holdings, taken)
                self._done += 1
                self.tell(Progress(done=self._done, total=self._total, document=settled_as.document))
                if settled_as.stops:
                    return False
        finally:  # those were not sent
            unsent = (attempt.before for attempt in waiting if attempt.settled is None)
            self.planning = self.planning.with_documents(unsent)
        if self._cut_short is not None:
            raise self._cut_short
        return True

    # --- one document

    async def _bring_to_an_end(self, attempt: _Attempt, holdings: Holdings, taken: Taken) -> Settle:
        parts = [part for line in attempt.lines.values() for part in line]
        day = self.planning.header.posting_date
        while True:
            step = attempt.settled or next_step(attempt.document, attempt.seen, self._timing())
            if isinstance(step, Settle):
                if step.document != attempt.document:
                    self.planning = self.planning.with_documents([step.document])
                    self._ended[step.document.doc_id] = attempt.seen
                    # What was made is found again; why something was not made, nobody else knows.
                    can_wait = self._fenced and step.document.state.is_made
                    if not can_wait or (self._marked and len(self._ended) >= ENDS_AT_ONCE):
                        await self._save(self.planning, ())
                if isinstance(attempt.seen.outcome, Posted | Unknown):
                    taken.add(parts)
                return step
            try:
                await self._take(step, attempt, lambda: find_problem(parts, holdings, taken, return_date=day))
            except (ErpError, ServiceError) as error:
                self._put_back(attempt, error)
                raise

    async def _take(
        self, step: UnsettledStep, attempt: _Attempt, check: Callable[[], Problem | None]
    ) -> None:
        match step:
            case Mark():
                await self._mark(attempt, in_doubt=step.in_doubt)
            case Check():
                attempt.seen = evolve(attempt.seen, problem=check() or Missing.NOT_THERE)
            case Post():
                await self._post(attempt, fenced=self._fenced)
            case UseUp():
                key_use = await self._use_up(attempt.document.key) if self._fenced else KeyUse.OPEN
                attempt.seen = attempt.seen.used_up(key_use)
            case PostAlone():
                await self._post_alone(attempt)
            case Lookup():
                attempt.seen = await self._try_to_look(step, attempt)

    def _put_back(self, attempt: _Attempt, error: ErpError | ServiceError) -> None:
        """Let a document wait again that was marked and surely never sent; the record hears of it at the end.

        A kill leaves the mark, and with it the doubt.
        """
        if attempt.is_sent or attempt.seen.stage is not Stage.MARKED or attempt.seen.in_doubt:
            return
        told = upstream_service_error(error) if isinstance(error, ErpError) else error
        reason = "No se envió." if isinstance(told, OutcomeUnknown) else f"No se envió. {told.detail}"
        self.planning = self.planning.with_documents([recorded_outcomes.not_sent(attempt.document, reason)])

    async def _mark(self, attempt: _Attempt, *, in_doubt: bool) -> None:
        """Put the attempt on record, anew with those that wait behind it where all were marked at once."""
        at = self._context.clock.now()
        begun = [attempt, *(each for each in self._marked if each.settled is None)]
        marks = {each.document.doc_id: each.marked(at) for each in begun}
        await self._save(self.planning.with_documents(marks.values()), marks)
        for each in begun:
            each.document, each.seen = marks[each.document.doc_id], evolve(each.seen, marked_at=at)
            if self._fenced:  # time went by: all that waits is looked for once more
                each.seen = evolve(each.seen, found=Missing.NOT_ASKED)
        attempt.seen = attempt.seen.marked(at, in_doubt=in_doubt)

    async def _post(self, attempt: _Attempt, *, fenced: bool) -> None:
        attempt.is_sent = True
        body = write_return(self.planning, attempt.document, self._context.rules.fields, attempt.lines)
        outcome = await self._erp.returns.post(attempt.document.key, body.content, fenced=fenced)
        _log.info(
            "return_posted",
            planning=self._planning_id,
            document=attempt.document.doc_id,
            outcome=type(outcome).__name__.lower(),
        )
        attempt.seen = attempt.seen.posted(outcome, fenced=fenced)

    async def _post_alone(self, attempt: _Attempt) -> None:
        key_use = await self._use_up(attempt.document.key)
        attempt.seen = attempt.seen.used_up(key_use)
        if key_use is KeyUse.USED_UP:
            await self._post(attempt, fenced=False)
        else:
            attempt.seen = attempt.seen.posted(Refused(code=DUPLICATE_CODE, text=""), fenced=True)

    async def _use_up(self, key: str) -> KeyUse:
        return KeyUse.USED_UP if await self._erp.returns.use_up(key) else KeyUse.TAKEN

    async def _try_to_look(self, look: Lookup, attempt: _Attempt) -> Evidence:
        """Look; some documents can be settled where they can't be looked for."""
        try:
            return await self._look(look, attempt)
        except SessionEnded:
            raise
        except (ErpError, ServiceError) as error:
            failed = FailedLookup(look, is_silent=not _is_refusal(error))
            if not can_do_without(attempt.document, attempt.seen, failed):
                raise
            _log.warning(
                "return_not_looked_for",
                planning=self._planning_id,
                document=attempt.document.doc_id,
                reason=str(error),
            )
            return evolve(attempt.seen, failed_look=failed)

    async def _look(self, look: Lookup, attempt: _Attempt) -> Evidence:
        key = attempt.document.key
        if self._marked and attempt.seen.stage is Stage.MARKED and look is Lookup.RETURN:
            await self._look_for_all([attempt, *self._marked])
            return attempt.seen
        match look:
            case Lookup.RETURN | Lookup.RETURN_AGAIN:
                found = identify(key, attempt.document.card_code, await self._erp.returns.find_returns(key))
                again = look is Lookup.RETURN_AGAIN
                return evolve(attempt.seen, found=found or Missing.NOT_THERE, looked_twice=again)
            case Lookup.DRAFT:
                draft = standing_draft(await self._erp.returns.find_drafts(key))
                return evolve(attempt.seen, draft=draft or Missing.NOT_THERE)
            case Lookup.FENCE:
                return evolve(attempt.seen, is_fenced=await self._erp.returns.is_fenced(key))

    async def _look_for_all(self, attempts: Sequence[_Attempt]) -> None:
        """Look once for all that were marked at once, if not looked for since: a late write may hide one."""
        returns = await self._erp.returns.find_all(self._planning_id)
        for each in attempts:
            if each.seen.stage is Stage.MARKED and each.seen.found is Missing.NOT_ASKED:
                each.seen = _compared(each, returns)

    def _has_lost_answer(self) -> bool:
        """Whether a post got no answer, and nothing of that is on record yet."""
        return any(
            isinstance(self._ended[document.doc_id].outcome, Unknown)
            and document.state is DocumentState.UNCERTAIN
            for document in self.planning.documents
            if document.doc_id in self._ended
        )

    async def _save(self, planning: Planning, doc_ids: Collection[int]) -> None:
        """Put these documents on record, and the ends that are not there yet."""
        await self._erp.record(planning, doc_ids={*doc_ids, *self._ended})
        self.planning = planning
        self._ended.clear()

    def _timing(self) -> Timing:
        return Timing(
            now=self._context.clock.now(),
            uncertain_wait=self._context.rules.uncertain_wait,
            clock_time=self._context.rules.clock_time,
        )


def _compared(attempt: _Attempt, returns: Sequence[ErpReturn]) -> Evidence:
    """Look for a document among all returns of its planning."""
    key, card_code = attempt.document.key, attempt.document.card_code
    found = identify(key, card_code, [each for each in returns if each.key.startswith(name_of(key))])
    return evolve(attempt.seen, found=found or Missing.NOT_THERE)


def pick_ready(planning: Planning, before: Planning) -> Sequence[int]:
    """Return the documents that are new, wait and lack nothing, in their order.

    Args:
        planning: With documents that were just planned.
        before: Without them; what waited then was not asked for.
    """
    if planning.header.has_bins:
        return ()
    former = {document.doc_id for document in before.documents}
    lacking = {part.doc_id for line in planning.lines if line.lacks_picks for part in line.allocations}
    return tuple(
        document.doc_id
        for document in planning.documents
        if document.state is DocumentState.PENDING and document.doc_id not in former | lacking
    )


def _is_refusal(error: ErpError | ServiceError) -> bool:
    """Whether the ERP will not tell this person, as against not now."""
    return isinstance(error, ErpRefused) and error.status != HTTPStatus.TOO_MANY_REQUESTS
