"""Preview of the planning that a paste would create. Pure code that takes long for large pastes."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from supplier_returns.pasting.pasted_table import CellNote
from supplier_returns.pasting.reading import PasteReading, notes_json
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.open_plans import OpenPlans
from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.rules.documents import Arrangement
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.names import ItemNames, ReasonNames
from supplier_returns.planning.rules.plans import merged, plan

MAX_SHOWN_ROWS: Final = 20
"""Maximum rows that a warning about a repeated item names."""

MAX_SHOWN_ITEMS: Final = 10
"""Maximum items that a warning about another planning names."""


@frozen
class Preview:
    """Planning that a paste would create.

    Attributes:
        reading: content of the paste.
        plan_warnings: warnings of the plan, encoded as the inside of a JSON array.
    """

    reading: PasteReading
    plan: Arrangement
    plan_warnings: bytes


def preview(
    reading: PasteReading,
    snapshot: WarehouseSnapshot,
    reasons: Sequence[Reason],
    other_plans: OpenPlans,
    *,
    max_lines: int,
    return_date: date,
) -> Preview:
    """Plan the lines of a paste with the item codes and reasons of the ERP.

    Args:
        reading: content of the paste.
        snapshot: stock and receipts.
        reasons: valid values of the reason.
        others: open plannings of the warehouse.
        max_lines: maximum lines of one document.
        return_date: posting date of the returns.

    Raises:
        PlanTooLargeError: the plan has too many lines, or uses too many receipt lines.
    """
    warnings: list[CellNote] = []
    names, reason_names = ItemNames(snapshot.stock), ReasonNames(reasons)
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
    # Two spellings of a code may be the same item in the ERP, so merge after replacing the codes.
    lines = merged(requested)
    warnings += [_repeated(line) for line in lines if len(line.rows) > 1]
    planned = plan(lines, snapshot, max_lines=max_lines, return_date=return_date)
    warnings += _other_plannings(planned.lines, other_plans)
    return Preview(reading, planned, notes_json(warnings))


def find_existing(snapshot: WarehouseSnapshot, codes: Iterable[str]) -> frozenset[str]:
    """Return the doubtful codes that exist in the ERP."""
    names = ItemNames(snapshot.stock)
    return frozenset(code for code in codes if names.find(code) is not None)


def _other_plannings(lines: Iterable[PlanningLine], other_plans: OpenPlans) -> Iterator[CellNote]:
    """Warn about other open plannings that use the same stock, since only one of them will get it."""
    row_of = {line.item_code: line.rows[0] for line in lines if line.allocations}
    for other in other_plans.open_plans:
        items = sorted(other.items & row_of.keys())
        if not items:
            continue
        codes = ", ".join(items[:MAX_SHOWN_ITEMS]) + ("…" if items[MAX_SHOWN_ITEMS:] else "")
        message = (
            f"La planificación {other.number} de {other.user} está abierta y usa las mismas "
            f"existencias: {codes}."
        )
        row = min(row_of[item] for item in items)
        yield CellNote(row, None, str(other.number), "other_planning", message)
    if not other_plans.is_complete:
        message = "No se pudo revisar si otra planificación abierta usa las mismas existencias."
        yield CellNote(1, None, "", "other_plannings_unknown", message)


def _repeated(line: PlanningLine) -> CellNote:
    rows = sorted(line.rows)
    more = "…" if len(rows) > MAX_SHOWN_ROWS else ""
    row_numbers = ", ".join(map(str, rows[:MAX_SHOWN_ROWS]))
    message = f"El artículo está en las filas {row_numbers}{more}; se sumaron."
    return CellNote(rows[1], "codigo", line.item_code, "item_repeated", message)


def _unknown_item(code: str, row: int, names: ItemNames) -> CellNote:
    suggestion = names.suggest(code)
    hint = f" ¿Quiso decir «{suggestion}»?" if suggestion else ""
    message = f"El ERP no tiene este artículo en la bodega.{hint}"
    return CellNote(row, "codigo", code, "item_unknown", message)


def _unknown_reason(reason: str, row: int) -> CellNote:
    message = "El ERP no tiene ese motivo; la línea queda sin motivo."
    return CellNote(row, "motivo", reason, "reason_unknown", message)
