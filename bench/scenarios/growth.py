"""Growth of cost with size: processor time of records, writes, people, rights and plannings.

Each kind of work runs at three sizes, each ten times the one before (five times for the last one of
documents).
"""

import asyncio
import functools
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from attrs import frozen

from bench.scenarios.planning import receipt
from erp_gateway.audit.chain_rows import AuditChain, ChainedRecord
from erp_gateway.audit.store import AuditFilter, AuditStore, append_event
from erp_gateway.people.auth.employee_choice import Employee
from erp_gateway.people.auth.sessions import WebSessionStore
from erp_gateway.people.permissions.patterns import RouteSet
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult, SentFields
from erp_gateway.values.web_user import WebUser
from erp_gateway.writes.intent import Claim, Intent
from erp_gateway.writes.items import WriteFilter
from erp_gateway.writes.numbers import WriteNumbers
from erp_gateway.writes.outcome import WriteOutcome
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import WriteKind
from servicekit.clock import SystemClock
from servicekit.config.secret import Secret
from supplier_returns.planning.collector import gc_paused
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.warehouse import StockItem, WarehouseFacts
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.plans import plan

RECORDS: Final = (10_000, 100_000, 1_000_000)
PEOPLE: Final = (10, 1_000, 10_000)
RIGHTS: Final = (1, 100, 1_000)
DOCUMENTS: Final = (10, 100, 500)
ITEMS_A_DOCUMENT: Final = 4
RECEIPTS_AN_ITEM: Final = 5
ROUNDS: Final = 3
BEGIN: Final = datetime(2025, 1, 1, tzinfo=UTC)
APART: Final = timedelta(seconds=20)

_BATCH: Final = 5_000
_USERS: Final = 200


@frozen
class Growth:
    """Milliseconds of processor time of a kind of work, by size."""

    work: str
    sizes: tuple[int, ...]
    costs_ms: tuple[float, ...]


def measure(*, say: Callable[[str], None]) -> list[Growth]:
    """Measure everything, the smallest first."""
    return [
        *_grown(RECORDS, functools.partial(_in_a_store, _audit_costs), say),
        *_grown(RECORDS, functools.partial(_in_a_store, _ledger_costs), say),
        *_grown(PEOPLE, _people_costs, say),
        *_grown(RIGHTS, _rights_costs, say),
        *_grown(DOCUMENTS, _document_costs, say),
    ]


def table(found: list[Growth]) -> list[str]:
    """Return the table, with how much more each step costs than the one before."""
    rows = []
    for each in found:
        result = [f"{size:>9,}: {cost:9.3f} ms" for size, cost in zip(each.sizes, each.costs_ms, strict=True)]
        steps = [f"{more / less:.1f}" for less, more in zip(each.costs_ms, each.costs_ms[1:], strict=False)]
        rows.append(f"{each.work:<28} {'  '.join(result)}   times {', '.join(steps)}")
    return rows


def _grown(
    sizes: tuple[int, ...], costs: Callable[[int], dict[str, float]], say: Callable[[str], None]
) -> Iterator[Growth]:
    found = []
    for size in sizes:
        found.append(costs(size))
        say(f"growth: {size:,} ({', '.join(found[-1])})")
    for work in found[0]:
        yield Growth(work, sizes, tuple(each[work] for each in found))


def _in_a_store(costs: Callable[[Database, int], Awaitable[dict[str, float]]], size: int) -> dict[str, float]:
    async def measured(folder: Path) -> dict[str, float]:
        async with open_database(folder / "store.sqlite") as database:
            return await costs(database, size)

    with tempfile.TemporaryDirectory(prefix="bench-growth-") as folder:
        return asyncio.run(measured(Path(folder)))


async def _audit_costs(database: Database, size: int) -> dict[str, float]:
    def add(statements: Statements, number: int) -> None:
        partner = number % 3 == 0
        event = AuditEvent(
            action=AuditAction.LOGIN if number % 5 == 0 else AuditAction.SL_UPDATE,
            result=AuditResult.OK if number % 7 else AuditResult.ERROR,
            actor=_actor(number),
            resource="BusinessPartners" if partner else "Orders",
            key=f"C{number % 5_000}" if partner else str(number % 50_000),
            fields=SentFields(("CardCode", "Comments")),
        )
        append_event(statements, event, BEGIN + number * APART)

    await _fill(database, size, add)
    store, chain = AuditStore(database), AuditChain(database)

    def page(conditions: AuditFilter) -> Callable[[], Awaitable[object]]:
        return functools.partial(store.find, conditions, page=1, page_size=50)

    middle, end = BEGIN + size // 2 * APART, BEGIN + size * APART
    return {
        "audit: a page": await _best_ms(page(AuditFilter())),
        "audit: a page of a user": await _best_ms(page(AuditFilter(web_user="u7"))),
        "audit: a user's changes": await _best_ms(
            page(AuditFilter(web_user="u7", action=AuditAction.SL_UPDATE))
        ),
        "audit: an order's history": await _best_ms(page(AuditFilter(resource="Orders", key="77"))),
        "audit: a partner's history": await _best_ms(
            page(AuditFilter(resource="BusinessPartners", key="c66"))
        ),
        "audit: export": await _once_ms(lambda: _exhaust(store.walk(AuditFilter()))),
        "audit: verify": await _once_ms(lambda: _verify(chain)),
        "audit: retention of half": await _once_ms(lambda: chain.cut_before(middle, now=end)),
    }


async def _ledger_costs(database: Database, size: int) -> dict[str, float]:
    """Create a ledger in which a thousandth of the writes is unknown and every eighth one has a live key."""
    ledger, numbers = LedgerStore(database), WriteNumbers()
    for first in range(0, size, _BATCH):
        intents = [_intent(numbers, number) for number in range(first, min(first + _BATCH, size))]
        await asyncio.gather(*(ledger.claim((each,), _claim(each), each.at) for each in intents[::8]))
        endings = [
            ledger.ending((each,), _outcome(first + place, each.at), each.at)
            for place, each in enumerate(intents)
        ]
        await database.write(lambda statements, endings=endings: [note(statements) for note in endings])

    def page(conditions: WriteFilter) -> Callable[[], Awaitable[object]]:
        return functools.partial(ledger.find_page, conditions, page=1, page_size=50)

    middle, end = BEGIN + size // 2 * APART, BEGIN + size * APART
    return {
        "ledger: a page of a user": await _best_ms(page(WriteFilter(web_user="u7"))),
        "ledger: unknown writes": await _best_ms(page(WriteFilter(state=WriteState.UNKNOWN))),
        "ledger: due looks": await _best_ms(lambda: ledger.find_due(end)),
        "ledger: retention of half": await _once_ms(lambda: ledger.delete_before(middle)),
    }


def _people_costs(size: int) -> dict[str, float]:
    sessions = WebSessionStore(timeout_s=3600, clock=SystemClock(), timezone=ZoneInfo("UTC"))
    for number in range(size):
        token = sessions.open(_employee(number)).token
    return {
        "people: a request's session": _times_ms(lambda: sessions.authenticate(token), 1_000),
        "people: list of sessions": _times_ms(sessions.list_live, 1),
    }


def _rights_costs(size: int) -> dict[str, float]:
    rights = RouteSet([*(f"/ventas/modulo{number}/ver" for number in range(size)), "/compras/*"])
    return {"rights: one question": _times_ms(lambda: rights.allows("/ventas/otro/modulo/ver"), 1_000)}


def _document_costs(size: int) -> dict[str, float]:
    items = [f"{number:06d}" for number in range(size * ITEMS_A_DOCUMENT)]
    receipts = [
        receipt(number * RECEIPTS_AN_ITEM + nth, BEGIN.date(), item=item, supplier=number // ITEMS_A_DOCUMENT)
        for number, item in enumerate(items)
        for nth in range(RECEIPTS_AN_ITEM)
    ]
    stock = [StockItem(item, item, "UN", Decimal(1_000)) for item in items]
    snapshot = WarehouseSnapshot(WarehouseFacts("01", "Central"), stock, receipts, decimals=2)
    lines = [
        PlanningLine(line_id=number, item_code=item, quantity=Decimal(60))
        for number, item in enumerate(items, 1)
    ]
    today = BEGIN.date() + timedelta(days=1_000)
    with gc_paused():  # as the service computes plans
        return {
            "a planning of documents": _times_ms(
                lambda: plan(lines, snapshot, max_lines=60, return_date=today), 1
            )
        }


async def _fill(database: Database, size: int, add: Callable[[Statements, int], None]) -> None:
    for first in range(0, size, _BATCH):

        def batch(statements: Statements, first: int = first) -> None:
            for number in range(first, min(first + _BATCH, size)):
                add(statements, number)

        await database.write(batch)


async def _exhaust(records: AsyncIterator[object]) -> None:
    async for _ in records:
        pass


async def _verify(chain: AuditChain) -> None:
    """Verify the chain like `audit verify`."""
    previous = None
    async for each in chain.walk():
        if isinstance(each, ChainedRecord):
            assert previous is not None
            assert each.follows(previous)
            previous = each.position
        else:
            previous = each


def _actor(number: int) -> Actor:
    return Actor(web_user=f"u{number % _USERS}", ip="10.0.0.7", request_id=f"01JD{number:022d}")


def _intent(numbers: WriteNumbers, number: int) -> Intent:
    at = BEGIN + number * APART
    return Intent(
        write_id=numbers.next(at),
        at=at,
        kind=WriteKind.CREATE,
        actor=_actor(number),
        resource="Orders",
        key=None,
        fields=SentFields(("CardCode", "Comments")),
        body_fingerprint=bytes(32),
    )


def _claim(intent: Intent) -> Claim:
    return Claim(
        key_fingerprint=os.urandom(32),
        request_fingerprint=bytes(32),
        expires_at=intent.at + timedelta(days=9_000),
    )


def _outcome(number: int, at: datetime) -> WriteOutcome:
    if number % 1_000:
        return WriteOutcome(state=WriteState.DONE)
    return WriteOutcome(state=WriteState.UNKNOWN, next_lookup_at=at)


def _employee(number: int) -> Employee:
    web_user = WebUser(name=f"u{number}", employee_id=number, first_name="Ana", last_name="Soto", email="")
    return Employee(user=web_user, stored_password=Secret("a password"), active=True)


async def _once_ms(work: Callable[[], Awaitable[object]]) -> float:
    started = time.process_time()
    await work()
    return (time.process_time() - started) * 1000


async def _best_ms(work: Callable[[], Awaitable[object]]) -> float:
    return min([await _once_ms(work) for _ in range(ROUNDS)])


def _times_ms(work: Callable[[], Any], times: int) -> float:
    costs = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(times):
            work()
        costs.append((time.process_time() - started) * 1000 / times)
    return min(costs)
