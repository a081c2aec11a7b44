"""What administrators register: a report, how its parameters are asked for, the screens it prints. Pure."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

import attrs
from attrs import frozen

from erp_gateway.reports.crystal.wire import DesignedParameter
from erp_gateway.values.declarations import is_menu_route
from erp_gateway.values.parameters.declare import (
    InputKind,
    ParameterInput,
    ReportParameter,
    ValueType,
    display_label,
)
from erp_gateway.values.parameters.reading import ValueProblem, is_nothing, read_value
from erp_gateway.values.parameters.rules import declaration_problems
from servicekit.errors import FieldProblem, InvalidBody

SCHEMA: Final = "schema@"
"""Casefolded name of the parameter that takes the company's schema, never a person's value."""

_DOCUMENT: Final = "dockey@"
_OBJECT_TYPE: Final = "objectid@"
_HEADINGS: Final = frozenset({"title", "separator"})
_MAX_TITLE: Final = 200
_MAX_CATEGORY: Final = 100
_MAX_SCREENS: Final = 100
_MAX_LABEL: Final = 200


@frozen(kw_only=True)
class ReportScreen:
    """A screen on whose documents a report is a print format.

    Attributes:
        screen: exact menu route.
        default: whether it is the format that comes first there; one report per screen.
    """

    screen: str
    default: bool = False


@frozen(kw_only=True)
class ReportDefinition:
    """What an administrator says about a report.

    Attributes:
        title: name for people, and of the file.
        category: heading under which it is listed; may be empty.
        enabled: whether it can be run.
        documents: the screens whose documents it prints.
        parameters: the parameters that are sent, in the report's own order.
    """

    title: str
    category: str = ""
    enabled: bool = True
    documents: tuple[ReportScreen, ...] = ()
    parameters: tuple[ReportParameter, ...] = ()


@frozen(kw_only=True)
class RegisteredReport:
    """A report as it is registered; `code` is the report gateway's own."""

    code: str
    title: str
    category: str
    enabled: bool
    documents: tuple[ReportScreen, ...]
    parameters: tuple[ReportParameter, ...]

    @property
    def screens(self) -> tuple[str, ...]:
        """The menu routes of its screens; empty for a report of its own."""
        return tuple(each.screen for each in self.documents)

    def is_default_of(self, screen: str) -> bool:
        """Tell whether it is the screen's default format."""
        return any(each.screen == screen and each.default for each in self.documents)

    def prints(self, screen: str) -> bool:
        """Tell whether it is one of the screen's formats."""
        return screen in self.screens


def as_registered(code: str, definition: ReportDefinition) -> RegisteredReport:
    """Return the definition under its code."""
    title, category = definition.title.strip(), definition.category.strip()
    trimmed = attrs.evolve(definition, title=title, category=category)
    return RegisteredReport(code=code, **attrs.asdict(trimmed, recurse=False))


def check_definition(definition: ReportDefinition, *, fixed: Container[str]) -> None:
    """Refuse a definition that makes no sense, whatever the report is.

    Args:
        definition: what was sent.
        fixed: casefolded names of parameters whose value the configuration gives.

    Raises:
        InvalidBody: `errors` names every fault.
    """
    problems = list(_problems(definition, fixed))
    if problems:
        raise InvalidBody(errors=problems)


def conform(
    definition: ReportDefinition, designed: Sequence[DesignedParameter], *, fixed: Container[str]
) -> ReportDefinition:
    """Fit a definition to the report: parameters in the report's own order, ranges where it has them.

    Args:
        definition: one that `check_definition` has passed.
        designed: the report's parameters, as its gateway tells them.
        fixed: as for `check_definition`.

    Raises:
        InvalidBody: parameters that the report does not have, or has with another type.
    """
    own = {parameter.name: parameter for parameter in designed}
    problems: list[FieldProblem] = []
    for index, parameter in enumerate(definition.parameters):
        found = own.get(parameter.name)
        if found is None:
            problems.append(
                FieldProblem(f"parameters[{index}].name", "El informe no tiene un parámetro con este nombre.")
            )
        elif found.type != parameter.type:
            problems.append(
                FieldProblem(f"parameters[{index}].type", f"En el informe, su tipo es {found.type}.")
            )
    if problems:
        raise InvalidBody(errors=problems)
    fitted = [_in_form_of(own[parameter.name], parameter) for parameter in definition.parameters]
    problems = list(declaration_problems(fitted, fixed=fixed))
    if problems:
        raise InvalidBody(errors=problems)
    places = {name: place for place, name in enumerate(own)}
    fitted.sort(key=lambda parameter: places[parameter.name])
    return attrs.evolve(definition, parameters=tuple(fitted))


def _in_form_of(designed: DesignedParameter, parameter: ReportParameter) -> ReportParameter:
    """Take the report's form; a document is one value whatever the designer allows beside it."""
    if parameter.is_doc_entry:
        return attrs.evolve(parameter, is_range=False, is_multiple=False)
    return attrs.evolve(parameter, is_range=designed.is_range, is_multiple=_is_multiple(designed))


def missing_parameters(
    registered: Sequence[ReportParameter], designed: Sequence[DesignedParameter]
) -> tuple[str, ...]:
    """Return names of registered parameters that the report no longer has, or has with another type."""
    own = {(parameter.name, parameter.type) for parameter in designed}
    return tuple(each.name for each in registered if (each.name, each.type) not in own)


def suggest_parameters(designed: Sequence[DesignedParameter]) -> tuple[ReportParameter, ...]:
    """Return declarations that are ready to be registered, as a suggestion.

    Headings and separators carry no value and are left out. Of the stored values only an object type is taken
    over: all others belong to whoever ran the report last, and a stored document is the wrong one.
    """
    return tuple(_suggestion(parameter) for parameter in designed if not _is_heading(parameter.name))


def _suggestion(designed: DesignedParameter) -> ReportParameter:
    name = designed.name.casefold()
    parameter = ReportParameter(
        name=designed.name,
        type=designed.type,
        required=not (designed.is_optional or designed.allows_null),
        label=_label(designed),
        is_range=designed.is_range,
        is_multiple=_is_multiple(designed),
    )
    if name == _DOCUMENT:
        return attrs.evolve(
            parameter,
            required=True,
            is_doc_entry=True,
            is_range=False,
            is_multiple=False,
            input=ParameterInput(kind="number"),
        )
    if name == SCHEMA:
        return attrs.evolve(parameter, required=True, input=ParameterInput(kind="hidden"))
    if name == _OBJECT_TYPE:
        return _object_type(parameter, designed.stored)
    return attrs.evolve(parameter, input=ParameterInput(kind=_KINDS[parameter.value_type]))


def _object_type(parameter: ReportParameter, stored: Sequence[str]) -> ReportParameter:
    """Suggest a hidden constant: unlike all else that is stored, the type of the document never changes."""
    hidden = attrs.evolve(parameter, required=False, input=ParameterInput(kind="hidden"))
    if len(stored) != 1:
        return hidden
    with_default = attrs.evolve(hidden, input=ParameterInput(kind="hidden", default=stored[0]))
    try:
        read_value(with_default, stored[0])
    except ValueProblem:
        return hidden
    return with_default


_KINDS: Final[Mapping[ValueType, InputKind]] = {
    ValueType.TEXT: "text",
    ValueType.NUMBER: "number",
    ValueType.DATE: "date",
    ValueType.DATETIME: "text",
    ValueType.BOOLEAN: "boolean",
}


def _is_multiple(designed: DesignedParameter) -> bool:
    return designed.is_multiple and not designed.is_range


def _is_heading(name: str) -> bool:
    """Tell whether a parameter is a text of the panel (`Title_Items@Title`, `Sep_item@separator`)."""
    return name.partition("@")[2].strip().casefold() in _HEADINGS


def _label(designed: DesignedParameter) -> str:
    described = designed.description.partition("@")[0].strip().rstrip(":").strip()
    return (described or display_label(designed.name))[:_MAX_LABEL]


def _problems(definition: ReportDefinition, fixed: Container[str]) -> Iterator[FieldProblem]:
    if not _is_line(definition.title, _MAX_TITLE) or not definition.title.strip():
        yield FieldProblem("title", f"Debe tener entre 1 y {_MAX_TITLE} caracteres, en una línea.")
    if not _is_line(definition.category, _MAX_CATEGORY):
        yield FieldProblem("category", f"Debe tener hasta {_MAX_CATEGORY} caracteres, en una línea.")
    yield from _screen_problems(definition.documents)
    yield from declaration_problems(definition.parameters, fixed=fixed)
    if definition.documents:
        yield from _document_problems(definition.parameters, fixed)


def _is_line(text: str, max_chars: int) -> bool:
    return len(text) <= max_chars and text.isprintable()


def _screen_problems(screens: Sequence[ReportScreen]) -> Iterator[FieldProblem]:
    if len(screens) > _MAX_SCREENS:
        yield FieldProblem("documents", f"Se admiten hasta {_MAX_SCREENS} pantallas.")
        return
    seen: set[str] = set()
    for index, each in enumerate(screens):
        if not is_menu_route(each.screen):
            yield FieldProblem(
                f"documents[{index}].screen", "Debe ser una ruta de menú exacta, como /ventas/pedidos."
            )
        elif each.screen in seen:
            yield FieldProblem(f"documents[{index}].screen", "Esta pantalla está repetida.")
        seen.add(each.screen)


def _document_problems(
    parameters: Sequence[ReportParameter], fixed: Container[str]
) -> Iterator[FieldProblem]:
    """Yield what keeps a report from being printed by nothing but a document's number."""
    if not any(parameter.is_doc_entry for parameter in parameters):
        yield FieldProblem(
            "parameters", "Un formato de documento necesita un parámetro que lleve el documento (isDocEntry)."
        )
    for index, parameter in enumerate(parameters):
        known = parameter.is_doc_entry or parameter.name.casefold() in fixed
        if parameter.required and not known and is_nothing(parameter.input.default):
            yield FieldProblem(
                f"parameters[{index}].input.default",
                "En un formato de documento, un parámetro obligatorio necesita un valor: no se pide a nadie.",
            )
