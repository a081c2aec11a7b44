"""The row of a write before its outcome is known. It holds no value of a business field."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, TypeAlias

from attrs import field, frozen

from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditResult,
    SentFields,
)
from erp_gateway.writes.outcome import WriteOutcome
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.write import ADD_FILES, WriteKind

_AUDIT_ACTIONS: Final[Mapping[WriteKind, AuditAction]] = {
    WriteKind.CREATE: AuditAction.SL_CREATE,
    WriteKind.UPDATE: AuditAction.SL_UPDATE,
    WriteKind.ACTION: AuditAction.SL_ACTION,
}
_RESULTS: Final[Mapping[WriteState, AuditResult]] = {
    WriteState.DONE: AuditResult.OK,
    WriteState.REFUSED: AuditResult.ERROR,
    WriteState.NOT_SENT: AuditResult.ERROR,
    WriteState.UNKNOWN: AuditResult.UNKNOWN,
}


@frozen(kw_only=True)
class Claim:
    """Fingerprints of an idempotency key and of its request.

    Attributes:
        key_fingerprint: of the user and the key.
        request_fingerprint: of the request.
        expires_at: when the key may be used for another request.
    """

    key_fingerprint: bytes = field(repr=False)
    request_fingerprint: bytes = field(repr=False)
    expires_at: datetime


@frozen(kw_only=True)
class Intent:
    """The row of a write before its outcome is known.

    Attributes:
        write_id: a ULID.
        at: when it was requested, aware.
        kind: create, change or action.
        actor: the user and the request.
        resource: the registered resource.
        key: key of the record; None for a create.
        fields: names of the sent fields.
        body_fingerprint: of the body, under the store's secret.
        claim: the idempotency key, if there is one.
        traced: whether the new record carries the number of the write.
        trace_field: the field that carries it; also None in rows of versions that did not store it.
        sizes: bytes of each added file; not stored in the row.
        set_id: the change set that it belongs to: the number of the set's first write.
        position: its place in the change set, from 0.
    """

    write_id: str
    at: datetime
    kind: WriteKind
    actor: Actor
    resource: str
    key: str | None
    fields: SentFields
    body_fingerprint: bytes = field(repr=False)
    claim: Claim | None = None
    traced: bool = False
    trace_field: str | None = None
    sizes: tuple[int, ...] = ()
    set_id: str | None = None
    position: int | None = None

    @property
    def adds_files(self) -> bool:
        """True if the write adds files to the record."""
        return self.kind is WriteKind.ACTION and self.fields.names == (ADD_FILES,)

    def audit_event(self, outcome: WriteOutcome) -> AuditEvent:
        """Build the audit event for this outcome."""
        is_unknown = outcome.state is WriteState.UNKNOWN
        return AuditEvent(
            action=AuditAction.SL_ATTACH if self.adds_files else _AUDIT_ACTIONS[self.kind],
            result=_RESULTS[outcome.state],
            actor=self.actor,
            resource=self.resource,
            key=outcome.key_of(self.position) if self.key is None else self.key,
            fields=self.fields,
            detail=AuditDetail(
                write=self.write_id if is_unknown else None,
                sizes=self.sizes,
                change_set=self.set_id,
                position=self.position,
            ),
            reason=outcome.reason,
        )


Intents: TypeAlias = tuple[Intent, ...]
"""One write, or the writes of a change set in their order. They begin and end together, and the first one has
the claim of all."""
