"""Planned calls as the ledger's writes."""

from erp_gateway.records.proxy.plans import ActionPlan, CreatePlan, ModifyPlan
from erp_gateway.values.audit_event import Actor, SentFields
from erp_gateway.writes.write import Write, WriteKind


def create_write(
    plan: CreatePlan, body: bytes, fields: SentFields, actor: Actor, idempotency_key: str | None = None
) -> Write:
    """Return the write that creates a record."""
    resource = plan.target.resource
    return Write(
        kind=WriteKind.CREATE,
        actor=actor,
        resource=resource.name,
        fields=fields,
        body=body,
        traceable=resource.traced,
        idempotency_key=idempotency_key,
    )


def update_write(
    plan: ModifyPlan, body: bytes, fields: SentFields, actor: Actor, idempotency_key: str | None = None
) -> Write:
    """Return the write that changes a record."""
    return Write(
        kind=WriteKind.UPDATE,
        actor=actor,
        resource=plan.target.resource.name,
        key=plan.key,
        fields=fields,
        body=body,
        variant="replace" if plan.replace_collections else "",
        idempotency_key=idempotency_key,
    )


def action_write(
    plan: ActionPlan, body: bytes, fields: SentFields, actor: Actor, idempotency_key: str | None = None
) -> Write:
    """Return the write that runs an action on a record; its name comes before those of the fields."""
    return Write(
        kind=WriteKind.ACTION,
        actor=actor,
        resource=plan.target.resource.name,
        key=plan.key,
        fields=fields.after(f"{plan.action}()"),
        body=body,
        variant=plan.action,
        idempotency_key=idempotency_key,
    )
