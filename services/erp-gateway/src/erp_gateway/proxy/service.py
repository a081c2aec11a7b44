"""Carrying out a plan: one call to the ERP and, for writes and actions, one audit record before answering."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import attrs

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditEvent, AuditResult, SentFields
from erp_gateway.proxy.created_key import created_key
from erp_gateway.proxy.policy import (
    ActionPlan,
    CreatePlan,
    ListPlan,
    ModifyPlan,
    RecordPlan,
    ServiceActionPlan,
)
from erp_gateway.proxy.registry import Registry
from erp_gateway.web.error_map import Call, upstream_service_error
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erpclient import Caller, ErpClient, ErpError, ErpList, ErpRecord, ErpReply

T = TypeVar("T")


class ProxyService:
    """Runs planned calls through the shared session.

    Reads raise `erpclient.ErpError`, which the guard translates; writes and actions raise the `ServiceError`
    that the audit record names.

    Args:
        client: the ERP.
        recorder: where writes are recorded.
        registry: which properties are taken out of answers.
    """

    def __init__(self, client: ErpClient, recorder: AuditRecorder, registry: Registry) -> None:
        self._client = client
        self._recorder = recorder
        self._hidden = registry.secret_fields

    async def list(self, plan: ListPlan, caller: Caller) -> ErpList:
        """Read a page of records."""
        target = plan.target
        return await self._client.list(
            target.resource.name,
            plan.query,
            caller=caller,
            tagged=target.resource.tagged,
            hidden=target.hidden,
        )

    async def get(self, plan: RecordPlan, caller: Caller) -> ErpRecord:
        """Read one record."""
        resource = plan.target.resource
        return await self._client.get(
            resource.name,
            plan.predicate,
            plan.query,
            caller=caller,
            tagged=resource.tagged,
            hidden=plan.target.hidden,
            key_filter=plan.key_filter,
        )

    async def create(
        self, plan: CreatePlan, body: bytes, fields: SentFields, caller: Caller, actor: Actor
    ) -> tuple[ErpRecord, str | None]:
        """Create a record; return it and its key as a client would write it."""
        resource = plan.target.resource
        call = Call.CREATE_APPROVABLE if resource.approvable else Call.CREATE
        event = AuditEvent(
            action=AuditAction.SL_CREATE,
            result=AuditResult.OK,
            actor=actor,
            resource=resource.name,
            fields=fields,
        )
        work = self._client.create(resource.name, body, caller=caller, hidden=plan.target.hidden)
        record = await self._run(work, call, event)
        key = created_key(resource.key, record.body)
        await self._recorder.record(attrs.evolve(event, key=key))
        return record, key

    async def modify(
        self, plan: ModifyPlan, body: bytes, fields: SentFields, caller: Caller, actor: Actor
    ) -> None:
        """Change a record."""
        resource = plan.target.resource
        event = AuditEvent(
            action=AuditAction.SL_UPDATE,
            result=AuditResult.OK,
            actor=actor,
            resource=resource.name,
            key=plan.key,
            fields=fields,
        )
        work = self._client.modify(
            resource.name,
            plan.predicate,
            body,
            caller=caller,
            if_match=plan.if_match,
            replace_collections=plan.replace_collections,
        )
        await self._run(work, Call.MODIFY, event)
        await self._recorder.record(event)

    async def act(
        self, plan: ActionPlan, body: bytes, fields: SentFields, caller: Caller, actor: Actor
    ) -> ErpReply:
        """Run an action on a record."""
        resource = plan.target.resource
        event = AuditEvent(
            action=AuditAction.SL_ACTION,
            result=AuditResult.OK,
            actor=actor,
            resource=resource.name,
            key=plan.key,
            fields=fields.after(f"{plan.action}()"),
        )
        work = self._client.action(
            resource.name,
            plan.predicate,
            plan.action,
            body,
            caller=caller,
            if_match=plan.if_match,
            hidden=plan.target.hidden,
        )
        reply = await self._run(work, Call.ACTION, event)
        await self._recorder.record(event)
        return reply

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
        reply = await self._run(work, Call.QUERY_ACTION, event)
        await self._recorder.record(event)
        return reply

    async def _run(self, work: Awaitable[T], call: Call, event: AuditEvent) -> T:
        """Await the call; record it when it does not end well."""
        try:
            return await work
        except ErpError as error:
            answer = upstream_service_error(error, call)
            result = AuditResult.UNKNOWN if isinstance(answer, OutcomeUnknown) else AuditResult.ERROR
            await self._recorder.record(attrs.evolve(event, result=result, reason=answer.code))
            raise answer from error
        except asyncio.CancelledError as cancelled:
            # Only a forced end of the process gets here, the request perhaps with the ERP. An answer that
            # comes at once is still sent.
            if not call.writes:
                await self._recorder.record(
                    attrs.evolve(event, result=AuditResult.ERROR, reason="interrupted")
                )
                raise
            lost = OutcomeUnknown()
            await self._recorder.record(attrs.evolve(event, result=AuditResult.UNKNOWN, reason=lost.code))
            raise lost from cancelled
