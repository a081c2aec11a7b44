"""Days that are named by where today is: a default or a bound that is never out of date."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final

import attrs

from erp_gateway.report_parameters.declare import ReportParameter, ValueType

RELATIVE_DAYS: Final[Mapping[str, Callable[[date], date]]] = MappingProxyType(
    {
        "hoy": lambda today: today,
        "inicio_mes": lambda today: today.replace(day=1),
        "inicio_ano": lambda today: today.replace(month=1, day=1),
    }
)
"""The words, each with the day that it stands for."""


def on_day(parameters: Iterable[ReportParameter], today: date) -> tuple[ReportParameter, ...]:
    """Return declarations with plain days where relative ones stand: defaults, and bounds.

    Args:
        parameters: as they were declared.
        today: the day in the installation's time zone.
    """
    return tuple(_on_day(parameter, today) for parameter in parameters)


def _on_day(parameter: ReportParameter, today: date) -> ReportParameter:
    asked = parameter.input
    if parameter.value_type is not ValueType.DATE:
        return parameter
    return attrs.evolve(
        parameter,
        input=attrs.evolve(
            asked,
            default=_plain(asked.default, today),
            minimum=_plain(asked.minimum, today),
            maximum=_plain(asked.maximum, today),
        ),
    )


def is_relative(value: Any) -> bool:
    """Tell whether a default or a bound is one of the words, or holds one."""
    if isinstance(value, dict):
        return any(map(is_relative, value.values()))
    if isinstance(value, list | tuple):
        return any(map(is_relative, value))
    return isinstance(value, str) and value in RELATIVE_DAYS


def _plain(value: Any, today: date) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each, today) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, today) for each in value]
    if isinstance(value, str) and value in RELATIVE_DAYS:
        return RELATIVE_DAYS[value](today).isoformat()
    return value
