"""The proxy's calls to the ERP: reads through the cache of reference data, writes through the ledger."""

from typing import Final

from attrs import define, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.records.proxy.cache.catalogue import CatalogueCache
from erp_gateway.records.proxy.cache.read import A, CachedRead, CacheKey, CacheObserver
from erp_gateway.records.proxy.created_key import created_key
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.plans import (
    ActionPlan,
    CreatePlan,
    ListPlan,
    ModifyPlan,
    RecordPlan,
    ServiceActionPlan,
)
from erp_gateway.records.proxy.requested_writes import action_write, create_write, update_write
from erp_gateway.records.proxy.sending import CALL_FAILURES, Sending, refusal_after
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult, SentFields
from erp_gateway.values.audit_recorder import failure_recorded
from erp_gateway.values.paths import record_path
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.rules import state_after
from erpclient import Caller, ErpClient, ErpError, ErpList, ErpRecord, ErpReply
from erpclient.odata import Dialect
from servicekit.cache import CachedAnswer

_NO_CONTENT: Final = 204


@frozen
class WriteContext:
    """The circumstances of a write.

    Attributes:
        caller: the caller of the ERP.
        actor: the user, for the audit.
        idempotency_key: the idempotency key, if there is one.
    """

    caller: Caller
    actor: Actor
    idempotency_key: str | None


@define(eq=False, repr=False)
class ProxyService:
    """Carries out plans.

    Reads raise `erpclient.ErpError`, which the guard translates. Writes and actions raise the `ServiceError`
    that the audit record names.

    Args:
        client: the ERP.
        ledger: rows and outcomes of writes.
        recorder: the audit of query-only actions.
        registry: properties that answers of query-only actions leave out.
        cache: cached reference data.
        observer: counts answers from the cache.
    """

    _client: ErpClient
    _ledger: Ledger
    _recorder: AuditRecorder
    _registry: Registry
    _cache: CatalogueCache
    _observer: CacheObserver

    async def list(self, plan: ListPlan, caller: Caller) -> CachedAnswer[ErpList]:
        """Read a page of records."""
        target = plan.target
        read: CachedRead[ErpList] = self._begin_read(plan, "")
        if read.fresh is not None:
            return read.fresh
        try:
            page = await self._client.list(
                target.resource.name,
                plan.query,
                caller=caller,
                tagged=target.resource.tagged,
                hidden=target.hidden,
                on_start=read.sent,
            )
        except ErpError as error:
            if (stale := read.stale_answer(error)) is not None:
                return stale
            raise
        return read.keep(page)

    async def get(self, plan: RecordPlan, caller: Caller) -> CachedAnswer[ErpRecord]:
        """Read one record."""
        resource = plan.target.resource
        read: CachedRead[ErpRecord] = self._begin_read(plan, plan.predicate)
        if read.fresh is not None:
            return read.fresh
        try:
            record = await self._client.get(
                resource.name,
                plan.predicate,
                plan.query,
                caller=caller,
                tagged=resource.tagged,
                hidden=plan.target.hidden,
                key_filter=plan.key_filter,
                on_start=read.sent,
            )
        except ErpError as error:
            if (stale := read.stale_answer(error)) is not None:
                return stale
            raise
        return read.keep(record)

    def _begin_read(self, plan: ListPlan | RecordPlan, predicate: str) -> CachedRead[A]:
        name, query = plan.target.resource.name, plan.query
        key = None
        # Expanded records belong to other resources, whose writes do not clear this one's answers.
        if self._cache.holds(name) and not query.expand:
            key = CacheKey(name, f"{predicate}?{query.encode(Dialect.V2)}")
        return CachedRead(self._cache, self._observer, key, bypass=plan.no_cache)

    async def create(
        self, plan: CreatePlan, body: bytes, fields: SentFields, context: WriteContext
    ) -> WriteAnswer:
        """Create a record; return it with its location."""
        resource = plan.target.resource
        write = create_write(plan, body, fields, context.actor, context.idempotency_key)
        entry = await self._ledger.open(write)
        if isinstance(entry, WriteAnswer):
            return entry
        kind = CallKind.CREATE_APPROVABLE if resource.approvable else CallKind.CREATE
        async with entry, self.sending(entry, resource.name) as sending:
            try:
                record = await self._client.create(
                    resource.name,
                    entry.body,
                    caller=context.caller,
                    hidden=plan.target.hidden,
                    before_sending=sending.start,
                )
            except CALL_FAILURES as error:
                entry.failed(state_after(error), refusal_after(error, kind))
            else:
                key = created_key(resource.key, record.body)
                headers = _headers_of_created(plan, key, record)
                entry.done(WriteAnswer(status=201, body=record.body, headers=headers), key=key)
        return entry.answer()

    async def modify(
        self, plan: ModifyPlan, body: bytes, fields: SentFields, context: WriteContext
    ) -> WriteAnswer:
        """Change a record."""
        resource = plan.target.resource
        write = update_write(plan, body, fields, context.actor, context.idempotency_key)
        entry = await self._ledger.open(write)
        if isinstance(entry, WriteAnswer):
            return entry
        async with entry, self.sending(entry, resource.name) as sending:
            try:
                await self._client.modify(
                    resource.name,
                    plan.predicate,
                    entry.body,
                    caller=context.caller,
                    if_match=plan.if_match,
                    replace_collections=plan.replace_collections,
                    before_sending=sending.start,
                )
            except CALL_FAILURES as error:
                entry.failed(state_after(error), refusal_after(error, CallKind.MODIFY))
            else:
                entry.done(WriteAnswer(status=_NO_CONTENT))
        return entry.answer()

    async def act(
        self, plan: ActionPlan, body: bytes, fields: SentFields, context: WriteContext
    ) -> WriteAnswer:
        """Run an action on a record."""
        resource = plan.target.resource
        write = action_write(plan, body, fields, context.actor, context.idempotency_key)
        entry = await self._ledger.open(write)
        if isinstance(entry, WriteAnswer):
            return entry
        kind = CallKind.CREATE_APPROVABLE if plan.may_need_approval else CallKind.ACTION
        async with entry, self.sending(entry, resource.name) as sending:
            try:
                reply = await self._client.action(
                    resource.name,
                    plan.predicate,
                    plan.action,
                    entry.body,
                    caller=context.caller,
                    if_match=plan.if_match,
                    hidden=plan.target.hidden,
                    before_sending=sending.start,
                )
            except CALL_FAILURES as error:
                entry.failed(state_after(error), refusal_after(error, kind))
            else:
                entry.done(_answer_of_action(plan, reply))
        return entry.answer()

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
                raise upstream_service_error(error, CallKind.QUERY_ACTION) from error
        await self._recorder.record(event)
        return reply

    def sending(self, entry: Entry, resource: str) -> Sending:
        """Return the sending of an opened write; enter it inside the entry's block."""
        return Sending(entry, self._cache, (resource,))


def _answer_of_action(plan: ActionPlan, reply: ErpReply) -> WriteAnswer:
    if reply.status == _NO_CONTENT or not reply.body:
        return WriteAnswer(status=_NO_CONTENT)
    key = created_key(plan.target.resource.key, reply.body) if plan.creates_document else None
    headers = {} if key is None else {"Location": record_path(plan.target.resource.name, key)}
    return WriteAnswer(status=200, body=reply.body, headers=headers)


def _headers_of_created(plan: CreatePlan, key: str | None, record: ErpRecord) -> dict[str, str]:
    headers = {} if record.etag is None else {"ETag": record.etag}
    if key is not None:
        headers["Location"] = record_path(plan.target.resource.name, key)
    return headers
