"""Parameters that may not lie before another one: the end of a period that is asked for as two days."""

from collections.abc import Iterator, Mapping, Sequence

from erp_gateway.report_parameters.declare import ORDERED, ReportParameter, Value, ValueType


def order_problems(
    parameters: Sequence[ReportParameter], values: Mapping[str, Value]
) -> Iterator[tuple[str, str]]:
    """Yield the names of parameters whose value lies before that of another one, with a Spanish sentence.

    Args:
        parameters: with declarations in which `not_before_problem` finds no fault.
        values: by parameter name; where one of two is missing nothing is said.
    """
    labels = {parameter.name: parameter.shown_label for parameter in parameters}
    for parameter in parameters:
        first = parameter.input.not_before
        if first is None or first not in values or parameter.name not in values:
            continue
        if values[parameter.name] < values[first]:  # type: ignore[operator]  # same types, as was declared
            is_number = parameter.value_type is ValueType.NUMBER
            word = "menor que" if is_number else "anterior a"
            yield parameter.name, f"{parameter.shown_label} no puede ser {word} {labels[first]}."


def not_before_problem(parameter: ReportParameter, parameters: Sequence[ReportParameter]) -> str | None:
    """Return what is wrong with the parameter that another one may not lie before; None for nothing."""
    first = parameter.input.not_before
    if first is None:
        return None
    others = {each.name: each for each in parameters if each is not parameter}
    if first not in others:
        return f"No hay otro parámetro {first!r}; hay: {', '.join(others) or 'ninguno'}."
    both = (parameter, others[first])
    if parameter.value_type is not others[first].value_type or parameter.value_type not in ORDERED:
        return f"Debe ser del mismo tipo que {first}: números, fechas o fechas con hora."
    if any(each.is_range or each.is_multiple for each in both):
        return "Solo se comparan parámetros de un solo valor."
    return None
