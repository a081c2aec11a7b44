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
from erp_gateway.writes.rules import combine_hits, state_after_lookup
from erp_gateway.writes.store import LOOKUP_BATCH, LedgerStore
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


@frozen
class _Finding:
    """The result of looking up one create.

    Attributes:
        due: the create.
        hits: the records that carry its number; None when the lookup failed.
        is_answered: whether the ERP answered.
    """

    due: DueLookup
    hits: Sequence[_Hit] | None
    is_answered: bool

    @property
    def hit_count(self) -> int | None:
        """Number of hits, as `rules.combine_hits` takes it."""
        if self.hits is None:
            return None
        is_draft = any(hit.entity_set != self.due.item.resource for hit in self.hits)
        # A draft says that approval stopped its create, and nothing of the other operations of its set.
        return _UNDECIDED if is_draft and self.due.item.change_set is not None else len(self.hits)

    @property
    def key(self) -> str | None:
        """Key of the only hit."""
        return self.hits[0].key if self.hits is not None and len(self.hits) == 1 else None

    @property
    def found_in(self) -> str | None:
        """The entity set of the only hit, if another than the resource."""
        if self.hits is None or len(self.hits) != 1:
            return None
        return None if self.hits[0].entity_set == self.due.item.resource else DRAFTS


_UNDECIDED: Final = 2
"""A number of hits that decides nothing."""


@define(eq=False, repr=False)
class Lookups:
    """Looks up the records of unknown creates on schedule.

    A lookup that the ERP refuses counts. After an unanswered one the schedule starts again, for up to a day.
    The creates of a change set are resolved together, with all other writes of the set.

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
            groups: dict[str, list[_Finding]] = {}
            for (resource, field), lookups in by_place.items():
                for part in range(0, len(lookups), LOOKUP_BATCH):
                    for finding in await self._look_up(resource, field, lookups[part : part + LOOKUP_BATCH]):
                        groups.setdefault(finding.due.item.group, []).append(finding)
            for findings in groups.values():
                await self._resolve(findings)
            return len(due)

    async def _look_up(self, resource: str, field: str, due: Sequence[DueLookup]) -> list[_Finding]:
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
        return [_Finding(each, None if found is None else found[each.item.id], is_answered) for each in due]

    async def _resolve(self, findings: Sequence[_Finding]) -> None:
        """Resolve a create alone, or a change set by its creates; or postpone their next lookup."""
        due = findings[0].due
        # An ERP that comes back may still have the create in its queue, so a lookup right after an
        # unanswered one must not be the last: counting starts again.
        lookups = due.lookups + 1 if all(finding.is_answered for finding in findings) else 0
        is_last = lookups >= len(self._trace.delays_s)
        hit_count = combine_hits([finding.hit_count for finding in findings])
        state = state_after_lookup(hit_count, is_last=is_last, is_sent_field=due.field is not None)
        if state is None:
            next_at = None if is_last else self._next_lookup_at(due, lookups)
            await self._store.postpone_lookup([finding.due.item for finding in findings], lookups, next_at)
            return
        group = due.item.change_set
        items = (due.item,) if group is None else await self._store.find_group(group)
        keys = {finding.due.item.id: finding.key for finding in findings}
        found_in = findings[0].found_in if group is None else None
        change = self._store.resolving(
            items,
            state,
            keys=keys,
            found_in=found_in,
            by=SystemName.LOOKUP.value,
            at=self._clock.now(),
        )
        actor = Actor(web_user=SystemName.LOOKUP, request_id=due.item.request_id)
        events = [
            resolution_event(item, state, keys.get(item.id), actor, found_in=found_in) for item in items
        ]
        await self._recorder.commit_all(events, change)

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
        """Return the records that carry each number; None if the key of an entity set is unknown."""
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
