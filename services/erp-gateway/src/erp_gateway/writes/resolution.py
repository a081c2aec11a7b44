"""Resolution of unknown writes by their user or an administrator."""

from collections.abc import Callable
from typing import Final, TypeAlias

from attrs import define

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.writes.errors import WriteNotFound, WriteNotUnknown, WriteStillOpen
from erp_gateway.writes.items import WriteItem
from erp_gateway.writes.rules import NEXT, WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import WriteKind
from servicekit.clock import Clock
from servicekit.errors import FieldProblem, InvalidBody

CheckKey: TypeAlias = Callable[[str, str], None]
"""Raises `erpclient.odata.InvalidKey` for a key that no record of the resource can have."""

RESOLUTIONS: Final = NEXT[WriteState.UNKNOWN]
"""The states that resolve an unknown write."""


@define(eq=False, repr=False)
class WriteResolution:
    """Reads writes, and resolves unknown ones by the statement of a person.

    Attributes:
        store: the ledger.

    Args:
        recorder: the audit; it commits its record together with the change.
        check_key: checks the key of a record.
        clock: time.
    """

    store: LedgerStore
    _recorder: AuditRecorder
    _check_key: CheckKey
    _clock: Clock

    async def get(self, write_id: str, *, only_of: str | None) -> WriteItem:
        """Return one write.

        Args:
            write_id: number of the write.
            only_of: the user whose write it must be; None for any user.

        Raises:
            WriteNotFound: no such write, or another user's.
            StoreUnavailable: the store cannot be read.
        """
        item = await self.store.find(write_id)
        if item is None or only_of not in (None, item.web_user):
            raise WriteNotFound
        return item

    async def resolve(self, item: WriteItem, state: WriteState, key: str | None, actor: Actor) -> None:
        """Record the outcome of an unknown write as a person states it; all writes of its change set get it.

        Args:
            item: the write, or any of a change set.
            state: one of `RESOLUTIONS`.
            key: key of the created record, if the person knows it.
            actor: the person.

        Raises:
            InvalidBody: a key where there can be none, or another than the write's.
            erpclient.odata.InvalidKey: no record of the resource can have the key.
            WriteNotUnknown: the outcome is already known.
            WriteStillOpen: the write may still be in flight.
            StoreUnavailable: nothing was changed.
        """
        if item.state is WriteState.OPEN:
            raise WriteStillOpen
        self._check(item, state, key)
        items = (item,) if item.change_set is None else await self.store.find_group(item.change_set)
        keys = {} if key is None else {item.id: key}
        events = [resolution_event(each, state, keys.get(each.id), actor) for each in items]
        change = self.store.resolving(items, state, keys=keys, by=actor.web_user or "", at=self._clock.now())
        if not await self._recorder.commit_all(events, change):
            raise WriteNotUnknown

    def _check(self, item: WriteItem, state: WriteState, key: str | None) -> None:
        if key is None:
            return
        if state is not WriteState.DONE:
            raise InvalidBody(errors=[FieldProblem("key", "Lo que no se realizó no tiene clave.")])
        if item.kind != WriteKind.CREATE and key != item.key:
            raise InvalidBody(errors=[FieldProblem("key", "La operación fue sobre otro registro.")])
        self._check_key(item.resource, key)


def resolution_event(
    item: WriteItem, state: WriteState, key: str | None, actor: Actor, *, found_in: str | None = None
) -> AuditEvent:
    """Build the audit event for the resolution of an unknown write; it is part of the record's history.

    Args:
        item: the write.
        state: the state that resolves it.
        key: key of the created record, if it is known.
        actor: the person or the lookup.
        found_in: the resource of `key`, if another than the write's.
    """
    return AuditEvent(
        action=AuditAction.WRITE_SETTLED,
        result=AuditResult.OK,
        actor=actor,
        resource=found_in or item.resource,
        key=item.key or key,
        detail=AuditDetail(write=item.id, change_set=item.change_set, position=item.position),
        reason=state.value,
    )
