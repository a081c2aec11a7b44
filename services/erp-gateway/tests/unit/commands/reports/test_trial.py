"""Reports whose options come from a query, tried on their fixture."""

import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from erp_gateway.commands.reports.trial import report_problems
from erp_gateway.extensions import load_extensions

MODULE = """
from pathlib import Path

from erp_gateway.extensions import (
    Extension, HtmlReport, OptionsQuery, ParameterInput, Query, QueryParameter, ReportParameter,
)


async def build(run_query, values):
    return {"values": values}


SQL = 'SELECT "W" AS "code", "N" AS "name" FROM "OWHS"'
PLACES = Query(name="places", title="Bodegas", sql={"sqlite": SQL})
ASKED = ParameterInput(kind="select", options_from=OptionsQuery(query="places", value="code", label="LABEL"))
STOCK = Query(name="stock", title="Stock", sql={"sqlite": 'SELECT :p AS "p"'}, parameters=(
    QueryParameter(name="p", type="string", input=ParameterInput(
        kind="select", options_from=OptionsQuery(query="places", value="VALUE", label="name"))),))
DAY = ParameterInput(kind="date", default="hoy", maximum="hoy")
EXTENSION = Extension(queries=(PLACES, STOCK), html_reports=(HtmlReport(
    code="r", title="R", folder=Path(__file__).parent, template="r.html", fixture="r.json", data=build,
    parameters=(ReportParameter(name="p", type="xsd:string", input=ASKED),
                ReportParameter(name="d", type="xsd:date", input=DAY))),))
"""
Problems = Callable[..., list[str]]
ROWS = '{"values": {"p": "01"}, "queries": {"places": [{"code": "01", "name": "Casa"}]}}'


@pytest.fixture
def problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Problems]:
    monkeypatch.syspath_prepend(tmp_path)

    def problems(
        fixture: str = ROWS, label: str = "name", value: str = "code", kind: str = "string"
    ) -> list[str]:
        module = MODULE.replace("LABEL", label).replace("VALUE", value)
        module = module.replace('name="p", type="xsd:string"', f'name="p", type="xsd:{kind}"')
        (tmp_path / "tried_extension.py").write_text(module, encoding="utf-8")
        (tmp_path / "r.html").write_text("<p>${values['d']}</p>", encoding="utf-8")
        (tmp_path / "r.json").write_text(fixture, encoding="utf-8")
        registries = load_extensions(["tried_extension"], engine="sqlite")
        return list(report_problems(registries, date(2026, 11, 22)))

    yield problems
    sys.modules.pop("tried_extension", None)


def test_a_choice_in_the_fixture_is_checked_against_its_rows(problems: Problems) -> None:
    assert problems() == []


def test_a_value_that_is_no_choice_is_named(problems: Problems) -> None:
    (problem,) = problems(ROWS.replace('"p": "01"', '"p": "02"'))
    assert "values.p: Debe ser una de las opciones. (r.json, line 1)" in problem


def test_rows_that_the_choice_needs_are_missed(problems: Problems) -> None:
    (problem,) = problems('{"values": {"p": "01"}}')
    assert "the fixture r.json has no rows for the query places" in problem


def test_without_a_value_no_rows_are_needed(problems: Problems) -> None:
    assert problems("{}") == []


def test_days_count_from_the_given_one(problems: Problems) -> None:
    (problem,) = problems('{"values": {"d": "2026-11-23"}}')
    assert "values.d: Debe ser 2026-11-22 o antes." in problem


def test_a_column_that_the_query_does_not_return_is_named(problems: Problems) -> None:
    said = problems("{}", label="names")
    assert len(said) == 1
    assert "options_from: the query places returns no column 'names'; did you mean 'name'?" in said[0]


def test_a_column_that_a_querys_options_miss_is_named(problems: Problems) -> None:
    said = problems("{}", value="codes")
    assert len(said) == 1
    assert said[0].startswith("stock: parameters[0].input.options_from: the query places returns no column")
    assert "'codes'; did you mean 'code'?" in said[0]


def test_invalid_choice_rows_are_reported_even_if_no_value_needs_them(problems: Problems) -> None:
    rows = ROWS.replace('"p": "01"', "")
    assert problems(rows, kind="decimal") == []
    (said,) = problems(rows.replace('"code": "01"', '"code": "Casa"'), kind="decimal")
    assert "values.p: options of the query 'places': a value of the column 'code' is not of the" in said
    assert said.endswith("type xsd:decimal (r.json, line 1)")
