"""Reads a document's flow from the ERP, in at most three calls."""

from collections.abc import Callable
from typing import Final

from attrs import define, field

from erp_gateway.records.documents.batch_reader import BatchReader
from erp_gateway.records.documents.head import (
    DOCUMENT_COLUMNS,
    INVOICES,
    PAYMENT_COLUMNS,
    PAYMENTS,
    HeadRow,
    head_of,
    read_head,
    shown,
)
from erp_gateway.records.documents.paid_columns import PaidColumns
from erp_gateway.records.flow.database import FollowingInDatabase
from erp_gateway.records.flow.errors import NoFlow
from erp_gateway.records.flow.links import FOLLOWING
from erp_gateway.records.flow.plan import (
    Bases,
    FlowPlan,
    FoundHead,
    PlannedRead,
    Side,
    bases_of,
)
from erp_gateway.records.flow.shapes import Flow, FlowSide
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.plans import RecordPlan
from erpclient import Caller, ErpClient, ErpRefused
from erpclient.batch import BatchResult
from erpclient.odata import RecordQuery
from servicekit.clock import Clock

MOST_CALLS: Final = 3
"""Calls to the ERP for one flow."""

MayRead = Callable[[Registered], bool]
"""Returns whether the reader may read the records of a resource."""


@define(eq=False)
class _FoundSide:
    """The documents of one side while they are read."""

    found: list[tuple[Registered, FoundHead]] = field(factory=list)
    has_hidden: bool = False
    is_complete: bool = True

    def add(self, planned: PlannedRead, result: BatchResult, *, is_readable: bool) -> None:
        """Add the documents of a result. Of unreadable ones only their existence counts."""
        heads, is_complete = planned.read_result(result)
        self.is_complete = self.is_complete and is_complete
        for head in heads:
            self.add_head(planned.target, head, is_readable=is_readable)

    def add_head(self, target: Registered, head: FoundHead, *, is_readable: bool) -> None:
        """Add a document; of an unreadable one only its existence counts."""
        if is_readable:
            self.found.append((target, head))
        else:
            self.has_hidden = True

    def answer(self) -> FlowSide:
        heads = [head_of(target, head.row, applied=head.applied) for target, head in self.found]
        return FlowSide(
            documents=tuple(sorted(heads, key=lambda head: (head.date or "", head.number or 0))),
            has_hidden=self.has_hidden,
            is_complete=self.is_complete,
        )


@define(eq=False, repr=False)
class FlowService:
    """Reads flows.

    The first call reads the document, and another one without the paid amounts where the ERP has none. One
    `$batch` reads both sides, and another one what is left after a refusal.

    Args:
        erp: the ERP.
        registry: the registered resources.
        paid_columns: whether the ERP shows paid amounts.
        batches: reads the other documents.
        database: finds following documents in the ERP's database, where one is configured.
        clock: the time of an answer.
    """

    _erp: ErpClient
    _registry: Registry
    _paid_columns: PaidColumns
    _batches: BatchReader
    _database: FollowingInDatabase
    _clock: Clock

    async def read(self, plan: RecordPlan, may_read: MayRead, caller: Caller) -> Flow:
        """Read the flow of a document that the reader may read.

        Raises:
            NoFlow: records of the resource have none.
            ErpError: the ERP does not give the document, or no answer.
        """
        target = plan.target
        if target.resource.name not in FOLLOWING:
            raise NoFlow
        calls_before = caller.trace.calls
        row = await self._read_document(plan, caller)
        calls_left = max(0, MOST_CALLS - (caller.trace.calls - calls_before))
        flow = FlowPlan(self._registry, target, row, self._paid_columns.names)
        bases = bases_of(row)
        sides = {Side.BASE: _FoundSide(), Side.FOLLOWING: _FoundSide()}
        sides[Side.BASE].has_hidden = self._has_unregistered(bases)
        following = await self._read_database(
            row, [*flow.following_reads()], sides[Side.FOLLOWING], may_read, caller
        )
        reads = [*flow.base_reads(bases), *following]
        for planned, result in await self._batches.read(reads, caller, most_calls=calls_left):
            side = sides[planned.side]
            if result is None:
                side.is_complete = False
            else:
                side.add(planned, result, is_readable=may_read(planned.target))
        return Flow(
            document=head_of(target, row),
            base=sides[Side.BASE].answer(),
            following=sides[Side.FOLLOWING].answer(),
            read_at=self._clock.now(),
        )

    async def _read_database(
        self,
        row: HeadRow,
        reads: list[PlannedRead],
        side: _FoundSide,
        may_read: MayRead,
        caller: Caller,
    ) -> list[PlannedRead]:
        """Read following documents from the database, if there is one; return the reads that are left."""
        joins = [each for each in reads if each.is_join]
        object_type = joins[0].base_type if joins else None
        if object_type is None:
            return reads
        found = await self._database.find(
            [each.target for each in joins],
            object_type=object_type,
            entry=row.doc_entry,
            user=caller.user if isinstance(caller.user, str) else None,
        )
        if found is None:
            return reads
        side.is_complete = side.is_complete and found.is_complete
        for target, head in found.documents:
            side.add_head(target, FoundHead(head), is_readable=may_read(target))
        return [each for each in reads if not each.is_join]

    def _has_unregistered(self, bases: Bases) -> bool:
        object_types = self._registry.object_types
        names = (object_types.get(object_type, "") for object_type in bases.entries)
        return bases.is_unreadable or any(self._registry.find(name) is None for name in names)

    async def _read_document(self, plan: RecordPlan, caller: Caller) -> HeadRow:
        columns = self._columns(plan.target)
        try:
            return await self._get(plan, columns, caller)
        except ErpRefused as error:
            if not self._paid_columns.note(error, columns):
                raise
        return await self._get(plan, self._columns(plan.target), caller)

    def _columns(self, target: Registered) -> tuple[str, ...]:
        name = target.resource.name
        if name in PAYMENTS:
            return shown(PAYMENT_COLUMNS, target)
        paid = self._paid_columns.names if name in INVOICES else ()
        return shown((*DOCUMENT_COLUMNS, *paid, "DocumentLines"), target)

    async def _get(self, plan: RecordPlan, columns: tuple[str, ...], caller: Caller) -> HeadRow:
        record = await self._erp.get(
            plan.target.resource.name,
            plan.predicate,
            RecordQuery(select=columns),
            caller=caller,
            hidden=plan.target.hidden,
        )
        return read_head(record.body)
