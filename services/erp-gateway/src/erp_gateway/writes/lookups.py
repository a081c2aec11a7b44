"""Lookups of unknown creates in the ERP, by the number of the write that the record carries."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

import msgspec
import structlog
from attrs import define, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.values.audit_event import Actor
from erp_gateway.values.user_names import SystemName
from erp_gateway.writes.items import DueLookup
from erp_gateway.writes.resolution import resolution_event
from erp_gateway.writes.rules import state_after_lookup
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from erpclient import Caller, ErpClient, ErpError, ErpRefused, ErpReplyUnreadable, InternalLane
from erpclient.odata import ListQuery, quote_string
from servicekit.clock import Clock

DRAFTS: Final = "Drafts"
"""The entity set of documents that an approval procedure caught."""

LOOKUP_LANE: Final = InternalLane(SystemName.LOOKUP)
"""The queue's lane for lookups of unknown writes."""

GIVE_UP_AFTER: Final = timedelta(hours=24)
"""How long unanswered lookups are repeated."""

_MAX_HITS: Final = 200
"""Rows of one lookup. Several records with one number are copies that people made."""

_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])

_log = structlog.get_logger(__name__)


class RecordKeys(Protocol):
    """Keys of registered resources."""

    def names(self, resource: str) -> tuple[str, ...] | None:
        """Return the properties of the key; None for a resource that is no longer registered."""
        ...

    def read(self, resource: str, record: bytes) -> str | None:
        """Return the key of a record as a client writes it."""
        ...

    def check(self, resource: str, key: str) -> None:
        """Raise `erpclient.odata.InvalidKey` for a key that no record of the resource can have."""
        ...


@frozen
class _Hit:
    """A record that carries the number of a write."""

    entity_set: str
    key: str | None


@define(eq=False, repr=False)
class Lookups:
    """Looks up the records of unknown creates on schedule.

    A lookup that the ERP refuses counts. After an unanswered one the schedule starts again, for up to a day.

    Args:
        client: the ERP.
        store: the ledger.
        recorder: the audit; it commits its record together with the change.
        clock: time.
        trace: the schedule, and the field that carries the number where the row of a write names none.
        keys: keys of resources.
    """

    _client: ErpClient
    _store: LedgerStore
    _recorder: AuditRecorder
    _clock: Clock
    _trace: Trace = field(kw_only=True)
    _keys: RecordKeys = field(kw_only=True)
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    async def run_due(self) -> int:
        """Make the lookups that are due, one call per resource and field; return their number.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        async with self._lock:
            due = await self._store.find_due(self._clock.now())
            by_place: dict[tuple[str, str], list[DueLookup]] = {}
            for each in due:
                place = each.item.resource, each.field or self._trace.field
                by_place.setdefault(place, []).append(each)
            for (resource, field), lookups in by_place.items():
                await self._look_up(resource, field, lookups)
            return len(due)

    async def _look_up(self, resource: str, field: str, due: Sequence[DueLookup]) -> None:
        found: Mapping[str, Sequence[_Hit]] | None = None
        is_answered = True
        try:
            found = await self._find(resource, field, [each.item.id for each in due])
        except ErpRefused as error:
            for each in due:
                _log.warning("write_look_refused", write_id=each.item.id, reason=str(error))
        except ErpError as error:
            is_answered = False
            for each in due:
                _log.warning("write_look_failed", write_id=each.item.id, reason=type(error).__name__)
        for each in due:
            await self._resolve(each, None if found is None else found[each.item.id], is_answered=is_answered)

    async def _resolve(self, due: DueLookup, hits: Sequence[_Hit] | None, *, is_answered: bool) -> None:
        # An ERP that comes back may still have the create in its queue, so a lookup right after an
        # unanswered one must not be the last: counting starts again.
        lookups = due.lookups + 1 if is_answered else 0
        is_last = lookups >= len(self._trace.delays_s)
        hit_count = None if hits is None else len(hits)
        state = state_after_lookup(hit_count, is_last=is_last, is_sent_field=due.field is not None)
        if state is None:
            next_at = None if is_last else self._next_lookup_at(due, lookups)
            await self._store.postpone_lookup(due.item.id, lookups, next_at)
            return
        (hit,) = hits or (None,)
        key = None if hit is None else hit.key
        found_in = DRAFTS if hit is not None and hit.entity_set != due.item.resource else None
        change = self._store.resolving(
            due.item.id,
            state,
            key=key,
            found_in=found_in,
            by=SystemName.LOOKUP.value,
            at=self._clock.now(),
        )
        actor = Actor(web_user=SystemName.LOOKUP, request_id=due.item.request_id)
        event = resolution_event(due.item, state, key, actor, found_in=found_in)
        await self._recorder.commit(event, change)

    def _next_lookup_at(self, due: DueLookup, lookups: int) -> datetime | None:
        now, delays = self._clock.now(), self._trace.delays_s
        if lookups:
            # A late lookup keeps its distance to the next one.
            apart = timedelta(seconds=delays[lookups] - delays[lookups - 1])
            return max(due.unknown_at + timedelta(seconds=delays[lookups]), now + apart)
        return None if now - due.unknown_at >= GIVE_UP_AFTER else now + timedelta(seconds=delays[:2][-1])

    async def _find(
        self, resource: str, field: str, numbers: Sequence[str]
    ) -> Mapping[str, Sequence[_Hit]] | None:
        """Return the records that carry each number; None if the key of an entity set is not known."""
        hits: dict[str, list[_Hit]] = {number: [] for number in numbers}
        condition = " or ".join(f"{field} eq {quote_string(number)}" for number in numbers)
        for entity_set in dict.fromkeys((resource, DRAFTS)):
            names = self._keys.names(entity_set)
            if names is None:
                return None
            query = ListQuery(select=(*names, field), filter=condition, top=_MAX_HITS)
            page = await self._client.list(entity_set, query, caller=Caller(LOOKUP_LANE, numbers[0]))
            rows = _ROWS.decode(page.rows)
            if len(rows) < page.count:
                raise ErpReplyUnreadable("more records with the numbers of writes than are asked for")
            for row in rows:
                # The ERP ignores letter case when it compares, and returns the value as stored.
                number = str(msgspec.json.decode(row).get(field)).upper()
                if number not in hits:
                    raise ErpReplyUnreadable("a record without the number that it was asked for by")
                hits[number].append(_Hit(entity_set, self._keys.read(entity_set, bytes(row))))
        return hits
