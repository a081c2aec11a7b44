"""Queries of the ERP's database as files, through the whole service, on a SQLite file."""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from erpsim.faults import Delay, Fault, Refuse

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway
    from tests.conftest import CsvCells, Sheets

    from erpsim.simulator import Simulator

MODULE = "query_exports_extension"
EXTENSION = """
from erp_gateway.extensions import Extension, Measure, Query, QueryParameter

def query(name, title, sqlite, *parameters, **more):
    declared = tuple(QueryParameter(name=n, type=t) for n, t in parameters)
    return Query(name=name, title=title, sql={"sqlite": sqlite}, parameters=declared, **more)

COUNT = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < :n) "
EXTENSION = Extension(queries=(
    query("due", "Cartera vencida", 'SELECT * FROM DUE WHERE "Saldo" >= :least',
          ("least", "number"), menu="/finanzas/cartera"),
    query("sales", "Ventas",
          "SELECT 1500.0 AS Neto, 12.5 AS Divisa, 'USD' AS Moneda, 2.5 AS Cantidad",
          titles={"Neto": "Neto vendido", "Cantidad": "Unidades"},
          measures={"Neto": Measure(kind="amount"), "Divisa": Measure(kind="amount", by="Moneda")}),
    query("count", "Cuenta", COUNT + 'SELECT i AS "N" FROM r', ("n", "number")),
    query("few", "Pocas", COUNT + 'SELECT i AS "N" FROM r', ("n", "number"), max_rows=3),
    query("pages", "Páginas", COUNT + 'SELECT i AS "N" FROM r ORDER BY "N"', ("n", "number"), max_rows=3,
          total_order=("N",)),
    query("wrong", "Mala", 'SELECT "nope" || ABS(-9223372036854775808) FROM DUE'),
    query("breaks", "Se rompe", COUNT +
          "SELECT i, CASE WHEN i = :n THEN ABS(-9223372036854775807 - 1) END AS x FROM r", ("n", "number")),
))
"""
SCRIPT = """
CREATE TABLE DUE ("Cliente" TEXT, "Saldo" REAL, "Nota" TEXT);
INSERT INTO DUE VALUES ('Áridos; Sur', 1234.5, '=1+1'), ('Ñuble', -0.25, NULL);
"""
CSV = {"Accept": "text/csv"}
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSX = {"Accept": XLSX_TYPE}


@pytest.fixture
def on_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    yield {
        "EXTENSIONS": MODULE,
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": str(file),
        "ERPDB_MAX_ROWS": "10",
        "EXPORT_MAX_ROWS": "1000",
        "EXPORT_SPOOL_MB": "1",
    }
    sys.modules.pop(MODULE, None)


@pytest_asyncio.fixture
async def gateway(
    open_gateway: "OpenGateway", sim: "Simulator", on_sqlite: dict[str, str]
) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, **on_sqlite) as opened:
        yield opened


async def export(
    gateway: "Gateway", name: str, headers: dict[str, str] | None = None, query: str = "", **params: Any
) -> Any:
    return await gateway.http.post(
        f"/api/erpdb/queries/{name}{query}",
        json={"params": params},
        headers={**(await gateway.signed_in()), **(headers or {})},
    )


async def audited(gateway: "Gateway") -> list[dict[str, Any]]:
    page = await gateway.http.get("/api/audit?accion=db_query", headers=await gateway.signed_in())
    items: list[dict[str, Any]] = page.json()["items"]
    return items


@pytest.mark.asyncio
async def test_a_query_is_exported_as_csv_for_chilean_excel(
    gateway: "Gateway", csv_cells: "CsvCells"
) -> None:
    answer = await export(gateway, "due", CSV, least=-1)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="Cartera vencida 2026-03-02.csv"; '
        "filename*=UTF-8''Cartera%20vencida%202026-03-02.csv"
    )
    assert answer.content.endswith(b"\r\n")
    assert csv_cells(answer.content) == [
        ["Cliente", "Saldo", "Nota"],
        ["Áridos; Sur", "1234,5", "'=1+1"],
        ["Ñuble", "-0,25", ""],
    ]
    (record,) = await audited(gateway)
    assert (record["resource"], record["result"], record["fields"]) == ("due", "ok", ["least"])
    assert record["detail"] == {"rows": 2, "format": "csv"}


@pytest.mark.asyncio
async def test_columns_without_a_declared_heading_use_their_name(
    gateway: "Gateway", csv_cells: "CsvCells", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    heads = ["Neto vendido", "Divisa", "Moneda", "Unidades"]
    assert csv_cells((await export(gateway, "sales", CSV)).content)[0] == heads
    assert sheets_of((await export(gateway, "sales", XLSX)).content)["Datos"][0] == heads
    answer = await export(gateway, "sales")
    assert list(answer.json()["rows"][0]) == ["Neto", "Divisa", "Moneda", "Cantidad"]


@pytest.mark.asyncio
async def test_amounts_use_currency_decimals_read_once_per_session(
    gateway: "Gateway", sim: "Simulator", csv_cells: "CsvCells"
) -> None:
    for _ in range(2):
        answer = await export(gateway, "sales", CSV)
        assert csv_cells(answer.content)[1] == ["1500", "12,50", "USD", "2,5"]
    paths = [call.path for method in ("GET", "POST") for call in sim.calls.of(method)]
    assert len([path for path in paths if "Currencies" in path or "GetAdminInfo" in path]) == 2


@pytest.mark.asyncio
async def test_decimals_are_read_again_after_a_login_during_the_read(
    gateway: "Gateway", sim: "Simulator", csv_cells: "CsvCells"
) -> None:
    def asked(path: str) -> int:
        return len([call for call in sim.calls.of() if path in call.path])

    sim.faults.add(Fault(action=Delay(seconds=1), path="Currencies"))
    first = asyncio.create_task(export(gateway, "sales", CSV))
    async with asyncio.timeout(30):
        while not asked("Currencies"):  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)
    sim.sessions.end_all()  # what is asked next logs in
    await first
    for _ in range(2):
        answer = await export(gateway, "sales", CSV)
        assert csv_cells(answer.content)[1] == ["1500", "12,50", "USD", "2,5"]
    assert asked("Currencies") == 2


@pytest.mark.asyncio
async def test_without_the_erp_amounts_keep_their_digits(
    gateway: "Gateway", sim: "Simulator", csv_cells: "CsvCells"
) -> None:
    sim.faults.add(Fault(action=Refuse(status=400, code=-1, text="no"), path="Currencies*"))
    answer = await export(gateway, "sales", CSV)
    assert csv_cells(answer.content)[1] == ["1500,0", "12,5", "USD", "2,5"]


@pytest.mark.asyncio
async def test_a_comma_separator_uses_a_decimal_point(gateway: "Gateway", csv_cells: "CsvCells") -> None:
    answer = await export(gateway, "due", query="?formato=csv&separador=,&disposicion=inline", least=1)
    assert csv_cells(answer.content, ",")[1:] == [["Áridos; Sur", "1234.5", "'=1+1"]]
    assert answer.headers["Content-Disposition"].startswith("inline;")


@pytest.mark.asyncio
async def test_a_query_is_exported_as_a_workbook_with_an_about_sheet(
    gateway: "Gateway", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    answer = await export(gateway, "due", XLSX, least=-1)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, XLSX_TYPE)
    assert "Cartera vencida 2026-03-02.xlsx" in answer.headers["Content-Disposition"]
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    sheets = sheets_of(answer.content)
    assert sheets["Datos"] == [
        ["Cliente", "Saldo", "Nota"],
        ["Áridos; Sur", 1234.5, "=1+1"],
        ["Ñuble", -0.25, None],
    ]
    about: dict[Any, Any] = dict(sheets["Acerca de"])
    assert about["Título"] == "Cartera vencida"
    assert str(about["Generado"]) == "2026-03-02 11:05:09"
    assert (about["Por"], about["Parámetro least"], about["Filas"]) == ("ana", -1, 2)
    (record,) = await audited(gateway)
    assert record["detail"] == {"rows": 2, "format": "xlsx"}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("?formato=pdf", "formato"),
        ("?formato=csv&separador=|", "separador"),
        ("?formato=xlsx&separador=,", "separador"),
        ("?separador=,", "separador"),
        ("?formato=csv&disposicion=x", "disposicion"),
        ("?format=csv", "format"),
    ],
)
async def test_an_unsupported_file_format_is_refused(gateway: "Gateway", query: str, path: str) -> None:
    answer = await export(gateway, "due", query=query, least=1)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
    assert [each["path"] for each in answer.json()["errors"]] == [path]
    assert await audited(gateway) == []


@pytest.mark.asyncio
async def test_the_default_response_is_json_and_rights_are_checked_first(gateway: "Gateway") -> None:
    for accept in ("*/*", "application/json, text/csv", "text/csv;q=0.5, application/json", "text/html"):
        answer = await export(gateway, "due", {"Accept": accept}, least=1)
        assert answer.headers["Content-Type"] == "application/json", accept
    luis = await gateway.signed_in("luis")
    denied = await gateway.http.post("/api/erpdb/queries/due", json={"params": {}}, headers={**luis, **CSV})
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", [CSV, XLSX])
async def test_an_export_has_more_rows_than_an_answer_and_is_never_cut(
    gateway: "Gateway", headers: dict[str, str], csv_cells: "CsvCells"
) -> None:
    whole = await export(gateway, "count", headers, n=1000)
    assert whole.status_code == 200
    if headers is CSV:
        assert csv_cells(whole.content) == [["N"], *([str(n)] for n in range(1, 1001))]
    for name, most in (("count", 1000), ("few", 3), ("pages", 1000)):
        answer = await export(gateway, name, headers, n=most + 1)
        assert (answer.status_code, answer.json()["code"]) == (422, "export_too_large")
        assert f" {most} " in answer.json()["detail"]
    records = await audited(gateway)
    assert [(each["resource"], each["result"], each["reason"]) for each in records] == [
        ("pages", "error", "export_too_large"),
        ("few", "error", "export_too_large"),
        ("count", "error", "export_too_large"),
        ("count", "ok", None),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", [CSV, XLSX])
async def test_a_failure_before_the_first_byte_has_an_error_body(
    gateway: "Gateway", headers: dict[str, str]
) -> None:
    answer = await export(gateway, "wrong", headers)
    assert (answer.status_code, answer.json()["code"]) == (502, "database_failed")
    answer = await export(gateway, "due", headers, least="x")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert [each["reason"] for each in await audited(gateway)] == ["invalid_body", "database_failed"]


@pytest.mark.asyncio
async def test_a_file_over_the_spool_limit_is_refused_and_frees_its_space(
    open_gateway: "OpenGateway", sim: "Simulator", on_sqlite: dict[str, str]
) -> None:
    settings = {
        **on_sqlite,
        "EXPORT_MAX_ROWS": "1000000",
        "EXPORT_MAX_CONCURRENCY": "1",
        "ERPDB_TIMEOUT": "300",  # a busy machine takes its time for so many rows
    }
    async with open_gateway(sim, **settings) as gateway:
        for _ in range(2):
            answer = await export(gateway, "count", XLSX, n=400_000)
            assert (answer.status_code, answer.json()["code"]) == (503, "export_no_room")
        assert (await export(gateway, "due", XLSX, least=1)).status_code == 200


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["breaks", "leaves"])
async def test_an_interrupted_csv_is_visibly_incomplete_and_audited(
    open_gateway: "OpenGateway", sim: "Simulator", on_sqlite: dict[str, str], how: str
) -> None:
    """The server ends a connection whose answer has no end; see `tests/process`."""
    settings = {
        **on_sqlite,
        "EXPORT_MAX_ROWS": "1000000",
        "EXPORT_SPOOL_MB": "100",
        "EXPORT_MAX_CONCURRENCY": "1",
        "ERPDB_TIMEOUT": "300",  # a busy machine takes its time for so many rows
    }
    async with open_gateway(sim, **settings) as gateway:
        sent = await asked_by_hand(gateway, b'{"params": {"n": 400000}}', leaves=how == "leaves")
        assert sent[0]["status"] == 200
        assert all(message["more_body"] for message in sent[1:])
        (record,) = await audited(gateway)
        assert record["result"] == "error"
        assert record["reason"] == ("interrupted" if how == "leaves" else "database_failed")
        assert (await export(gateway, "due", CSV, least=1)).status_code == 200  # its place is free


@pytest.mark.asyncio
async def test_one_users_unread_downloads_do_not_block_other_exports(
    open_gateway: "OpenGateway", sim: "Simulator", on_sqlite: dict[str, str]
) -> None:
    async with open_gateway(sim, **on_sqlite) as gateway:
        ana = {**await gateway.signed_in(), "Accept": "text/csv"}
        luis = await gateway.signed_in("luis")
        began = [asyncio.Event() for _ in range(2)]

        def unread(start: asyncio.Event) -> asyncio.Task[None]:
            body = [{"type": "http.request", "body": b'{"params": {"n": 1000}}', "more_body": False}]

            async def receive() -> Any:
                return body.pop() if body else await asyncio.Event().wait()

            async def send(message: Any) -> None:
                if message["type"] == "http.response.body":
                    start.set()
                    await asyncio.Event().wait()

            requested = gateway.post_by_hand("/api/erpdb/queries/count", ana, receive, send)
            return asyncio.create_task(requested)

        reading = [unread(start) for start in began]
        for start in began:
            await start.wait()
        async with asyncio.timeout(30):
            answer = await gateway.http.post(
                "/api/erpdb/queries/count?formato=csv", json={"params": {"n": 3}}, headers=luis
            )
        assert answer.status_code == 200
        for each in reading:
            each.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        assert gateway.components.exporter.budget.held == 0


async def asked_by_hand(gateway: "Gateway", content: bytes, *, leaves: bool) -> list[dict[str, Any]]:
    """Request the CSV of `breaks` and return what the application sends; with `leaves`, disconnect early."""
    sent: list[dict[str, Any]] = []
    started = asyncio.Event()
    body = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> Any:
        if body:
            return body.pop()
        await started.wait()
        if not leaves:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        started.set()

    headers = {**await gateway.signed_in(), "Accept": "text/csv"}
    await gateway.post_by_hand("/api/erpdb/queries/breaks", headers, receive, send)
    return sent
