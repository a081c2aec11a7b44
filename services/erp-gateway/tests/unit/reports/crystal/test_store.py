"""The registry in a real file."""

import asyncio
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from erp_gateway.reports.crystal.registry import RegisteredReport, ReportScreen
from erp_gateway.reports.crystal.store import ReportStore
from erp_gateway.store.database import Database
from erp_gateway.values.parameters.declare import Option, ParameterInput, ReportParameter

AT = datetime(2026, 3, 2, tzinfo=UTC)
ORDERS = "/ventas/pedidos"


def report(code: str, **fields: Any) -> RegisteredReport:
    return RegisteredReport(
        **{
            "code": code,
            "title": f"Informe {code}",
            "category": "",
            "enabled": True,
            "documents": (),
            "parameters": (),
            **fields,
        }
    )


async def save(store: ReportStore, saved: RegisteredReport) -> None:
    await store.save(saved, at=AT, by="ana")


@pytest.mark.asyncio
async def test_a_saved_report_is_found_unchanged(database: Database) -> None:
    store = ReportStore(database)
    kept = report(
        "R1",
        enabled=False,
        documents=(ReportScreen(screen=ORDERS, default=True), ReportScreen(screen="/a")),
        parameters=(
            ReportParameter(
                name='Item Group@select "A" from OITB',
                type="xsd:decimal",
                required=True,
                label="Grupo ñ",
                input=ParameterInput(
                    kind="select", options=(Option(value="1.50", label="Uno"),), default=Decimal("1.50")
                ),
            ),
            ReportParameter(
                name="F",
                type="xsd:date",
                is_range=True,
                input=ParameterInput(default={"from": "a", "to": "b"}),
            ),
        ),
    )
    await save(store, kept)
    assert await store.find("R1") == kept
    assert await store.find("r1") is None
    assert await store.all() == (kept,)


@pytest.mark.asyncio
async def test_saving_again_replaces_everything(database: Database) -> None:
    store = ReportStore(database)
    await save(store, report("R1", documents=(ReportScreen(screen=ORDERS),)))
    await save(store, report("R1", title="Otro"))
    assert await store.all() == (report("R1", title="Otro"),)


@pytest.mark.asyncio
async def test_a_new_default_takes_the_place_of_the_old_one(database: Database) -> None:
    store = ReportStore(database)
    default = ReportScreen(screen=ORDERS, default=True)
    await save(store, report("R1", documents=(default, ReportScreen(screen="/a", default=True))))
    await save(store, report("R2", documents=(default,)))
    first, second = await store.all()
    assert [(each.screen, each.default) for each in first.documents] == [(ORDERS, False), ("/a", True)]
    assert second.documents == (default,)


@pytest.mark.asyncio
async def test_of_many_at_once_one_is_the_default(database: Database) -> None:
    store = ReportStore(database)
    default = (ReportScreen(screen=ORDERS, default=True),)
    await asyncio.gather(*(save(store, report(f"R{number}", documents=default)) for number in range(20)))
    assert sum(each.is_default_of(ORDERS) for each in await store.all()) == 1


@pytest.mark.asyncio
async def test_removing_returns_whether_the_report_existed_and_frees_its_screens(database: Database) -> None:
    store = ReportStore(database)
    await save(store, report("R1", documents=(ReportScreen(screen=ORDERS, default=True),)))
    assert await store.remove("R1")
    assert not await store.remove("R1")
    assert await database.read("SELECT * FROM gateway_report_screens") == []


@pytest.mark.asyncio
async def test_a_registration_resets_the_mark_of_an_older_version(database: Database) -> None:
    store = ReportStore(database)
    await save(store, report("R1"))
    await database.write(
        lambda connection: connection.execute("UPDATE gateway_reports SET missing = ?", ('["F"]',))
    )
    assert await store.find("R1") == report("R1")
    await save(store, report("R1"))
    assert [row["missing"] for row in await database.read("SELECT missing FROM gateway_reports")] == ["[]"]
