"""Checks of values in a request, without I/O. Each raises the error that the client gets."""

from collections.abc import Iterable, Mapping, Sequence

from servicekit.errors import FieldProblem, InvalidBody
from supplier_returns.planning.errors import (
    HeldByDocument,
    PicksMismatch,
    PlanningClosed,
    PlanningInExecution,
    StaleVersion,
)
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning, Reason
from supplier_returns.planning.model.states import PlanningState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.planning.rules.locked_lines import is_locked
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.quantities import decimals_of
from supplier_returns.settings.custom_fields import CustomField


def check_decimals(requested: Sequence[PlanningLine | Pick], decimals: int, path: str) -> None:
    """Check that the ERP can store the quantities of new lines or picks.

    Raises:
        InvalidBody: some have too many decimals. The error lists all of them.
    """
    problems = [
        too_precise(f"{path}[{index}].cantidad", decimals)
        for index, each in enumerate(requested)
        if decimals_of(each.quantity) > decimals
    ]
    if problems:
        raise InvalidBody(errors=problems)


def too_precise(path: str, decimals: int) -> FieldProblem:
    """Return the problem of a quantity with more decimals than the ERP stores."""
    return FieldProblem(path, f"El ERP guarda cantidades con {decimals} decimales.")


def check_reasons(lines: Sequence[PlanningLine], reasons: Sequence[Reason]) -> None:
    """Check the reasons of new lines.

    Raises:
        InvalidBody: a reason is not a valid value of the ERP.
    """
    # A planning may have thousands of lines with the same reason, and one problem for each reason is enough.
    first: dict[str | None, int] = {}
    for index, line in enumerate(lines):
        first.setdefault(line.reason, index)
    for reason, index in first.items():
        if reason is not None:
            check_reason(reason, reasons, f"lineas[{index}].motivo")


def check_reason(code: str, reasons: Sequence[Reason], path: str) -> None:
    """Check one reason.

    Raises:
        InvalidBody: the reason is not a valid value of the ERP.
    """
    # Without valid values in the ERP, the field accepts any text.
    if reasons and all(reason.code != code for reason in reasons):
        raise InvalidBody(errors=[FieldProblem(path, "El ERP no tiene ese motivo.")])


def check_answers(answers: Mapping[str, str], requested: Iterable[CustomField], path: str) -> None:
    """Check the values of fields that the installation defines.

    Raises:
        InvalidBody: a field is not defined, or its value is invalid. The error lists all of them.
    """
    fields_by_name = {each.name: each for each in requested}
    reasons_by_name = {
        name: fields_by_name[name].problem_with(answer)
        if name in fields_by_name
        else "Aquí no se pide ese campo."
        for name, answer in answers.items()
    }
    problems = [FieldProblem(f"{path}.{name}", reason) for name, reason in reasons_by_name.items() if reason]
    if problems:
        raise InvalidBody(errors=problems)


def check_management(line: PlanningLine, picks: Sequence[Pick]) -> None:
    """Check that the picks are batches or serial numbers, as the item requires.

    Raises:
        PicksMismatch: The item is not managed by this kind of pick.
    """
    kinds = {Management.BATCHES if pick.batch is not None else Management.SERIALS for pick in picks}
    if kinds - {line.management}:
        description = {Management.NONE: "no se maneja por lotes ni series"}.get(
            line.management, f"se maneja por {line.management.value}"
        )
        raise PicksMismatch(f"El artículo {description}.")


def check_editable(planning: Planning, version: int) -> None:
    """Check that a user who has seen this version may change the planning.

    Raises:
        PlanningClosed: the planning is closed.
        PlanningInExecution: an execution is running or was interrupted.
        StaleVersion: the planning has changed since.
    """
    if planning.state is PlanningState.CLOSED:
        raise PlanningClosed
    if planning.state is PlanningState.RUNNING:
        raise PlanningInExecution
    if planning.version != version:
        raise StaleVersion(planning.version)


def check_unfinished(planning: Planning) -> None:
    """Check that the planning is not executed. A finished planning gets no new plan.

    Raises:
        HeldByDocument: every document has its return.
    """
    if planning.state is PlanningState.DONE:
        raise HeldByDocument("La planificación ya está ejecutada; haga una nueva para lo demás.")


def check_header_free(planning: Planning) -> None:
    """Check that no document uses the header.

    Raises:
        HeldByDocument: a document exists or may exist.
    """
    if any(document.state.holds_lines for document in planning.documents):
        raise HeldByDocument


def check_line_free(line: PlanningLine, planning: Planning) -> None:
    """Check that no document uses the line.

    Raises:
        HeldByDocument: a document with the line exists or may exist.
    """
    if is_locked(line, planning):
        raise HeldByDocument
