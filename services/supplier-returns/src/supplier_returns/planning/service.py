"""Use cases of planning: read, decide with pure functions, store."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
from attrs import define, field, frozen

from erpclient import ErpRefused, ErpReplyUnreadable
from servicekit.errors import InvalidBody, MalformedJson, ServiceError
from supplier_returns.pasting.reading import PasteReading, read_paste
from supplier_returns.pasting.refusal import PasteRefusedError
from supplier_returns.planning.checks import (
    check_decimals,
    check_editable,
    check_header_free,
    check_line_free,
    check_reason,
    check_reasons,
    check_unfinished,
)
from supplier_returns.planning.computing import UserComputing, WorkDiedError
from supplier_returns.planning.errors import (
    ColumnsUnknown,
    HeldByDocument,
    LineNotFound,
    MetadataMissing,
    OpenPlanningExists,
    PasteTooLarge,
    PlanningInExecution,
    UnreadablePaste,
)
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.listing import PlanningFilter, PlanningPage
from supplier_returns.planning.model.open_plans import OpenPlans
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.preview import Preview, find_existing, preview
from supplier_returns.planning.replanning import Replanning
from supplier_returns.planning.rules.locked_lines import free_lines
from supplier_returns.planning.rules.lots import LotChoice, lot_choices
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.rules.plans import plan_added, plan_requested, with_planning_facts
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.sources import PlanningSources

SMALL_PASTE_BYTES: Final = 64 * 1024
"""Size up to which a thread reads a paste. It takes a few milliseconds, less than sending it to a process."""

_PASTE_ERRORS: Final[Mapping[str, type[ServiceError]]] = {
    error.code: error
    for error in (MalformedJson, InvalidBody, ColumnsUnknown, UnreadablePaste, PasteTooLarge)
}
"""Errors of a paste that could not be read, by code."""


@frozen(kw_only=True)
class NewPlanning:
    """Request for a new planning.

    Attributes:
        header: header of the planning.
        lines: requested lines, not planned yet.
    """

    header: PlanningHeader
    lines: Sequence[PlanningLine]
    digest: str = ""
    allow_another: bool = False


@frozen
class LineLots:
    """Line with the lots of its item in the warehouse, ordered by expiry date."""

    line: PlanningLine
    choices: Sequence[LotChoice]


@define(eq=False, repr=False)
class PlanningService:
    """Use cases of planning for one signed-in user. Each request creates one.

    A lock serializes the changes of a planning.

    Args:
        sources: the user's access to the ERP.
        computing: runs long computations.
        locks: locks by planning, shared by all users.
        rules: settings of the installation.
        is_running: returns whether an execution of a planning runs. It can't be changed then.
    """

    _sources: PlanningSources
    _computing: UserComputing
    _locks: KeyedLocks
    _rules: PlanningRules
    _is_running: Callable[[int], bool]
    _replanning: Replanning = field(init=False)

    @_replanning.default
    def _create_replanning(self) -> Replanning:
        return Replanning(self._sources, self._computing)

    async def preview(self, body: bytes) -> Preview:
        """Return the planning that a paste would create, without storing it.

        Args:
            body: JSON of the request.

        Raises:
            BadRequest: the body is malformed.
            ColumnsUnknown: the code and quantity columns are not certain.
            UnreadablePaste: the text has no table with two columns.
            PasteTooLarge: the text has too many rows, columns or items, or takes too long to read.
            UnknownWarehouse: the ERP has no such warehouse.
        """
        decimals = await self._sources.catalogue.quantity_decimals()
        reading = await self._read_paste(body, decimals)
        warehouse = await self._sources.find_warehouse(reading.whs_code)
        snapshot = await self._sources.read_snapshot(warehouse, decimals)
        if reading.table.doubtful_codes:
            codes = await self._computing.run_on_thread(find_existing, snapshot, reading.table.doubtful_codes)
            if codes:  # a text that looks like a number may still be an item code of the ERP
                reading = await self._read_paste(body, decimals, codes)
        return await self._computing.plan(
            preview,
            reading,
            snapshot,
            await self._sources.read_reasons(line.reason for line in reading.table.lines),
            await self._other_plannings(warehouse.code),
            max_lines=self._rules.max_lines,
            return_date=self._rules.today(),
        )

    async def create(self, new: NewPlanning) -> Planning:
        """Plan the lines and store the planning.

        Raises:
            InvalidBody: the ERP does not accept a series, a reason or a quantity.
            OpenPlanningExists: the user has an open planning for the warehouse and did not allow another.
            UnknownWarehouse: the ERP has no such warehouse.
            PlanningTooLarge: the plan uses too many receipt lines.
        """
        sources = self._sources
        decimals = await sources.catalogue.quantity_decimals()
        check_decimals(new.lines, decimals, "lineas")
        warehouse = await sources.find_warehouse(new.header.whs_code)
        await sources.check_header(new.header, "cabecera.")
        check_reasons(new.lines, await sources.read_reasons(line.reason for line in new.lines))
        # Without the lock, a double click would create two open plannings.
        async with self._locks.hold(("create", sources.user, warehouse.code)):
            if not new.allow_another:
                newest = await self.find_open(warehouse.code)
                if newest is not None:
                    raise OpenPlanningExists(members={"id": newest.id})
            snapshot = await sources.read_snapshot(warehouse, decimals)
            header = with_planning_facts(new.header, warehouse, decimals)
            planned = await self._computing.plan(
                plan_requested,
                new.lines,
                snapshot,
                max_lines=header.max_lines,
                return_date=header.posting_date,
            )
            return await sources.repository.create(
                Planning(
                    header=header,
                    lines=planned.lines,
                    documents=planned.documents,
                    created_by=sources.user,
                    digest=new.digest,
                )
            )

    async def get(self, planning_id: int) -> Planning:
        """Return a planning.

        Raises:
            PlanningNotFound: there is no planning with this ID.
        """
        return await self._sources.repository.get(planning_id)

    async def find_open(self, whs_code: str | None) -> Planning | None:
        """Return the user's newest open planning, optionally of one warehouse."""
        criteria = PlanningFilter(is_open=True, whs_code=whs_code, created_by=self._sources.user)
        return await self._sources.repository.find_newest(criteria)

    async def find(self, where: PlanningFilter, *, page: int, size: int) -> PlanningPage:
        """Return one page, from 1, of the matching plannings, newest first."""
        return await self._sources.repository.find(where, skip=(page - 1) * size, top=size)

    async def lots_of_line(self, planning_id: int, line_id: int) -> LineLots:
        """Return the lots that a line may pick, none for an item without batches and serial numbers.

        Raises:
            PlanningNotFound: there is no planning with this ID.
            LineNotFound: the planning has no such line.
            ServiceError: the list of lots may be incomplete.
        """
        planning = await self._sources.repository.get(planning_id)
        line = _find_line(planning, line_id)
        return LineLots(line, lot_choices(await self._sources.read_lots(planning, line), planning, line))

    # --- changes: read the planning and the ERP, plan the affected lines again, write the planning

    async def change_header(self, planning_id: int, version: int, changes: Mapping[str, Any]) -> Planning:
        """Change the header. Another warehouse or a relevant date plans every line again.

        Args:
            planning_id: ID of the planning.
            version: version that the user saw.
            changes: new values of attributes of `PlanningHeader`.

        Raises:
            PlanningNotFound: there is no planning with this ID.
            ServiceError: the planning can't be changed, or a value is invalid.
        """
        async with self._editing(planning_id, version) as planning:
            freed = planning.without_failed(None)
            check_header_free(freed)
            header = attrs.evolve(planning.header, **changes)
            if header == planning.header:
                return planning
            await self._sources.check_header(header, "", before=planning.header)
            changed = _changed(freed, header=header)
            if freed != planning or await self._replanning.is_needed_for(planning, header):
                # Giving up failed documents frees their goods, so the plan changes too.
                changed = await self._replanning.plan_every_line(changed, planning.header)
                await self._sources.repository.save(changed)
            else:
                await self._sources.repository.save_header(changed)
            return changed

    async def change_line(
        self,
        planning_id: int,
        line_id: int,
        version: int,
        changes: Mapping[str, Any],
        picks: Sequence[Pick] | None = None,
    ) -> Planning:
        """Change a line, and plan its item again with the other lines of the same item.

        Args:
            planning_id: ID of the planning.
            line_id: number of the line.
            version: version that the user saw.
            changes: new values of attributes of `PlanningLine`.
            picks: batches or serial numbers to use. An empty list removes the picks; None keeps them.

        Raises:
            PlanningNotFound: there is no planning with this ID.
            LineNotFound: the planning has no such line.
            PicksMismatch: the picks don't fit.
            ServiceError: the planning can't be changed, or a value is invalid.
        """
        async with self._editing(planning_id, version) as planning:
            check_unfinished(planning)
            before = _find_line(planning, line_id)
            freed = planning.without_failed({before.item_code})
            check_line_free(before, freed)
            line = attrs.evolve(before, **changes)
            if line == before and picks is None:
                return planning
            # An unchanged reason may no longer be valid in the ERP, but it does not block other changes.
            if line.reason != before.reason and line.reason is not None:
                check_reason(line.reason, await self._sources.catalogue.read_reasons(), "motivo")
            changed = _changed(freed).with_line(line)
            affects_plan = attrs.evolve(line, reason=before.reason) != before
            if picks is not None or affects_plan or freed != planning:
                changed = await self._replanning.plan_item(changed, line, picks)
            await self._sources.repository.save(changed)
            return changed

    async def replan(self, planning_id: int, version: int) -> Planning:
        """Plan every free line again with today's stock and receipts. Picks stay as far as they fit.

        Args:
            planning_id: ID of the planning.
            version: version that the user saw.

        Raises:
            PlanningNotFound: there is no planning with this ID.
            ServiceError: the planning can't be changed.
        """
        async with self._editing(planning_id, version) as planning:
            check_unfinished(planning)
            freed = planning.without_failed(None)
            lines = free_lines(freed)
            if not lines:
                raise HeldByDocument
            changed = await self._replanning.plan_lines_today(_changed(freed), lines)
            # An unchanged plan is not written, so that other users' versions stay valid.
            if attrs.evolve(changed, version=version) == planning:
                return planning
            await self._sources.repository.save(changed)
            return changed

    async def add_lines(self, planning_id: int, version: int, requested: Sequence[PlanningLine]) -> Planning:
        """Add lines, and plan their items with the other lines of the same items.

        If a line has the same item and reason, the quantity is added to that line.

        Args:
            planning_id: ID of the planning.
            version: version that the user saw.
            requested: lines, whose numbers are ignored.

        Raises:
            PlanningNotFound: there is no planning with this ID.
            InvalidBody: the ERP does not accept a reason or a quantity.
            ServiceError: the planning can't be changed.
        """
        async with self._editing(planning_id, version) as planning:
            check_unfinished(planning)
            decimals = await self._sources.find_decimals(planning.header)
            warehouse = await self._sources.find_planned_warehouse(planning.header)
            check_decimals(requested, decimals, "lineas")
            check_reasons(requested, await self._sources.read_reasons(line.reason for line in requested))
            snapshot = await self._sources.read_snapshot(warehouse, decimals)
            changed = _changed(await self._computing.plan(plan_added, planning, requested, snapshot))
            await self._sources.repository.save(changed)
            return changed

    @asynccontextmanager
    async def _editing(self, planning_id: int, version: int) -> AsyncIterator[Planning]:
        """Read a planning for a change, and hold its lock.

        A change during an execution is refused at once, since it would wait for the end of the execution.
        """
        if self._is_running(planning_id):
            raise PlanningInExecution
        async with self._locks.hold(planning_id):
            planning = await self._sources.repository.get(planning_id)
            check_editable(planning, version)
            yield planning

    async def _read_paste(
        self, body: bytes, decimals: int, existing_codes: AbstractSet[str] = frozenset()
    ) -> PasteReading:
        is_small = len(body) <= SMALL_PASTE_BYTES
        run = self._computing.run_on_thread if is_small else self._computing.run_in_process
        try:
            return await run(read_paste, body, decimals, existing_codes)
        except PasteRefusedError as error:
            raise _PASTE_ERRORS[error.code](
                error.message, errors=error.problems, members=error.members
            ) from None
        except WorkDiedError as error:
            message = "Leer el texto exige demasiado tiempo o memoria; péguelo por partes."
            raise PasteTooLarge(message) from error

    async def _other_plannings(self, whs_code: str) -> OpenPlans:
        """Return the open plannings of a warehouse that this user may see."""
        try:
            return await self._sources.repository.find_open_plans(whs_code)
        except MetadataMissing:
            return OpenPlans()
        # The comparison is only a warning, so the preview works without it.
        except (ErpRefused, ErpReplyUnreadable):
            return OpenPlans(is_complete=False)


def _find_line(planning: Planning, line_id: int) -> PlanningLine:
    line = next((line for line in planning.lines if line.line_id == line_id), None)
    if line is None:
        raise LineNotFound
    return line


def _changed(planning: Planning, **changes: Any) -> Planning:
    return attrs.evolve(
        planning,
        version=planning.version + 1,
        state=planning.state_by_documents,
        **changes,
    )
