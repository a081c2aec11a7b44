"""What a paste would become. Pure, and what takes long when there is a lot."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.drafting import Arrangement, ItemNames, Scene
from supplier_returns.planning.paste_reading import PasteReading, notes_json
from supplier_returns.planning.pasted_table import CellNote
from supplier_returns.planning.ports import Reason
from supplier_returns.planning.reasons import find_reason
from supplier_returns.planning.record import PlanningLine
from supplier_returns.planning.replanning import plan


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
    reading: PasteReading, scene: Scene, reasons: Sequence[Reason], *, max_lines: int, return_date: date
) -> Preview:
    """Plan what a paste asks for, with the ERP's own item codes and reasons.

    Args:
        reading: What the paste says.
        scene: What to plan against.
        reasons: The valid values of the reason.
        max_lines: Lines that one document may have.
        return_date: Posting date of the returns.

    Raises:
        PlanningTooLarge: It touches too many receipt lines.
    """
    warnings: list[CellNote] = []
    names = ItemNames(scene.stock)
    lines: dict[tuple[str, str | None], PlanningLine] = {}
    for asked in reading.lines:
        item = names.find(asked.item_code)
        if item is None:
            warnings.append(_unknown_item(asked.item_code, asked.rows[0], names))
        code = asked.item_code if item is None else item.code
        reason = None if asked.reason is None else find_reason(asked.reason, reasons)
        if asked.reason is not None and reason is None:
            warnings.append(_unknown_reason(asked.reason, asked.rows[0]))
        line = lines.get((code, reason))
        if line is None:
            line = PlanningLine(line_id=len(lines) + 1, item_code=code, quantity=Decimal(0), reason=reason)
        lines[code, reason] = attrs.evolve(
            line, quantity=line.quantity + asked.quantity, rows=(*line.rows, *asked.rows)
        )
    planned = plan(list(lines.values()), scene, max_lines=max_lines, return_date=return_date)
    return Preview(reading, planned, notes_json(warnings))


def _unknown_item(code: str, row: int, names: ItemNames) -> CellNote:
    suggestion = names.suggest(code)
    hint = f" ¿Quiso decir «{suggestion}»?" if suggestion else ""
    message = f"El ERP no tiene este artículo en la bodega.{hint}"
    return CellNote(row, "codigo", code, "item_unknown", message)


def _unknown_reason(reason: str, row: int) -> CellNote:
    message = "El ERP no tiene ese motivo; la línea queda sin motivo."
    return CellNote(row, "motivo", reason, "reason_unknown", message)
