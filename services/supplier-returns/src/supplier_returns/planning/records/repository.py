"""Store plannings in the ERP as user-defined objects with child rows."""

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
"""ERP codes, with status 400, for an unknown entity set (observed on Service Layer v1 and v2)."""

_UNKNOWN_FIELD: Final = re.compile(r"Property '?U_\w+")
"""Start of the ERP text for an unknown user field (code -1000, observed as well)."""

MORE_ROWS: Final = 10
"""Plannings in one request if several are read with their rows."""

MAX_OPEN_PLANS: Final = 50
"""Maximum open plannings that a preview is compared with, in at most five calls."""


_P = ParamSpec("_P")
_T = TypeVar("_T")


class PlanningRepository:
    """Stores plannings as `LIB_ODEV` objects, for one signed-in user.

    A write of rows sends all rows with their `LineId` and asks the ERP to replace the collections. A row
    without its number would overwrite the row at its position (an integrator observed this for documents).
    Without the replacement, omitted rows would stay. Threads encode and decode the records, because a large
    planning has thousands of rows.

    Args:
        erp: client of the ERP.
        caller: user of the requests.
        zone: time zone of the ERP's clock.
    """

    def __init__(self, erp: ErpClient, caller: Caller, zone: tzinfo) -> None:
        self._erp = erp
        self._caller = caller
        self._zone = zone

    async def create(self, planning: Planning) -> Planning:
        """Store a new planning. Return it with its ID, number and creation time."""
        body = await asyncio.to_thread(write_planning, planning)
        with erp_write(), _needing_object():
            stored = await self._erp.create(OBJECT, body, caller=self._caller)
        return await self._read(stored)

    async def get(self, planning_id: int) -> Planning:
        """Return a planning.

        Raises:
            PlanningNotFound: there is no planning with this ID.
        """
        try:
            with _needing_object():
                record = await self._erp.get(OBJECT, f"({planning_id})", RecordQuery(), caller=self._caller)
        except ErpRefused as error:
            if error.status == HTTPStatus.NOT_FOUND:
                raise PlanningNotFound from error
            raise
        return await self._read(record)

    async def save(self, planning: Planning) -> None:
        """Write a planning with all its rows. The ERP deletes rows that the planning no longer has."""
        body = await asyncio.to_thread(write_planning, planning)
        await self._modify(planning.id, body, replace=True)

    async def save_header(self, planning: Planning) -> None:
        """Write only the header."""
        await self._modify(planning.id, write_header(planning), replace=False)

    async def save_progress(
        self, planning: Planning, *, doc_ids: Collection[int] = (), with_lines: bool = False
    ) -> None:
        """Write the changes of an execution, and keep the other rows as they are.

        Raises:
            ErpError: the write failed, or its outcome is unknown.
        """
        body = write_progress(planning, doc_ids=doc_ids, with_lines=with_lines)
        await self._modify(planning.id, body, replace=False)

    async def save_folios(self, planning_id: int, folios: Mapping[int, int]) -> None:
        """Write only the folios of documents, by document number.

        Raises:
            ErpError: the write failed, or its outcome is unknown.
        """
        await self._modify(planning_id, write_folios(folios), replace=False)

    async def close(self, planning_id: int) -> None:
        """Close the ERP record. It can't be changed afterwards."""
        with erp_write(), _needing_right():
            await self._erp.action(OBJECT, f"({planning_id})", "Close", b"", caller=self._caller)

    async def find(self, where: PlanningFilter, *, skip: int, top: int) -> PlanningPage:
        """Return a page of the matching plannings, newest first. A damaged record is listed as unreadable."""
        page = await self._list(where, select=SummaryRow.__struct_fields__, skip=skip, top=top)
        return PlanningPage(await _read_rows(read_summaries, page.rows, self._zone), page.count)

    async def find_open_plans(self, whs_code: str) -> OpenPlans:
        """Return the items that open plannings of a warehouse still take from it, whoever created them.

        One call reads up to `MORE_ROWS` plannings, up to the newest `MAX_OPEN_PLANS`. Executed plannings are
        excluded, since they take nothing more.

        Raises:
            MetadataMissing: the ERP has no object for plannings yet.
        """
        where = PlanningFilter(is_open=True, whs_code=whs_code, other_than=PlanningState.DONE)
        open_plans: list[OpenPlan] = []
        for skip in range(0, MAX_OPEN_PLANS, MORE_ROWS):
            page = await self._list(where, select=OPEN_PLAN_FIELDS, skip=skip, top=MORE_ROWS)
            open_plans += await _read_rows(read_open_plans, page.rows)
            if page.count <= skip + MORE_ROWS:
                return OpenPlans(open_plans)
        return OpenPlans(open_plans, is_complete=False)

    async def find_newest(self, where: PlanningFilter) -> Planning | None:
        """Return the newest matching planning that can be read, with all its rows, or None if there is none.

        One call is enough, since the ERP lists records with their rows. Further records are read only if the
        newest is damaged. A listed planning without lines is read again on its own, since every planning has
        at least one.
        """
        # The newest record is rarely damaged, and records with their rows are large, so read one first.
        skip, top = 0, 1
        while True:
            page = await self._list(where, select=None, skip=skip, top=top)
            for planning in await _read_rows(read_plannings, page.rows, self._zone):
                with suppress(PlanningUnreadable):
                    return planning if planning.lines else await self.get(planning.id)
            skip, top = skip + top, MORE_ROWS
            if skip >= page.count:
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
    """Translate refusals: a missing right of the user, and a missing object or field."""
    try:
        with _needing_right():
            yield
    except ErpRefused as error:
        # An unknown field has the general code -1000, so its text has to tell.
        is_unknown = error.code in UNKNOWN_SET_CODES or _UNKNOWN_FIELD.match(error.text)
        if error.status == HTTPStatus.BAD_REQUEST and is_unknown:
            raise MetadataMissing from error
        raise


async def _read_rows(decode: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    try:
        return await asyncio.to_thread(decode, *args, **kwargs)
    except UnreadableRecordError as error:
        raise ErpReplyUnreadable(str(error)) from error


def _condition(where: PlanningFilter) -> str | None:
    parts: list[str] = []
    if where.is_open is not None:
        parts.append(f"Status eq '{'O' if where.is_open else 'C'}'")
    if where.whs_code is not None:
        parts.append(f"U_WhsCode eq {quote_string(where.whs_code)}")
    if where.created_from is not None:
        # The Service Layer requires quoted dates in a filter (SAP manual 1.29, 3.6.4).
        parts.append(f"CreateDate ge '{where.created_from.isoformat()}'")
    if where.created_by is not None:
        parts.append(f"U_UsrCrea eq {quote_string(where.created_by)}")
    if where.state is not None:
        parts.append(f"U_Estado eq '{where.state.letters}'")
    if where.other_than is not None:
        parts.append(f"U_Estado ne '{where.other_than.letters}'")
    return " and ".join(parts) or None
