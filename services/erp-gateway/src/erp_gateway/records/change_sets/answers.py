"""The answer to a change set, made of the replies to its operations; and the refusal of one that failed."""

from collections.abc import Sequence
from typing import Any

import msgspec
from attrs import frozen

from erp_gateway.records.change_sets.planning import PlannedOperation, WritePlan, at_operation
from erp_gateway.records.proxy.created_key import created_key
from erp_gateway.records.proxy.plans import CreatePlan, ModifyPlan
from erp_gateway.records.proxy.sending import refusal_after
from erp_gateway.values.paths import record_path
from erp_gateway.web.error_map import CallKind
from erp_gateway.writes.outcome import WriteAnswer
from erpclient.batch import ChangeSetNotSent, ChangeSetRefused, ChangeSetUnknown, OperationDone
from servicekit.errors import ServiceError

_OK = 200
_CREATED = 201
_NO_CONTENT = 204


@frozen
class DoneAnswer:
    """The answer to a change set that was done.

    Attributes:
        answer: the client's answer.
        keys: key of the record that each operation created, where it is known.
    """

    answer: WriteAnswer
    keys: tuple[str | None, ...]


def done_answer(
    number: str, operations: Sequence[PlannedOperation], replies: Sequence[OperationDone]
) -> DoneAnswer:
    """Build the answer to a change set that was done.

    Args:
        number: of the change set.
        operations: in order.
        replies: of the ERP, in the same order.
    """
    keys = tuple(_created_key(each.plan, reply) for each, reply in zip(operations, replies, strict=True))
    answers = [
        _operation(each.plan, reply, key) for each, reply, key in zip(operations, replies, keys, strict=True)
    ]
    short = [{**each, "body": None} for each in answers]
    answer = WriteAnswer(status=_OK, body=_encode(number, answers), short_body=_encode(number, short))
    return DoneAnswer(answer, keys)


def _encode(number: str, operations: Sequence[dict[str, Any]]) -> bytes:
    return msgspec.json.encode({"changeSet": number, "operations": operations})


def _created_key(plan: WritePlan, reply: OperationDone) -> str | None:
    return created_key(plan.target.resource.key, reply.body) if isinstance(plan, CreatePlan) else None


def _operation(plan: WritePlan, reply: OperationDone, key: str | None) -> dict[str, Any]:
    if isinstance(plan, CreatePlan):
        status = _CREATED
    else:
        status = _NO_CONTENT if isinstance(plan, ModifyPlan) or not reply.body else _OK
    return {
        "status": status,
        "location": None if key is None else record_path(plan.target.resource.name, key),
        "etag": reply.etag,
        "body": msgspec.Raw(reply.body) if reply.body and status != _NO_CONTENT else None,
    }


def failure_refusal(
    result: ChangeSetRefused | ChangeSetUnknown | ChangeSetNotSent, operations: Sequence[PlannedOperation]
) -> ServiceError:
    """Return the client's refusal of a change set that was refused, not sent, or has an unknown outcome."""
    kinds = [call_kind(each.plan) for each in operations]
    if not isinstance(result, ChangeSetRefused):
        return refusal_after(result.error, kinds[0])
    place = 0 if len(kinds) == 1 else result.operation
    if place is not None:
        return at_operation(refusal_after(result.error, kinds[place]), place)
    refusal = refusal_after(result.error, _common_kind(kinds))
    refusal.detail = (
        f"{refusal.detail} No se realizó ninguna operación del conjunto; el ERP no indica cuál de las "
        f"{len(kinds)} rechazó."
    )
    return refusal


def call_kind(plan: WritePlan) -> CallKind:
    """Return the kind of call that a plan makes."""
    if isinstance(plan, CreatePlan):
        return CallKind.CREATE_APPROVABLE if plan.target.resource.approvable else CallKind.CREATE
    return CallKind.MODIFY if isinstance(plan, ModifyPlan) else CallKind.ACTION


def _common_kind(kinds: Sequence[CallKind]) -> CallKind:
    """Return the kind by which to read a refusal of an operation that the ERP does not name.

    If approval may have kept a document of any of them, the client must not repeat the set.
    """
    if CallKind.CREATE_APPROVABLE in kinds:
        return CallKind.CREATE_APPROVABLE
    return kinds[0] if len(set(kinds)) == 1 else CallKind.ACTION
