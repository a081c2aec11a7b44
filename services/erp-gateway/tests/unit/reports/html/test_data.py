"""Data functions at fault: whose fault it is said to be, and what the log is told."""

import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.engines.engine import Reading, Work
from erp_gateway.queries.engines.rows import Rows, ValueDoesNotFitError
from erp_gateway.queries.engines.sqlite import SqliteEngine
from erp_gateway.queries.errors import DatabaseFailed
from erp_gateway.queries.registry import Query, QueryParameter, QueryRegistry
from erp_gateway.reports.html.data import gather
from erp_gateway.reports.html.errors import ReportDataFailed
from erp_gateway.reports.html.registry import HtmlReport, ReportData, RunQuery
from erp_gateway.values.parameters.declare import Interval, Value
from servicekit.errors import InvalidBody, NotFound

QUERIES = QueryRegistry(
    (
        Query(
            name="sales",
            title="Ventas",
            sql={"sqlite": "SELECT :least AS least, :since AS since"},
            parameters=(
                QueryParameter(name="least", type="number"),
                QueryParameter(name="since", type="date"),
            ),
        ),
        Query(name="broken", title="Rota", sql={"sqlite": "SELECT x FROM absent"}),
    )
)
GOOD = {"least": Decimal(1), "since": date(2026, 1, 1)}
NOTHING: Mapping[str, Value] = {}


class Narrow:
    """An engine whose columns no number fits, as the driver of SAP HANA tells it."""

    name = "sqlite"

    def reading(self, work: Work) -> Reading:
        """Prepare to say so."""
        assert work.values
        return self

    def read(self) -> Rows:
        """Say so of the first place."""
        raise ValueDoesNotFitError(0)

    def interrupt(self) -> None:
        """Do nothing."""


@pytest_asyncio.fixture
async def queries(tmp_path: Path) -> AsyncIterator[DatabaseClient]:
    path = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (n)")
    client = DatabaseClient(SqliteEngine(path), QUERIES, timeout_s=10, max_rows=10)
    yield client
    await client.aclose()


@pytest_asyncio.fixture
async def narrow() -> AsyncIterator[DatabaseClient]:
    client = DatabaseClient(Narrow(), QUERIES, timeout_s=10, max_rows=10)
    yield client
    await client.aclose()


def report_of(data: ReportData) -> HtmlReport:
    return HtmlReport(code="ventas", title="Ventas", folder=Path(), template="x.html", data=data)


def asking(name: str, params: Mapping[str, object]) -> HtmlReport:
    """Return a report that asks for one query and shows its rows."""

    async def data(run_query: RunQuery, _values: Mapping[str, object]) -> Mapping[str, object]:
        return {"rows": (await run_query(name, params)).rows}

    return report_of(data)


@pytest.mark.asyncio
async def test_the_template_gets_the_names_of_the_data_function(queries: DatabaseClient) -> None:
    assert await gather(asking("sales", GOOD), NOTHING, queries, user="ana") == {
        "rows": [{"least": 1, "since": "2026-01-01"}]
    }


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "params", "reason", "named"),
    [
        ("sails", GOOD, "unknown query", ["least", "since"]),
        ("sales", {"least": 7}, "missing, unknown or badly typed parameters", ["since"]),
        ("sales", {**GOOD, "until": "planted"}, "missing, unknown or badly typed parameters", ["until"]),
        ("sales", {"least": "planted", "since": 8}, "missing, unknown or badly typed parameters", [*GOOD]),
    ],
)
async def test_a_wrong_question_is_the_reports_fault_and_is_logged_by_names(
    queries: DatabaseClient, name: str, params: Mapping[str, object], reason: str, named: list[str]
) -> None:
    with capture_logs() as logs, pytest.raises(ReportDataFailed):
        await gather(asking(name, params), {"least": "planted"}, queries, user="ana")
    assert logs == [
        {
            "event": "report_data_failed",
            "log_level": "error",
            "report": "ventas",
            "query": name,
            "parameters": named,
            "reason": reason,
        }
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "values",
    [
        {"Desde": date(2026, 1, 1), "Minimo": Decimal("1.25")},
        {"Minimo": Interval(Decimal(0), Decimal("1.25"))},
        {"Minimo": (Decimal(3), Decimal("1.25"))},
    ],
)
async def test_a_persons_number_that_does_not_fit_is_the_persons(
    narrow: DatabaseClient, values: Mapping[str, Value]
) -> None:
    with pytest.raises(InvalidBody) as refused:
        await gather(asking("sales", {**GOOD, "least": Decimal("1.25")}), values, narrow, user="ana")
    assert [problem.path for problem in refused.value.errors] == ["values.Minimo"]


@pytest.mark.asyncio
async def test_the_reports_own_number_that_does_not_fit_is_the_reports(narrow: DatabaseClient) -> None:
    with capture_logs() as logs, pytest.raises(ReportDataFailed):
        await gather(asking("sales", {**GOOD, "least": 1.25}), {"Minimo": Decimal(1)}, narrow, user="ana")
    assert [(log["query"], log["parameters"]) for log in logs] == [("sales", ["least"])]


@pytest.mark.asyncio
async def test_service_errors_of_database_and_function_propagate(queries: DatabaseClient) -> None:
    async def absent(_run_query: RunQuery, _values: Mapping[str, object]) -> Mapping[str, object]:
        raise NotFound("No existe el pedido 5.")

    with pytest.raises(DatabaseFailed):
        await gather(asking("broken", {}), NOTHING, queries, user="ana")
    with pytest.raises(NotFound, match="not_found"):
        await gather(report_of(absent), NOTHING, queries, user="ana")


@pytest.mark.asyncio
async def test_a_crash_and_an_answer_of_another_kind_are_the_reports_fault(queries: DatabaseClient) -> None:
    async def crash(_run_query: RunQuery, _values: Mapping[str, object]) -> Mapping[str, object]:
        raise RuntimeError("planted")

    async def rows(_run_query: RunQuery, _values: Mapping[str, object]) -> Mapping[str, object]:
        return [1]  # type: ignore[return-value]  # what a customer may write

    for data, result in ((crash, "crashed"), (rows, "returned list, no mapping")):
        with capture_logs() as logs, pytest.raises(ReportDataFailed):
            await gather(report_of(data), NOTHING, queries, user="ana")
        assert [(log["event"], log["report"], log["reason"]) for log in logs] == [
            ("report_data_failed", "ventas", result)
        ]
