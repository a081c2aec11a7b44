"""A plan becomes one call to the ERP, writes through the ledger, actions that only read with a record.

A whole list becomes a file, page by page.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Protocol, TypeVar

import attrs
import msgspec
import structlog
from attrs import define, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.files.exports.currencies import Currencies
from erp_gateway.files.exports.errors import ExportChanged, ExportTooLarge
from erp_gateway.files.exports.exporter import Exporter, ExportJob, OpenExport
from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.records.proxy.created_key import created_key, key_segment
from erp_gateway.records.proxy.meanings import measure_of, with_meanings
from erp_gateway.records.proxy.policy import (
    ActionPlan,
    CreatePlan,
    ExportPlan,
    ListPlan,
    ModifyPlan,
    RecordPlan,
    ServiceActionPlan,
)
from erp_gateway.records.proxy.reference import A, CacheKey, ReferenceCache, read_reference
from erp_gateway.records.proxy.registry import Column, Registry, Resource, key_parts
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditEvent,
    AuditResult,
    SentFields,
    failure_recorded,
)
from erp_gateway.values.measures import Decimals
from erp_gateway.web.disconnects import Check
from erp_gateway.web.error_map import Call, OutcomeUnknown, upstream_service_error
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.rules import WriteState, state_after
from erp_gateway.writes.write import Write, WriteKind
from erpclient import (
    Caller,
    ErpClient,
    ErpError,
    ErpList,
    ErpRecord,
    ErpReply,
    ErpReplyUnreadable,
    InternalLane,
    Reserve,
)
from erpclient.odata import Dialect, IntKey, ListQuery
from servicekit.cache import CachedAnswer
from servicekit.errors import type_and_text

PAGE_ROWS: Final = 200
"""Rows of a page: others at the ERP wait for one page at most."""

_DECODER: Final = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?")


class ListPages:
    """The pages of one export: ask with `next_query`, hand what came to `take`, until there is none.

    Where the key is an integer and the client asked for no order, or for that of the key, up or down, the
    next page begins behind the last key, so that what comes or goes meanwhile neither hides a record nor
    shows one twice. Everywhere else pages are counted off, ordered by the key in the end; if the number of
    records changes meanwhile, it is refused.

    Args:
        plan: the list.
        most: rows that an export may have.

    Attributes:
        decimals: of amounts; as long as there are none these have the digits that the ERP gives them.
        local_code: of the company's currency; None where nobody has said.
    """

    def __init__(self, plan: ExportPlan, most: int) -> None:
        self.decimals = Decimals()
        self.local_code: str | None = None
        self._plan = plan
        self._most = most
        resource, query = plan.target.resource, plan.query
        self._key = _key_of_pages(query, resource)
        self._down = query.orderby == (f"{self._key} desc",)
        self._last: int | None = None
        self._count: int | None = None
        self._done = 0
        self._ended = False
        self._named = _named_columns(query, resource)
        self._columns: tuple[Column, ...] | None = self._named
        self._query = attrs.evolve(query, select=self._select(), orderby=_order(query, resource))

    @property
    def headings(self) -> tuple[str, ...]:
        """The titles of the columns; where nobody named any they are known after the first page.

        An amount in the company's currency says so: a column beside it may name that of the document.
        """
        return tuple(self._heading(column) for column in self._columns or ())

    def _heading(self, column: Column) -> str:
        measure = column.measure
        is_local = measure is not None and measure.kind == "amount" and measure.by is None
        return f"{column.title} ({self.local_code})" if is_local and self.local_code else column.title

    @property
    def may_have_amounts(self) -> bool:
        """Whether decimals make a difference; surely not where all columns are known and count nothing."""
        measures = [column.measure for column in self._named or () if column.measure]
        return self._named is None or any(each.kind == "amount" for each in measures)

    def next_query(self) -> ListQuery | None:
        """Return what to ask for next; None when everything is there."""
        if self._ended:
            return None
        top = min(PAGE_ROWS, self._plan.query.top - self._done)
        if self._key is None:
            return attrs.evolve(self._query, top=top, skip=self._plan.query.skip + self._done)
        condition = self._plan.query.filter
        if self._last is not None:
            behind = f"{self._key} {'lt' if self._down else 'gt'} {self._last}"
            condition = behind if condition is None else f"({condition}) and {behind}"
        return attrs.evolve(self._query, top=top, filter=condition)

    def take(self, page: ErpList) -> list[list[object]]:
        """Return the rows of a page as cells.

        Raises:
            ExportTooLarge: there are more rows than an export may have, and all of them are wanted.
            ExportChanged: records came or went meanwhile.
            ErpReplyUnreadable: the page is not what was asked for.
        """
        rows = self._decoded(page)
        self._check_count(page.count)
        if self._columns is None:
            self._columns = tuple(_columns_of(rows))
        self._done += len(rows)
        expected = page.count - len(rows) if self._key is not None else self._total(page.count) - self._done
        if not rows and expected > 0:
            raise ExportChanged
        self._ended = expected <= 0 or self._done >= self._plan.query.top
        if self._key is not None and rows:
            self._last = self._behind(rows)
        columns = self._columns
        return [[self._cell(column, row) for column in columns] for row in rows]

    def _cell(self, column: Column, row: Mapping[str, Any]) -> object:
        value, measure = row.get(column.name), column.measure
        if measure is None or measure.kind != "amount":
            return _cell(column, value)
        return self.decimals.written(value, measure.by and str(row.get(measure.by) or ""))

    def _select(self) -> tuple[str, ...] | None:
        names = self._plan.query.select
        if names is None and self._named is not None:
            names = tuple(column.name for column in self._named)
        if names is not None and self._named is not None:
            measures = [column.measure for column in self._named if column.measure]
            currencies = [each.by for each in measures if each.kind == "amount" and each.by]
            names = tuple(dict.fromkeys((*names, *currencies)))
        if names is None or self._key is None or self._key in names or "*" in names:
            return names
        return (*names, self._key)

    def _total(self, count: int) -> int:
        return max(0, count - self._plan.query.skip)

    def _check_count(self, count: int) -> None:
        if self._count is None:
            self._count = count
            if self._plan.all_wanted and self._total(count) > self._most:
                raise ExportTooLarge(
                    f"La lista tiene {self._total(count)} filas y se exportan hasta {self._most}. "
                    "Acote el filtro, o pida una parte con $top."
                )
        elif self._key is None and count != self._count:
            raise ExportChanged
        elif self._done >= self._most:  # by key: records were added faster than they were read
            raise ExportTooLarge

    def _decoded(self, page: ErpList) -> list[dict[str, Any]]:
        try:
            return _DECODER.decode(page.rows)
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("rows that are no objects") from error

    def _behind(self, rows: list[dict[str, Any]]) -> int:
        """Return the last key of a page that is in order.

        Raises:
            ErpReplyUnreadable: it is not; then nothing says where the next page begins.
        """
        keys = [row.get(self._key or "") for row in rows]
        before = self._last
        for key in keys:
            if not isinstance(key, int) or (
                before is not None and (key >= before if self._down else key <= before)
            ):
                raise ErpReplyUnreadable("rows that are not in the order of their key")
            before = key
        return int(keys[-1])  # type: ignore[arg-type]  # looked at above


def _key_of_pages(query: ListQuery, resource: Resource) -> str | None:
    """Return the key behind which the next page begins; None where pages are counted off."""
    if not isinstance(resource.key, IntKey) or query.skip:
        return None
    name = resource.key.name
    return name if query.orderby in ((), (name,), (f"{name} asc",), (f"{name} desc",)) else None


def _order(query: ListQuery, resource: Resource) -> tuple[str, ...]:
    """Return the order asked for, made total by the key."""
    ordered = {part.split()[0] for part in query.orderby}
    names = [part.name for part in key_parts(resource.key)]
    return (*query.orderby, *(f"{name} asc" for name in names if name not in ordered))


def _named_columns(query: ListQuery, resource: Resource) -> tuple[Column, ...] | None:
    """Return the columns that somebody named: the client, else the resource; None where nobody did."""
    columns = with_meanings(resource)
    if query.select is None:
        return columns or None
    if "*" in query.select:
        return None
    declared = {column.name: column for column in columns}
    names = dict.fromkeys(name.partition("/")[0] for name in query.select)
    return tuple(declared.get(name) or _undeclared(name, {*declared, *names}) for name in names)


def _columns_of(rows: list[dict[str, Any]]) -> Iterator[Column]:
    """Yield a column for each plain property of the first rows."""
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if not isinstance(value, dict | list)
    )
    return (_undeclared(name, names) for name in names if "odata." not in name)


def _undeclared(name: str, at_hand: Container[str]) -> Column:
    measure = measure_of(name, at_hand)
    return Column(name=name, title=name, type="date" if "Date" in name else "text", measure=measure)


def _cell(column: Column, value: Any) -> object:
    if isinstance(value, str):
        if column.choices:
            titles: Mapping[str, str] = {choice.value: choice.title for choice in column.choices}
            return titles.get(value, value)
        if column.type == "date":
            return _moment(value)
    return value


def _moment(text: str) -> object:
    """Return the day or moment that a text writes, as the ERP does: without a zone, whatever its `Z` says.

    The other forms of ISO 8601 stay texts: `20240115` may be a lot's number.
    """
    form = _MOMENT.fullmatch(text)
    if form is None:
        return text
    try:
        if form[1] is None:
            return date.fromisoformat(text)
        return datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return text


T = TypeVar("T")

_NO_CONTENT: Final = 204

EXPORT_LANE: Final = InternalLane("erp_gateway:exports")
"""The user in whose name all exports wait for the ERP: anybody else's read waits for one page of them."""

_log = structlog.get_logger(__name__)


@frozen
class WriteContext:
    """Who asks for a write, and how.

    Attributes:
        caller: for whom the ERP is called.
        actor: whom the audit names.
        idempotency_key: the idempotency key, if there is one.
    """

    caller: Caller
    actor: Actor
    idempotency_key: str | None


class MemoryObserver(Protocol):
    """Counts for the metrics page."""

    def answered_from_memory(self, *, stale: bool) -> None:
        """Count a read that memory answered; `stale`: because the ERP gave no answer."""
        ...


@define(eq=False, repr=False)
class ProxyService:
    """Runs planned calls through the shared session.

    Reads raise `erpclient.ErpError`, which the guard translates; writes and actions raise the `ServiceError`
    that the audit record names.

    Args:
        client: the ERP.
        ledger: where writes have their rows and are recorded.
        recorder: where query-only actions are recorded.
        registry: which properties are taken out of answers.
        memory: what was read of reference data.
        observer: counts answers from it.
        exporter: makes files.
        currencies: how many decimals amounts have in a CSV.
    """

    _client: ErpClient
    _ledger: Ledger
    _recorder: AuditRecorder
    _registry: Registry
    _memory: ReferenceCache
    _observer: MemoryObserver
    _exporter: Exporter
    _currencies: Currencies

    @property
    def most_exported(self) -> int:
        """Rows that an export may have."""
        return self._exporter.max_rows

    async def list(self, plan: ListPlan, caller: Caller) -> CachedAnswer[ErpList]:
        """Read a page of records."""
        target = plan.target

        async def read(caller: Caller) -> ErpList:
            return await self._client.list(
                target.resource.name,
                plan.query,
                caller=caller,
                tagged=target.resource.tagged,
                hidden=target.hidden,
            )

        return await self._read(plan, "", caller, read)

    async def _tell_currencies(self, pages: ListPages, form: ExportFormat) -> None:
        """Tell pages with amounts the company's currency, and for a CSV the decimals that it must write."""
        if not pages.may_have_amounts:
            return
        known = await self._currencies.decimals()
        pages.local_code = known.local_code
        if form is ExportFormat.CSV:
            pages.decimals = known

    async def export(
        self, plan: ExportPlan, options: ExportOptions, caller: Caller, actor: Actor, check: Check
    ) -> OpenExport:
        """Read a whole list into a file. All exports share one user's turns: a page at a time of all of them.

        Args:
            plan: the list.
            options: the kind of file.
            caller: for whom.
            actor: who asks.
            check: raises once the person may not have it any more.

        Raises:
            ExportTooLarge: there are more records than an export may have.
            ExportChanged: records came or went meanwhile.
            ServiceError: as of any list, and as `Exporter.open` has it.
        """
        resource = plan.target.resource
        reader = attrs.evolve(caller, user=EXPORT_LANE, gone=None, reserve=Reserve.NONE)

        async def produce(sink: TableSink) -> None:
            pages = ListPages(plan, self._exporter.max_rows)
            await self._tell_currencies(pages, options.format)
            while (query := pages.next_query()) is not None:
                check()
                page = await self._client.list(resource.name, query, caller=reader, hidden=plan.target.hidden)
                rows = await asyncio.to_thread(pages.take, page)
                if not sink.rows:
                    sink.begin(pages.headings)
                await asyncio.to_thread(sink.add, rows)

        async def checked(sink: TableSink) -> None:
            try:
                await produce(sink)
            except ErpError as error:
                raise upstream_service_error(error, Call.READ) from error

        async def ended(rows: int, reason: str | None) -> None:
            _log.info(
                "list_exported",
                resource=resource.name,
                format=options.format.value,
                rows=rows,
                calls=reader.trace.calls,
                result=reason or "ok",
            )

        job = ExportJob(
            kind="list",
            user=actor.web_user or "",
            title=plan.title,
            facts=plan.facts,
            asked=options,
            gone=caller.gone or asyncio.Event().wait,
            check=check,
            ended=ended,
        )
        return await self._exporter.open(job, checked)

    async def get(self, plan: RecordPlan, caller: Caller) -> CachedAnswer[ErpRecord]:
        """Read one record."""
        resource = plan.target.resource

        async def read(caller: Caller) -> ErpRecord:
            return await self._client.get(
                resource.name,
                plan.predicate,
                plan.query,
                caller=caller,
                tagged=resource.tagged,
                hidden=plan.target.hidden,
                key_filter=plan.key_filter,
            )

        return await self._read(plan, plan.predicate, caller, read)

    async def create(
        self, plan: CreatePlan, body: bytes, fields: SentFields, context: WriteContext
    ) -> WriteAnswer:
        """Create a record; answer it, and where it is."""
        resource = plan.target.resource
        write = Write(
            kind=WriteKind.CREATE,
            actor=context.actor,
            resource=resource.name,
            fields=fields,
            body=body,
            traceable=resource.traced,
            idempotency_key=context.idempotency_key,
        )

        opened = await self._ledger.open(write)
        if isinstance(opened, WriteAnswer):
            return opened
        call = Call.CREATE_APPROVABLE if resource.approvable else Call.CREATE
        async with self.sending(opened, resource.name, call, context.caller) as caller:
            record = await self._client.create(
                resource.name, opened.body, caller=caller, hidden=plan.target.hidden
            )
            key = created_key(resource.key, record.body)
            opened.done(WriteAnswer(status=201, body=record.body, headers=_where(plan, key, record)), key=key)
        return opened.answer()

    async def modify(
        self, plan: ModifyPlan, body: bytes, fields: SentFields, context: WriteContext
    ) -> WriteAnswer:
        """Change a record."""
        resource = plan.target.resource
        write = Write(
            kind=WriteKind.UPDATE,
            actor=context.actor,
            resource=resource.name,
            key=plan.key,
            fields=fields,
            body=body,
            variant="replace" if plan.replace_collections else "",
            idempotency_key=context.idempotency_key,
        )

        opened = await self._ledger.open(write)
        if isinstance(opened, WriteAnswer):
            return opened
        async with self.sending(opened, resource.name, Call.MODIFY, context.caller) as caller:
            await self._client.modify(
                resource.name,
                plan.predicate,
                opened.body,
                caller=caller,
                if_match=plan.if_match,
                replace_collections=plan.replace_collections,
            )
            opened.done(WriteAnswer(status=204))
        return opened.answer()

    async def act(
        self, plan: ActionPlan, body: bytes, fields: SentFields, context: WriteContext
    ) -> WriteAnswer:
        """Run an action on a record."""
        resource = plan.target.resource
        write = Write(
            kind=WriteKind.ACTION,
            actor=context.actor,
            resource=resource.name,
            key=plan.key,
            fields=fields.after(f"{plan.action}()"),
            body=body,
            variant=plan.action,
            idempotency_key=context.idempotency_key,
        )

        opened = await self._ledger.open(write)
        if isinstance(opened, WriteAnswer):
            return opened
        async with self.sending(opened, resource.name, Call.ACTION, context.caller) as caller:
            reply = await self._client.action(
                resource.name,
                plan.predicate,
                plan.action,
                opened.body,
                caller=caller,
                if_match=plan.if_match,
                hidden=plan.target.hidden,
            )
            is_empty = reply.status == _NO_CONTENT or not reply.body
            opened.done(WriteAnswer(status=204) if is_empty else WriteAnswer(status=200, body=reply.body))
        return opened.answer()

    async def query_action(
        self, plan: ServiceActionPlan, body: bytes, fields: SentFields, caller: Caller, actor: Actor
    ) -> ErpReply:
        """Run a query-only service action."""
        event = AuditEvent(
            action=AuditAction.SL_ACTION,
            result=AuditResult.OK,
            actor=actor,
            resource=plan.action.name,
            fields=fields,
        )
        async with failure_recorded(self._recorder, event):
            try:
                reply = await self._client.call_service(
                    plan.action.name, body, caller=caller, hidden=self._registry.secret_fields
                )
            except ErpError as error:
                raise upstream_service_error(error, Call.QUERY_ACTION) from error
        await self._recorder.record(event)
        return reply

    async def _read(
        self,
        plan: ListPlan | RecordPlan,
        predicate: str,
        caller: Caller,
        read: Callable[[Caller], Awaitable[A]],
    ) -> CachedAnswer[A]:
        """Ask the ERP; for reference data perhaps memory, whose key has the query as we write it."""
        name, query = plan.target.resource.name, plan.query
        if query.expand or not self._memory.holds(name):
            return CachedAnswer(await read(caller))
        wanted = CacheKey(name, f"{predicate}?{query.encode(Dialect.V2)}", plan.no_cache)
        told = await read_reference(self._memory, wanted, caller, read)
        if told.age_s is not None:
            self._observer.answered_from_memory(stale=told.stale)
        return told

    @asynccontextmanager
    async def sending(self, entry: Entry, resource: str, call: Call, caller: Caller) -> AsyncIterator[Caller]:
        """Give the caller with which an entry is sent; what the ERP can do is told to the entry."""
        async with entry:
            writing = self._memory.writing(resource)
            try:
                yield attrs.evolve(caller, ready=entry.wait_for_row, begun=writing.sent)
            except ErpError as error:
                refusal = upstream_service_error(error, call)
                refusal.caused_by = type_and_text(error)  # it is kept as long as its idempotency key
                entry.failed(state_after(error), refusal)
            except asyncio.CancelledError:
                # Only a forced end of the process gets here, the request perhaps with the ERP. An answer that
                # comes at once is still sent.
                entry.failed(WriteState.UNKNOWN, OutcomeUnknown())
            finally:
                writing.ended(unknown=entry.is_unknown)


def _where(plan: CreatePlan, key: str | None, record: ErpRecord) -> dict[str, str]:
    """Return the headers that tell where a new record is, and its entity tag."""
    headers = {} if record.etag is None else {"ETag": record.etag}
    if key is not None:
        headers["Location"] = f"{plan.target.service_path}/{key_segment(key)}"
    return headers
