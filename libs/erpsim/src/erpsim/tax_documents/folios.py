"""Folios: numbers of the tax office that an add-on assigns to returns some time after they were added."""

from __future__ import annotations

import asyncio
from typing import Final

from erpsim.company.company import Company
from erpsim.company.exchange import Fields, Key
from erpsim.company.rows.values import as_int
from erpsim.world import World

RETURNS: Final = "PurchaseReturns"
FIRST_FOLIO: Final = 1001
PREFIX: Final = "GE"
"""Prefix of an electronic dispatch guide, as one add-on writes it."""


class Folios:
    """Assigns folios while open: at once to existing returns without one, and to new returns after the delay.

    As with the add-on this models, only series whose prefix begins with `E` are electronic. A return in
    another series never gets a folio.

    Args:
        world: the company; its switch `folio_delay_s` is the delay.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._timers: set[asyncio.TimerHandle] = set()

    def open(self) -> None:
        """Start assigning."""
        self._world.company.watchers.append(self._added)
        self.give_all()

    def close(self) -> None:
        """Stop assigning."""
        self._world.company.watchers.remove(self._added)
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def give_all(self) -> None:
        """Assign folios to all electronic returns without one."""
        for row in list(self._world.company.rows(RETURNS)):
            self.give(as_int(row["DocEntry"]))

    def give(self, entry: int) -> None:
        """Assign a folio to a return, unless it has one, was removed or is not electronic."""
        company = self._world.company
        row = company.find(RETURNS, entry)
        if row is None or row.get("FolioNumber") or not _is_electronic(company, row):
            return
        numbers = [as_int(each.get("FolioNumber") or 0) for each in company.rows(RETURNS)]
        folio = max([FIRST_FOLIO - 1, *numbers]) + 1
        with company.transaction():
            company.update(RETURNS, {**row, "FolioNumber": folio, "FolioPrefixString": PREFIX})

    def _added(self, set_name: str, key: Key) -> None:
        delay = self._world.switches.folio_delay_s
        if set_name != RETURNS or delay is None:
            return
        # Not inside the transaction that adds the return: it may still fail.
        loop = asyncio.get_running_loop()
        self._timers = {timer for timer in self._timers if timer.when() > loop.time()}
        self._timers.add(loop.call_later(delay, self.give, as_int(key[0])))


def find_return(company: Company, folio: int) -> Fields | None:
    """Return the return with a folio."""
    for row in company.rows(RETURNS):
        if row.get("FolioNumber") == folio:
            return row
    return None


def _is_electronic(company: Company, row: Fields) -> bool:
    series = company.find("$Series", as_int(row.get("Series") or 0))
    return series is not None and str(series.get("Prefix") or "").startswith("E")
