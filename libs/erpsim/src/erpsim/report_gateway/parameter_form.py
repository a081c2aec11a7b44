"""Parameter descriptions of `LoadCR`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from erpsim.business.layouts import LayoutParameter

_LENGTHS: Final[Mapping[str, str]] = {"xsd:string": "131070", "xsd:decimal": "8", "xsd:date": "4"}


def parameter_form(parameter: LayoutParameter) -> dict[str, Any]:
    """Return a parameter as JSON values, keys in the recorded order: booleans and lengths are texts."""
    stored = list(parameter.stored)
    return {
        "parameterType": "StoredProcedureParameter" if parameter.of_procedure else "ReportParameter",
        "values": stored,
        "defaultValuesDescription": {},
        "length": _LENGTHS[parameter.type],
        "isOptionalPrompt": _text(parameter.optional_prompt),
        "description": parameter.description,
        "allowNullValue": _text(parameter.nullable),
        "isShownOnPanel": _text(not parameter.of_procedure),
        "type": parameter.type,
        "editMask": "",
        "minimumValue": "",
        "initialValues": [],
        "isEditableOnPanel": _text(not parameter.of_procedure),
        "valueRangeKind": "Range" if parameter.ranged else "Discrete",
        "allowMultiValue": _text(parameter.multiple),
        "name": parameter.name,
        "defaultValues": [],
        "currentvalues": stored,
        "maximumValue": "",
        "allowCustomCurrentValues": "true",
    }


def _text(value: bool) -> str:
    return "true" if value else "false"
