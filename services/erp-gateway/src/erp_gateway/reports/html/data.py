"""Runs the queries of a report and builds its tables."""

from collections.abc import Iterable, Mapping
from typing import NoReturn

import structlog

from erp_gateway.files.exports.errors import ExportTooLarge
from erp_gateway.queries.client import DatabaseClient, QueryResult
from erp_gateway.queries.errors import DOES_NOT_FIT, NumberDoesNotFit, QueryNotFound
from erp_gateway.reports.html.errors import (
    ReportDataFailed,
)
from erp_gateway.reports.html.registry import HtmlReport
from erp_gateway.reports.html.tables import ReportTable, TableFailedError, TableRows, rows_of
from erp_gateway.values.parameters.declare import Interval, Value
from servicekit.errors import FieldProblem, InvalidBody, ServiceError

_log = structlog.get_logger(__name__)


async def gather(
    report: HtmlReport,
    values: Mapping[str, Value],
    queries: DatabaseClient,
    *,
    user: str,
    whole: bool = False,
) -> Mapping[str, object]:
    """Run the report's data function and return the names for its template.

    An error in the data function is the report's fault, not the user's.

    Args:
        report: the report.
        values: the user's typed values.
        queries: the ERP's database.
        user: lane of the queue.
        whole: whether a truncated query is an error.

    Raises:
        ExportTooLarge: a query was truncated, and `whole` is set.
        ReportDataFailed: the function used an unknown query or parameter, crashed, or returned an invalid
            value; the log has the reason.
        InvalidBody: a sent number does not fit its place in the query.
        ServiceError: a failure of the database, or an error of the function's own.
    """

    async def run_query(name: str, params: Mapping[str, object]) -> QueryResult:
        try:
            result = await queries.run(name, params, user=user)
        except QueryNotFound:
            _fail(report, reason="unknown query", query=name, parameters=sorted(map(str, params)))
        except NumberDoesNotFit as error:
            sent_as = _sent_as(params[error.parameter], values)
            if sent_as is not None:
                raise InvalidBody(errors=[FieldProblem(f"values.{sent_as}", DOES_NOT_FIT)]) from error
            _fail(report, reason="a number does not fit", query=name, parameters=[error.parameter])
        except InvalidBody as error:
            invalid = [problem.path.removeprefix("params.") for problem in error.errors]
            _fail(report, reason="missing, unknown or badly typed parameters", query=name, parameters=invalid)
        if whole and result.truncated:
            raise ExportTooLarge(
                f"El informe lee más de las {len(result.rows)} filas que admite. Acote lo que pide."
            )
        return result

    try:
        names: object = await report.data(run_query, values)
    except ServiceError:
        raise
    except Exception as error:
        _log.exception("report_data_failed", report=report.code, reason="crashed")
        raise ReportDataFailed from error
    if not isinstance(names, Mapping):
        _fail(report, reason=f"returned {type(names).__name__}, no mapping")
    return names


def tables_of(
    report: HtmlReport, tables: Iterable[ReportTable], names: Mapping[str, object]
) -> list[TableRows]:
    """Return the rows of some of the report's tables. Call it in a thread, since there may be many rows.

    Args:
        report: the report.
        tables: the tables.
        names: the result of its data function.

    Raises:
        ReportDataFailed: they deviate from the declaration; the log has the reason.
    """
    try:
        return [rows_of(table, names) for table in tables]
    except TableFailedError as error:
        _fail(report, reason=str(error))


def _fail(report: HtmlReport, **facts: object) -> NoReturn:
    """Log the fault by names, never by values."""
    _log.error("report_data_failed", report=report.code, **facts)
    raise ReportDataFailed


def _sent_as(passed: object, values: Mapping[str, Value]) -> str | None:
    """Return the report's parameter whose value was passed unchanged, or None for a computed value."""
    return next((name for name, value in values.items() if passed in _parts(value)), None)


def _parts(value: Value) -> tuple[object, ...]:
    if isinstance(value, Interval):
        return (value.start, value.end)
    return value if isinstance(value, tuple) else (value,)
