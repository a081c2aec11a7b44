"""A plan becomes one call to the ERP, writes through the ledger, actions that only read with a record."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol, TypeVar

import attrs
import structlog
from attrs import frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditEvent, AuditResult, SentFields
from erp_gateway.exports.asked import Asked as ExportAsked
from erp_gateway.exports.exporter import Exporter, ExportJob, OpenExport
from erp_gateway.exports.sinks import TableSink
from erp_gateway.ledger.errors import LedgerUnavailable
from erp_gateway.ledger.rules import WriteState, state_after
from erp_gateway.ledger.service import Ledger
from erp_gateway.ledger.writes import Ended, Ready, Write, WriteAnswer, WriteKind
from erp_gateway.proxy.created_key import created_key, key_segment
from erp_gateway.proxy.exporting import ExportPlan, ListPages
from erp_gateway.proxy.policy import (
    ActionPlan,
    CreatePlan,
    ListPlan,
    ModifyPlan,
    RecordPlan,
    ServiceActionPlan,
)
from erp_gateway.proxy.reference.memory import ReferenceMemory
from erp_gateway.proxy.reference.reads import A, Told, Wanted, read_reference
from erp_gateway.proxy.registry import Registry
from erp_gateway.refusals import PermissionDenied
from erp_gateway.web.error_map import Call, upstream_service_error
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erpclient import Caller, ErpClient, ErpError, ErpList, ErpRecord, ErpReply
from erpclient.odata import Dialect
from servicekit.errors import type_and_text

T = TypeVar("T")

_NO_CONTENT: Final = 204

EXPORT_LANE: Final = "erp_gateway:exports"
"""The user in whose name all exports wait for the ERP: anybody else's read waits for one page of them."""

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class Asked:
    """Who asks for a write, and how.

    Attributes:
        caller: for whom the ERP is called.
        actor: whom the audit names.
        repeat_key: the idempotency key, if there is one.
    """

    caller: Caller
    actor: Actor
    repeat_key: str | None


class MemoryObserver(Protocol):
    """Counts for the metrics page."""

    def answered_from_memory(self, *, stale: bool) -> None:
        """Count a read that memory answered; `stale`: because the ERP gave no answer."""
        ...


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
    """

    def __init__(
        self,
        client: ErpClient,
        ledger: Ledger,
        recorder: AuditRecorder,
        registry: Registry,
        memory: ReferenceMemory,
        observer: MemoryObserver,
        exporter: Exporter,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._recorder = recorder
        self._hidden = registry.secret_fields
        self._memory = memory
        self._observer = observer
        self._exporter = exporter

    @property
    def most_exported(self) -> int:
        """Rows that an export may have."""
        return self._exporter.max_rows

    async def list(self, plan: ListPlan, caller: Caller) -> Told[ErpList]:
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

    async def export(self, plan: ExportPlan, asked: ExportAsked, caller: Caller, actor: Actor) -> OpenExport:
        """Read a whole list into a file. All exports share one user's turns: a page at a time of all of them.

        Raises:
            ExportTooLarge: there are more records than an export may have.
            ExportChanged: records came or went meanwhile.
            ServiceError: as of any list, and as `Exporter.open` has it.
        """
        resource = plan.target.resource
        reader = attrs.evolve(caller, user=EXPORT_LANE, gone=None)

        async def produce(sink: TableSink) -> None:
            pages = ListPages(plan, self._exporter.max_rows)
            while (query := pages.next_query()) is not None:
                if not plan.allowed():  # taken away meanwhile
                    raise PermissionDenied(resource.name)
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
                format=asked.format.value,
                rows=rows,
                calls=reader.trace.calls,
                result=reason or "ok",
            )

        job = ExportJob(
            kind="list",
            user=actor.web_user or "",
            title=plan.title,
            facts=plan.facts,
            asked=asked,
            gone=caller.gone or asyncio.Event().wait,
            ended=ended,
        )
        return await self._exporter.open(job, checked)

    async def get(self, plan: RecordPlan, caller: Caller) -> Told[ErpRecord]:
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

    async def create(self, plan: CreatePlan, body: bytes, fields: SentFields, asked: Asked) -> WriteAnswer:
        """Create a record; answer it, and where it is."""
        resource = plan.target.resource
        write = Write(
            kind=WriteKind.CREATE,
            actor=asked.actor,
            resource=resource.name,
            fields=fields,
            body=body,
            traceable=resource.traced,
            repeat_key=asked.repeat_key,
        )

        async def send(caller: Caller, body: bytes) -> Ended:
            record = await self._client.create(resource.name, body, caller=caller, hidden=plan.target.hidden)
            key = created_key(resource.key, record.body)
            return _done(201, record.body, _where(plan, key, record), key=key)

        return await self._write(
            write, send, Call.CREATE_APPROVABLE if resource.approvable else Call.CREATE, asked.caller
        )

    async def modify(self, plan: ModifyPlan, body: bytes, fields: SentFields, asked: Asked) -> WriteAnswer:
        """Change a record."""
        resource = plan.target.resource
        write = Write(
            kind=WriteKind.UPDATE,
            actor=asked.actor,
            resource=resource.name,
            key=plan.key,
            fields=fields,
            body=body,
            variant="replace" if plan.replace_collections else "",
            repeat_key=asked.repeat_key,
        )

        async def send(caller: Caller, body: bytes) -> Ended:
            await self._client.modify(
                resource.name,
                plan.predicate,
                body,
                caller=caller,
                if_match=plan.if_match,
                replace_collections=plan.replace_collections,
            )
            return _done(204)

        return await self._write(write, send, Call.MODIFY, asked.caller)

    async def act(self, plan: ActionPlan, body: bytes, fields: SentFields, asked: Asked) -> WriteAnswer:
        """Run an action on a record."""
        resource = plan.target.resource
        write = Write(
            kind=WriteKind.ACTION,
            actor=asked.actor,
            resource=resource.name,
            key=plan.key,
            fields=fields.after(f"{plan.action}()"),
            body=body,
            variant=plan.action,
            repeat_key=asked.repeat_key,
        )

        async def send(caller: Caller, body: bytes) -> Ended:
            reply = await self._client.action(
                resource.name,
                plan.predicate,
                plan.action,
                body,
                caller=caller,
                if_match=plan.if_match,
                hidden=plan.target.hidden,
            )
            return _done(204) if reply.status == _NO_CONTENT or not reply.body else _done(200, reply.body)

        return await self._write(write, send, Call.ACTION, asked.caller)

    async def query_action(
        self, plan: ServiceActionPlan, body: bytes, fields: SentFields, caller: Caller, actor: Actor
    ) -> ErpReply:
        """Run a query-only service action."""
        event = AuditEvent(
            action=AuditAction.SL_ACTION,
            result=AuditResult.OK,
            actor=actor,
            resource=plan.name,
            fields=fields,
        )
        work = self._client.call_service(plan.name, body, caller=caller, hidden=self._hidden)
        reply = await self._run(work, event)
        await self._recorder.record(event)
        return reply

    async def _read(
        self,
        plan: ListPlan | RecordPlan,
        predicate: str,
        caller: Caller,
        read: Callable[[Caller], Awaitable[A]],
    ) -> Told[A]:
        """Ask the ERP; for reference data perhaps memory, whose key has the query as we write it."""
        name, query = plan.target.resource.name, plan.query
        if query.expand or not self._memory.holds(name):
            return Told(await read(caller))
        wanted = Wanted(name, f"{predicate}?{query.encode(Dialect.V2)}", plan.no_cache)
        told = await read_reference(self._memory, wanted, caller, read)
        if told.age_s is not None:
            self._observer.answered_from_memory(stale=told.stale)
        return told

    async def _run(self, work: Awaitable[T], event: AuditEvent) -> T:
        """Await a call that changes nothing; record it when it does not end well."""
        try:
            return await work
        except ErpError as error:
            code = upstream_service_error(error, Call.QUERY_ACTION).code
            await self._recorder.record(attrs.evolve(event, result=AuditResult.ERROR, reason=code))
            raise upstream_service_error(error, Call.QUERY_ACTION) from error
        except asyncio.CancelledError:
            await self._recorder.record(attrs.evolve(event, result=AuditResult.ERROR, reason="interrupted"))
            raise

    async def _write(
        self, write: Write, send: Callable[[Caller, bytes], Awaitable[Ended]], call: Call, caller: Caller
    ) -> WriteAnswer:
        """Let the ledger carry out a write; what the ERP can do becomes a value."""

        async def attempt(body: bytes, ready: Ready) -> Ended:
            writing = self._memory.writing(write.resource)
            state = WriteState.UNKNOWN  # also after what nobody foresaw
            try:
                ended = await ask(attrs.evolve(caller, ready=ready, begun=writing.sent), body)
                state = ended.state
            except LedgerUnavailable:
                state = WriteState.NOT_SENT
                raise
            finally:
                writing.ended(unknown=state is WriteState.UNKNOWN)
            return ended

        async def ask(caller: Caller, body: bytes) -> Ended:
            try:
                return await send(caller, body)
            except ErpError as error:
                refusal = upstream_service_error(error, call)
                refusal.caused_by = type_and_text(error)  # it is kept as long as its idempotency key
                return Ended(state=state_after(error), refusal=refusal)
            except asyncio.CancelledError:
                # Only a forced end of the process gets here, the request perhaps with the ERP. An answer that
                # comes at once is still sent.
                return Ended(state=WriteState.UNKNOWN, refusal=OutcomeUnknown())

        return await self._ledger.run(write, attempt)


def _done(
    status: int, body: bytes = b"", headers: Mapping[str, str] | None = None, *, key: str | None = None
) -> Ended:
    answer = WriteAnswer(status=status, body=body, headers=headers or {})
    return Ended(state=WriteState.DONE, answer=answer, key=key)


def _where(plan: CreatePlan, key: str | None, record: ErpRecord) -> dict[str, str]:
    """Return the headers that tell where a new record is, and its entity tag."""
    headers = {} if record.etag is None else {"ETag": record.etag}
    if key is not None:
        headers["Location"] = f"{plan.target.service_path}/{key_segment(key)}"
    return headers
