"""Try a report with a fixture: run its data function and render its template; errors name file and line."""

import asyncio
import inspect
import re
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from traceback import walk_tb
from typing import Any, Final

from attrs import evolve, frozen

from erp_gateway.commands.reports.fixture import (
    Fixture,
    FixtureError,
    columns_of,
    did_you_mean,
    fixture_problems,
    option_problems,
    read_fixture,
)
from erp_gateway.extensions import Registries
from erp_gateway.queries.client import QueryResult
from erp_gateway.queries.registry import QueryRegistry
from erp_gateway.queries.values import read_values as read_query_values
from erp_gateway.reports.html.errors import DocumentTooLongError, TemplateFailedError
from erp_gateway.reports.html.issue import Issue
from erp_gateway.reports.html.registry import HtmlReport
from erp_gateway.reports.html.tables import TableFailedError, rows_of
from erp_gateway.reports.html.templates import ReportTemplate
from erp_gateway.values.parameters.declare import ReportParameter, Value
from erp_gateway.values.parameters.forms import OptionsFailedError, with_options
from erp_gateway.values.parameters.reading import on_day, read_values
from servicekit.errors import InvalidBody, ServiceError

_INEFFECTIVE: Final = (
    (re.compile(r"<script\b", re.IGNORECASE), "no script runs in a report; draw with inline SVG"),
    (re.compile(r"<link\b", re.IGNORECASE), "no style sheet is fetched; include it inside <style>"),
    (
        re.compile(
            r"@import\b|url\(\s*['\"]?(?!data:|#)|<img\b[^>]*\bsrc\s*=\s*['\"]?(?!data:|\$)", re.IGNORECASE
        ),
        "nothing is fetched; embed it as a `data:` URL",
    ),
    (
        re.compile(r"(?<![\w-])size\s*:[^;]*\b(carta|oficio)\b", re.IGNORECASE),
        "no style sheet knows this paper; write letter, or 216mm 330mm for Oficio",
    ),
)


def find_ineffective_parts(sources: Mapping[str, str]) -> Iterator[str]:
    """Yield parts of templates without effect: a report runs no scripts and fetches nothing."""
    for file, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, reason in _INEFFECTIVE:
                if pattern.search(line):
                    yield f"template {file}, line {number}: {reason}"


_UNDEFINED: Final = re.compile(r"'(\w+)' is not defined")

_AWAIT_MISSING: Final = "its data function has a run_query(…) without await before it"

# Issue data of a trial.
_ISSUE: Final = Issue(emitido_el="01-01-2026 12:00", emitido_por="vista previa")


class TrialFailedError(Exception):
    """The report fails; the message names file and line."""


class _QueryError(Exception):
    """The data function ran a query that does not exist or rejects its values."""


@frozen(kw_only=True)
class Trial:
    """Inputs of a trial.

    Attributes:
        queries: queries that data functions may run.
        fixture: values of the parameters and rows of the queries.
        today: base of relative days.
    """

    queries: QueryRegistry
    fixture: Fixture
    today: date

    async def document(self, report: HtmlReport, template: ReportTemplate) -> str:
        """Return a report's document.

        Raises:
            TrialFailedError: a part of it fails.
        """
        values = await self._values(report)
        names = await self._names(report, values)
        try:
            for table in report.tables:
                rows_of(table, names)
        except TableFailedError as error:
            hint = "" if error.missing is None else did_you_mean(error.missing, error.existing)
            raise TrialFailedError(f"{error}{hint}") from error
        try:
            return template.render({"informe": evolve(_ISSUE, titulo=report.title), **names})
        except DocumentTooLongError as error:
            raise TrialFailedError("the document is too long") from error
        except TemplateFailedError as error:
            raise TrialFailedError(_describe(error, names)) from error

    async def _values(self, report: HtmlReport) -> Mapping[str, Value]:
        declared = [parameter.name for parameter in report.parameters]
        for name in self.fixture.values:
            if name not in declared:
                hint = did_you_mean(name, declared)
                raise TrialFailedError(f"there is no parameter {name!r}{hint} ({self.fixture.place(name)})")

        async def run(query: str) -> QueryResult:
            return await self._rows(query, {})

        try:
            parameters = await with_options(
                on_day(report.parameters, self.today), run, sent=self.fixture.values
            )
            return read_values(parameters, self.fixture.values)
        except (OptionsFailedError, _QueryError) as error:
            raise TrialFailedError(str(error)) from error
        except InvalidBody as error:
            first = error.errors[0]
            place = self.fixture.place(first.path.removeprefix("values."))
            raise TrialFailedError(f"{first.path}: {first.message} ({place})") from error

    async def _names(self, report: HtmlReport, values: Mapping[str, Value]) -> Mapping[str, object]:
        calls: list[Coroutine[Any, Any, QueryResult]] = []

        def run_query(name: str, params: Mapping[str, object]) -> Coroutine[Any, Any, QueryResult]:
            calls.append(self._rows(name, params))
            return calls[-1]

        try:
            names: object = report.data(run_query, values)
            is_async = inspect.isawaitable(names)
            names = await names if inspect.isawaitable(names) else names
        except Exception as error:
            place = _line_of(error, str(report.data.__module__).partition(".")[0]) or _place_of(report)
            reason = _AWAIT_MISSING if _close_unawaited(calls) else _describe_data_error(error)
            raise TrialFailedError(f"{reason} ({place})") from error
        if _close_unawaited(calls):
            raise TrialFailedError(f"{_AWAIT_MISSING} ({_place_of(report)})")
        if not is_async:
            raise TrialFailedError(f"its data function must be `async def` ({_place_of(report)})")
        if not isinstance(names, Mapping):
            kind = type(names).__name__
            raise TrialFailedError(f"its data function returned {kind}, no mapping ({_place_of(report)})")
        return names

    async def _rows(self, name: str, params: Mapping[str, object]) -> QueryResult:
        """Return the fixture's rows for a query."""
        query = self.queries.find(name)
        if query is None:
            names = [each.name for each in self.queries.queries]
            raise _QueryError(f"there is no query {name!r}{did_you_mean(name, names)}")
        try:
            read_query_values(query.parameters, params)
        except InvalidBody as error:
            problems = "; ".join(
                f"{each.path.removeprefix('params.')}: {each.message}" for each in error.errors
            )
            raise _QueryError(f"wrong values for the query {name}: {problems}") from error
        if name not in self.fixture.rows:
            raise _QueryError(f"the fixture {self.fixture.file} has no rows for the query {name}")
        return self.fixture.result(name)


def report_problems(registries: Registries, today: date) -> Iterator[str]:
    """Yield the problems of options, templates and fixtures, and of trials with those fixtures.

    Must run outside an event loop.

    Args:
        registries: the reports and their queries.
        today: base of relative days.
    """
    for query in registries.queries.queries:
        for problem in _missing_columns(
            [each.report_parameter for each in query.parameters], registries.queries
        ):
            yield f"{query.name}: {problem}"
    for report in registries.html_reports:
        template = registries.html_reports.template_of(report)
        for problem in (*template.mistakes, *find_ineffective_parts(template.sources)):
            yield f"HTML report {report.code!r}: {problem}"
        for problem in _missing_columns(report.parameters, registries.queries):
            yield f"HTML report {report.code!r}: {problem}"
        if report.fixture is None:
            continue
        try:
            fixture = read_fixture(report.folder / report.fixture)
        except FixtureError as error:
            yield f"HTML report {report.code!r}: {error}"
            continue
        wrong = list(fixture_problems(fixture, registries.queries))
        wrong += [] if wrong else option_problems(fixture, report.parameters)
        yield from (f"HTML report {report.code!r}: {problem}" for problem in wrong)
        if wrong:
            continue
        try:
            trial = Trial(queries=registries.queries, fixture=fixture, today=today)
            asyncio.run(trial.document(report, template))
        except TrialFailedError as error:
            yield f"HTML report {report.code!r}: {error}"


def doubts(registries: Registries) -> Iterator[str]:
    """Yield warnings: a report without a fixture, or a menu route for writes that are not possible."""
    for resource in registries.resources.resources:
        if resource.write_menu is not None and not resource.writable:
            yield (
                f"resource {resource.name}: write_menu is given, but nothing can be written: "
                f"methods=READ_WRITE, or write_menu=None"
            )
    for report in registries.html_reports:
        if report.fixture is None:
            yield f"HTML report {report.code!r} has no fixture, so it was not tried"


def _missing_columns(parameters: Iterable[ReportParameter], queries: QueryRegistry) -> Iterator[str]:
    """Yield the columns that queries of options lack."""
    for index, parameter in enumerate(parameters):
        source = parameter.input.options_from
        query = None if source is None else queries.find(source.query)
        columns = None if query is None else columns_of(query)
        if source is None or columns is None:
            continue
        for name in (source.value, source.label):
            if name not in columns:
                hint = did_you_mean(name, columns)
                yield (
                    f"parameters[{index}].input.options_from: the query {source.query} returns no column "
                    f"{name!r}{hint}"
                )


def _close_unawaited(calls: Iterable[Coroutine[Any, Any, QueryResult]]) -> bool:
    """Close the coroutines that were never awaited; return True if there were any."""
    unawaited = [each for each in calls if inspect.getcoroutinestate(each) == inspect.CORO_CREATED]
    for each in unawaited:
        each.close()
    return bool(unawaited)


def _describe_data_error(error: Exception) -> str:
    if isinstance(error, _QueryError):
        return str(error)
    if isinstance(error, ServiceError):
        return f"its data function answers {error.status} {error.code}: {error.detail}"
    return f"its data function fails: {type(error).__name__}: {error}"


def _place_of(report: HtmlReport) -> str:
    code = getattr(report.data, "__code__", None)
    return report.code if code is None else f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def _line_of(error: BaseException, package: str) -> str | None:
    """Return the innermost line of a package in an error's traceback, as `balances.py, line 12`."""
    lines = [
        f"{Path(frame.f_code.co_filename).name}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).partition(".")[0] == package
    ]
    return lines[-1] if lines else None


def _describe(error: TemplateFailedError, names: Mapping[str, object]) -> str:
    cause = error.cause
    undefined = _UNDEFINED.search(str(cause)) if isinstance(cause, NameError) else None
    hint = did_you_mean(undefined[1], names) if undefined else ""
    place = f"template {error.template}" + ("" if error.line is None else f", line {error.line}")
    return f"{place}: {type(cause).__name__}: {cause}{hint}"
