"""Reads the cards of the ERP in the background lane and keeps them for a minute."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Final

import structlog
from attrs import define, evolve, field, frozen

from erp_gateway.records.documents.paid_columns import PAID_COLUMNS, PaidColumns
from erp_gateway.records.home.cards import ErpCard, Figures
from erp_gateway.records.home.shapes import CardName, CardState, HomeCard
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erpclient import Caller, ErpClient, ErpError, ErpList, ErpRefused, InternalLane
from servicekit.clock import Clock

HOME_LANE: Final = InternalLane("erp_gateway:home", is_background=True)
"""The queue serves this lane only when no other user waits."""

FRESH_S: Final = 60.0
"""Seconds for which a card is answered from memory."""

STALE_S: Final = 900.0
"""Longest time that an old card is shown while the ERP does not answer."""

RETRY_AFTER_S: Final = 15.0
"""Time between a failed read and the next one."""

PATIENCE_S: Final = 10.0
"""Longest time that a page waits for a read. The read continues for the next page."""

MOST_CALLS: Final = 4
"""Calls to the ERP for one home page."""

_log = structlog.get_logger(__name__)


@frozen
class _KeptFigures:
    """Figures in memory.

    Attributes:
        figures: of the last successful read; None if there was none.
        read_at: when that was.
        read_s: the same as monotonic time.
        next_s: when the card is read again.
    """

    figures: Figures | None = None
    read_at: datetime | None = None
    read_s: float = 0.0
    next_s: float = 0.0


@define(eq=False, repr=False)
class HomeFigures:
    """Figures of cards. Each card depends on one resource only, so all who may read it share the figures.

    One request after the other reads what is due, so that people who open the page together cause one read of
    each card. A read goes on if its client leaves.

    Args:
        erp: the ERP.
        registry: the registered resources.
        paid_columns: whether the ERP shows paid amounts.
        clock: time.
        today: the company's day.
    """

    _erp: ErpClient
    _registry: Registry
    _paid_columns: PaidColumns
    _clock: Clock
    _today: Callable[[], date]
    _kept: dict[CardName, _KeptFigures] = field(factory=dict, init=False)
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _running: set[asyncio.Task[None]] = field(factory=set, init=False)

    async def cards(self, wanted: Sequence[ErpCard]) -> tuple[HomeCard, ...]:
        """Return these cards; never raises an ERP error."""
        if any(self._is_due(card) for card in wanted):
            task = asyncio.create_task(self._read_due(wanted))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            done, _ = await asyncio.wait({task}, timeout=PATIENCE_S)
            for each in done:
                each.result()
        return tuple(self._card(card) for card in wanted)

    async def aclose(self) -> None:
        """Cancel running reads."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _is_due(self, card: ErpCard) -> bool:
        kept = self._kept.get(card.name)
        return kept is None or self._clock.monotonic() >= kept.next_s

    async def _read_due(self, wanted: Iterable[ErpCard]) -> None:
        async with self._lock:
            calls_left = MOST_CALLS
            for card in wanted:
                if self._is_due(card) and calls_left > 0:
                    calls_left -= await self._read(card, calls_left)

    async def _read(self, card: ErpCard, calls_left: int) -> int:
        """Read a card and return the number of calls."""
        kept = self._kept.get(card.name, _KeptFigures())
        caller = Caller(HOME_LANE)
        try:
            page = await self._list(card, caller, calls_left)
            figures = None if page is None else card.figures(page, self._today())
        except ErpError as error:
            _log.warning("home_card_unread", card=card.name, error=type(error).__name__)
            self._kept[card.name] = evolve(kept, next_s=self._clock.monotonic() + RETRY_AFTER_S)
        else:
            if figures is not None:
                now = self._clock.monotonic()
                self._kept[card.name] = _KeptFigures(figures, self._clock.now(), now, now + FRESH_S)
        return max(1, caller.trace.calls)

    async def _list(self, card: ErpCard, caller: Caller, calls_left: int) -> ErpList | None:
        """Return the rows of a card, or None if the next request has to repeat the read."""
        target = self._registry.find(card.resource)
        if target is None:
            return ErpList(b"[]", 0)
        try:
            return await self._list_once(card, target, caller)
        except ErpRefused as error:
            selected = PAID_COLUMNS if card.has_paid_amounts else ()
            if not self._paid_columns.note(error, selected):
                raise
        return await self._list_once(card, target, caller) if calls_left > 1 else None

    async def _list_once(self, card: ErpCard, target: Registered, caller: Caller) -> ErpList:
        query = card.query(target, self._today(), self._paid_columns.names)
        return await self._erp.list(
            card.resource, query, caller=caller, hidden=target.hidden, case_insensitive=False
        )

    def _card(self, card: ErpCard) -> HomeCard:
        kept = self._kept.get(card.name, _KeptFigures())
        age_s = self._clock.monotonic() - kept.read_s
        if kept.figures is None or age_s >= STALE_S:
            return HomeCard(name=card.name, state="unavailable", resource=card.resource)
        state: CardState = "read" if age_s < FRESH_S else "stale"
        figures = kept.figures
        return HomeCard(
            name=card.name,
            state=state,
            read_at=kept.read_at,
            count=figures.count,
            sums=figures.sums,
            is_partial=figures.is_partial,
            resource=card.resource,
            filter=figures.filter,
        )
