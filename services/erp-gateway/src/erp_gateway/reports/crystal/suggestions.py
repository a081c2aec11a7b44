"""Suggests a definition from a report's designed parameters."""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from erp_gateway.reports.crystal.definition_checks import (
    DOCUMENT,
    HEADINGS,
    MAX_LABEL,
    OBJECT_TYPE,
    SCHEMA,
)
from erp_gateway.reports.crystal.wire import DesignedParameter
from erp_gateway.values.parameters.declare import (
    InputKind,
    ParameterInput,
    ReportParameter,
    ValueType,
    display_label,
)
from erp_gateway.values.parameters.reading import ValueProblem, read_value


def suggest_parameters(designed: Sequence[DesignedParameter]) -> tuple[ReportParameter, ...]:
    """Return suggested declarations of a report's parameters.

    Headings and separators have no value and are left out. Only a stored object type is taken over: other
    stored values belong to the last run of the report, and a stored document is the wrong one.
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
        is_multiple=is_multiple(designed),
    )
    if name == DOCUMENT:
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
    if name == OBJECT_TYPE:
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


def is_multiple(designed: DesignedParameter) -> bool:
    return designed.is_multiple and not designed.is_range


def _is_heading(name: str) -> bool:
    """Return whether a parameter is a text of the panel (`Title_Items@Title`, `Sep_item@separator`)."""
    return name.partition("@")[2].strip().casefold() in HEADINGS


def _label(designed: DesignedParameter) -> str:
    described = designed.description.partition("@")[0].strip().rstrip(":").strip()
    return (described or display_label(designed.name))[:MAX_LABEL]
