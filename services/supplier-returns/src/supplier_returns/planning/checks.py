"""Checks of what a person asks for, told as the errors that the service answers. No I/O."""

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
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.rules.policy import is_locked
from supplier_returns.quantities import decimals_of
from supplier_returns.settings.custom_fields import CustomField


def check_decimals(requested: Sequence[PlanningLine | Pick], decimals: int, path: str) -> None:
    """Check that the ERP can keep the quantities of new lines, or of what was picked of each batch.

    Raises:
        InvalidBody: With every one that it can't.
    """
    problems = [
        too_precise(f"{path}[{index}].cantidad", decimals)
        for index, each in enumerate(requested)
        if decimals_of(each.quantity) > decimals
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
    first: dict[str | None, int] = {}
    for index, line in enumerate(lines):
        first.setdefault(line.reason, index)
    for reason, index in first.items():
        if reason is not None:
            check_reason(reason, reasons, f"lineas[{index}].motivo")


def check_reason(code: str, reasons: Sequence[Reason], path: str) -> None:
    """Check one reason.

    Raises:
        InvalidBody: It is no valid value.
    """
    if reasons and all(reason.code != code for reason in reasons):
        raise InvalidBody(errors=[FieldProblem(path, "El ERP no tiene ese motivo.")])


def check_answers(answers: Mapping[str, str], requested: Iterable[CustomField], path: str) -> None:
    """Check what a person filled in of the fields that the installation asks for.

    Raises:
        InvalidBody: With every one that is not asked for, or not so.
    """
    known = {each.name: each for each in requested}
    faults = {
        name: known[name].fault_of(answer) if name in known else "Aquí no se pide ese campo."
        for name, answer in answers.items()
    }
    problems = [FieldProblem(f"{path}.{name}", fault) for name, fault in faults.items() if fault]
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


def check_editable(planning: Planning, version: int) -> None:
    """Check that a planning may be changed by somebody who has seen this version.

    Raises:
        PlanningClosed: It is closed.
        PlanningInExecution: It is being executed.
        StaleVersion: It was changed since.
    """
    if planning.state is PlanningState.CLOSED:
        raise PlanningClosed
    if planning.state is PlanningState.RUNNING:
        raise PlanningInExecution
    if planning.version != version:
        raise StaleVersion(planning.version)


def check_unfinished(planning: Planning) -> None:
    """Check that something of a planning is still to be made: what is done is not planned anew.

    Raises:
        HeldByDocument: All its documents are made.
    """
    if planning.state is PlanningState.DONE:
        raise HeldByDocument("La planificación ya está ejecutada; haga una nueva para lo demás.")


def check_header_free(planning: Planning) -> None:
    """Check that no document holds what the header says.

    Raises:
        HeldByDocument: One does.
    """
    if any(document.state.holds_lines for document in planning.documents):
        raise HeldByDocument


def check_line_free(line: PlanningLine, planning: Planning) -> None:
    """Check that no document holds the line.

    Raises:
        HeldByDocument: One does.
    """
    if is_locked(line, planning):
        raise HeldByDocument
