"""Sends change sets to the ERP, through the ledger."""

import asyncio
from collections.abc import Callable, Sequence

from attrs import define

from erp_gateway.records.change_sets.answers import done_answer, failure_refusal
from erp_gateway.records.change_sets.planning import PlannedOperation
from erp_gateway.records.proxy.cache.catalogue import CatalogueCache
from erp_gateway.records.proxy.plans import CreatePlan, ModifyPlan
from erp_gateway.records.proxy.requested_writes import action_write, create_write, update_write
from erp_gateway.records.proxy.sending import Sending
from erp_gateway.records.proxy.service import WriteContext
from erp_gateway.values.audit_event import Actor
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.rules import WriteState, state_after
from erp_gateway.writes.write import Write, WriteSet
from erpclient import ErpClient
from erpclient.batch import ChangeSetDone, Operation, action_on, creation_of, modification_of


@define(eq=False, repr=False)
class ChangeSetService:
    """Carries out planned change sets, each as one `$batch` with one change set in it.

    Args:
        client: the ERP.
        ledger: rows and outcomes of writes.
        cache: cached reference data.
        timeout_s: how long a change set of so many operations may take.
    """

    _client: ErpClient
    _ledger: Ledger
    _cache: CatalogueCache
    _timeout_s: Callable[[int], float]

    async def run(
        self, operations: Sequence[PlannedOperation], request: bytes, context: WriteContext
    ) -> WriteAnswer:
        """Carry out a change set: all of its operations, or none.

        Args:
            operations: one or more.
            request: body of the request; repeats with its idempotency key must have the same.
            context: the circumstances.

        Raises:
            ServiceError: the refusal that the audit records name.
        """
        writes = tuple(_write(each, context.actor) for each in operations)
        entry = await self._ledger.open(
            WriteSet(writes=writes, body=request, idempotency_key=context.idempotency_key)
        )
        if isinstance(entry, WriteAnswer):
            return entry
        resources = {write.resource for write in writes}
        async with entry, Sending(entry, self._cache, resources) as sending:
            try:
                result = await self._client.run_change_set(
                    [_call(each, body) for each, body in zip(operations, entry.bodies, strict=True)],
                    caller=context.caller,
                    hidden=[each.plan.target.hidden for each in operations],
                    timeout_s=self._timeout_s(len(operations)),
                    before_sending=sending.start,
                )
            except asyncio.CancelledError:  # a forced end of the process; see `CALL_FAILURES`
                entry.failed(WriteState.UNKNOWN, OutcomeUnknown())
            else:
                if isinstance(result, ChangeSetDone):
                    done = done_answer(entry.number, operations, result.operations)
                    entry.all_done(done.answer, done.keys)
                else:
                    entry.failed(state_after(result.error), failure_refusal(result, operations))
        return entry.answer()


def _write(operation: PlannedOperation, actor: Actor) -> Write:
    plan, body, fields = operation.plan, operation.body, operation.fields
    if isinstance(plan, CreatePlan):
        return create_write(plan, body, fields, actor)
    if isinstance(plan, ModifyPlan):
        return update_write(plan, body, fields, actor)
    return action_write(plan, body, fields, actor)


def _call(operation: PlannedOperation, body: bytes) -> Operation:
    plan = operation.plan
    resource = plan.target.resource.name
    if isinstance(plan, CreatePlan):
        return creation_of(resource, body)
    if isinstance(plan, ModifyPlan):
        return modification_of(resource, plan.predicate, body)
    return action_on(resource, plan.predicate, plan.action, body)
