"""Answers of queries from memory, through the whole service, on a SQLite file."""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

MODULE = "query_cache_extension"
EXTENSION = """
from erp_gateway.extensions import Extension, Query, QueryParameter

SQL = 'SELECT "N" FROM T WHERE "N" >= :least ORDER BY "N"'
LEAST = (QueryParameter(name="least", type="number"),)
EXTENSION = Extension(queries=(
    Query(name="kept", title="Guardada", sql={"sqlite": SQL}, parameters=LEAST, cache_s=60,
          total_order=("N",), menu="/bodega/consulta"),
    Query(name="asked", title="Preguntada", sql={"sqlite": SQL}, parameters=LEAST),
))
"""


class Company:
    """The database's file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.run('CREATE TABLE T ("N" INTEGER); INSERT INTO T VALUES (1), (2), (3);')

    def run(self, sql: str) -> None:
        """Change it."""
        with closing(sqlite3.connect(self.file)) as connection:
            connection.executescript(sql)


@pytest.fixture
def company(tmp_path: Path) -> Company:
    return Company(tmp_path / "company.sqlite")


@pytest.fixture
def settings(tmp_path: Path, company: Company, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": MODULE, "ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(company.file)}
    sys.modules.pop(MODULE, None)


@pytest_asyncio.fixture
async def gateway(
    open_gateway: "OpenGateway", sim: "Simulator", settings: dict[str, str]
) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, **settings) as opened:
        yield opened


async def ask(gateway: "Gateway", name: str = "kept", user: str = "ana", **more: Any) -> Any:
    session = more.pop("session", None) or await gateway.signed_in(user)
    headers = {**session, **more.pop("headers", {})}
    query = more.pop("query", "")
    body = {"params": {"least": 1}, **more}
    return await gateway.http.post(f"/api/erpdb/queries/{name}{query}", json=body, headers=headers)


def numbers(answer: Any) -> list[int]:
    assert answer.status_code == 200, answer.text
    return [row["N"] for row in answer.json()["rows"]]


@pytest.mark.asyncio
async def test_a_cached_response_has_its_age_and_each_request_is_audited(
    gateway: "Gateway", company: Company, clock: ManualClock
) -> None:
    first = await ask(gateway)
    assert (numbers(first), first.headers.get("Age")) == ([1, 2, 3], None)
    company.run("INSERT INTO T VALUES (4)")
    clock.advance(59)
    second = await ask(gateway)
    assert (numbers(second), second.headers["Age"]) == ([1, 2, 3], "59")
    assert second.headers["Cache-Control"] == "no-store"
    clock.advance(1)
    third = await ask(gateway)
    assert (numbers(third), "Age" in third.headers) == ([1, 2, 3, 4], False)
    page = await gateway.http.get("/api/audit?accion=db_query", headers=await gateway.signed_in())
    assert [item["detail"]["rows"] for item in page.json()["items"]] == [4, 3, 3]


@pytest.mark.asyncio
async def test_different_values_and_pages_have_separate_cache_entries(
    gateway: "Gateway", company: Company
) -> None:
    assert numbers(await ask(gateway)) == [1, 2, 3]
    company.run("INSERT INTO T VALUES (4)")
    assert numbers(await ask(gateway, params={"least": 2})) == [2, 3, 4]
    assert numbers(await ask(gateway, limit=2, offset=2)) == [3, 4]
    assert numbers(await ask(gateway, params={"least": 1.0})) == [1, 2, 3]


@pytest.mark.asyncio
async def test_no_cache_files_and_undeclared_queries_read_the_database(
    gateway: "Gateway", company: Company
) -> None:
    await ask(gateway)
    await ask(gateway, "asked")
    company.run("INSERT INTO T VALUES (4)")
    assert "4" in (await ask(gateway, query="?formato=csv")).text
    assert numbers(await ask(gateway, "asked")) == [1, 2, 3, 4]
    anew = await ask(gateway, headers={"Cache-Control": "no-cache"})
    assert (numbers(anew), "Age" in anew.headers) == ([1, 2, 3, 4], False)
    assert numbers(await ask(gateway)) == [1, 2, 3, 4]


@pytest.mark.asyncio
async def test_the_right_is_checked_before_the_cache_at_every_request(gateway: "Gateway") -> None:
    await ask(gateway)
    denied = await ask(gateway, user="luis")
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/bodega/*"]}, headers=ana)
    allowed = await ask(gateway, user="luis")
    assert (numbers(allowed), allowed.headers["Age"]) == ([1, 2, 3], "0")
    await gateway.http.delete("/api/permissions/luis", headers=await gateway.signed_in())
    assert (await ask(gateway, user="luis")).status_code == 403


@pytest.mark.asyncio
async def test_a_refused_query_is_not_cached(gateway: "Gateway", company: Company) -> None:
    assert (await ask(gateway, params={})).status_code == 400
    company.run("ALTER TABLE T RENAME TO GONE")
    assert (await ask(gateway)).json()["code"] == "database_failed"
    company.run("ALTER TABLE GONE RENAME TO T")
    session = await gateway.signed_in()
    answers = await asyncio.gather(*(ask(gateway, session=session) for _ in range(3)))
    assert [numbers(answer) for answer in answers] == [[1, 2, 3]] * 3
