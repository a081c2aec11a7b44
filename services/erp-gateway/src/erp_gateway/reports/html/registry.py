"""HTML reports declared by an installation, checked at start.

A report is code: its template, its queries and its data function come with the installation, never from a
request or from the store.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from attrs import field, frozen

from erp_gateway.queries.client import QueryResult
from erp_gateway.reports.html.errors import TemplateError
from erp_gateway.reports.html.tables import ReportTable, table_problems
from erp_gateway.values.declarations import ADD_A_COMMA
from erp_gateway.values.parameters.declare import KNOWN_TYPES, ReportParameter, is_known_type
from erp_gateway.values.parameters.rules import declaration_problems

if TYPE_CHECKING:
    from erp_gateway.reports.html.templates import ReportTemplate

MAX_CODE_CHARS: Final = 100


class RunQuery(Protocol):
    """Access of a report to the ERP's database: registered queries by name."""

    async def __call__(self, name: str, params: Mapping[str, object]) -> QueryResult:
        """Run a registered query with values for its parameters.

        Raises:
            servicekit.errors.ServiceError: no engine is configured, or the query failed; let it pass.
        """
        ...


ReportData = Callable[[RunQuery, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""Receives the queries and the typed values of the parameters; returns the names for the template.

It runs in the event loop: move long computations to `asyncio.to_thread` or into the template.
"""


def _in_order(parameters: Iterable[ReportParameter]) -> tuple[ReportParameter, ...]:
    if isinstance(parameters, ReportParameter):
        raise TypeError(f"parameters must be a tuple: {ADD_A_COMMA}")
    return tuple(parameters)  # a function of ours, because mypy cannot infer the class as a converter


def _tables_in_order(tables: Iterable[ReportTable]) -> tuple[ReportTable, ...]:
    if isinstance(tables, ReportTable):
        raise TypeError(f"tables must be a tuple: {ADD_A_COMMA}")
    return tuple(tables)  # as above


@frozen(kw_only=True)
class HtmlReport:
    """One report.

    Attributes:
        code: unique name in URLs; letters, digits, `.`, `_` and `-`.
        title: displayed title.
        parameters: parameters of its form.
        folder: the templates of this report's customer; nothing outside it can be included.
        template: name of the template inside the folder, such as `ventas.html`.
        data: builds the names for the template.
        tables: tables that can be exported as CSV or XLSX.
        fixture: JSON file in the folder with values and rows for trying the report, as in
            docs/reports-and-queries.md#extensions; None without one.
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
    """A declared report is invalid; the message names it and the reason."""


class HtmlReportRegistry:
    """Every report of the installation, with its template compiled.

    Args:
        reports: the declarations, in display order.
        reload: whether to read templates from their files for each rendering.

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
            TemplateError: with `reload`, the file is invalid now.
        """
        if self._reload:
            return _compiled(report)
        return self._templates[report.code]


def _compiled(report: HtmlReport) -> "ReportTemplate":
    from erp_gateway.reports.html.templates import ReportTemplate  # noqa: PLC0415 - only installations with reports load Mako

    return ReportTemplate(report.folder, report.template)


def _name(report: HtmlReport) -> str:
    return f"HTML report {report.code!r}"


def _problems(report: HtmlReport) -> Iterator[str]:
    plain = report.code.replace(".", "").replace("_", "").replace("-", "")
    if not (plain.isascii() and plain.isalnum() and len(report.code) <= MAX_CODE_CHARS):
        yield f"the code must be 1 to {MAX_CODE_CHARS} letters, digits, dots, underscores and hyphens"
    if not report.title.strip():
        yield "it has no title"
    for index, parameter in enumerate(report.parameters):
        if not is_known_type(parameter.type):
            types = ", ".join(f"xsd:{name}" for name in KNOWN_TYPES)
            yield f"parameters[{index}].type: there is no type {parameter.type!r}; allowed: {types}"
    for problem in declaration_problems(report.parameters, has_queries=True):
        yield f"{problem.path}: {problem.message}"
