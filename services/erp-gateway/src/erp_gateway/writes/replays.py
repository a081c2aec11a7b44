"""The answer to a request whose idempotency key belongs to a stored write."""

from collections.abc import Sequence
from typing import Final

import msgspec

from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.paths import record_path
from erp_gateway.web.upstream_errors import MaybeInApproval
from erp_gateway.writes.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyReused,
    LedgerUnavailable,
    write_member,
)
from erp_gateway.writes.items import WriteItem
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.rules import ExistingKey, RepeatDecision
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import WriteKind

_CREATED: Final = 201
_NO_CONTENT: Final = 204


async def replay(existing: ExistingKey, store: LedgerStore) -> WriteAnswer:
    """Return the stored answer of the first request.

    Raises:
        IdempotencyKeyReused: the key belongs to another request.
        FirstOutcomeUnknown: the outcome of the first request is unknown.
        LedgerUnavailable: the store cannot be read.
        MaybeInApproval: a lookup found the record among the drafts.
    """
    stored = existing.key
    if existing.decision is RepeatDecision.REUSED:
        raise IdempotencyKeyReused
    if existing.decision is RepeatDecision.UNKNOWN:
        raise FirstOutcomeUnknown(stored.write_id, state=stored.state, next_lookup_at=stored.next_lookup_at)
    try:
        answer = await store.find_answer(stored.write_id)
        if answer is not None:
            return answer.as_replay()
        items = await store.find_group(stored.write_id)
    except StoreUnavailable as error:
        raise LedgerUnavailable from error
    if not items:
        raise LookupError(stored.write_id)
    if items[0].change_set is not None:
        return set_answer_without_reply(items).as_replay()
    return answer_without_reply(items[0]).as_replay()


def set_answer_without_reply(items: Sequence[WriteItem]) -> WriteAnswer:
    """Build the answer of a change set that was done, where no response of the ERP was received."""
    operations = []
    for item in items:
        answer = answer_without_reply(item)
        operations.append(
            {"status": answer.status, "location": answer.headers.get("Location"), "etag": None, "body": None}
        )
    body = msgspec.json.encode({"changeSet": items[0].change_set, "operations": operations})
    return WriteAnswer(status=200, body=body)


def answer_without_reply(item: WriteItem) -> WriteAnswer:
    """Build the answer of a write that was done, where no response of the ERP was received.

    Raises:
        MaybeInApproval: a lookup found the record among the drafts.
    """
    if item.found_in is not None:
        raise MaybeInApproval(members={"draft": item.key, "write": write_member(item.id)})
    if item.kind != WriteKind.CREATE:
        return WriteAnswer(status=_NO_CONTENT)
    headers = {}
    if item.key is not None:
        headers["Location"] = record_path(item.resource, item.key)
    return WriteAnswer(status=_CREATED, headers=headers)
