"""Cost of a write in each store: its row, then its outcome with the audit record.

SQLite in a new file, and the database in `BENCH_STORE_URL`: an empty one, or a store of this version.
"""

import asyncio
import logging
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import structlog
from attrs import field, frozen

from erp_gateway.audit.store import AuditStore
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.places import PostgresPlace, StorePlace
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult, SentFields
from erp_gateway.writes.intent import Intent
from erp_gateway.writes.numbers import WriteNumbers
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import WriteKind
from servicekit.config.secret import Secret
from servicekit.server.process import SWITCH_S

URL: Final = "BENCH_STORE_URL"
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
WRITE, RECORD, READ = "a write, two commits", "an audit record, one commit", "a read"
ROUNDS: Final = 5
TIMES: Final = 200
WARM_UP: Final = 20

_ACTOR: Final = Actor(web_user="ana", ip="10.0.0.7", request_id="01JD0000000000000000000000")


@frozen
class Cost:
    """Medians of the rounds' medians, in milliseconds, by operation."""

    store: str
    medians_ms: dict[str, float] = field(factory=dict)


def measure(*, say: Callable[[str], None]) -> list[Cost]:
    """Measure SQLite, and PostgreSQL if the environment names a database."""
    places: dict[str, Callable[[Path], StorePlace]] = {SQLITE: lambda folder: folder / "store.sqlite"}
    if url := os.environ.get(URL):
        places[POSTGRESQL] = lambda _: PostgresPlace(Secret(url))
    else:
        say(f"SKIPPED: no {URL}, so nothing to compare SQLite with")
    found: dict[str, dict[str, list[float]]] = {name: {} for name in places}
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)  # as the service has it
    try:
        for number in range(ROUNDS):
            for name, place in places.items():
                with tempfile.TemporaryDirectory(prefix="bench-store-") as folder:
                    for what, median_ms in asyncio.run(_round(place(Path(folder)))).items():
                        found[name].setdefault(what, []).append(median_ms)
            say(f"store: round {number + 1} of {ROUNDS}")
    finally:
        sys.setswitchinterval(before)
    return [
        Cost(name, {what: statistics.median(times) for what, times in each.items()})
        for name, each in found.items()
    ]


def table(costs: list[Cost]) -> list[str]:
    """Return the table, with the ratio to the first store."""
    first, *_ = costs
    rows = []
    for what, base_ms in first.medians_ms.items():
        result = [f"{each.store} {each.medians_ms[what]:.2f} ms" for each in costs]
        more = [f"{each.medians_ms[what] - base_ms:+.2f} ms" for each in costs[1:]]
        rows.append(f"{what:<28} {', '.join(result)}  {' '.join(more)}".rstrip())
    return rows


async def _round(place: StorePlace) -> dict[str, float]:
    async with open_database(place) as database:
        ledger, audit, numbers = LedgerStore(database), AuditStore(database), WriteNumbers()

        async def write() -> None:
            intent = _intent(numbers)
            await ledger.begin((intent,))
            ended = WriteOutcome(state=WriteState.DONE, answer=WriteAnswer(status=201), keys=("12",))
            await audit.add(intent.audit_event(ended), intent.at, ledger.ending((intent,), ended, intent.at))

        async def record() -> None:
            event = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=_ACTOR)
            await audit.add(event, datetime.now(UTC))

        async def read() -> None:
            await _read(database)

        return {
            WRITE: await _median_ms(write),
            RECORD: await _median_ms(record),
            READ: await _median_ms(read),
        }


async def _read(database: Database) -> None:
    await database.read("SELECT id FROM ledger_write ORDER BY id DESC LIMIT 1")


async def _median_ms(act: Callable[[], Awaitable[None]]) -> float:
    times_s = []
    for _ in range(WARM_UP + TIMES):
        started = time.perf_counter()
        await act()
        times_s.append(time.perf_counter() - started)
    return statistics.median(times_s[WARM_UP:]) * 1000


def _intent(numbers: WriteNumbers) -> Intent:
    now = datetime.now(UTC)
    return Intent(
        write_id=numbers.next(now),
        at=now,
        kind=WriteKind.CREATE,
        actor=_ACTOR,
        resource="Orders",
        key=None,
        fields=SentFields(("CardCode", "DocDueDate", "DocumentLines[].ItemCode")),
        body_fingerprint=bytes(32),
    )
