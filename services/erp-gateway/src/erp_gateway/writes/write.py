"""A write as a client requests it, before the ledger has a row of it."""

from enum import StrEnum
from typing import Final

from attrs import field, frozen

from erp_gateway.values.audit_event import Actor, SentFields


class WriteKind(StrEnum):
    """Kind of a write."""

    CREATE = "create"
    UPDATE = "update"
    ACTION = "action"


ADD_FILES: Final = "Attachments2()"
"""The name under which rows record that files were added; no resource can declare an action of this name."""


@frozen(kw_only=True)
class Write:
    """A requested create, change or action.

    Attributes:
        kind: create, change or action.
        actor: the user and the request.
        resource: the registered resource.
        key: key of the record, as the client wrote it, its parts in declared order; None for a create.
        fields: names of the sent fields; for an action they follow its name (`Cancel()`).
        body: the body as received; never stored.
        traceable: whether records of the resource have the field that can carry the write's number.
        variant: the action, or whether lines are replaced; part of the request's fingerprint.
        idempotency_key: the idempotency key, if there is one.
        sizes: bytes of each added file.
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
class WriteSet:
    """Writes that the ERP is to do all or not at all.

    Attributes:
        writes: one or more, in order, without idempotency keys of their own.
        body: the request as received; part of its fingerprint.
        idempotency_key: of the request, if there is one.
    """

    writes: tuple[Write, ...]
    body: bytes = field(repr=False)
    idempotency_key: str | None = field(default=None, repr=False)
