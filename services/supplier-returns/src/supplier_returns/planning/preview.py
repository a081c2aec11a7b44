"""What a paste would become. Pure, and what takes long when there is a lot."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from supplier_returns.pasting.reading import PasteReading, notes_json
from supplier_returns.pasting.table import CellNote
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.open_plans import OpenPlans
from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.rules.documents import Arrangement
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.names import ItemNames, ReasonNames
from supplier_returns.planning.rules.plans import merged, plan

MAX_SHOWN_ROWS: Final = 20
"""Rows of a repeated item that a warning names."""

MAX_SHOWN_ITEMS: Final = 10
"""Items that a warning about another planning names."""


@frozen
class Preview:
    """What a paste would become.

    Attributes:
        reading: What the paste says.
        more_warnings: Warnings that the reading alone could not know, as the inside of a JSON array.
    """

    reading: PasteReading
    plan: Arrangement
    more_warnings: bytes


def preview(
    reading: PasteReading,
    scene: Scene,
    reasons: Sequence[Reason],
    others: OpenPlans,
    *,
    max_lines: int,
    return_date: date,
) -> Preview:
    """Plan what a paste asks for, with the ERP's own item codes and reasons.

    Args:
        reading: What the paste says.
        scene: What to plan against.
        reasons: The valid values of the reason.
        others: Open plannings of the warehouse.
        max_lines: Lines that one document may have.
        return_date: Posting date of the returns.

    Raises:
        PlanningTooLarge: It touches too many receipt lines.
    """
    warnings: list[CellNote] = []
    names, reason_names = ItemNames(scene.stock), ReasonNames(reasons)
    requested: list[PlanningLine] = []
    for line in reading.table.lines:
        item = names.find(line.item_code)
        if item is None:
            warnings.append(_unknown_item(line.item_code, line.rows[0], names))
        code = line.item_code if item is None else item.code
        reason = None if line.reason is None else reason_names.find(line.reason)
        if line.reason is not None and reason is None:
            warnings.append(_unknown_reason(line.reason, line.rows[0]))
        rows = tuple(line.rows)
        requested.append(PlanningLine(item_code=code, quantity=line.quantity, reason=reason, rows=rows))
    lines = merged(requested)
    warnings += [_repeated(line) for line in lines if len(line.rows) > 1]
    planned = plan(lines, scene, max_lines=max_lines, return_date=return_date)
    warnings += _other_plannings(planned.lines, others)
    return Preview(reading, planned, notes_json(warnings))


def has_codes(scene: Scene, codes: Iterable[str]) -> frozenset[str]:
    """Return those of some doubtful codes that the ERP has."""
    names = ItemNames(scene.stock)
    return frozenset(code for code in codes if names.find(code) is not None)


def _other_plannings(lines: Iterable[PlanningLine], others: OpenPlans) -> Iterator[CellNote]:
    """Say which other open plannings plan the same stock: only one of them will find it there."""
    row_of = {line.item_code: line.rows[0] for line in lines if line.allocations}
    for other in others.open_plans:
        items = sorted(other.items & row_of.keys())
        if not items:
            continue
        shown = ", ".join(items[:MAX_SHOWN_ITEMS]) + ("…" if items[MAX_SHOWN_ITEMS:] else "")
        message = (
            f"La planificación {other.number} de {other.user} está abierta y usa las mismas "
            f"existencias: {shown}."
        )
        row = min(row_of[item] for item in items)
        yield CellNote(row, None, str(other.number), "other_planning", message)
    if not others.are_all:
        message = "No se pudo revisar si otra planificación abierta usa las mismas existencias."
        yield CellNote(1, None, "", "other_plannings_unknown", message)


def _repeated(line: PlanningLine) -> CellNote:
    rows = sorted(line.rows)
    more = "…" if len(rows) > MAX_SHOWN_ROWS else ""
    shown = ", ".join(map(str, rows[:MAX_SHOWN_ROWS]))
    message = f"El artículo está en las filas {shown}{more}; se sumaron."
    return CellNote(rows[1], "codigo", line.item_code, "item_repeated", message)


def _unknown_item(code: str, row: int, names: ItemNames) -> CellNote:
    suggestion = names.suggest(code)
    hint = f" ¿Quiso decir «{suggestion}»?" if suggestion else ""
    message = f"El ERP no tiene este artículo en la bodega.{hint}"
    return CellNote(row, "codigo", code, "item_unknown", message)


def _unknown_reason(reason: str, row: int) -> CellNote:
    message = "El ERP no tiene ese motivo; la línea queda sin motivo."
    return CellNote(row, "motivo", reason, "reason_unknown", message)
