"""What a customer adds to the gateway: resources, service actions, queries and HTML reports, in their module.

`EXTENSIONS` names importable modules; each holds a constant `EXTENSION`, an `Extension`. They are added in
the order of the setting to what the product ships. A name that exists already is a fault unless the entry
stands under `replaces`, and replacing what does not exist is one too: nobody changes by accident what
somebody else relies on. Any fault stops the start with the module's name.

Extensions import this module and no other part of the gateway; docs/reports-and-queries.md shows how.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from traceback import format_exception_only
from typing import Final, TypeVar

import attrs
from attrs import field, frozen

from erp_gateway.queries.client import QueryResult
from erp_gateway.queries.registry import Query, QueryParameter, QueryRegistry
from erp_gateway.records.proxy.declarations.columns import Choice, Column, Lookup
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import READ, READ_WRITE, Resource
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
from erp_gateway.values.role_template import RoleTemplate
from erpclient.odata import CompositeKey, DateKey, IntKey, StrKey
from servicekit.errors import NotFound

__all__ = [
    "READ",
    "READ_WRITE",
    "SHIPPED",
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
    "Registries",
    "ReportColumn",
    "ReportParameter",
    "ReportTable",
    "Resource",
    "RoleTemplate",
    "RunQuery",
    "ServiceAction",
    "StrKey",
    "load_extensions",
]

CONSTANT: Final = "EXTENSION"
"""What a module calls its extension."""

_MAX_REASON: Final = 1000
_Entry = TypeVar("_Entry", bound=Resource | ServiceAction | Query | HtmlReport | RoleTemplate | str)


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
    """Everything that is declared in code, all of it empty unless given; each a tuple.

    Attributes:
        resources: entity sets of the Service Layer that clients may use.
        service_actions: query-only service actions, which any session may call; a bare name declares no
            parameters.
        queries: read-only queries of the ERP's database.
        html_reports: reports rendered as HTML and PDF.
        roles: routes of a kind of work, offered where somebody gives a person rights.
    """

    resources: tuple[Resource, ...] = field(default=(), validator=_tuple_of(Resource))
    service_actions: tuple[ServiceAction | str, ...] = field(
        default=(), validator=_tuple_of(ServiceAction, str)
    )
    queries: tuple[Query, ...] = field(default=(), validator=_tuple_of(Query))
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
    """What one module of a customer declares.

    Its own attributes are what it adds: names that do not exist yet.

    Attributes:
        replaces: entries that take the place of those with the same name, shipped or of an extension that
            `EXTENSIONS` names earlier.
    """

    replaces: Declarations = field(default=Declarations(), validator=_check_replaces)


@frozen(kw_only=True)
class Registries:
    """All declarations, checked and ready to serve.

    Attributes:
        resources: those of the Service Layer, and its service actions.
        queries: those of the ERP's database.
        html_reports: every report.
        roles: role templates in their order.
        extensions: what each module of `EXTENSIONS` declares, by its name.
    """

    resources: Registry
    queries: QueryRegistry
    html_reports: HtmlReportRegistry
    roles: tuple[RoleTemplate, ...] = ()
    extensions: Mapping[str, Extension] = field(factory=dict)


class ExtensionError(Exception):
    """An extension can't be served; the text is one line that begins with the module's name.

    Attributes:
        module: as `EXTENSIONS` names it.
    """

    def __init__(self, module: str, reason: str) -> None:
        self.module = module
        super().__init__(f"extension {module}: {_one_line(reason)}")


SHIPPED: Final = Declarations(resources=DEFAULT_RESOURCES, service_actions=DEFAULT_SERVICE_ACTIONS)
"""What the product brings along."""


def load_extensions(
    modules: Iterable[str],
    *,
    engine: str | None = None,
    shipped: Declarations = SHIPPED,
    reload_templates: bool = False,
) -> Registries:
    """Import the modules, add what they declare to what is shipped, and check the whole.

    Args:
        modules: importable names, in the order in which they are added.
        engine: the database that every query must have a text for; None for none.
        shipped: what is there before them.
        reload_templates: whether templates of reports are read from their files each time.

    Raises:
        ExtensionError: for the first module at fault, with all that is wrong with it.
        RegistryError: a shipped resource or query is at fault itself.
        HtmlReportRegistryError: a shipped report is.
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
    except BaseException as error:  # somebody else's code may fail in any way
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
    problems = [f"role {role.name!r}: {problem}" for role in declared.roles for problem in role.problems()]
    if problems:
        raise RegistryError(problems)
    return Registries(
        roles=declared.roles,
        resources=Registry(declared.resources, declared.service_actions),
        queries=queries,
        html_reports=reports,
    )


def _with(there: Declarations, extension: Extension, module: str) -> Declarations:
    new = extension.replaces
    problems: list[str] = []
    merged = Declarations(
        resources=_merged("resource", there.resources, extension.resources, new.resources, problems),
        service_actions=_merged(
            "service action", there.service_actions, extension.service_actions, new.service_actions, problems
        ),
        queries=_merged("query", there.queries, extension.queries, new.queries, problems),
        html_reports=_merged(
            "HTML report", there.html_reports, extension.html_reports, new.html_reports, problems
        ),
        roles=_merged("role", there.roles, extension.roles, new.roles, problems),
    )
    if problems:
        raise ExtensionError(module, "; ".join(problems))
    return merged


def _name_of(entry: Resource | ServiceAction | Query | HtmlReport | RoleTemplate | str) -> str:
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
    """Return what is there, with the replacing entries in their places and the added ones behind.

    Args:
        kind: what one entry is called in a problem.
        there: the entries so far.
        added: entries with new names.
        replacing: entries with names that are there.
        problems: takes a sentence for each entry that can't be added or can't replace.
    """
    known = {_name_of(entry): entry for entry in there}
    given = Counter(_name_of(entry) for entry in (*added, *replacing))
    problems += [f"{kind} {name} is declared twice" for name, times in given.items() if times > 1]
    problems += [
        f"{kind} {name} can't be replaced: there is none"
        for name in map(_name_of, replacing)
        if name not in known
    ]
    problems += [
        f"{kind} {name} exists already: only an entry of `replaces` may take its place"
        for name in map(_name_of, added)
        if name in known
    ]
    known |= {_name_of(entry): entry for entry in (*replacing, *added)}
    return tuple(known.values())


def _kind_of(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"of type {type(value).__name__}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_MAX_REASON]
