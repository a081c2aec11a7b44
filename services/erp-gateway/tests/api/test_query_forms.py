"""Query forms of today: labels, relative days, bounds, and choices from another query."""

import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator
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
    from tests.conftest import Sheets

    from erpsim.simulator import Simulator

MODULE = "query_forms_extension"
EXTENSION = """
from erp_gateway.extensions import Extension, Option, OptionsQuery, ParameterInput, Query, QueryParameter

def query(name, sql, *parameters, **more):
    return Query(name=name, title=name, sql={"sqlite": sql}, parameters=parameters, **more)

def one(name, type, label=None, **asked):
    return QueryParameter(name=name, type=type, label=label, input=ParameterInput(**asked))

PLACES = OptionsQuery(query="places", value="code", label="name")
EXTENSION = Extension(queries=(
    query("places", "SELECT code, name FROM places ORDER BY code", menu="/bodegas"),
    query("dias", "SELECT :desde AS desde, :hasta AS hasta",
          one("desde", "date", "Desde el día", default="inicio_mes", minimum="inicio_ano", maximum="hoy"),
          one("hasta", "date", "Hasta el día", default="hoy", not_before="desde")),
    query("texto", "SELECT :t AS t", one("t", "string", default="")),
    query("dias_de_memoria", "SELECT :dia AS dia", one("dia", "date", default="hoy"), cache_s=86400),
    query("cifra", "SELECT :n AS n", one("n", "number", minimum=1, maximum="2.5")),
    query("orden", "SELECT :o AS o", one("o", "string", kind="select", default="a",
          options=(Option(value="a", label="Primero"), Option(value="b", label="Segundo")))),
    query("oculta", "SELECT :dia AS dia", one("dia", "date", kind="hidden", default="hoy")),
    query("secreta", "SELECT 1 AS uno, :n AS n WHERE :s <> ''",
          one("n", "number", kind="hidden", default="77431", minimum=77431, maximum=77431),
          one("s", "string", "Clave", kind="hidden", default="planted-default")),
    query("bodega", "SELECT :b AS b", one("b", "string", "Bodega", kind="select", options_from=PLACES)),
    query("pisos", "SELECT 2 AS value, 'Segundo' AS label UNION SELECT -1.5, 'Sótano'"),
    query("piso", "SELECT :p AS p, random() AS azar", one("p", "number", kind="select",
          options_from=OptionsQuery(query="pisos")), cache_s=60),
    query("dia_fijo", "SELECT :d AS d", one("d", "date", kind="select",
          options=(Option(value="2026-03-01", label="Marzo"),))),
    query("torcida", "SELECT :b AS b", one("b", "string", kind="select",
          options_from=OptionsQuery(query="places", value="codigo", label="name"))),
))
"""
SCRIPT = """
CREATE TABLE places (code TEXT, name TEXT);
INSERT INTO places VALUES ('01', 'Casa & matriz'), ('02', NULL);
"""


@pytest.fixture
def company(tmp_path: Path) -> Path:
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    return file


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, company: Path) -> Iterator[dict[str, str]]:
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {
        "EXTENSIONS": MODULE,
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": str(company),
        "TIMEZONE": "America/Santiago",
    }
    sys.modules.pop(MODULE, None)


@pytest_asyncio.fixture
async def gateway(
    open_gateway: "OpenGateway", sim: "Simulator", settings: dict[str, str], clock: ManualClock
) -> "AsyncIterator[Gateway]":
    clock.set_wall_clock(datetime(2026, 12, 1, 2, 0, tzinfo=UTC))  # still the 30th of November in Santiago
    async with open_gateway(sim, **settings) as opened:
        yield opened


async def run(gateway: "Gateway", name: str, **params: Any) -> Any:
    ana = await gateway.signed_in()
    return await gateway.http.post(f"/api/erpdb/queries/{name}", json={"params": params}, headers=ana)


async def rows(gateway: "Gateway", name: str, **params: Any) -> Any:
    answer = await run(gateway, name, **params)
    assert answer.status_code == 200, answer.text
    return answer.json()["rows"]


async def refusal(gateway: "Gateway", name: str, **params: Any) -> Any:
    answer = await run(gateway, name, **params)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    return {each["path"]: each["message"] for each in answer.json()["errors"]}


@pytest.mark.asyncio
async def test_days_are_those_of_the_time_zone_at_the_request(gateway: "Gateway", clock: ManualClock) -> None:
    listed = await gateway.http.get("/api/erpdb/queries", headers=await gateway.signed_in())
    (item,) = [each for each in listed.json()["items"] if each["name"] == "dias"]
    since, until = item["parameters"]
    assert (since["label"], since["type"], since["input"]["kind"]) == ("Desde el día", "date", "date")
    result = [since["input"][name] for name in ("default", "minimum", "maximum")]
    assert result == ["2026-11-01", "2026-01-01", "2026-11-30"]
    assert (until["label"], until["input"]["default"]) == ("Hasta el día", "2026-11-30")
    assert (since["input"]["notBefore"], until["input"]["notBefore"]) == (None, "desde")
    form = await gateway.http.get("/api/erpdb/queries/dias", headers=await gateway.signed_in())
    assert form.json() == item
    assert await rows(gateway, "dias") == [{"desde": "2026-11-01", "hasta": "2026-11-30"}]
    assert await rows(gateway, "dias", desde="2026-03-01") == [{"desde": "2026-03-01", "hasta": "2026-11-30"}]
    clock.advance(3600)  # past midnight there
    assert await rows(gateway, "dias") == [{"desde": "2026-12-01", "hasta": "2026-12-01"}]


@pytest.mark.asyncio
async def test_an_empty_text_is_a_valid_default(gateway: "Gateway") -> None:
    form = await gateway.http.get("/api/erpdb/queries/texto", headers=await gateway.signed_in())
    assert form.json()["parameters"][0]["input"]["default"] == ""
    assert await rows(gateway, "texto") == [{"t": ""}]
    assert await rows(gateway, "texto", t="") == [{"t": ""}]


@pytest.mark.asyncio
async def test_a_cached_answer_expires_at_midnight(gateway: "Gateway", clock: ManualClock) -> None:
    assert await rows(gateway, "dias_de_memoria") == [{"dia": "2026-11-30"}]
    clock.advance(3600)
    assert await rows(gateway, "dias_de_memoria") == [{"dia": "2026-12-01"}]


@pytest.mark.asyncio
async def test_values_out_of_bounds_or_outside_the_choices_are_named(gateway: "Gateway") -> None:
    said = await refusal(gateway, "dias", desde="2026-12-01", hasta=None)
    assert said == {
        "params.desde": "Debe ser 2026-11-30 o antes.",
        "params.hasta": "Debe ser una fecha como 2024-01-31.",
    }
    assert await refusal(gateway, "cifra", n=3) == {"params.n": "Debe ser a lo más 2.5."}
    assert await refusal(gateway, "cifra", n=0.5) == {"params.n": "Debe ser al menos 1."}
    assert await refusal(gateway, "cifra") == {"params.n": "Falta este parámetro."}
    assert await rows(gateway, "cifra", n=2.5) == [{"n": 2.5}]
    assert await refusal(gateway, "orden", o="c") == {"params.o": "Debe ser una de las opciones."}
    assert await refusal(gateway, "orden", x=1) == {"params.x": "Este parámetro no existe."}
    said = await refusal(gateway, "dias", hasta="2026-10-31")
    assert said == {"params.hasta": "Hasta el día no puede ser anterior a Desde el día."}
    assert await rows(gateway, "orden") == [{"o": "a"}]
    assert await rows(gateway, "orden", o="b") == [{"o": "b"}]


@pytest.mark.asyncio
async def test_a_hidden_parameter_ignores_the_submitted_value(gateway: "Gateway") -> None:
    assert await rows(gateway, "oculta", dia="2020-01-01") == [{"dia": "2026-11-30"}]


@pytest.mark.asyncio
async def test_only_administrators_see_the_defaults_of_hidden_parameters(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/informes"]}, headers=ana)
    for path in ("/api/erpdb/queries", "/api/erpdb/queries/secreta"):
        shown, other = [(await gateway.http.get(path, headers=by)).text for by in (ana, luis)]
        assert "planted-default" in shown
        assert "77431" in shown
        assert "planted-default" not in other
        assert "77431" not in other
        assert "secreta" in other
    answer = await gateway.http.post("/api/erpdb/queries/secreta", json={"params": {}}, headers=luis)
    assert answer.json()["rows"] == [{"uno": 1, "n": 77431}]


@pytest.mark.asyncio
async def test_a_file_does_not_name_the_values_of_hidden_parameters(
    gateway: "Gateway", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    ana = await gateway.signed_in()
    path = "/api/erpdb/queries/secreta?formato=xlsx"
    answer = await gateway.http.post(path, json={"params": {}}, headers=ana)
    assert answer.status_code == 200, answer.text
    about: dict[Any, Any] = dict(sheets_of(answer.content)["Acerca de"])
    assert about["Título"] == "secreta"
    assert not [name for name in about if str(name).startswith("Parámetro")]


@pytest.mark.asyncio
async def test_choices_from_another_query_require_only_the_right_to_this_one(
    gateway: "Gateway", company: Path
) -> None:
    luis = await gateway.signed_in("luis")
    assert (await gateway.http.get("/api/erpdb/queries/places", headers=luis)).status_code == 403
    form = await gateway.http.get("/api/erpdb/queries/bodega", headers=luis)
    (parameter,) = form.json()["parameters"]
    choices = [{"value": "01", "label": "Casa & matriz"}, {"value": "02", "label": "02"}]
    assert (parameter["label"], parameter["input"]["options"]) == ("Bodega", choices)
    assert await rows(gateway, "bodega", b="02") == [{"b": "02"}]
    assert await refusal(gateway, "bodega") == {"params.b": "Falta este parámetro."}
    with closing(sqlite3.connect(company)) as connection, connection:
        connection.execute("DELETE FROM places WHERE code = '02'")
    assert await refusal(gateway, "bodega", b="02") == {"params.b": "Debe ser una de las opciones."}
    listed = await gateway.http.get("/api/erpdb/queries", headers=luis)
    (item,) = [each for each in listed.json()["items"] if each["name"] == "bodega"]
    assert item["parameters"][0]["input"]["options"] == [], "the list asks the database nothing"
    audit = await gateway.http.get(
        "/api/audit?accion=db_query&usuario=luis", headers=await gateway.signed_in()
    )
    assert [(each["resource"], each["result"]) for each in audit.json()["items"]] == [("places", "ok")]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["orden", "piso", "dia_fijo"])
async def test_each_listed_choice_is_accepted(gateway: "Gateway", name: str) -> None:
    form = await gateway.http.get(f"/api/erpdb/queries/{name}", headers=await gateway.signed_in())
    (parameter,) = form.json()["parameters"]
    for option in parameter["input"]["options"]:
        (row,) = await rows(gateway, name, **{parameter["name"]: option["value"]})
        assert str(row[parameter["name"]]) == option["value"]
    assert await refusal(gateway, name, **{parameter["name"]: "x"}) != {}


@pytest.mark.asyncio
async def test_a_numeric_choice_and_its_text_are_the_same_value(gateway: "Gateway") -> None:
    first, second = await rows(gateway, "piso", p=2), await rows(gateway, "piso", p="2")
    assert first == second
    assert await refusal(gateway, "piso", p="3") == {"params.p": "Debe ser una de las opciones."}
    assert "params.n" in await refusal(gateway, "cifra", n="2")


@pytest.mark.asyncio
async def test_rows_that_are_no_choices_are_the_querys_own_fault(gateway: "Gateway") -> None:
    with capture_logs() as logs:
        form = await gateway.http.get("/api/erpdb/queries/torcida", headers=await gateway.signed_in())
        answers = [form, await run(gateway, "torcida", b="01")]
    assert [(each.status_code, each.json()["code"]) for each in answers] == [
        (500, "query_options_failed")
    ] * 2
    logged = [log for log in logs if log["event"] == "query_options_failed"]
    assert [(log["query"], "it has no column 'codigo'" in log["reason"]) for log in logged] == [
        ("torcida", True)
    ] * 2


@pytest.mark.asyncio
async def test_a_file_export_has_the_same_checks_and_lists_its_parameters(
    gateway: "Gateway", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    ana = await gateway.signed_in()

    async def exported(**params: Any) -> Any:
        query = "/api/erpdb/queries/dias?formato=xlsx"
        return await gateway.http.post(query, json={"params": params}, headers=ana)

    refused = await exported(desde="2026-12-01")
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "params.desde")
    about: dict[Any, Any] = dict(sheets_of((await exported()).content)["Acerca de"])
    assert (about["Parámetro Desde el día"], about["Parámetro Hasta el día"]) == (
        datetime(2026, 11, 1),  # noqa: DTZ001 - as a sheet has days
        datetime(2026, 11, 30),  # noqa: DTZ001 - as above
    )
    audit = await gateway.http.get("/api/audit?accion=db_query", headers=ana)
    assert [(each["result"], each["reason"]) for each in audit.json()["items"]] == [
        ("ok", None),
        ("error", "invalid_body"),
    ]


@pytest.mark.asyncio
async def test_an_unknown_query_has_no_form(gateway: "Gateway") -> None:
    answer = await gateway.http.get("/api/erpdb/queries/nada", headers=await gateway.signed_in())
    assert (answer.status_code, answer.json()["code"]) == (404, "query_not_found")
