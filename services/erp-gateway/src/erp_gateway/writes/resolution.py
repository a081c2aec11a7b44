"""Saying what became of an unknown write: by its user, by an administrator, or by a look-up in the ERP."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeAlias

import msgspec
import structlog
from attrs import define, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.values.user_names import SystemName
from erp_gateway.writes.errors import WriteNotFound, WriteNotUnknown, WriteStillOpen
from erp_gateway.writes.rules import NEXT, WriteState, found_to_be
from erp_gateway.writes.store import DueLook, LedgerStore, WriteItem
from erp_gateway.writes.writes import Trace, WriteKind
from erpclient import Caller, ErpClient, ErpError, ErpRefused, ErpReplyUnreadable, InternalLane
from erpclient.odata import ListQuery, quote_string
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


DRAFTS: Final = "Drafts"
"""Where an approval procedure keeps what it caught."""

LOOKUP_LANE: Final = InternalLane(SystemName.LOOKUP)
"""The queue's lane for lookups of unknown writes."""

GIVE_UP_AFTER: Final = timedelta(hours=24)
"""How long look-ups go on that the ERP does not answer."""

_AT_ONCE: Final = 200
"""Records that are asked for at once: more than one with a number are copies that people made."""

_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])

_log = structlog.get_logger(__name__)


class RecordKeys(Protocol):
    """What is known of the keys of registered resources."""

    def names(self, resource: str) -> tuple[str, ...] | None:
        """Return the properties that make the key; None for a resource that is not registered any more."""
        ...

    def read(self, resource: str, record: bytes) -> str | None:
        """Return the key of a record as a client writes it."""
        ...

    def check(self, resource: str, key: str) -> None:
        """Refuse a key that no record of the resource can have (`erpclient.odata.InvalidKey`)."""
        ...


@frozen
class _Hit:
    """A record that carries the number."""

    entity_set: str
    key: str | None


@define(eq=False, repr=False)
class LookUps:
    """Looks for the records of unknown creates when their time has come.

    A look that the ERP refuses counts; after one that it does not answer all are made again, for a day.

    Args:
        client: the ERP.
        store: where unknown writes are.
        recorder: where it is recorded, together with the change.
        clock: time.
        trace: when to look; and the field that carries the number, where the row of a write names none.
        keys: what is known of keys.
    """

    _client: ErpClient
    _store: LedgerStore
    _recorder: AuditRecorder
    _clock: Clock
    _trace: Trace = field(kw_only=True)
    _keys: RecordKeys = field(kw_only=True)
    _turn: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    async def run_due(self) -> int:
        """Make the looks whose time has come, those in one resource together; return how many those were.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        async with self._turn:
            due = await self._store.find_due(self._clock.now())
            together: dict[tuple[str, str], list[DueLook]] = {}
            for each in due:
                place = each.record.resource, each.field or self._trace.field
                together.setdefault(place, []).append(each)
            for (resource, field), looks in together.items():
                await self._look(resource, field, looks)
            return len(due)

    async def _look(self, resource: str, field: str, due: Sequence[DueLook]) -> None:
        found: Mapping[str, Sequence[_Hit]] | None = None
        is_answered = True
        try:
            found = await self._find(resource, field, [each.record.id for each in due])
        except ErpRefused as error:
            for each in due:
                _log.warning("write_look_refused", write_id=each.record.id, reason=str(error))
        except ErpError as error:
            is_answered = False
            for each in due:
                _log.warning("write_look_failed", write_id=each.record.id, reason=type(error).__name__)
        for each in due:
            await self._note(each, None if found is None else found[each.record.id], is_answered=is_answered)

    async def _note(self, due: DueLook, hits: Sequence[_Hit] | None, *, is_answered: bool) -> None:
        """Note what a look told; after one without an answer, the looks are counted anew.

        An ERP that comes back may still have the create before it: no look that follows at once is the last.
        """
        looks = due.looks + 1 if is_answered else 0
        last = looks >= len(self._trace.delays_s)
        found = None if hits is None else len(hits)
        state = found_to_be(found, last=last, sure_of_field=due.field is not None)
        if state is None:
            next_at = None if last else self._next_at(due, looks)
            await self._store.put_off(due.record.id, looks, next_at)
            return
        (hit,) = hits or (None,)
        key = None if hit is None else hit.key
        found_in = DRAFTS if hit is not None and hit.entity_set != due.record.resource else None
        settled = self._store.resolving(
            due.record.id,
            state,
            key=key,
            found_in=found_in,
            by=SystemName.LOOKUP.value,
            at=self._clock.now(),
        )
        actor = Actor(web_user=SystemName.LOOKUP, request_id=due.record.request_id)
        event = resolution_event(due.record, state, key, actor, found_in=found_in)
        await self._recorder.commit(event, settled)

    def _next_at(self, due: DueLook, looks: int) -> datetime | None:
        """Return when to look again, a look that came late not followed sooner than it would have been."""
        now, delays = self._clock.now(), self._trace.delays_s
        if looks:
            apart = timedelta(seconds=delays[looks] - delays[looks - 1])
            return max(due.unknown_at + timedelta(seconds=delays[looks]), now + apart)
        return None if now - due.unknown_at >= GIVE_UP_AFTER else now + timedelta(seconds=delays[:2][-1])

    async def _find(
        self, resource: str, field: str, numbers: Sequence[str]
    ) -> Mapping[str, Sequence[_Hit]] | None:
        """Return the records that carry each number; None where nobody can say how to look for them."""
        hits: dict[str, list[_Hit]] = {number: [] for number in numbers}
        carries_one = " or ".join(f"{field} eq {quote_string(number)}" for number in numbers)
        for entity_set in dict.fromkeys((resource, DRAFTS)):
            names = self._keys.names(entity_set)
            if names is None:
                return None
            query = ListQuery(select=(*names, field), filter=carries_one, top=_AT_ONCE)
            page = await self._client.list(entity_set, query, caller=Caller(LOOKUP_LANE, numbers[0]))
            rows = _ROWS.decode(page.rows)
            if len(rows) < page.count:
                raise ErpReplyUnreadable("more records with the numbers of writes than are asked for")
            for row in rows:
                number = str(msgspec.json.decode(row).get(field)).upper()  # as the ERP compares
                if number not in hits:
                    raise ErpReplyUnreadable("a record without the number that it was asked for by")
                hits[number].append(_Hit(entity_set, self._keys.read(entity_set, bytes(row))))
        return hits
