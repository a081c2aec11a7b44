"""The registered queries: declared in code, checked once at startup, found by name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, get_args

from attrs import evolve, field, frozen
from typing_extensions import override

from erp_gateway.queries.sql.pieces import StatementError
from erp_gateway.queries.sql.select_list import naming_problem, order_problem, select_problems
from erp_gateway.queries.sql.statement import PARAMETER_NAME, Statement, read_statement
from erp_gateway.values.declarations import RegistryError, is_menu_route
from erp_gateway.values.measures import Measure
from erp_gateway.values.parameters.declare import InputKind, ParameterInput, ReportParameter
from erp_gateway.values.parameters.forms import options_problems
from erp_gateway.values.parameters.rules import declaration_problems
from erp_gateway.values.query_views import Chart, RecordLink

ParameterType = Literal["string", "number", "date"]
Engine = Literal["hana", "sqlite"]

ENGINES: Final[tuple[str, ...]] = get_args(Engine)
"""Names of the engines for which a query can have a text."""

MAX_ROWS: Final = 1_000_000
"""The largest row cap that a query may declare."""

MAX_CACHE_S: Final = 86_400
"""Maximum cache time of a query: a day."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_PARAMETER_TYPES: Final = get_args(ParameterType)
# Type and input of a report parameter by type of a query parameter.
_AS_OF_REPORTS: Final[Mapping[str, tuple[str, InputKind]]] = {
    "string": ("xsd:string", "text"),
    "number": ("xsd:decimal", "number"),
    "date": ("xsd:date", "date"),
}


@frozen(kw_only=True)
class QueryParameter:
    """A parameter of a query.

    Attributes:
        name: as `:name` in the SQL and as a member of `params` in a request.
        type: type of the value: a text, a number (any digits) or a day as `YYYY-MM-DD`.
        label: displayed name; None for its name.
        input: form field, as for a report; by default derived from the type.
    """

    name: str
    type: ParameterType
    label: str | None = None
    input: ParameterInput = field(factory=ParameterInput)

    @property
    def report_parameter(self) -> ReportParameter:
        """The parameter in the form of reports. It is required, because the SQL has a place for its value."""
        name, kind = _AS_OF_REPORTS[self.type]
        form_input = self.input if self.input.kind != "text" else evolve(self.input, kind=kind)
        return ReportParameter(name=self.name, type=name, required=True, label=self.label, input=form_input)


@frozen(kw_only=True)
class DeclaredQuery:
    """What every read-only query declares, wherever its text runs.

    Attributes:
        name: unique, case-insensitive name such as `stock_by_warehouse`.
        title: displayed title.
        parameters: every parameter of the SQL.
        menu: menu route that suffices to run it; None for any session.
        max_rows: maximum rows of a response, below the configured maximum; None for that maximum.
        titles: displayed titles of columns by name; default: the name. Files and pages show them; rows of a
            response keep the names.
        measures: units of numbers by column name; `by` is another column.
        links: columns whose values lead to records, by name.
        chart: a chart of the rows; None for none.
        cache_s: maximum age in seconds of a cached response, shared by all users with the right to run the
            query; 0 disables the cache.
    """

    name: str
    title: str
    parameters: tuple[QueryParameter, ...] = ()
    menu: str | None = None
    max_rows: int | None = None
    titles: Mapping[str, str] = field(factory=dict)
    measures: Mapping[str, Measure] = field(factory=dict)
    links: Mapping[str, RecordLink] = field(factory=dict)
    chart: Chart | None = None
    cache_s: int = 0

    @property
    def report_parameters(self) -> tuple[ReportParameter, ...]:
        """The parameters in the form of reports, except those of an unknown type."""
        return tuple(each.report_parameter for each in self.parameters if each.type in _PARAMETER_TYPES)

    @property
    def is_paged(self) -> bool:
        """True if clients may request the rows page by page."""
        return False

    @property
    def counted_columns(self) -> list[str]:
        """Columns that `measures` names."""
        return [*self.measures, *(each.by for each in self.measures.values() if each.by)]

    @property
    def linked_columns(self) -> list[str]:
        """Columns that `links` names."""
        return [*self.links, *(each.key for each in self.links.values() if each.key)]


@frozen(kw_only=True)
class Query(DeclaredQuery):
    """One read-only query of the ERP's database.

    Attributes:
        sql: the text for each engine (`hana`, `sqlite`): one SELECT or WITH, parameters as `:name`. Its
            tables are those of the company's schema and need no schema name.
        total_order: columns at the end of the ORDER BY whose values together identify a row, such as
            `("DocEntry",)`. They enable paging, which needs them because rows of equal rank may change places
            between two runs.
    """

    sql: Mapping[str, str]
    total_order: tuple[str, ...] = ()

    @property
    @override
    def is_paged(self) -> bool:
        """True if its rows have a total order."""
        return bool(self.total_order)


class QueryRegistry:
    """The declared queries, their texts read and rewritten.

    Args:
        queries: one declaration for each name.

    Raises:
        RegistryError: with all faults of all declarations.
    """

    def __init__(self, queries: Iterable[Query]) -> None:
        declared = tuple(queries)
        self._queries: dict[str, Query] = {}
        self._statements: dict[tuple[str, str], Statement] = {}
        problems = [problem for query in declared for problem in self._add(query)]
        takes_parameters = {query.name: bool(query.parameters) for query in declared}
        for query in declared:
            problems += [
                f"{query.name}: {problem}"
                for problem in options_problems(query.report_parameters, takes_parameters)
            ]
        if problems:
            raise RegistryError(problems)

    @property
    def queries(self) -> tuple[Query, ...]:
        """All declarations, by name."""
        return tuple(self._queries[name] for name in sorted(self._queries))

    def find(self, name: str) -> Query | None:
        """Return the query of this exact name, or None."""
        return self._queries.get(name)

    def statements(self, engine: str) -> dict[str, Statement]:
        """Return the text of every query for one engine, by the query's name.

        Raises:
            RegistryError: a query has none for it.
        """
        missing = [name for name in sorted(self._queries) if (name, engine) not in self._statements]
        if missing:
            raise RegistryError(f"{name}: has no SQL for the engine {engine}" for name in missing)
        return {name: self._statements[name, engine] for name in self._queries}

    def _add(self, query: Query) -> Iterator[str]:
        if query.name.casefold() in {name.casefold() for name in self._queries}:
            yield f"{query.name}: declared twice"
        self._queries[query.name] = query
        yield from (f"{query.name}: {problem}" for problem in _problems(query))
        declared = {parameter.name for parameter in query.parameters}
        for engine, sql in query.sql.items():
            try:
                statement = read_statement(sql)
            except StatementError as error:
                yield f"{query.name}: the SQL for {engine} {error}"
                continue
            self._statements[query.name, engine] = statement
            used = set(statement.parameters)
            for name in sorted(used - declared):
                yield f"{query.name}: the SQL for {engine} uses :{name}, which is not declared"
            for name in sorted(declared - used):
                yield f"{query.name}: the SQL for {engine} does not use the declared parameter {name}"
            folds = engine == "hana"
            faults = list(select_problems(sql, folds=folds))
            if query.total_order and not faults:
                faults += filter(None, [order_problem(sql, query.total_order, folds=folds)])
            named_in = {
                "titles": query.titles,
                "measures": query.counted_columns,
                "links": query.linked_columns,
                "chart": query.chart.columns if query.chart else (),
            }
            for what, columns in named_in.items():
                if columns and not faults:
                    faults += filter(None, [naming_problem(sql, columns, what=what, folds=folds)])
            yield from (f"{query.name}: the SQL for {engine} {fault}" for fault in faults)


def _problems(query: Query) -> Iterator[str]:
    if not query.sql:
        yield "there is no SQL for any engine"
    for engine in query.sql:
        if engine not in ENGINES:
            yield f"there is no engine {engine!r}; allowed: {', '.join(ENGINES)}"
    if len(set(query.total_order)) != len(query.total_order):
        yield "total_order names a column twice"
    yield from declaration_faults(query)


def declaration_faults(query: DeclaredQuery) -> Iterator[str]:
    """Yield what is wrong with the parts that all queries declare, as sentences."""
    if not _NAME.fullmatch(query.name):
        yield "the name must be letters, digits, '_', '.' and '-', at most 64"
    if not query.title.strip():
        yield "the title is empty"
    if query.menu is not None and not is_menu_route(query.menu):
        yield f"the menu {query.menu!r} is no exact menu route"
    if query.max_rows is not None and not 1 <= query.max_rows <= MAX_ROWS:
        yield f"max_rows must be 1 to {MAX_ROWS}"
    if not 0 <= query.cache_s <= MAX_CACHE_S:
        yield f"cache_s must be 0 to {MAX_CACHE_S}"
    yield from _column_problems(query)
    yield from _parameter_problems(query)


def _column_problems(query: DeclaredQuery) -> Iterator[str]:
    for column, title in query.titles.items():
        if not title.strip():
            yield f"the title of {column} is empty"
    for column, measure in query.measures.items():
        if not measure.is_whole:
            yield f"measures of {column!r}: a quantity needs `by`, the column with its unit"
    if query.chart is not None and len(set(query.chart.columns)) < len(query.chart.columns):
        yield "chart names a column twice"


def _parameter_problems(query: DeclaredQuery) -> Iterator[str]:
    names: set[str] = set()
    are_plain = True
    for index, parameter in enumerate(query.parameters):
        if parameter.name in names:
            are_plain = False
            yield f"the parameter {parameter.name} is declared twice"
        names.add(parameter.name)
        if not PARAMETER_NAME.fullmatch(parameter.name):
            yield f"the parameter {parameter.name!r} must be letters, digits and '_', at most 64"
        if parameter.type not in _PARAMETER_TYPES:
            are_plain = False
            yield f"the parameter {parameter.name} must be one of {', '.join(_PARAMETER_TYPES)}"
        elif parameter.input.kind not in {"text", "select", "hidden", _AS_OF_REPORTS[parameter.type][1]}:
            yield f"parameters[{index}].input.kind: {parameter.input.kind!r} asks for another type"
        elif parameter.type != "string" and parameter.input.default == "":
            yield f"parameters[{index}].input.default: an empty text is no {parameter.type}; leave it out"
    if are_plain:
        for problem in declaration_problems(query.report_parameters, has_queries=True):
            yield f"{problem.path}: {problem.message}"
