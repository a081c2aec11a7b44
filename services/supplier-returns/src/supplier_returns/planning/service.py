"""The use cases of planning: fetch, decide by pure functions, store. One `PlanningService` per request."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
from attrs import define, field, frozen

from erpclient import ErpRefused, ErpReplyUnreadable
from servicekit.errors import InvalidBody, MalformedJson, ServiceError
from supplier_returns.pasting.reading import PasteReading, read_paste
from supplier_returns.pasting.table import PasteRefusedError
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
from supplier_returns.planning.preview import Preview, has_codes, preview
from supplier_returns.planning.replanning import Replanning
from supplier_returns.planning.rules.lots import LotChoice, choices
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.rules.plans import plan_added, plan_requested, planned_at
from supplier_returns.planning.rules.policy import free_lines
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.sources import PlanningSources

SMALL_PASTE_BYTES: Final = 64 * 1024
"""A paste up to this size is read on a thread: it takes a few milliseconds, less than sending it around."""

_UNREAD: Final[Mapping[str, type[ServiceError]]] = {
    error.code: error
    for error in (MalformedJson, InvalidBody, ColumnsUnknown, UnreadablePaste, PasteTooLarge)
}
"""What is answered where nothing of a paste was read."""


@frozen(kw_only=True)
class NewPlanning:
    """What a person asks for.

    Attributes:
        header: With its lines-per-document still to be set.
        lines: As asked; what became of them is still unknown.
    """

    header: PlanningHeader
    lines: Sequence[PlanningLine]
    digest: str = ""
    allow_another: bool = False


@frozen
class LineLots:
    """A line, and what lies in the warehouse of its item: what expires first comes first."""

    line: PlanningLine
    choices: Sequence[LotChoice]


@define(eq=False, repr=False)
class PlanningService:
    """The use cases, for one signed-in user. Changes of one planning come one at a time.

    Args:
        sources: The user's access to the ERP.
        computing: Where what takes long is computed.
        locks: Shared by all users.
        rules: Of the installation.
        is_running: Tells whether an execution of a planning runs; it can't be changed then.
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
        """Say what a paste would become; nothing is stored.

        Args:
            body: JSON as it arrived.

        Raises:
            BadRequest: The body is malformed.
            ColumnsUnknown: The code and quantity columns are not certain.
            UnreadablePaste: No table with two columns.
            PasteTooLarge: More rows, columns or items than are taken, or too much to read in the time for it.
            UnknownWarehouse: The ERP has no such warehouse.
        """
        decimals = await self._sources.catalogue.quantity_decimals()
        reading = await self._read_paste(body, decimals)
        warehouse = await self._sources.find_warehouse(reading.whs_code)
        scene = await self._sources.read_scene(warehouse, decimals)
        if reading.table.doubted_codes:
            codes = await self._computing.run_on_thread(has_codes, scene, reading.table.doubted_codes)
            if codes:  # what the ERP has is a code, whatever it looks like
                reading = await self._read_paste(body, decimals, codes)
        return await self._computing.plan(
            preview,
            reading,
            scene,
            await self._sources.read_reasons(line.reason for line in reading.table.lines),
            await self._other_plannings(warehouse.code),
            max_lines=self._rules.max_lines,
            return_date=self._rules.today(),
        )

    async def create(self, new: NewPlanning) -> Planning:
        """Plan and store.

        Raises:
            InvalidBody: A series, a reason or a quantity that the ERP does not take.
            OpenPlanningExists: The user has an open one for the warehouse and does not want another.
            UnknownWarehouse: The ERP has no such warehouse.
            PlanningTooLarge: It touches too many receipt lines.
        """
        sources = self._sources
        decimals = await sources.catalogue.quantity_decimals()
        check_decimals(new.lines, decimals, "lineas")
        warehouse = await sources.find_warehouse(new.header.whs_code)
        await sources.check_header(new.header, "cabecera.")
        check_reasons(new.lines, await sources.read_reasons(line.reason for line in new.lines))
        async with self._locks.hold(("create", sources.user, warehouse.code)):
            if not new.allow_another:
                newest = await self.find_open(warehouse.code)
                if newest is not None:
                    raise OpenPlanningExists(members={"id": newest.id})
            scene = await sources.read_scene(warehouse, decimals)
            header = planned_at(new.header, warehouse, decimals)
            planned = await self._computing.plan(
                plan_requested, new.lines, scene, max_lines=header.max_lines, return_date=header.posting_date
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
            PlanningNotFound: There is none of this id.
        """
        return await self._sources.repository.get(planning_id)

    async def find_open(self, whs_code: str | None) -> Planning | None:
        """Return the user's newest open planning, of this warehouse where one is named."""
        own = PlanningFilter(is_open=True, whs_code=whs_code, created_by=self._sources.user)
        return await self._sources.repository.find_newest(own)

    async def find(self, where: PlanningFilter, *, page: int, size: int) -> PlanningPage:
        """Return one page (from 1) of the plannings that fit, newest first."""
        return await self._sources.repository.find(where, skip=(page - 1) * size, top=size)

    async def lots_of_line(self, planning_id: int, line_id: int) -> LineLots:
        """Return what a line of a planning may pick; nothing for an item without batches and serials.

        Raises:
            PlanningNotFound: There is none of this id.
            LineNotFound: It has no such line.
            ServiceError: What lies there can't be proved complete.
        """
        planning = await self._sources.repository.get(planning_id)
        line = _find_line(planning, line_id)
        return LineLots(line, choices(await self._sources.read_lots(planning, line), planning, line))

    # --- changes: read the planning, look at the ERP, plan again what is concerned, write it back

    async def change_header(self, planning_id: int, version: int, changes: Mapping[str, Any]) -> Planning:
        """Change the header; another warehouse, or a date that matters to the plan, plans everything again.

        Args:
            planning_id: Which.
            version: The version that the person has seen.
            changes: Attributes of `PlanningHeader` with their new values.

        Raises:
            PlanningNotFound: There is none of this id.
            ServiceError: It may not be changed, or not so.
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
        """Change a line and plan its item again, with the other lines of the same item.

        Args:
            planning_id: Which.
            line_id: Which line.
            version: The version that the person has seen.
            changes: Attributes of `PlanningLine` with their new values.
            picks: Batches or serial numbers to use, none of them to forget what was picked, None to leave it.

        Raises:
            PlanningNotFound: There is none of this id.
            LineNotFound: It has no such line.
            PicksMismatch: The picks don't fit.
            ServiceError: It may not be changed, or not so.
        """
        async with self._editing(planning_id, version) as planning:
            check_unfinished(planning)
            before = _find_line(planning, line_id)
            freed = planning.without_failed({before.item_code})
            check_line_free(before, freed)
            line = attrs.evolve(before, **changes)
            if line == before and picks is None:
                return planning
            if line.reason != before.reason and line.reason is not None:
                check_reason(line.reason, await self._sources.catalogue.read_reasons(), "motivo")
            changed = _changed(freed).with_line(line)
            otherwise = attrs.evolve(line, reason=before.reason) != before
            if picks is not None or otherwise or freed != planning:
                changed = await self._replanning.plan_item(changed, line, picks)
            await self._sources.repository.save(changed)
            return changed

    async def replan(self, planning_id: int, version: int) -> Planning:
        """Plan again with today's stock and receipts what no document holds; picks stay as far as they fit.

        Args:
            planning_id: Which.
            version: The version that the person has seen.

        Raises:
            PlanningNotFound: There is none of this id.
            ServiceError: It may not be changed.
        """
        async with self._editing(planning_id, version) as planning:
            check_unfinished(planning)
            freed = planning.without_failed(None)
            lines = free_lines(freed)
            if not lines:
                raise HeldByDocument
            changed = await self._replanning.plan_lines_today(_changed(freed), lines)
            if attrs.evolve(changed, version=version) == planning:
                return planning
            await self._sources.repository.save(changed)
            return changed

    async def add_lines(self, planning_id: int, version: int, requested: Sequence[PlanningLine]) -> Planning:
        """Add lines and plan their items, with the other lines of the same items.

        The quantity of an item that has a line for the same reason already is added to that line.

        Args:
            planning_id: Which.
            version: The version that the person has seen.
            requested: The lines; their numbers don't matter.

        Raises:
            PlanningNotFound: There is none of this id.
            InvalidBody: A reason or a quantity that the ERP does not take.
            ServiceError: It may not be changed.
        """
        async with self._editing(planning_id, version) as planning:
            check_unfinished(planning)
            decimals = await self._sources.find_decimals(planning.header)
            warehouse = await self._sources.find_planned_warehouse(planning.header)
            check_decimals(requested, decimals, "lineas")
            check_reasons(requested, await self._sources.read_reasons(line.reason for line in requested))
            scene = await self._sources.read_scene(warehouse, decimals)
            changed = _changed(await self._computing.plan(plan_added, planning, requested, scene))
            await self._sources.repository.save(changed)
            return changed

    @asynccontextmanager
    async def _editing(self, planning_id: int, version: int) -> AsyncIterator[Planning]:
        """Read a planning that is about to be changed, with nobody else at it.

        What would have to wait for the end of an execution is refused at once.
        """
        if self._is_running(planning_id):
            raise PlanningInExecution
        async with self._locks.hold(planning_id):
            planning = await self._sources.repository.get(planning_id)
            check_editable(planning, version)
            yield planning

    async def _read_paste(
        self, body: bytes, decimals: int, known_codes: AbstractSet[str] = frozenset()
    ) -> PasteReading:
        is_small = len(body) <= SMALL_PASTE_BYTES
        read = self._computing.run_on_thread if is_small else self._computing.run_in_process
        try:
            return await read(read_paste, body, decimals, known_codes)
        except PasteRefusedError as error:
            raise _UNREAD[error.code](error.message, errors=error.problems, members=error.members) from None
        except WorkDiedError as error:
            message = "Leer el texto exige demasiado tiempo o memoria; péguelo por partes."
            raise PasteTooLarge(message) from error

    async def _other_plannings(self, whs_code: str) -> OpenPlans:
        """Return the open plannings of a warehouse, as far as the ERP shows them to this user."""
        try:
            return await self._sources.repository.find_open_plans(whs_code)
        except MetadataMissing:
            return OpenPlans()
        except (ErpRefused, ErpReplyUnreadable):
            return OpenPlans(are_all=False)


def _find_line(planning: Planning, line_id: int) -> PlanningLine:
    line = next((line for line in planning.lines if line.line_id == line_id), None)
    if line is None:
        raise LineNotFound
    return line


def _changed(planning: Planning, **changes: Any) -> Planning:
    """Return a planning that is about to be written with changes."""
    return attrs.evolve(
        planning,
        version=planning.version + 1,
        state=planning.state_by_documents,
        **changes,
    )
