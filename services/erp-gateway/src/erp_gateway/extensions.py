"""Extensions: resources, service actions, queries and HTML reports that a customer adds to the gateway.

`EXTENSIONS` names importable modules. Each of them defines `EXTENSION`, an `Extension`. The gateway adds them
to its own declarations in the order of the setting.

A new entry must not have the name of an existing one, and an entry of `replaces` must have one. Otherwise an
extension could change by accident something that another one relies on. Any mistake stops the start and names
the module.

An extension imports this module and no other part of the gateway. See docs/reports-and-queries.md.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from traceback import format_exception_only
from typing import Final, TypeVar

import attrs
from attrs import field, frozen

from erp_gateway.queries.client import QueryResult
from erp_gateway.queries.registry import Query, QueryParameter, QueryRegistry
from erp_gateway.queries.stored.declaration import StoredQuery
from erp_gateway.queries.stored.registry import StoredQueryRegistry
from erp_gateway.records.proxy.declarations.columns import Choice, Column, Lookup
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import READ, READ_WRITE, Resource, key_parts
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES, DEFAULT_SERVICE_ACTIONS
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.reports.html.registry import (
    HtmlReport,
    HtmlReportRegistry,
    HtmlReportRegistryError,
    RunQuery,
)
from erp_gateway.reports.html.tables import ReportColumn, ReportTable
from erp_gateway.values.declarations import (
    ADD_A_COMMA,
    RegistryError,
    type_problems,
)
from erp_gateway.values.measures import Measure
from erp_gateway.values.parameters.declare import Option, OptionsQuery, ParameterInput, ReportParameter
from erp_gateway.values.parameters.forms import options_problems
from erp_gateway.values.query_views import Chart, RecordLink
from erp_gateway.values.role_template import RoleTemplate
from erpclient.odata import CompositeKey, DateKey, IntKey, StrKey
from servicekit.errors import NotFound

__all__ = [
    "READ",
    "READ_WRITE",
    "SHIPPED",
    "Chart",
    "Choice",
    "Column",
    "CompositeKey",
    "DateKey",
    "Declarations",
    "Extension",
    "ExtensionError",
    "HtmlReport",
    "IntKey",
    "Lookup",
    "Measure",
    "NotFound",
    "Option",
    "OptionsQuery",
    "ParameterInput",
    "Query",
    "QueryParameter",
    "QueryResult",
    "RecordLink",
    "Registries",
    "ReportColumn",
    "ReportParameter",
    "ReportTable",
    "Resource",
    "RoleTemplate",
    "RunQuery",
    "ServiceAction",
    "StoredQuery",
    "StrKey",
    "load_extensions",
]

CONSTANT: Final = "EXTENSION"
"""Name of the constant in a module of `EXTENSIONS`."""

_MAX_REASON: Final = 1000
_Entry = TypeVar(
    "_Entry", bound=Resource | ServiceAction | Query | StoredQuery | HtmlReport | RoleTemplate | str
)


def _tuple_of(*kinds: type) -> Callable[..., None]:
    def check(_: object, attribute: "attrs.Attribute[object]", value: object) -> None:
        if isinstance(value, kinds):
            raise TypeError(f"{attribute.name} must be a tuple: {ADD_A_COMMA}")
        if not isinstance(value, tuple):
            raise TypeError(f"{attribute.name} must be a tuple, not {_kind_of(value)}")
        for index, each in enumerate(value):
            if not isinstance(each, kinds):
                names = " or ".join(kind.__name__ for kind in kinds)
                raise TypeError(f"{attribute.name}[{index}] must be a {names}, not {_kind_of(each)}")

    return check


@frozen(kw_only=True)
class Declarations:
    """Tuples of declarations.

    Attributes:
        resources: entity sets of the Service Layer that clients may use.
        service_actions: read-only service actions, which every session may call. A plain name declares an
            action without parameters.
        queries: read-only queries of the ERP's database.
        stored_queries: read-only queries that the ERP keeps and the Service Layer runs.
        html_reports: reports rendered as HTML and PDF.
        roles: routes of a kind of work, offered where somebody gives a person rights.
    """

    resources: tuple[Resource, ...] = field(default=(), validator=_tuple_of(Resource))
    service_actions: tuple[ServiceAction | str, ...] = field(
        default=(), validator=_tuple_of(ServiceAction, str)
    )
    queries: tuple[Query, ...] = field(default=(), validator=_tuple_of(Query))
    stored_queries: tuple[StoredQuery, ...] = field(default=(), validator=_tuple_of(StoredQuery))
    html_reports: tuple[HtmlReport, ...] = field(default=(), validator=_tuple_of(HtmlReport))
    roles: tuple[RoleTemplate, ...] = field(default=(), validator=_tuple_of(RoleTemplate))


def _check_replaces(_: object, __: object, value: object) -> None:
    if not isinstance(value, Declarations):
        raise TypeError(
            "replaces must be Declarations, as in replaces=Declarations(resources=(...,)), "
            f"not {_kind_of(value)}"
        )


@frozen(kw_only=True)
class Extension(Declarations):
    """Declarations of one customer module.

    Its own attributes are additions. Their names must be new.

    Attributes:
        replaces: entries that replace those of the same name: shipped ones, or those of an extension that
            comes earlier in `EXTENSIONS`.
    """

    replaces: Declarations = field(default=Declarations(), validator=_check_replaces)


@frozen(kw_only=True)
class Registries:
    """All declarations, checked and ready to serve.

    Attributes:
        resources: of the Service Layer, with its service actions.
        queries: of the ERP's database.
        stored_queries: of the Service Layer.
        html_reports: all reports.
        roles: role templates in their order.
        extensions: declarations by module name.
    """

    resources: Registry
    queries: QueryRegistry
    stored_queries: StoredQueryRegistry
    html_reports: HtmlReportRegistry
    roles: tuple[RoleTemplate, ...] = ()
    extensions: Mapping[str, Extension] = field(factory=dict)


class ExtensionError(Exception):
    """An extension can't be served. The message is one line and begins with the module's name.

    Attributes:
        module: its name in `EXTENSIONS`.
    """

    def __init__(self, module: str, reason: str) -> None:
        self.module = module
        super().__init__(f"extension {module}: {_one_line(reason)}")


SHIPPED: Final = Declarations(resources=DEFAULT_RESOURCES, service_actions=DEFAULT_SERVICE_ACTIONS)
"""Declarations of the product itself."""


def load_extensions(
    modules: Iterable[str],
    *,
    engine: str | None = None,
    shipped: Declarations = SHIPPED,
    reload_templates: bool = False,
) -> Registries:
    """Import the modules, merge their declarations with the shipped ones, and check the result.

    Args:
        modules: importable names, in order.
        engine: database engine for which every query needs a statement; None if no database is configured.
        shipped: declarations before the extensions.
        reload_templates: whether to read report templates from their files for each rendering.

    Raises:
        ExtensionError: of the first module with problems; it lists all of them.
        RegistryError: a shipped resource or query has problems.
        HtmlReportRegistryError: a shipped report has problems.
    """
    declared = shipped
    registries = _check(declared, engine, reload_templates)
    loaded: dict[str, Extension] = {}
    for module in modules:
        if module in loaded:
            raise ExtensionError(module, "EXTENSIONS names it twice")
        extension = loaded[module] = _import(module)
        declared = _with(declared, extension, module)
        try:
            registries = _check(declared, engine, reload_templates)
        except RegistryError as error:
            raise ExtensionError(module, "; ".join(error.problems)) from error
        except HtmlReportRegistryError as error:
            raise ExtensionError(module, str(error)) from error
    return attrs.evolve(registries, extensions=loaded)


def _import(module: str) -> Extension:
    try:
        imported = importlib.import_module(module)
        extension = getattr(imported, CONSTANT, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the customer's code may raise anything, even SystemExit
        raise ExtensionError(module, f"can't be imported: {_text_of(error)}") from error
    if extension is None:
        raise ExtensionError(module, f"has no {CONSTANT}")
    if not isinstance(extension, Extension):
        raise ExtensionError(module, f"its {CONSTANT} is {_kind_of(extension)}, not an Extension")
    problems = list(type_problems(extension, CONSTANT))
    if problems:
        raise ExtensionError(module, "; ".join(problems))
    return extension


def _text_of(error: BaseException) -> str:
    """Return an error's kind and text, even if its `__str__` fails."""
    return format_exception_only(error)[-1].strip()


def _check(declared: Declarations, engine: str | None, reload_templates: bool) -> Registries:
    queries = QueryRegistry(declared.queries)
    if engine is not None:
        queries.statements(engine)
    reports = HtmlReportRegistry(declared.html_reports, reload=reload_templates)
    takes_parameters = {query.name: bool(query.parameters) for query in queries.queries}
    for report in reports:
        for problem in options_problems(report.parameters, takes_parameters):
            raise HtmlReportRegistryError(f"HTML report {report.code!r}: {problem}")
    resources = Registry(declared.resources, declared.service_actions)
    problems = [f"role {role.name!r}: {problem}" for role in declared.roles for problem in role.problems()]
    problems += _link_problems(queries, resources)
    if problems:
        raise RegistryError(problems)
    return Registries(
        roles=declared.roles,
        resources=resources,
        queries=queries,
        stored_queries=StoredQueryRegistry(
            declared.stored_queries, taken=(query.name for query in queries.queries)
        ),
        html_reports=reports,
    )


def _link_problems(queries: QueryRegistry, resources: Registry) -> Iterator[str]:
    for query in queries.queries:
        for column, link in query.links.items():
            target = resources.find(link.resource)
            if target is None:
                yield f"{query.name}: links of {column!r}: there is no resource {link.resource!r}"
            elif len(key_parts(target.resource.key)) > 1:
                yield f"{query.name}: links of {column!r}: {link.resource!r} has a key of several parts"


def _with(there: Declarations, extension: Extension, module: str) -> Declarations:
    new = extension.replaces
    problems: list[str] = []
    merged = Declarations(
        resources=_merged("resource", there.resources, extension.resources, new.resources, problems),
        service_actions=_merged(
            "service action", there.service_actions, extension.service_actions, new.service_actions, problems
        ),
        queries=_merged("query", there.queries, extension.queries, new.queries, problems),
        stored_queries=_merged(
            "stored query", there.stored_queries, extension.stored_queries, new.stored_queries, problems
        ),
        html_reports=_merged(
            "HTML report", there.html_reports, extension.html_reports, new.html_reports, problems
        ),
        roles=_merged("role", there.roles, extension.roles, new.roles, problems),
    )
    if problems:
        raise ExtensionError(module, "; ".join(problems))
    return merged


def _name_of(entry: Resource | ServiceAction | Query | StoredQuery | HtmlReport | RoleTemplate | str) -> str:
    if isinstance(entry, str):
        return entry
    return entry.code if isinstance(entry, HtmlReport) else entry.name


def _merged(
    kind: str,
    there: tuple[_Entry, ...],
    added: tuple[_Entry, ...],
    replacing: tuple[_Entry, ...],
    problems: list[str],
) -> tuple[_Entry, ...]:
    """Merge entries: replace in place, append the added ones.

    Args:
        kind: word for an entry in messages.
        there: existing entries.
        added: entries with new names.
        replacing: entries with existing names.
        problems: receives one sentence for each invalid entry.
    """
    entries = {_name_of(entry): entry for entry in there}
    counts = Counter(_name_of(entry) for entry in (*added, *replacing))
    problems += [f"{kind} {name} is declared twice" for name, times in counts.items() if times > 1]
    problems += [
        f"{kind} {name} can't be replaced: there is none"
        for name in map(_name_of, replacing)
        if name not in entries
    ]
    problems += [
        f"{kind} {name} exists already: only an entry of `replaces` may take its place"
        for name in map(_name_of, added)
        if name in entries
    ]
    entries |= {_name_of(entry): entry for entry in (*replacing, *added)}
    return tuple(entries.values())


def _kind_of(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"of type {type(value).__name__}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_MAX_REASON]
