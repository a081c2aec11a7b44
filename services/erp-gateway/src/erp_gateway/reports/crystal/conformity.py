"""Fits a definition to the parameters that the report has."""

from collections.abc import Container, Sequence

import attrs

from erp_gateway.reports.crystal.registry import ReportDefinition
from erp_gateway.reports.crystal.suggestions import is_multiple
from erp_gateway.reports.crystal.wire import DesignedParameter
from erp_gateway.values.parameters.declare import (
    ReportParameter,
)
from erp_gateway.values.parameters.rules import declaration_problems
from servicekit.errors import FieldProblem, InvalidBody


def conform(
    definition: ReportDefinition, designed: Sequence[DesignedParameter], *, fixed: Container[str]
) -> ReportDefinition:
    """Fit a definition to the report: parameters in the report's own order, and ranges as in the report.

    Args:
        definition: checked by `check_definition`.
        designed: the report's parameters from its gateway.
        fixed: as for `check_definition`.

    Raises:
        InvalidBody: parameters that the report does not have, or has with another type.
    """
    own = {parameter.name: parameter for parameter in designed}
    problems: list[FieldProblem] = []
    for index, parameter in enumerate(definition.parameters):
        target = own.get(parameter.name)
        if target is None:
            problems.append(
                FieldProblem(f"parameters[{index}].name", "El informe no tiene un parámetro con este nombre.")
            )
        elif target.type != parameter.type:
            problems.append(
                FieldProblem(f"parameters[{index}].type", f"En el informe, su tipo es {target.type}.")
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
    if parameter.is_doc_entry:
        return attrs.evolve(parameter, is_range=False, is_multiple=False)
    return attrs.evolve(parameter, is_range=designed.is_range, is_multiple=is_multiple(designed))


def missing_parameters(
    registered: Sequence[ReportParameter], designed: Sequence[DesignedParameter]
) -> tuple[str, ...]:
    """Return names of registered parameters that the report no longer has, or has with another type."""
    own = {(parameter.name, parameter.type) for parameter in designed}
    return tuple(each.name for each in registered if (each.name, each.type) not in own)
