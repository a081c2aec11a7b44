"""Writes as readers of the ledger see them."""

from datetime import datetime

from attrs import frozen

from erp_gateway.store.statements import where
from erp_gateway.writes.rules import WriteState


@frozen(kw_only=True)
class WriteItem:
    """One write as clients see it.

    Attributes:
        id: a ULID; newer ones sort after older ones.
        at: when it was requested, as ISO text in UTC.
        web_user: the user.
        request_id: the request.
        kind: a `WriteKind`.
        resource: the registered resource.
        key: key of the record; of a new record where it is known.
        fields: names of the sent fields.
        fields_omitted: number of further fields.
        result: a `WriteState`.
        reason: the `code` of its refusal.
        ended_at: when that state was recorded, as ISO text in UTC.
        ended_by: the web user, or `lookup`, that found the outcome of an unknown write.
        found_in: the entity set in which a lookup found the record, if another than the resource: `Drafts`.
        next_look_at: when the write is looked up next, as ISO text in UTC.
        change_set: the change set that it belongs to: the `id` of the set's first write.
        position: its place in the change set, from 0.
    """

    id: str
    at: str
    web_user: str
    request_id: str | None
    kind: str
    resource: str
    key: str | None
    fields: tuple[str, ...]
    fields_omitted: int
    result: str
    reason: str | None
    ended_at: str | None
    ended_by: str | None
    found_in: str | None
    next_look_at: str | None
    change_set: str | None = None
    position: int | None = None

    @property
    def group(self) -> str:
        """Number of its change set, or its own where it was requested alone."""
        return self.change_set or self.id

    @property
    def state(self) -> WriteState:
        """The state as a value."""
        return WriteState(self.result)


@frozen
class DueLookup:
    """An unknown write whose lookup is due.

    Attributes:
        item: the write.
        lookups: number of lookups so far.
        unknown_at: when it became unknown, aware.
        field: the field that carries its number, where the row names it.
    """

    item: WriteItem
    lookups: int
    unknown_at: datetime
    field: str | None


@frozen(kw_only=True)
class WriteFilter:
    """Conditions that a write must all meet; None is no condition."""

    web_user: str | None = None
    resource: str | None = None
    state: WriteState | None = None

    def as_sql(self) -> tuple[str, list[object]]:
        """Return the WHERE clause and its parameters."""
        return where(
            [
                ("web_user = ?", self.web_user),
                ("resource = ?", self.resource),
                ("state = ?", self.state and self.state.value),
            ]
        )
