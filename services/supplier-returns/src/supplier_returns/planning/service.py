"""The use cases of planning: fetch, decide by pure functions, store. One `PlanningService` per request."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

import attrs
from attrs import frozen

from servicekit.errors import FieldProblem, InvalidBody
from supplier_returns.pasting.numbers import decimals_of
from supplier_returns.pasting.reading import PasteRefusal, read_paste
from supplier_returns.planning.checks import (
    check_decimals,
    check_editable,
    check_header_free,
    check_line_free,
    check_managed,
    check_pick_decimals,
    check_reason,
    check_reasons,
    refusal_error,
    refusing_large_plans,
    too_precise,
)
from supplier_returns.planning.computing import UserComputing
from supplier_returns.planning.errors import (
    LineNotFound,
    OpenPlanningExists,
    PicksMismatch,
    PlanningInExecution,
    UnknownWarehouse,
)
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.ports import CatalogueReader, ReceiptReader, StockReader
from supplier_returns.planning.previewing import Preview, preview
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.model import Reason, WarehouseFacts
from supplier_returns.planning.rules.picks import Pick, PicksMismatchError
from supplier_returns.planning.rules.plannings import (
    Planning,
    PlanningFilter,
    PlanningHeader,
    PlanningLine,
    PlanningPage,
)
from supplier_returns.planning.rules.replanning import plan, plans_otherwise, replan
from supplier_returns.planning.rules.standing import is_held, state_of_planning, without_failed

SMALL_PASTE_BYTES: Final = 64 * 1024
"""A paste up to this size is read on a thread: it takes a few milliseconds, less than sending it around."""


@frozen
class PlanningSources:
    """What planning reads and writes, bound to the signed-in user's ERP session.

    Attributes:
        user: ERP user code.
    """

    user: str
    stock: StockReader
    receipts: ReceiptReader
    catalogue: CatalogueReader
    repository: PlanningRepository


@frozen
class PlanningRules:
    """What the installation says about plannings.

    Attributes:
        max_lines: Lines that one supplier document may have.
        today: The company's date.
    """

    max_lines: int
    today: Callable[[], date]


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


class PlanningService:
    """The use cases, for one signed-in user.

    Args:
        sources: The user's access to the ERP.
        computing: Where what takes long is computed.
        locks: Shared by all users.
        rules: Of the installation.
        is_running: Tells whether an execution of a planning runs; it can't be changed then.
    """

    def __init__(
        self,
        sources: PlanningSources,
        computing: UserComputing,
        locks: KeyedLocks,
        rules: PlanningRules,
        is_running: Callable[[int], bool],
    ) -> None:
        self._is_running = is_running
        self._at = sources
        self._computing = computing
        self._locks = locks
        self._rules = rules

    async def preview(self, body: bytes) -> Preview:
        """Say what a paste would become; nothing is stored.

        Args:
            body: JSON as it arrived.

        Raises:
            BadRequest: The body is malformed.
            UnreadablePaste: No table with a code and a quantity column.
            PasteTooLarge: More rows, columns or items than are taken.
            UnknownWarehouse: The ERP has no such warehouse.
        """
        decimals = await self._at.catalogue.quantity_decimals()
        if len(body) <= SMALL_PASTE_BYTES:
            reading = await self._computing.on_thread(read_paste, body, decimals)
        else:
            reading = await self._computing.in_process(read_paste, body, decimals)
        if isinstance(reading, PasteRefusal):
            raise refusal_error(reading)
        warehouse = await self._warehouse(reading.whs_code)
        reasons = await self._reasons(line.reason for line in reading.lines)
        scene = await self._scene(warehouse, decimals)
        with refusing_large_plans():
            return await self._computing.on_thread(
                preview,
                reading,
                scene,
                reasons,
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
        decimals = await self._at.catalogue.quantity_decimals()
        check_decimals(new.lines, decimals)
        warehouse = await self._warehouse(new.header.whs_code)
        await self._check_header(new.header, "cabecera.")
        reasons = await self._reasons(line.reason for line in new.lines)
        check_reasons(new.lines, reasons)
        async with self._locks.hold(("create", self._at.user, warehouse.code)):
            if not new.allow_another:
                newest = await self.find_open(warehouse.code)
                if newest is not None:
                    raise OpenPlanningExists(newest.id)
            scene = await self._scene(warehouse, decimals)
            header = _planned_at(new.header, warehouse, decimals)
            with refusing_large_plans():
                planned = await self._computing.on_thread(
                    plan, new.lines, scene, max_lines=header.max_lines, return_date=header.posting_date
                )
            return await self._at.repository.create(
                Planning(
                    header=header,
                    lines=planned.lines,
                    documents=planned.documents,
                    created_by=self._at.user,
                    digest=new.digest,
                )
            )

    async def get(self, planning_id: int) -> Planning:
        """Return a planning.

        Raises:
            PlanningNotFound: There is none of this id.
        """
        return await self._at.repository.get(planning_id)

    async def find_open(self, whs_code: str | None) -> Planning | None:
        """Return the user's newest open planning, of this warehouse where one is named."""
        return await self._at.repository.find_newest(self._open_ones(whs_code))

    async def find(self, where: PlanningFilter, *, page: int, size: int) -> PlanningPage:
        """Return one page (from 1) of the plannings that fit, newest first."""
        return await self._at.repository.find(where, skip=(page - 1) * size, top=size)

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
        self._check_idle(planning_id)
        async with self._locks.hold(planning_id):
            planning = await self._at.repository.get(planning_id)
            check_editable(planning, version)
            freed = without_failed(planning, None)
            check_header_free(freed)
            header = attrs.evolve(planning.header, **changes)
            if header == planning.header:
                return planning
            await self._check_header(header, "", before=planning.header)
            changed = _changed(freed, header=header)
            if freed != planning or plans_otherwise(planning, header):
                changed = await self._plan_again(changed, planning.header)
                await self._at.repository.save(changed)
            else:
                await self._at.repository.save_header(changed)
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
        self._check_idle(planning_id)
        async with self._locks.hold(planning_id):
            planning = await self._at.repository.get(planning_id)
            check_editable(planning, version)
            before = next((line for line in planning.lines if line.line_id == line_id), None)
            if before is None:
                raise LineNotFound
            freed = without_failed(planning, before.item_code)
            check_line_free(before, freed)
            line = attrs.evolve(before, **changes)
            if line == before and picks is None:
                return planning
            if line.reason != before.reason and line.reason is not None:
                reasons = await self._at.catalogue.read_reasons()
                check_reason(line.reason, reasons, "motivo")
            changed = _with_line(_changed(freed), line)
            otherwise = attrs.evolve(line, reason=before.reason) != before
            if picks is not None or otherwise or freed != planning:
                changed = await self._plan_item(changed, line, picks)
            await self._at.repository.save(changed)
            return changed

    def _check_idle(self, planning_id: int) -> None:
        """Refuse at once what would have to wait for the end of an execution.

        Raises:
            PlanningInExecution: One runs.
        """
        if self._is_running(planning_id):
            raise PlanningInExecution

    async def _plan_item(
        self, planning: Planning, line: PlanningLine, picks: Sequence[Pick] | None
    ) -> Planning:
        header = planning.header
        decimals = header.decimals
        if decimals is None:
            decimals = await self._at.catalogue.quantity_decimals()
        if decimals_of(line.quantity) > decimals:
            raise InvalidBody(errors=[too_precise("cantidad", decimals)])
        if header.has_bins is None:
            warehouse = await self._warehouse(header.whs_code)
        else:
            warehouse = WarehouseFacts(header.whs_code, has_bins=header.has_bins)
        scene = await self._scene(warehouse, decimals, item_code=line.item_code)
        chosen = {line.line_id: picks} if picks else None
        if picks:
            check_managed(line, picks)
            check_pick_decimals(picks, decimals)
        elif picks is not None:
            planning = _with_line(planning, attrs.evolve(line, allocations=()))
        again = [
            each
            for each in planning.lines
            if each.item_code == line.item_code and not is_held(each, planning)
        ]
        return await self._replanned(planning, again, scene, chosen)

    async def _plan_again(self, planning: Planning, before: PlanningHeader) -> Planning:
        """Plan every line anew. In another warehouse other batches lie, so picks are forgotten there."""
        decimals = await self._at.catalogue.quantity_decimals()
        warehouse = await self._warehouse(planning.header.whs_code)
        scene = await self._scene(warehouse, decimals)
        lines = planning.lines
        if planning.header.whs_code != before.whs_code:
            lines = tuple(attrs.evolve(line, allocations=()) for line in lines)
        header = _planned_at(planning.header, warehouse, decimals)
        return await self._replanned(attrs.evolve(planning, header=header, lines=lines), lines, scene, None)

    async def _replanned(
        self,
        planning: Planning,
        lines: Sequence[PlanningLine],
        scene: Scene,
        picks: Mapping[int, Sequence[Pick]] | None,
    ) -> Planning:
        try:
            with refusing_large_plans():
                return await self._computing.on_thread(replan, planning, lines, scene, picks)
        except PicksMismatchError as error:
            raise PicksMismatch.in_sum(error.picked, error.allocated) from error

    async def _scene(
        self, warehouse: WarehouseFacts, decimals: int, *, item_code: str | None = None
    ) -> Scene:
        stock = await self._at.stock.read_stock(warehouse.code, item_code=item_code)
        receipts = await self._at.receipts.read_open_receipts(warehouse.code, item_code=item_code)
        return Scene(warehouse, stock, receipts, decimals)

    async def _warehouse(self, whs_code: str) -> WarehouseFacts:
        warehouse = await self._at.catalogue.find_warehouse(whs_code)
        if warehouse is None or not warehouse.is_active:
            raise UnknownWarehouse
        return warehouse

    async def _reasons(self, named: Iterable[str | None]) -> Sequence[Reason]:
        """Read the valid values of the reason, where any line names one."""
        return await self._at.catalogue.read_reasons() if any(named) else ()

    async def _check_header(
        self, header: PlanningHeader, path: str, *, before: PlanningHeader | None = None
    ) -> None:
        """Check what the ERP has to know, as far as it changed.

        Raises:
            InvalidBody: It does not know it.
        """
        series_changes = before is None or header.series != before.series
        if (
            series_changes
            and header.series is not None
            and not await self._at.catalogue.has_open_series(header.series)
        ):
            message = "No es una serie abierta para devoluciones."
            raise InvalidBody(errors=[FieldProblem(f"{path}serie", message)])
        if header.reason is not None and (before is None or header.reason != before.reason):
            check_reason(header.reason, await self._at.catalogue.read_reasons(), f"{path}motivo")

    def _open_ones(self, whs_code: str | None) -> PlanningFilter:
        return PlanningFilter(is_open=True, whs_code=whs_code, created_by=self._at.user)


def _planned_at(header: PlanningHeader, warehouse: WarehouseFacts, decimals: int) -> PlanningHeader:
    """Keep with a planning what a change of one line needs to know: it then need not ask the ERP again."""
    return attrs.evolve(header, whs_code=warehouse.code, has_bins=warehouse.has_bins, decimals=decimals)


def _changed(planning: Planning, **changes: Any) -> Planning:
    """Return a planning that is about to be written with changes."""
    return attrs.evolve(
        planning,
        version=planning.version + 1,
        state=state_of_planning(planning.documents),
        **changes,
    )


def _with_line(planning: Planning, changed: PlanningLine) -> Planning:
    lines = (changed if line.line_id == changed.line_id else line for line in planning.lines)
    return attrs.evolve(planning, lines=tuple(lines))
