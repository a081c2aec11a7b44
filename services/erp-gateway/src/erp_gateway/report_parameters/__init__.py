"""In: the declared parameters of a report or a query, and what a person sent for them.
Out: their values by name, each of its type and within its bounds; or every problem with its place.
"""

from erp_gateway.report_parameters.declare import (
    KNOWN_TYPES,
    InputKind,
    Interval,
    Option,
    OptionsQuery,
    ParameterInput,
    ReportParameter,
    Scalar,
    Value,
    ValueType,
    display_label,
    from_wire,
    is_known_type,
    to_wire,
)
from erp_gateway.report_parameters.forms import ParameterForms
from erp_gateway.report_parameters.options import (
    OptionsFailedError,
    RunOptions,
    options_of,
    options_problems,
    with_options,
)
from erp_gateway.report_parameters.reading import (
    MAX_DOC_ENTRY,
    MAX_VALUES_BYTES,
    RELATIVE_DAYS,
    ValueProblem,
    is_nothing,
    limits_kept,
    on_day,
    order_problems,
    read_scalar,
    read_value,
    read_values,
)
from erp_gateway.report_parameters.rules import declaration_problems

__all__ = [
    "KNOWN_TYPES",
    "MAX_DOC_ENTRY",
    "MAX_VALUES_BYTES",
    "RELATIVE_DAYS",
    "InputKind",
    "Interval",
    "Option",
    "OptionsFailedError",
    "OptionsQuery",
    "ParameterForms",
    "ParameterInput",
    "ReportParameter",
    "RunOptions",
    "Scalar",
    "Value",
    "ValueProblem",
    "ValueType",
    "declaration_problems",
    "display_label",
    "from_wire",
    "is_known_type",
    "is_nothing",
    "limits_kept",
    "on_day",
    "options_of",
    "options_problems",
    "order_problems",
    "read_scalar",
    "read_value",
    "read_values",
    "to_wire",
    "with_options",
]
