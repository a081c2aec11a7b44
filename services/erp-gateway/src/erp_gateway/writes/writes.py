"""Writes as values: what was asked, its number, its row, and how it ended. No value of a business field."""

import os
import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final, final

from attrs import evolve, field, frozen

from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditResult,
    SentFields,
)
from erp_gateway.writes.rules import WriteState
from servicekit.erp.errors import ClientGone
from servicekit.errors import PROBLEM_MEDIA_TYPE, InternalError, ServiceError, problem_response
from servicekit.request_log.request_id import encode_ulid


@final
class WriteNumbers:
    """Gives numbers, each greater than the one before, also when the clock goes back."""

    def __init__(self) -> None:
        self._last = 0

    def next(self, moment: datetime) -> str:
        """Return the number of a write that came at `moment`, aware."""
        made = _milliseconds(moment) << 80 | int.from_bytes(os.urandom(10))
        # In the same millisecond it goes on from the last one; the random part has room for it.
        later = made >> 80 > self._last >> 80
        self._last = made if later else self._last + 1
        return encode_ulid(self._last)


def first_number_at(moment: datetime) -> str:
    """Return what sorts after the numbers of all earlier milliseconds, and before those of this one.

    Before 1970 there are none: a moment that long ago is taken for its beginning.
    """
    return encode_ulid(max(_milliseconds(moment), 0) << 80)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


_OPENING: Final = re.compile(rb"\s*\{\s*")


@frozen
class Trace:
    """The field of new records that carries a write's number, and when unknown creates are looked up by it.

    Attributes:
        field: name of the field; plain letters, digits and underscores.
        delays_s: seconds after a write became unknown, rising; at least one.
    """

    field: str
    delays_s: tuple[float, ...]


def with_trace(body: bytes, field: str, number: str) -> bytes:
    """Add the field to a checked JSON object; all its other bytes stay as they came.

    Args:
        body: a JSON object without the field.
        field: name of the field; plain letters, digits and underscores.
        number: its value; plain letters and digits.

    Raises:
        ValueError: the body is no JSON object.
    """
    opening = _OPENING.match(body)
    if opening is None:
        raise ValueError("the body is no JSON object")
    rest = body[opening.end() :]
    comma = b"" if rest.startswith(b"}") else b","
    return b'{"%b":"%b"%b%b' % (field.encode(), number.encode(), comma, rest)


class WriteKind(StrEnum):
    """What a write does."""

    CREATE = "create"
    UPDATE = "update"
    ACTION = "action"


AUDITED_AS: Final[Mapping[WriteKind, AuditAction]] = {
    WriteKind.CREATE: AuditAction.SL_CREATE,
    WriteKind.UPDATE: AuditAction.SL_UPDATE,
    WriteKind.ACTION: AuditAction.SL_ACTION,
}
ADD_FILES: Final = "Attachments2()"
"""The action as which the row has that files are added to a record; no resource can declare it."""

_RESULTS: Final[Mapping[WriteState, AuditResult]] = {
    WriteState.DONE: AuditResult.OK,
    WriteState.REFUSED: AuditResult.ERROR,
    WriteState.NOT_SENT: AuditResult.ERROR,
    WriteState.UNKNOWN: AuditResult.UNKNOWN,
}


@frozen(kw_only=True)
class Write:
    """A create, change or action that somebody asks for.

    Attributes:
        kind: what it does.
        actor: who asks.
        resource: the registered resource.
        key: of the record, as the client wrote it, its parts in declared order; None for a create.
        fields: names of the fields sent, for an action after its name (`Cancel()`).
        body: the body as it came; never stored.
        traceable: whether the records of the resource have the field that can carry the write's number.
        variant: what else tells it from another: the action, whether lines are replaced.
        idempotency_key: the idempotency key, if it has one.
        sizes: bytes of each file that is added.
    """

    kind: WriteKind
    actor: Actor
    resource: str
    key: str | None = None
    fields: SentFields = field(default=SentFields())
    body: bytes = field(repr=False)
    traceable: bool = False
    variant: str = ""
    idempotency_key: str | None = field(default=None, repr=False)
    sizes: tuple[int, ...] = ()


@frozen(kw_only=True)
class Claim:
    """What a request with an idempotency key is known again by.

    Attributes:
        key_fingerprint: of user and key.
        request_fingerprint: of what is asked.
        expires_at: when the key may be used for something else.
    """

    key_fingerprint: bytes = field(repr=False)
    request_fingerprint: bytes = field(repr=False)
    expires_at: datetime


@frozen(kw_only=True)
class Intent:
    """The row of a write, before it is known how it ends.

    Attributes:
        write_id: a ULID.
        at: when it was asked for, aware.
        kind: what it does.
        actor: who asked, in which request.
        resource: the registered resource.
        key: of the record; None for a create.
        fields: names of the fields sent.
        body_fingerprint: knows the body again, under the store's secret.
        claim: of a request with an idempotency key.
        traced: whether the new record carries the number of the write.
        trace_field: in which field; None also where the row was written before that was noted.
        sizes: bytes of each file that is added; not in the row.
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

    @property
    def adds_files(self) -> bool:
        """Whether files are added to the record."""
        return self.kind is WriteKind.ACTION and self.fields.names == (ADD_FILES,)

    def event(self, ended: "WriteOutcome") -> AuditEvent:
        """Return the audit record of its end."""
        unknown = ended.state is WriteState.UNKNOWN
        return AuditEvent(
            action=AuditAction.SL_ATTACH if self.adds_files else AUDITED_AS[self.kind],
            result=_RESULTS[ended.state],
            actor=self.actor,
            resource=self.resource,
            key=ended.key if self.key is None else self.key,
            fields=self.fields,
            detail=AuditDetail(write=self.write_id if unknown else None, sizes=self.sizes),
            reason=ended.reason,
        )


@frozen(kw_only=True)
class WriteAnswer:
    """What the client is answered.

    Attributes:
        status: the HTTP status.
        body: the body's bytes, possibly none.
        media_type: of the body.
        headers: further headers, such as `Location` and `ETag`.
        replayed: whether it was given before, to the first request with the same idempotency key.
    """

    status: int
    body: bytes = field(default=b"", repr=False)
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(factory=dict)
    replayed: bool = False

    def again(self) -> "WriteAnswer":
        """Return it as it is given to a repeated request."""
        return evolve(self, replayed=True)


@frozen(kw_only=True)
class WriteOutcome:
    """How a write ended: with an answer, or with a refusal that the client is told.

    Attributes:
        state: what is known of it now.
        answer: of a write that was done.
        refusal: of any other.
        key: of a record that was created.
        write_id: the number of its row; empty until the ledger adds it, as the two after it.
        request_id: of the request that made it.
        noted: whether that is committed.
        look_at: when an unknown one is looked up first.
    """

    state: WriteState
    answer: WriteAnswer | None = None
    refusal: ServiceError | None = None
    key: str | None = None
    write_id: str = ""
    request_id: str = ""
    noted: bool = False
    look_at: datetime | None = None

    @property
    def reason(self) -> str | None:
        """The `code` of the refusal."""
        return None if self.refusal is None else self.refusal.code

    @property
    def abandoned(self) -> bool:
        """Whether it was not sent because its client had left."""
        return isinstance(self.refusal, ClientGone)

    def given(self) -> WriteAnswer:
        """Return the answer of a write that was done.

        Raises:
            ServiceError: what became of any other.
        """
        if self.answer is None:
            raise InternalError if self.refusal is None else self.refusal.without_traceback()
        return self.answer

    def told(self) -> WriteAnswer:
        """Return what the client is answered, a refusal as its problem document."""
        if self.answer is not None:
            return self.answer
        response = problem_response(self.refusal or InternalError(), self.request_id)
        return WriteAnswer(
            status=response.status_code,
            body=bytes(response.body),
            media_type=PROBLEM_MEDIA_TYPE,
            headers={} if self.refusal is None else self.refusal.headers,
        )
