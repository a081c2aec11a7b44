"""In: the declared parameters of a report, of the report gateway or our own, and what a person sent for them.
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
from erp_gateway.report_parameters.reading import (
    MAX_DOC_ENTRY,
    MAX_VALUES_BYTES,
    ValueProblem,
    read_scalar,
    read_value,
    read_values,
)
from erp_gateway.report_parameters.relative import RELATIVE_DAYS, on_day
from erp_gateway.report_parameters.rules import declaration_problems

__all__ = [
    "KNOWN_TYPES",
    "MAX_DOC_ENTRY",
    "MAX_VALUES_BYTES",
    "RELATIVE_DAYS",
    "InputKind",
    "Interval",
    "Option",
    "OptionsQuery",
    "ParameterInput",
    "ReportParameter",
    "Scalar",
    "Value",
    "ValueProblem",
    "ValueType",
    "declaration_problems",
    "display_label",
    "from_wire",
    "is_known_type",
    "on_day",
    "read_scalar",
    "read_value",
    "read_values",
    "to_wire",
]
