"""Saying what became of a write that nobody knows about: by its user, or by an administrator."""

from collections.abc import Callable
from typing import Final, TypeAlias

from attrs import define

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.ledger.errors import WriteNotFound, WriteNotUnknown, WriteStillOpen
from erp_gateway.ledger.rules import NEXT, WriteState
from erp_gateway.ledger.store import LedgerStore, WriteItem
from erp_gateway.ledger.writes import WriteKind
from servicekit.clock import Clock
from servicekit.errors import FieldProblem, InvalidBody

CheckKey: TypeAlias = Callable[[str, str], None]
"""Refuses a key that no record of the resource can have (`erpclient.odata.InvalidKey`)."""

RESOLUTIONS: Final = NEXT[WriteState.UNKNOWN]
"""What an unknown write can turn out to be."""


@define(eq=False, repr=False)
class WriteResolution:
    """Shows writes to those who may see them, and takes their word for what became of an unknown one.

    Attributes:
        store: the ledger.

    Args:
        recorder: where it is recorded, together with the change.
        check_key: whether a record can have a key.
        clock: time.
    """

    store: LedgerStore
    _recorder: AuditRecorder
    _check_key: CheckKey
    _clock: Clock

    async def get(self, write_id: str, *, only_of: str | None) -> WriteItem:
        """Return one write.

        Args:
            write_id: its number.
            only_of: whose it must be; None for anybody's.

        Raises:
            WriteNotFound: there is none, or it is somebody else's.
            StoreUnavailable: the store cannot be read.
        """
        record = await self.store.find(write_id)
        if record is None or only_of not in (None, record.web_user):
            raise WriteNotFound
        return record

    async def resolve(self, record: WriteItem, state: WriteState, key: str | None, actor: Actor) -> None:
        """Note what became of an unknown write, and who said so.

        Args:
            record: the write.
            state: one of `RESOLUTIONS`.
            key: of the record that was created, as far as it is known.
            actor: who says so.

        Raises:
            InvalidBody: a key where there can be none, or another than the write's.
            erpclient.odata.InvalidKey: no record of the resource can have it.
            WriteNotUnknown: it is known already.
            WriteStillOpen: it may still be under way.
            StoreUnavailable: nothing was changed.
        """
        if record.state is WriteState.OPEN:
            raise WriteStillOpen
        self._check(record, state, key)
        event = resolution_event(record, state, key, actor)
        along = self.store.resolving(record.id, state, key=key, by=actor.web_user or "", at=self._clock.now())
        if not await self._recorder.commit(event, along):
            raise WriteNotUnknown

    def _check(self, record: WriteItem, state: WriteState, key: str | None) -> None:
        if key is None:
            return
        if state is not WriteState.DONE:
            raise InvalidBody(errors=[FieldProblem("key", "Lo que no se realizó no tiene clave.")])
        if record.kind != WriteKind.CREATE and key != record.key:
            raise InvalidBody(errors=[FieldProblem("key", "La operación fue sobre otro registro.")])
        self._check_key(record.resource, key)


def resolution_event(
    record: WriteItem, state: WriteState, key: str | None, actor: Actor, *, found_in: str | None = None
) -> AuditEvent:
    """Return the audit record of what became of an unknown write: it stands in the record's own history.

    Args:
        record: the write.
        state: what it turned out to be.
        key: of the record that was created, as far as it is known.
        actor: who says so.
        found_in: the resource that `key` belongs to, where that is another than the write's.
    """
    return AuditEvent(
        action=AuditAction.WRITE_SETTLED,
        result=AuditResult.OK,
        actor=actor,
        resource=found_in or record.resource,
        key=record.key or key,
        detail=AuditDetail(write=record.id),
        reason=state.value,
    )
