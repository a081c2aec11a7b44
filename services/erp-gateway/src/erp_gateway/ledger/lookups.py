"""Finding out what became of an unknown create, by the number that its record would carry."""

import asyncio
from datetime import datetime, timedelta
from typing import Final, Protocol

import msgspec
import structlog
from attrs import define, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor
from erp_gateway.ledger.resolution import resolution_event
from erp_gateway.ledger.rules import found_to_be
from erp_gateway.ledger.store import DueLook, LedgerStore
from erp_gateway.ledger.writes import Trace
from erpclient import Caller, ErpClient, ErpError, ErpRefused
from erpclient.odata import ListQuery, quote_string
from servicekit.clock import Clock

DRAFTS: Final = "Drafts"
"""Where an approval procedure keeps what it caught."""

LOOKED_UP_BY: Final = "lookup"
"""Whom the audit names, and whose lane of the queue is used."""

GIVE_UP_AFTER: Final = timedelta(hours=24)
"""How long look-ups go on that the ERP does not answer."""

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

    A look that the ERP refuses counts; one that it does not answer is made again later, for a day.

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
        """Make the looks whose time has come, one after the other; return how many those were.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        async with self._turn:
            due = await self._store.find_due(self._clock.now())
            for look in due:
                await self._look(look)
            return len(due)

    async def _look(self, due: DueLook) -> None:
        looks = due.looks
        hits: list[_Hit] | None = None
        try:
            hits = await self._find(due)
            looks += 1
        except ErpRefused as error:
            looks += 1
            _log.warning("write_look_refused", write_id=due.record.id, reason=str(error))
        except ErpError as error:
            _log.warning("write_look_failed", write_id=due.record.id, reason=type(error).__name__)
        last = looks >= len(self._trace.delays_s)
        found = None if hits is None else len(hits)
        state = found_to_be(found, last=last, sure_of_field=due.field is not None)
        if state is None:
            await self._store.put_off(due.record.id, looks, self._next_at(due, looks, last=last))
            return
        (hit,) = hits or (None,)
        key = None if hit is None else hit.key
        found_in = DRAFTS if hit is not None and hit.entity_set != due.record.resource else None
        settled = self._store.resolving(
            due.record.id,
            state,
            key=key,
            found_in=found_in,
            by=LOOKED_UP_BY,
            at=self._clock.now(),
        )
        actor = Actor(web_user=LOOKED_UP_BY, request_id=due.record.request_id)
        event = resolution_event(due.record, state, key, actor, found_in=found_in)
        await self._recorder.commit(event, settled)

    def _next_at(self, due: DueLook, looks: int, *, last: bool) -> datetime | None:
        now = self._clock.now()
        if looks > due.looks:
            return None if last else due.unknown_at + timedelta(seconds=self._trace.delays_s[looks])
        if now - due.unknown_at >= GIVE_UP_AFTER:
            return None
        return now + timedelta(seconds=self._trace.delays_s[min(looks + 1, len(self._trace.delays_s) - 1)])

    async def _find(self, due: DueLook) -> list[_Hit] | None:
        """Return the records that carry the number; None where nobody can say how to look for them."""
        resource, number, field = due.record.resource, due.record.id, due.field or self._trace.field
        hits: list[_Hit] = []
        for entity_set in dict.fromkeys((resource, DRAFTS)):
            names = self._keys.names(entity_set)
            if names is None:
                return None
            query = ListQuery(select=names, filter=f"{field} eq {quote_string(number)}", top=2)
            page = await self._client.list(entity_set, query, caller=Caller(LOOKED_UP_BY, number))
            rows = _ROWS.decode(page.rows)
            hits += [_Hit(entity_set, self._keys.read(entity_set, bytes(row))) for row in rows]
        return hits
