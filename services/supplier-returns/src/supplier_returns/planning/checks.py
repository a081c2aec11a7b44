"""Checks of what a person sent against what the ERP can keep. Pure."""

from collections.abc import Sequence
from typing import Final

from servicekit.errors import FieldProblem, InvalidBody, MalformedJson, ServiceError
from supplier_returns.planning.errors import PasteTooLarge, PicksMismatch, UnreadablePaste
from supplier_returns.planning.model import Management
from supplier_returns.planning.numbers import decimals_of
from supplier_returns.planning.paste_reading import PasteRefusal
from supplier_returns.planning.picks import Pick
from supplier_returns.planning.ports import Reason
from supplier_returns.planning.record import PlanningLine

_REFUSALS: Final[dict[str, type[ServiceError]]] = {
    error.code: error for error in (MalformedJson, InvalidBody, UnreadablePaste, PasteTooLarge)
}


def refusal_error(refusal: PasteRefusal) -> ServiceError:
    """Return the error to answer for a paste of which nothing was read."""
    return _REFUSALS[refusal.code](refusal.detail, errors=refusal.problems)


def check_decimals(lines: Sequence[PlanningLine], decimals: int) -> None:
    """Check that the ERP can keep the quantities of new lines.

    Raises:
        InvalidBody: With every line that it can't.
    """
    problems = [
        too_precise(f"lineas[{index}].cantidad", decimals)
        for index, line in enumerate(lines)
        if decimals_of(line.quantity) > decimals
    ]
    if problems:
        raise InvalidBody(errors=problems)


def too_precise(path: str, decimals: int) -> FieldProblem:
    """Say that a quantity has more decimals than the ERP keeps."""
    return FieldProblem(path, f"El ERP guarda cantidades con {decimals} decimales.")


def check_reasons(lines: Sequence[PlanningLine], reasons: Sequence[Reason]) -> None:
    """Check the reasons of new lines.

    Raises:
        InvalidBody: One of them is no valid value.
    """
    for index, line in enumerate(lines):
        if line.reason is not None:
            check_reason(line.reason, reasons, f"lineas[{index}].motivo")


def check_reason(code: str, reasons: Sequence[Reason], path: str) -> None:
    """Check one reason.

    Raises:
        InvalidBody: It is no valid value.
    """
    if reasons and all(reason.code != code for reason in reasons):
        raise InvalidBody(errors=[FieldProblem(path, "El ERP no tiene ese motivo.")])


def check_pick_decimals(picks: Sequence[Pick], decimals: int) -> None:
    """Check that the ERP can keep what was picked of each batch.

    Raises:
        InvalidBody: With every batch that it can't.
    """
    problems = [
        too_precise(f"lotes[{index}].cantidad", decimals)
        for index, pick in enumerate(picks)
        if decimals_of(pick.quantity) > decimals
    ]
    if problems:
        raise InvalidBody(errors=problems)


def check_managed(line: PlanningLine, picks: Sequence[Pick]) -> None:
    """Check that an item is managed by what was picked.

    Raises:
        PicksMismatch: It is not.
    """
    kinds = {Management.BATCHES if pick.batch is not None else Management.SERIALS for pick in picks}
    if kinds - {line.management}:
        named = {Management.NONE: "no se maneja por lotes ni series"}.get(
            line.management, f"se maneja por {line.management.value}"
        )
        raise PicksMismatch(f"El artículo {named}.")
