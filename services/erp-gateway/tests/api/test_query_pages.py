"""Pages of a query's rows through the whole service, on a SQLite file and on a simulated HANA."""

import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from erpsim.hana.process import PASSWORD, USER, HanaProcess

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

MODULE = "query_pages_extension"
EXTENSION = """
from erp_gateway.extensions import Extension, Query, QueryParameter

def query(name, sql, *parameters, **more):
    declared = tuple(QueryParameter(name=n, type="number") for n in parameters)
    texts = {"hana": sql, "sqlite": sql}
    return Query(name=name, title=name.title(), sql=texts, parameters=declared, **more)

EXTENSION = Extension(queries=(
    query("numbers", '''
        SELECT T0."LABEL" AS "label", T0."N" AS "n" FROM NUMBERS T0 WHERE T0."N" < :below
        ORDER BY T0."N" DESC -- the highest first''', "below", total_order=("n",)),
    query("few", 'SELECT "N" FROM NUMBERS ORDER BY "N"', max_rows=4, total_order=("N",)),
    query("wrong", 'SELECT "N", "N" - "N" AS "K" FROM NUMBERS WHERE "N" < 3 ORDER BY "K"',
          total_order=("K",)),
    query("plain", 'SELECT "N" FROM NUMBERS WHERE "N" < 3 ORDER BY "N"'),
))
"""
SCRIPT = """
CREATE TABLE NUMBERS ("N" INTEGER, "LABEL" TEXT);
WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 99)
INSERT INTO NUMBERS SELECT i, 'Fila ' || i FROM r;
"""


@pytest.fixture
def extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Return the settings that load the queries above."""
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": MODULE, "ERPDB_MAX_ROWS": "10"}
    sys.modules.pop(MODULE, None)


@pytest.fixture
def on_hana(hana: HanaProcess, extension: dict[str, str]) -> dict[str, str]:
    return {
        **extension,
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": "127.0.0.1",
        "ERPDB_PORT": str(hana.port),
        "ERPDB_USER": USER,
        "ERPDB_PASSWORD": PASSWORD,
        "ERPDB_SCHEMA": "SAMPLE",
        "ERPDB_ENCRYPT": "false",
    }


@pytest.fixture
def on_sqlite(tmp_path: Path, extension: dict[str, str]) -> dict[str, str]:
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    return {**extension, "ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(file)}


@pytest_asyncio.fixture(params=["on_hana", "on_sqlite"])
async def gateway(
    request: pytest.FixtureRequest, open_gateway: "OpenGateway", sim: "Simulator"
) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, **request.getfixturevalue(request.param)) as opened:
        yield opened


async def ask(gateway: "Gateway", name: str, **body: Any) -> Any:
    return await gateway.http.post(
        f"/api/erpdb/queries/{name}",
        json={"params": {}, **body},
        headers=await gateway.signed_in(),
    )


@pytest.mark.asyncio
async def test_consecutive_pages_contain_every_row_once_in_order(gateway: "Gateway") -> None:
    observed: list[int] = []
    sizes: list[int] = []
    offset: int | None = 0
    while offset is not None:
        answer = await ask(gateway, "numbers", params={"below": 23}, limit=9, offset=offset)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        observed += [row["n"] for row in page["rows"]]
        sizes.append(len(page["rows"]))
        assert page["truncated"] == (page["nextOffset"] is not None)
        offset = page["nextOffset"]
    assert observed == list(range(22, -1, -1))
    assert sizes == [9, 9, 5]


@pytest.mark.asyncio
async def test_a_capped_page_continues_at_the_returned_offset(gateway: "Gateway") -> None:
    first = (await ask(gateway, "few")).json()
    assert ([row["N"] for row in first["rows"]], first["truncated"], first["nextOffset"]) == (
        [0, 1, 2, 3],
        True,
        4,
    )
    second = (await ask(gateway, "few", offset=first["nextOffset"])).json()
    assert [row["N"] for row in second["rows"]] == [4, 5, 6, 7]
    exact = (await ask(gateway, "numbers", params={"below": 6}, limit=3, offset=3)).json()
    assert [row["n"] for row in exact["rows"]] == [2, 1, 0]
    assert (exact["truncated"], exact["nextOffset"]) == (False, None)
    behind = (await ask(gateway, "numbers", params={"below": 6}, offset=1_000_000_000)).json()
    assert behind == {"rows": [], "truncated": False, "nextOffset": None}


@pytest.mark.asyncio
async def test_the_query_list_marks_the_paged_queries(gateway: "Gateway") -> None:
    items = (await gateway.http.get("/api/erpdb/queries", headers=await gateway.signed_in())).json()["items"]
    assert {item["name"]: item["paged"] for item in items} == {
        "few": True,
        "numbers": True,
        "plain": False,
        "wrong": True,
    }


@pytest.mark.asyncio
async def test_a_query_without_total_order_refuses_pages_with_the_reason(gateway: "Gateway") -> None:
    refused = await ask(gateway, "plain", limit=2, offset=0)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in refused.json()["errors"]] == ["limit", "offset"]
    assert "orden" in refused.json()["errors"][0]["message"]
    assert (await ask(gateway, "plain")).json() == {
        "rows": [{"N": 0}, {"N": 1}, {"N": 2}],
        "truncated": False,
    }


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "body", "path"),
    [
        ("few", {"limit": 5}, "limit"),
        ("few", {"limit": 0}, "limit"),
        ("few", {"limit": "3; DROP TABLE NUMBERS"}, "limit"),
        ("few", {"limit": 2.5}, "limit"),
        ("few", {"limit": True}, "limit"),
        ("few", {"offset": -1}, "offset"),
        ("few", {"offset": 1_000_000_001}, "offset"),
    ],
)
async def test_invalid_pages_are_refused_with_their_path(
    gateway: "Gateway", name: str, body: dict[str, Any], path: str
) -> None:
    refused = await ask(gateway, name, **body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in refused.json()["errors"]] == [path]


@pytest.mark.asyncio
async def test_rows_that_disprove_the_declared_order_are_refused_instead_of_shown_in_pages(
    gateway: "Gateway",
) -> None:
    assert (await ask(gateway, "wrong")).status_code == 200  # all rows at once need no order
    refused = await ask(gateway, "wrong", limit=2)
    assert (refused.status_code, refused.json()["code"]) == (500, "query_order_not_total")


@pytest.mark.asyncio
async def test_a_file_export_contains_all_rows_and_refuses_paging(gateway: "Gateway") -> None:
    refused = await gateway.http.post(
        "/api/erpdb/queries/numbers?formato=csv",
        json={"params": {"below": 3}, "limit": 1},
        headers=await gateway.signed_in(),
    )
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "limit")


@pytest.mark.asyncio
async def test_limit_and_offset_are_bound_and_not_part_of_the_sql(
    open_gateway: "OpenGateway", sim: "Simulator", on_hana: dict[str, str], hana: HanaProcess
) -> None:
    async with open_gateway(sim, **on_hana) as gateway:
        await ask(gateway, "numbers", params={"below": 90}, limit=7, offset=77)
    (executed,) = [entry for entry in hana.journal() if entry["event"] == "EXECUTE"]
    assert executed["values"] == [["90", "8", "77"]]
    assert not [entry for entry in hana.journal() if "77" in entry["sql"] or "90" in entry["sql"]]
