"""HTML reports as an installation declares them, checked at start.

A report is code: its template, the queries it reads and the function between them come with the installation
and never from a request or from the store.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from attrs import field, frozen

from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.queries.client import QueryResult
from erp_gateway.reports.html.errors import TemplateError
from erp_gateway.values.declarations import ADD_A_COMMA
from erp_gateway.values.parameters.declare import KNOWN_TYPES, ReportParameter, is_known_type
from erp_gateway.values.parameters.rules import declaration_problems
from servicekit.errors import FieldProblem, InvalidQuery

TABLE: Final = "tabla"
"""The parameter of a request that chooses among them."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_CELLS: Final = (bool, int, float, Decimal, str, bytes, date, time)


@frozen(kw_only=True)
class ReportColumn:
    """A column of a table.

    Attributes:
        name: of the value in each row: a key where rows are mappings, else an attribute.
        title: its heading.
    """

    name: str
    title: str


def _columns_in_order(columns: Iterable[ReportColumn]) -> tuple[ReportColumn, ...]:
    if isinstance(columns, ReportColumn):
        raise TypeError(f"columns must be a tuple: {ADD_A_COMMA}")
    return tuple(columns)  # a function of ours, because mypy can't infer what the class itself makes


@frozen(kw_only=True)
class ReportTable:
    """A table of a report, to be had as CSV or XLSX.

    Attributes:
        name: under which the report's data function returns the rows, a list; and `tabla` in a request.
        title: what people read; the sheet of an XLSX is called so.
        columns: from left to right.
    """

    name: str
    title: str
    columns: tuple[ReportColumn, ...] = field(converter=_columns_in_order)


@frozen(kw_only=True)
class TableRows:
    """A table, and each of its rows as a list of values in the order of its columns."""

    table: ReportTable
    rows: list[list[object]]


class TableFailedError(Exception):
    """A data function did not return the rows that its report declares.

    Attributes:
        table: which.
        wanted: the name that is missing; None where it is there and holds what no table can.
        known: the names that are there instead.
    """

    def __init__(
        self, table: ReportTable, reason: str, *, wanted: str | None = None, known: Iterable[str] = ()
    ) -> None:
        super().__init__(f"table {table.name!r}: {reason}")
        self.table = table
        self.wanted = wanted
        self.known = tuple(known)


def table_problems(tables: Sequence[ReportTable]) -> Iterator[str]:
    """Yield what is wrong with the tables that one report declares, one sentence each."""
    names: set[str] = set()
    for table in tables:
        if table.name in names:
            yield f"table {table.name!r} is declared twice"
        names.add(table.name)
        yield from (f"table {table.name!r}: {problem}" for problem in _table_faults(table))


def _table_faults(table: ReportTable) -> Iterator[str]:
    if not _NAME.fullmatch(table.name):
        yield "the name must be 1 to 64 letters, digits and underscores, and begin with no digit"
    if not table.title.strip():
        yield "it has no title"
    if not table.columns:
        yield "it has no columns"
    names = [column.name for column in table.columns]
    titles = [column.title for column in table.columns]
    for column in table.columns:
        if not column.title.strip():
            yield f"the column {column.name!r} has no title"
    yield from (f"the column {name!r} stands there twice" for name in _repeated(names))
    yield from (f"two columns are called {title!r}" for title in _repeated(titles))


def _repeated(words: Sequence[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if words.count(word) > 1]


def chosen_tables(
    tables: Sequence[ReportTable], options: ExportOptions, name: str | None
) -> Sequence[ReportTable]:
    """Return the tables that a file is to hold: an XLSX has room for all of them, a CSV for one.

    Args:
        tables: the report's.
        options: the kind of file.
        name: the one that is asked for; None for none in particular.

    Raises:
        InvalidQuery: the report has none, or none of this name, or one must be chosen.
    """
    if not tables:
        raise InvalidQuery(errors=[FieldProblem("formato", "Este informe no tiene tablas que exportar.")])
    known = ", ".join(table.name for table in tables)
    if name is not None:
        found = [table for table in tables if table.name == name]
        if not found:
            raise InvalidQuery(errors=[FieldProblem(TABLE, f"Valores posibles: {known}")])
        return found
    if options.format is ExportFormat.CSV and len(tables) > 1:
        raise InvalidQuery(
            errors=[FieldProblem(TABLE, f"Un CSV lleva una sola tabla. Elija una de estas: {known}")]
        )
    return tables


def rows_of(table: ReportTable, names: Mapping[str, object]) -> TableRows:
    """Return the rows of a table out of what the data function returned.

    Raises:
        TableFailedError: they are not there, or not as declared.
    """
    if table.name not in names:
        raise TableFailedError(
            table, f"its data function returned no {table.name!r}", wanted=table.name, known=names
        )
    rows = names[table.name]
    if isinstance(rows, str | bytes) or not isinstance(rows, Sequence):
        raise TableFailedError(table, f"its rows must be a list, not of type {type(rows).__name__}")
    return TableRows(
        table=table, rows=[[_cell(table, row, column.name) for column in table.columns] for row in rows]
    )


def _cell(table: ReportTable, row: object, name: str) -> object:
    try:
        value = row[name] if isinstance(row, Mapping) else getattr(row, name)
    except (KeyError, AttributeError):
        known = [str(each) for each in row] if isinstance(row, Mapping) else dir(row)
        raise TableFailedError(table, f"a row has no {name!r}", wanted=name, known=known) from None
    if value is not None and not isinstance(value, _CELLS):
        raise TableFailedError(table, f"{name!r} is of type {type(value).__name__}, which no cell holds")
    return value


if TYPE_CHECKING:
    from erp_gateway.reports.html.templates import ReportTemplate

MAX_CODE_CHARS: Final = 100


class RunQuery(Protocol):
    """How a report reads the ERP's database: registered queries by name, and nothing else."""

    async def __call__(self, name: str, params: Mapping[str, object]) -> QueryResult:
        """Run a registered query with values for its parameters.

        Raises:
            servicekit.errors.ServiceError: no engine is configured, or the query failed; let it pass.
        """
        ...


ReportData = Callable[[RunQuery, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Takes the queries and the typed values of the parameters; returns the names that the template uses.

It runs in the event loop: what computes for long goes to `asyncio.to_thread`, or into the template."""


def _in_order(parameters: Iterable[ReportParameter]) -> tuple[ReportParameter, ...]:
    if isinstance(parameters, ReportParameter):
        raise TypeError(f"parameters must be a tuple: {ADD_A_COMMA}")
    return tuple(parameters)  # a function of ours, because mypy can't infer what the class itself makes


def _tables_in_order(tables: Iterable[ReportTable]) -> tuple[ReportTable, ...]:
    if isinstance(tables, ReportTable):
        raise TypeError(f"tables must be a tuple: {ADD_A_COMMA}")
    return tuple(tables)  # as above


@frozen(kw_only=True)
class HtmlReport:
    """One report.

    Attributes:
        code: unique name in URLs; letters, digits, `.`, `_` and `-`.
        title: what people read.
        parameters: what is asked of the person who runs it.
        folder: the templates of this report's customer; nothing outside it can be included.
        template: name of the template inside the folder, such as `ventas.html`.
        data: builds what the template shows.
        tables: what of it can be had as CSV or XLSX.
        fixture: name of a JSON file inside the folder with values and rows to try the report on; None for
            none. docs/reports-and-queries.md#extensions shows one.
    """

    code: str
    title: str
    parameters: tuple[ReportParameter, ...] = field(default=(), converter=_in_order)
    folder: Path = field(converter=Path)
    template: str
    data: ReportData
    tables: tuple[ReportTable, ...] = field(default=(), converter=_tables_in_order)
    fixture: str | None = None


class HtmlReportRegistryError(Exception):
    """A declared report may not be served; the message names it and says why."""


class HtmlReportRegistry:
    """Every report of the installation, with its template compiled.

    Args:
        reports: the declarations, in the order in which people see them.
        reload: whether templates are read from their files each time, for whoever is writing them.

    Raises:
        HtmlReportRegistryError: a code is malformed or used twice, parameters repeat, or the template is
            missing, does not compile or lets text through unescaped.
    """

    def __init__(self, reports: Iterable[HtmlReport], *, reload: bool = False) -> None:
        self._reload = reload
        declared = tuple(reports)
        templates: dict[str, ReportTemplate] = {}
        for report in declared:
            for problem in table_problems(report.tables):
                raise HtmlReportRegistryError(f"{_name(report)}: {problem}")
            for problem in _problems(report):
                raise HtmlReportRegistryError(f"{_name(report)}: {problem}")
            if report.code in templates:
                raise HtmlReportRegistryError(f"{_name(report)}: declared twice")
            try:
                templates[report.code] = _compiled(report)
            except TemplateError as error:
                raise HtmlReportRegistryError(f"{_name(report)}: {error}") from error
        self._reports = MappingProxyType({report.code: report for report in declared})
        self._templates = MappingProxyType(templates)

    def __iter__(self) -> Iterator[HtmlReport]:
        return iter(self._reports.values())

    def find(self, code: str) -> HtmlReport | None:
        """Return the report with this code, or None."""
        return self._reports.get(code)

    def template_of(self, report: HtmlReport) -> "ReportTemplate":
        """Return the compiled template of a registered report.

        Raises:
            TemplateError: it is read from its file each time, and the file is at fault now.
        """
        if self._reload:
            return _compiled(report)
        return self._templates[report.code]


def _compiled(report: HtmlReport) -> "ReportTemplate":
    from erp_gateway.reports.html.templates import ReportTemplate  # noqa: PLC0415 - Mako, where there are reports

    return ReportTemplate(report.folder, report.template)


def _name(report: HtmlReport) -> str:
    return f"HTML report {report.code!r}"


def _problems(report: HtmlReport) -> Iterator[str]:
    """Yield what is wrong with a declaration by itself, one sentence each."""
    plain = report.code.replace(".", "").replace("_", "").replace("-", "")
    if not (plain.isascii() and plain.isalnum() and len(report.code) <= MAX_CODE_CHARS):
        yield f"the code must be 1 to {MAX_CODE_CHARS} letters, digits, dots, underscores and hyphens"
    if not report.title.strip():
        yield "it has no title"
    for index, parameter in enumerate(report.parameters):
        if not is_known_type(parameter.type):
            known = ", ".join(f"xsd:{name}" for name in KNOWN_TYPES)
            yield f"parameters[{index}].type: there is no type {parameter.type!r}; allowed: {known}"
    for problem in declaration_problems(report.parameters, has_queries=True):
        yield f"{problem.path}: {problem.message}"
