"""Plannings in the ERP: one user-defined object each, with its rows."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import tzinfo
from http import HTTPStatus
from typing import Final, ParamSpec, TypeVar

from erpclient import Caller, ErpClient, ErpList, ErpRecord, ErpRefused, ErpReplyUnreadable
from erpclient.odata import ListQuery, RecordQuery, quote_string
from supplier_returns.planning.errors import MetadataMissing, PlanningNotFound, PlanningUnreadable
from supplier_returns.planning.model.listing import PlanningFilter, PlanningPage
from supplier_returns.planning.model.open_plans import OpenPlan, OpenPlans
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import PlanningState
from supplier_returns.planning.records.open_plans import OPEN_PLAN_FIELDS, read_open_plans
from supplier_returns.planning.records.reading import read_planning, read_plannings
from supplier_returns.planning.records.record_list import UnreadableRecordError
from supplier_returns.planning.records.rows import OBJECT, SummaryRow
from supplier_returns.planning.records.summaries import read_summaries
from supplier_returns.planning.records.writing import (
    write_folios,
    write_header,
    write_planning,
    write_progress,
)
from supplier_returns.web.error_map import erp_write
from supplier_returns.web.rights import needing_right

UNKNOWN_SET_CODES: Final = frozenset({200, -1002})
"""Codes of the ERP's 400 for an entity set it does not know (seen live on Service Layer v1 and v2)."""

_UNKNOWN_FIELD: Final = re.compile(r"Property '?U_\w+")
"""How it begins to say that an entity has no such user field (`-1000`, the same)."""

MORE_ROWS: Final = 10
"""Plannings asked for at a time where several come with their rows."""

MAX_OPEN_PLANS: Final = 50
"""Open plannings of a warehouse that a preview is compared with, in at most five calls."""


_P = ParamSpec("_P")
_T = TypeVar("_T")


class PlanningRepository:
    """Keeps plannings as `LIB_ODEV` objects, for one signed-in user.

    Every write of rows sends all of them with their `LineId` and asks the ERP to replace what it has: a row
    without its number would overwrite the row at its position (seen live by an integrator for documents), and
    without the request to replace, rows left out would stay. Records are read and written on threads: a large
    planning has thousands of rows.

    Args:
        erp: The signed-in user's client.
        caller: For whom.
        zone: Time zone of the ERP's clock.
    """

    def __init__(self, erp: ErpClient, caller: Caller, zone: tzinfo) -> None:
        self._erp = erp
        self._caller = caller
        self._zone = zone

    async def create(self, planning: Planning) -> Planning:
        """Store a new planning and return it with its id, number and time of creation."""
        body = await asyncio.to_thread(write_planning, planning)
        with erp_write(), _needing_object():
            stored = await self._erp.create(OBJECT, body, caller=self._caller)
        return await self._read(stored)

    async def get(self, planning_id: int) -> Planning:
        """Return a planning.

        Raises:
            PlanningNotFound: There is none of this id.
        """
        try:
            with _needing_object():
                found = await self._erp.get(OBJECT, f"({planning_id})", RecordQuery(), caller=self._caller)
        except ErpRefused as error:
            if error.status == HTTPStatus.NOT_FOUND:
                raise PlanningNotFound from error
            raise
        return await self._read(found)

    async def save(self, planning: Planning) -> None:
        """Write a planning with all its rows; rows that it no longer has are gone."""
        body = await asyncio.to_thread(write_planning, planning)
        await self._modify(planning.id, body, replace=True)

    async def save_header(self, planning: Planning) -> None:
        """Write only what the header says."""
        await self._modify(planning.id, write_header(planning), replace=False)

    async def save_progress(
        self, planning: Planning, *, doc_ids: Collection[int] = (), with_lines: bool = False
    ) -> None:
        """Write what an execution changes, and leave the other rows as they are.

        Raises:
            ErpError: It could not be written, or nobody knows whether it was.
        """
        body = write_progress(planning, doc_ids=doc_ids, with_lines=with_lines)
        await self._modify(planning.id, body, replace=False)

    async def save_folios(self, planning_id: int, folios: Mapping[int, int]) -> None:
        """Write the folios of documents, by their number, and nothing else.

        Raises:
            ErpError: It could not be written, or nobody knows whether it was.
        """
        await self._modify(planning_id, write_folios(folios), replace=False)

    async def close(self, planning_id: int) -> None:
        """Close the ERP's record: nobody can change it any more."""
        with erp_write(), _needing_right():
            await self._erp.action(OBJECT, f"({planning_id})", "Close", b"", caller=self._caller)

    async def find(self, where: PlanningFilter, *, skip: int, top: int) -> PlanningPage:
        """Return a part of the plannings that fit, newest first; one that can't be read shows as such."""
        found = await self._list(where, select=SummaryRow.__struct_fields__, skip=skip, top=top)
        return PlanningPage(await _read_rows(read_summaries, found.rows, self._zone), found.count)

    async def find_open_plans(self, whs_code: str) -> OpenPlans:
        """Return what open plannings of a warehouse are to take from it, whoever made them.

        One call, unless there are more than `MORE_ROWS`.

        Those that are executed take nothing more; the newest `MAX_OPEN_PLANS` of the others are looked at.

        Raises:
            MetadataMissing: The ERP knows no plannings yet.
        """
        where = PlanningFilter(is_open=True, whs_code=whs_code, other_than=PlanningState.DONE)
        open_plans: list[OpenPlan] = []
        for skip in range(0, MAX_OPEN_PLANS, MORE_ROWS):
            found = await self._list(where, select=OPEN_PLAN_FIELDS, skip=skip, top=MORE_ROWS)
            open_plans += await _read_rows(read_open_plans, found.rows)
            if found.count <= skip + MORE_ROWS:
                return OpenPlans(open_plans)
        return OpenPlans(open_plans, are_all=False)

    async def find_newest(self, where: PlanningFilter) -> Planning | None:
        """Return the newest planning that fits and can be read, with all its rows; None if there is none.

        One call, since records come with their rows in a list too.

        Only where the newest is spoiled are further ones asked for. A planning has a line at least; one that
        comes without is read again by itself.
        """
        skip, top = 0, 1
        while True:
            found = await self._list(where, select=None, skip=skip, top=top)
            for planning in await _read_rows(read_plannings, found.rows, self._zone):
                with suppress(PlanningUnreadable):
                    return planning if planning.lines else await self.get(planning.id)
            skip, top = skip + top, MORE_ROWS
            if skip >= found.count:
                return None

    async def _list(
        self, where: PlanningFilter, *, select: tuple[str, ...] | None, skip: int, top: int
    ) -> ErpList:
        query = ListQuery(
            select=select, filter=_condition(where), orderby=("DocEntry desc",), top=top, skip=skip
        )
        with _needing_object():
            return await self._erp.list(OBJECT, query, caller=self._caller)

    async def _modify(self, planning_id: int, body: bytes, *, replace: bool) -> None:
        with erp_write(), _needing_object():
            await self._erp.modify(
                OBJECT, f"({planning_id})", body, caller=self._caller, replace_collections=replace
            )

    async def _read(self, record: ErpRecord) -> Planning:
        try:
            return await asyncio.to_thread(read_planning, record.body, self._zone)
        except UnreadableRecordError as error:
            raise PlanningUnreadable from error


def _needing_right() -> AbstractContextManager[None]:
    return needing_right(OBJECT, task="ver y guardar planificaciones")


@contextmanager
def _needing_object() -> Iterator[None]:
    """Name the right that a user lacks, and tell where the ERP lacks plannings or one of their fields."""
    try:
        with _needing_right():
            yield
    except ErpRefused as error:
        is_unknown = error.code in UNKNOWN_SET_CODES or _UNKNOWN_FIELD.match(error.text)
        if error.status == HTTPStatus.BAD_REQUEST and is_unknown:
            raise MetadataMissing from error
        raise


async def _read_rows(read: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    try:
        return await asyncio.to_thread(read, *args, **kwargs)
    except UnreadableRecordError as error:
        raise ErpReplyUnreadable(str(error)) from error


def _condition(where: PlanningFilter) -> str | None:
    parts: list[str] = []
    if where.is_open is not None:
        parts.append(f"Status eq '{'O' if where.is_open else 'C'}'")
    if where.whs_code is not None:
        parts.append(f"U_WhsCode eq {quote_string(where.whs_code)}")
    if where.created_from is not None:
        parts.append(f"CreateDate ge '{where.created_from.isoformat()}'")
    if where.created_by is not None:
        parts.append(f"U_UsrCrea eq {quote_string(where.created_by)}")
    if where.state is not None:
        parts.append(f"U_Estado eq '{where.state.letters}'")
    if where.other_than is not None:
        parts.append(f"U_Estado ne '{where.other_than.letters}'")
    return " and ".join(parts) or None
