"""Tables of HTML reports as files, through the whole service, on a SQLite file."""

import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from erp_gateway.files.exports.options import XLSX_TYPE

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway
    from tests.conftest import CsvCells, Sheets

    from erpsim.simulator import Simulator

MODULE = "report_exports_extension"
EXTENSION = """
import asyncio
from datetime import date
from pathlib import Path

from erp_gateway.extensions import (
    Extension, HtmlReport, ParameterInput, Query, QueryParameter, ReportColumn, ReportParameter, ReportTable,
)

COUNT = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < :n) SELECT i AS n FROM r"
NUMBERS = Query(name="numbers", title="x", sql={"sqlite": COUNT},
                parameters=(QueryParameter(name="n", type="number"),))


def table(name, **columns):
    named = tuple(ReportColumn(name=each, title=title) for each, title in columns.items())
    return ReportTable(name=name, title="Hoja " + name, columns=named)


def asks(name, kind, **more):
    return ReportParameter(name=name, type="xsd:" + kind, label="El " + name, **more)


async def due(run_query, values):
    return {
        "clientes": [
            {"nombre": "Áridos; Sur", "saldo": 1234.5, "dia": date(2026, 2, 1), "nota": "=1+1"},
            {"nombre": "Ñuble", "saldo": -0.25, "dia": None, "nota": None, "otra": object()},
        ],
        "meses": [date(2026, 1, 1), date(2026, 2, 1)],
    }


async def counted(run_query, values):
    return {"numeros": (await run_query("numbers", {"n": values["n"]})).rows}


async def broken(run_query, values):
    return {"filas": [{"a": "planted-value"}], "objetos": [{"a": object()}]}


async def no_end(run_query, values):
    await asyncio.Event().wait()


def report(code, data, *tables, **more):
    return HtmlReport(code=code, title="Informe " + code, folder=Path(__file__).parent, template="a.html",
                      data=data, tables=tables, **more)


N = asks("n", "decimal", required=True)
EXTENSION = Extension(queries=(NUMBERS,), html_reports=(
    report("cartera", due,
           table("clientes", nombre="Cliente", saldo="Saldo", dia="Día", nota="Nota"),
           table("meses", year="Año", month="Mes"),
           parameters=(asks("corte", "date"), asks("rango", "decimal", is_range=True),
                       asks("bodegas", "string", is_multiple=True), asks("otro", "string"))),
    report("cuenta", counted, table("numeros", n="N"), parameters=(N,)),
    report("roto", broken, table("filas", b="B"), table("objetos", a="A"), table("nada", a="A")),
    report("eterno", no_end, table("filas", b="B")),
    report("sin", due),
))
"""
CSV = {"Accept": "text/csv"}
RUN = "/reportes-html/ejecutar"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    tmp_path.joinpath("a.html").write_text("<p>x</p>", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE a (b)")
    yield {
        "EXTENSIONS": MODULE,
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": str(file),
        "ERPDB_MAX_ROWS": "2000",
        "EXPORT_MAX_ROWS": "1000",
    }
    sys.modules.pop(MODULE, None)


@pytest_asyncio.fixture
async def gateway(
    open_gateway: "OpenGateway", sim: "Simulator", settings: dict[str, str]
) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, **settings) as opened:
        yield opened


async def export(
    gateway: "Gateway", code: str, query: str = "", headers: dict[str, str] | None = None, **values: Any
) -> Any:
    return await gateway.http.post(
        f"/api/html-reports/{code}/render{query}",
        json={"values": values},
        headers={**(await gateway.signed_in()), **(headers or {})},
    )


def midnight(*day: int) -> datetime:
    """Return a day as a reader of spreadsheets gives it."""
    return datetime.combine(date(*day), time())


async def audited(gateway: "Gateway") -> list[tuple[object, ...]]:
    ana = await gateway.signed_in()
    items = (await gateway.http.get("/api/audit?accion=html_report", headers=ana)).json()["items"]
    names = ("webUser", "resource", "result", "fields", "detail", "reason")
    return [tuple(item.get(name) for name in names) for item in items]


@pytest.mark.asyncio
async def test_a_table_is_a_csv_named_after_report_and_table_and_recorded(
    gateway: "Gateway", csv_cells: "CsvCells"
) -> None:
    answer = await export(gateway, "cartera", "?tabla=clientes", CSV, corte="2026-03-01")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert "Informe%20cartera%20-%20Hoja%20clientes%202026" in answer.headers["content-disposition"]
    assert csv_cells(answer.content) == [
        ["Cliente", "Saldo", "Día", "Nota"],
        ["Áridos; Sur", "1234,5", "2026-02-01", "'=1+1"],
        ["Ñuble", "-0,25", "", ""],
    ]
    assert await audited(gateway) == [("ana", "cartera", "ok", ["corte"], {"rows": 2, "format": "csv"}, None)]


@pytest.mark.asyncio
async def test_an_xlsx_has_a_sheet_per_table_and_lists_its_parameters(
    gateway: "Gateway", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    values: dict[str, Any] = {"rango": {"from": 1, "to": 2.5}, "bodegas": ["01", "02"], "otro": ""}
    answer = await export(gateway, "cartera", "?formato=xlsx", corte="2026-03-01", **values)
    assert answer.headers["content-type"] == XLSX_TYPE
    assert 'filename="Informe cartera 2026' in answer.headers["content-disposition"]
    sheets = sheets_of(answer.content)
    assert list(sheets) == ["Hoja clientes", "Hoja meses", "Acerca de"]
    assert sheets["Hoja clientes"][1][:3] == ["Áridos; Sur", 1234.5, midnight(2026, 2, 1)]
    assert sheets["Hoja meses"] == [["Año", "Mes"], [2026, 1], [2026, 2]]
    about: dict[str, Any] = {str(name): value for name, value in sheets["Acerca de"]}
    assert about["Título"] == "Informe cartera"
    assert about["El corte"] == midnight(2026, 3, 1)
    assert (about["El rango, desde"], about["El rango, hasta"]) == (1, 2.5)
    assert about["El bodegas"] == "01, 02"
    assert "El otro" not in about
    assert {name: value for name, value in about.items() if name.startswith("Filas")} == {
        "Filas de Hoja clientes": 2,
        "Filas de Hoja meses": 2,
    }
    assert (await audited(gateway))[0][4] == {"rows": 4, "format": "xlsx"}


@pytest.mark.asyncio
async def test_the_only_table_needs_no_name(gateway: "Gateway", csv_cells: "CsvCells") -> None:
    answer = await export(gateway, "cuenta", "?formato=csv", n=2)
    assert 'filename="Informe cuenta 2026' in answer.headers["content-disposition"]
    assert csv_cells(answer.content) == [["N"], ["1"], ["2"]]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("code", "query", "path", "message"),
    [
        ("cartera", "?formato=csv", "tabla", "Elija una de estas: clientes, meses"),
        ("cartera", "?formato=csv&tabla=Clientes", "tabla", "Valores posibles: clientes, meses"),
        ("cartera", "?tabla=clientes", "tabla", "Solo un archivo CSV o XLSX"),
        ("cartera", "?formato=ods", "formato", "csv, xlsx"),
        ("sin", "?formato=xlsx", "formato", "no tiene tablas"),
    ],
)
async def test_an_impossible_report_export_is_refused_with_its_reason(
    gateway: "Gateway", code: str, query: str, path: str, message: str
) -> None:
    answer = await export(gateway, code, query)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
    (problem,) = answer.json()["errors"]
    assert problem["path"] == path
    assert message in problem["message"]
    assert await audited(gateway) == [], "nothing was asked of the report"


@pytest.mark.asyncio
async def test_an_invalid_export_value_is_named_like_in_the_report(gateway: "Gateway") -> None:
    answer = await export(gateway, "cuenta", "?formato=csv", n="dos")
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "values.n")


@pytest.mark.asyncio
async def test_a_report_file_requires_the_right_to_run_reports(gateway: "Gateway") -> None:
    luis = await gateway.signed_in("luis")
    address = "/api/html-reports/cuenta/render?formato=csv"
    refused = await gateway.http.post(address, json={"values": {"n": 1}}, headers=luis)
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    await gateway.http.put("/api/permissions/luis", json={"paths": [RUN]}, headers=await gateway.signed_in())
    allowed = await gateway.http.post(address, json={"values": {"n": 1}}, headers=luis)
    assert allowed.status_code == 200


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize(("rows", "why"), [(1001, "más de 1000 filas"), (2001, "más de las 2000 filas")])
async def test_a_report_with_too_many_rows_is_refused_and_never_truncated(
    gateway: "Gateway", form: str, rows: int, why: str
) -> None:
    answer = await export(gateway, "cuenta", f"?formato={form}", n=rows)
    assert (answer.status_code, answer.json()["code"]) == (422, "export_too_large")
    assert why in answer.json()["detail"]
    assert (await audited(gateway))[0][2:] == (
        "error", ["n"], {"rows": 0, "format": form}, "export_too_large",
    )  # fmt: skip
    assert (await export(gateway, "cuenta", f"?formato={form}", n=1000)).status_code == 200


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("table", "said"),
    [("filas", "a row has no 'b'"), ("objetos", "'a' is of type object"), ("nada", "returned no 'nada'")],
)
async def test_rows_that_differ_from_their_declaration_are_described_only_in_the_log(
    gateway: "Gateway", form: str, table: str, said: str
) -> None:
    with capture_logs() as logs:
        answer = await export(gateway, "roto", f"?formato={form}&tabla={table}")
    assert (answer.status_code, answer.json()["code"]) == (500, "report_data_failed")
    (logged,) = [log for log in logs if log["event"] == "report_data_failed"]
    assert (logged["report"], said in logged["reason"]) == ("roto", True)
    assert "planted" not in str(logs) + answer.text
    assert (await audited(gateway))[0][5] == "report_data_failed"


@pytest.mark.asyncio
async def test_data_without_end_have_the_reports_limit_of_time(
    open_gateway: "OpenGateway", sim: "Simulator", settings: dict[str, str]
) -> None:
    async with open_gateway(sim, **settings, HTML_PDF_TIMEOUT="1") as gateway:
        answer = await export(gateway, "eterno", "?formato=csv")
    assert (answer.status_code, answer.json()["code"]) == (504, "report_timeout")


@pytest.mark.asyncio
async def test_tables_are_listed_with_their_report(gateway: "Gateway") -> None:
    items = (await gateway.http.get("/api/html-reports", headers=await gateway.signed_in())).json()["items"]
    assert {item["code"]: [each["name"] for each in item["tables"]] for item in items} == {
        "cartera": ["clientes", "meses"],
        "cuenta": ["numeros"],
        "roto": ["filas", "objetos", "nada"],
        "eterno": ["filas"],
        "sin": [],
    }
    assert items[0]["tables"][0] == {"name": "clientes", "title": "Hoja clientes"}
