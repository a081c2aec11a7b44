"""Report forms of today: relative days, bounds, and choices from a query."""

import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

MODULE = "report_forms_extension"
EXTENSION = """
from pathlib import Path

from erp_gateway.extensions import (
    Extension, HtmlReport, OptionsQuery, ParameterInput, Query, ReportParameter,
)


def query(name, sql):
    return Query(name=name, title=name, sql={"sqlite": sql}, menu="/bodegas")


async def shown(run_query, values):
    return {"values": ", ".join(f"{name}={value}" for name, value in values.items())}


def report(code, *parameters):
    return HtmlReport(code=code, title=code, folder=Path(__file__).parent, template="a.html", data=shown,
                      parameters=parameters)


def day(name, **more):
    return ReportParameter(name=name, type="xsd:date", input=ParameterInput(kind="date", **more))


def chosen(name, source, type="xsd:string", **more):
    asked = ParameterInput(kind="select", options_from=source, **more)
    return ReportParameter(name=name, type=type, input=asked)


PLACES = OptionsQuery(query="places", value="code", label="name")
EXTENSION = Extension(
    queries=(
        query("places", "SELECT code, name FROM places ORDER BY code"),
        query("numbers", "SELECT number AS value, number AS label FROM numbers ORDER BY number"),
    ),
    html_reports=(
        report(
            "dias",
            day("desde", default="inicio_mes", minimum="inicio_ano", maximum="hoy"),
            day("hasta", default="hoy", not_before="desde"),
        ),
        report("bodega", chosen("bodega", PLACES)),
        report("secreto", ReportParameter(name="s", type="xsd:string", required=True,
               input=ParameterInput(kind="hidden", default="planted-default"))),
        report("fija", chosen("bodega", PLACES, default="02")),
        report("cifra", chosen("cifra", OptionsQuery(query="numbers"), "xsd:decimal")),
        report("torcida", chosen("bodega", OptionsQuery(query="places", value="codigo", label="name"))),
        report("letras", chosen("bodega", PLACES, "xsd:decimal")),
    ),
)
"""
SCRIPT = """
CREATE TABLE places (code TEXT, name TEXT);
INSERT INTO places VALUES ('01', 'Casa & matriz'), ('02', NULL), (NULL, 'Nada'), ('01', 'Otra vez');
CREATE TABLE numbers (number NUMERIC);
INSERT INTO numbers VALUES (5), (12.5);
"""
RUN = "/reportes-html/ejecutar"


@pytest.fixture
def company(tmp_path: Path) -> Path:
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    return file


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, company: Path) -> Iterator[dict[str, str]]:
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    tmp_path.joinpath("a.html").write_text("<p>${values}</p>", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {
        "EXTENSIONS": MODULE,
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": str(company),
        "TIMEZONE": "America/Santiago",
        "ERPDB_MAX_ROWS": "2000",
    }
    sys.modules.pop(MODULE, None)


@pytest_asyncio.fixture
async def gateway(
    open_gateway: "OpenGateway", sim: "Simulator", settings: dict[str, str]
) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, **settings) as opened:
        yield opened


async def rendered(gateway: "Gateway", code: str, **values: Any) -> Any:
    ana = await gateway.signed_in()
    return await gateway.http.post(f"/api/html-reports/{code}/render", json={"values": values}, headers=ana)


@pytest.mark.asyncio
async def test_a_period_that_ends_before_it_begins_names_the_field(gateway: "Gateway") -> None:
    answer = await rendered(gateway, "dias", hasta="2000-01-01")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert answer.json()["errors"] == [
        {"path": "values.hasta", "message": "hasta no puede ser anterior a desde."}
    ]


async def asked(gateway: "Gateway", code: str, user: str = "ana") -> Any:
    return await gateway.http.get(f"/api/html-reports/{code}", headers=await gateway.signed_in(user))


@pytest.mark.asyncio
async def test_relative_days_are_those_of_the_time_zone_at_the_request(
    gateway: "Gateway", clock: ManualClock
) -> None:
    clock.set_wall_clock(datetime(2026, 12, 1, 2, 0, tzinfo=UTC))  # still the 30th of November in Santiago
    listed = await gateway.http.get("/api/html-reports", headers=await gateway.signed_in())
    (since, until) = (each["input"] for each in listed.json()["items"][0]["parameters"])
    assert (since["default"], since["minimum"], since["maximum"]) == (
        "2026-11-01",
        "2026-01-01",
        "2026-11-30",
    )
    assert until["default"] == "2026-11-30"
    assert (await asked(gateway, "dias")).json() == listed.json()["items"][0]
    assert "desde=2026-11-01, hasta=2026-11-30" in (await rendered(gateway, "dias")).text
    clock.advance(3600)  # past midnight there
    assert "desde=2026-12-01, hasta=2026-12-01" in (await rendered(gateway, "dias")).text


@pytest.mark.asyncio
async def test_a_date_out_of_bounds_names_the_bound(gateway: "Gateway", clock: ManualClock) -> None:
    clock.set_wall_clock(datetime(2026, 11, 22, 12, 0, tzinfo=UTC))
    for sent, said in (("2026-11-23", "2026-11-22 o antes"), ("2025-12-31", "2026-01-01 o después")):
        answer = await rendered(gateway, "dias", desde=sent)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
        assert answer.json()["errors"] == [{"path": "values.desde", "message": f"Debe ser {said}."}]


@pytest.mark.asyncio
async def test_choices_from_a_query_require_only_the_right_to_the_report(gateway: "Gateway") -> None:
    refused = await asked(gateway, "bodega", "luis")
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": [RUN]}, headers=ana)
    luis = await gateway.signed_in("luis")
    query = await gateway.http.post("/api/erpdb/queries/places", json={"params": {}}, headers=luis)
    assert query.status_code == 403, "the query itself is not his"
    (parameter,) = (await asked(gateway, "bodega", "luis")).json()["parameters"]
    assert parameter["input"]["options"] == [
        {"value": "01", "label": "Casa & matriz"},
        {"value": "02", "label": "02"},
    ]
    (parameter,) = (await asked(gateway, "cifra")).json()["parameters"]
    assert [each["value"] for each in parameter["input"]["options"]] == ["5", "12.5"]
    audit = await gateway.http.get(
        "/api/audit?accion=db_query&usuario=luis", headers=await gateway.signed_in()
    )
    records = [(each["resource"], each["result"], each["detail"]) for each in audit.json()["items"]]
    assert ("places", "ok", {"rows": 4, "truncated": False}) in records


@pytest.mark.asyncio
async def test_only_a_currently_listed_choice_is_accepted(gateway: "Gateway", company: Path) -> None:
    assert "bodega=01" in (await rendered(gateway, "bodega", bodega="01")).text
    assert (await rendered(gateway, "bodega")).status_code == 200
    assert "cifra=12.5" in (await rendered(gateway, "cifra", cifra=12.5)).text
    assert "bodega=02" in (await rendered(gateway, "fija")).text
    with closing(sqlite3.connect(company)) as connection, connection:
        connection.execute("DELETE FROM places WHERE code = '01'")
    answer = await rendered(gateway, "bodega", bodega="01")
    assert (answer.status_code, answer.json()["errors"]) == (
        400,
        [{"path": "values.bodega", "message": "Debe ser una de las opciones."}],
    )


@pytest.mark.asyncio
async def test_listing_reports_makes_no_database_query(gateway: "Gateway", company: Path) -> None:
    with closing(sqlite3.connect(company)) as connection, connection:
        connection.execute("DROP TABLE places")
    listed = await gateway.http.get("/api/html-reports", headers=await gateway.signed_in())
    (parameter,) = listed.json()["items"][1]["parameters"]
    assert parameter["input"]["options"] == []
    assert parameter["input"]["optionsFrom"] == {"query": "places", "value": "code", "label": "name"}
    refused = await asked(gateway, "bodega")
    assert refused.json()["code"].startswith("database_")
    audit = await gateway.http.get("/api/audit?accion=db_query", headers=await gateway.signed_in())
    assert [each["result"] for each in audit.json()["items"]] == ["error"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("code", "said"),
    [("torcida", "it has no column 'codigo'"), ("letras", "is not of the parameter's type xsd:decimal")],
)
async def test_rows_that_are_no_choices_are_the_reports_fault(
    gateway: "Gateway", company: Path, code: str, said: str
) -> None:
    with closing(sqlite3.connect(company)) as connection, connection:
        connection.execute("INSERT INTO places VALUES ('planted-value', 'x')")
    with capture_logs() as logs:
        answers = [await asked(gateway, code), await rendered(gateway, code, bodega="01")]
    assert [(each.status_code, each.json()["code"]) for each in answers] == [(500, "report_data_failed")] * 2
    logged = [log for log in logs if log["event"] == "report_data_failed"]
    assert [(log["report"], said in log["reason"]) for log in logged] == [(code, True)] * 2
    assert "planted" not in str(logs)


@pytest.mark.asyncio
async def test_choices_are_bounded(gateway: "Gateway", company: Path) -> None:
    with closing(sqlite3.connect(company)) as connection, connection:
        connection.execute("DELETE FROM numbers")
        connection.executemany("INSERT INTO numbers VALUES (?)", [(each,) for each in range(1000)])
    (parameter,) = (await asked(gateway, "cifra")).json()["parameters"]
    assert len(parameter["input"]["options"]) == 1000
    with closing(sqlite3.connect(company)) as connection, connection:
        connection.execute("INSERT INTO numbers VALUES (1000)")
    answer = await asked(gateway, "cifra")
    assert (answer.status_code, answer.json()["code"]) == (500, "report_data_failed")


@pytest.mark.asyncio
async def test_an_unknown_report_has_no_form(gateway: "Gateway") -> None:
    answer = await asked(gateway, "nada")
    assert (answer.status_code, answer.json()["code"]) == (404, "html_report_not_found")


@pytest.mark.asyncio
async def test_only_administrators_see_the_defaults_of_hidden_parameters(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    await gateway.http.put("/api/permissions/luis", json={"paths": [RUN]}, headers=ana)
    for path in ("/api/html-reports", "/api/html-reports/secreto"):
        shown, other = [(await gateway.http.get(path, headers=by)).text for by in (ana, luis)]
        assert "planted-default" in shown
        assert "planted-default" not in other
        assert "secreto" in other
    sent = {"values": {"s": "another"}}
    answer = await gateway.http.post("/api/html-reports/secreto/render", json=sent, headers=luis)
    assert "s=planted-default" in answer.text
