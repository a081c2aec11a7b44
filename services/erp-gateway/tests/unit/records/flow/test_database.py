"""Following documents from the ERP's database."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from attrs import define, field

from erp_gateway.records.documents.head import head_of
from erp_gateway.records.documents.refused_reads import RefusedReads
from erp_gateway.records.flow.database import TABLES, FollowingInDatabase
from erp_gateway.records.flow.links import FOLLOWING
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from servicekit.clock import ManualClock
from servicekit.errors import NotConfigured

REGISTRY = Registry(DEFAULT_RESOURCES, ())
ROW: dict[str, Any] = {
    "resource": "Invoices",
    "DocEntry": 7,
    "DocNum": Decimal(70),
    "DocDate": datetime(2026, 3, 1),  # noqa: DTZ001 - as the driver has it
    "DocDueDate": "2026-03-31 00:00:00",
    "DocTotal": Decimal("10.50"),
    "DocTotalFc": 0,
    "DocCurrency": "CLP",
    "DocumentStatus": "O",
    "CancelStatus": "N",
    "PaidToDate": 0.5,
    "PaidToDateFC": None,
}


@define
class Erp:
    """The number of logins of a session."""

    logins: int = 1


@define
class Database:
    """A database that answers fixed rows."""

    rows: list[dict[str, Any]] = field(factory=list)
    truncated: bool = False
    fails: bool = False
    reads: list[tuple[str, Sequence[Decimal]]] = field(factory=list)

    async def read(
        self, query: str, sql: str, values: Sequence[Decimal], *, user: str | None, max_rows: int
    ) -> "Database":
        self.reads.append((sql, values))
        if self.fails:
            raise NotConfigured
        return self


def target(name: str) -> Registered:
    found = REGISTRY.find(name)
    assert found is not None
    return found


def finder(database: Database | None, clock: ManualClock) -> FollowingInDatabase:
    return FollowingInDatabase(database, RefusedReads(Erp(), clock))  # type: ignore[arg-type]  # its logins count


def test_every_following_resource_has_its_tables() -> None:
    assert {each for names in FOLLOWING.values() for each in names} == set(TABLES)


@pytest.mark.asyncio
async def test_one_read_finds_documents_of_all_kinds(clock: ManualClock) -> None:
    database = Database([ROW, {**ROW, "resource": "DeliveryNotes", "CancelStatus": "C"}])
    targets = [target("Invoices"), target("DeliveryNotes")]
    found = await finder(database, clock).find(targets, object_type=17, entry=5, user="ana")
    assert found is not None
    heads = [head_of(each, row) for each, row in found.documents]
    assert [(head.resource, head.key, head.state) for head in heads] == [
        ("Invoices", "7", "open"),
        ("DeliveryNotes", "7", "cancellation"),
    ]
    assert (heads[0].date, heads[0].due_date) == (date(2026, 3, 1).isoformat(), "2026-03-31")
    assert (heads[0].total, heads[0].open, heads[0].number) == (Decimal("10.50"), Decimal("10.00"), 70)
    ((sql, values),) = database.reads
    assert sql.count("?") == len(values) == 4
    assert list(values) == [17, 5, 17, 5]


@pytest.mark.asyncio
async def test_a_failed_read_is_not_repeated_for_a_while(clock: ManualClock) -> None:
    database = Database(fails=True)
    find = finder(database, clock).find
    for _ in range(3):
        assert await find([target("Invoices")], object_type=17, entry=5, user=None) is None
    assert len(database.reads) == 1
    clock.advance(601)
    database.fails = False
    assert await find([target("Invoices")], object_type=17, entry=5, user=None) is not None


@pytest.mark.asyncio
async def test_without_a_database_or_a_known_table_the_erp_answers(clock: ManualClock) -> None:
    assert await finder(None, clock).find([target("Orders")], object_type=23, entry=1, user=None) is None
    database = Database()
    other = await finder(database, clock).find([target("Items")], object_type=23, entry=1, user=None)
    assert (other, database.reads) == (None, [])
