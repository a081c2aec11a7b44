"""Plans what is asked, of a new planning or added to one. Pure; takes long when there is a lot."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import count

import attrs

from supplier_returns.planning.rules.arranging import Arrangement
from supplier_returns.planning.rules.drafting import ItemNames, Scene
from supplier_returns.planning.rules.model import StockItem
from supplier_returns.planning.rules.new_lines import AskedItem, new_lines
from supplier_returns.planning.rules.plannings import Planning, PlanningLine
from supplier_returns.planning.rules.replanning import plan, replan
from supplier_returns.planning.rules.standing import free_lines, without_failed


def plan_asked(
    asked: Iterable[PlanningLine], scene: Scene, *, max_lines: int, return_date: date
) -> Arrangement:
    """Plan what is asked of a new planning.

    Args:
        asked: As it is asked; the numbers don't matter.
        scene: What to plan against.
        max_lines: Lines that one document may have.
        return_date: Posting date of the returns.

    Raises:
        PlanTooLargeError: It has too many lines, or touches too many receipt lines.
    """
    lines = with_erp_codes(asked, scene.stock)
    return plan(lines, scene, max_lines=max_lines, return_date=return_date)


def plan_added(planning: Planning, asked: Iterable[PlanningLine], scene: Scene) -> Planning:
    """Add lines to a planning, and plan them with its other lines of the same items.

    Args:
        planning: As recorded; of its documents those that failed for sure are given up where they hold
            something of the items.
        asked: As they are asked; their numbers don't matter.
        scene: What to plan against: at least these items.

    Raises:
        PlanTooLargeError: It has too many lines, or touches too many receipt lines.
    """
    named = with_erp_codes(asked, scene.stock)
    items = {line.item_code for line in named}
    added = with_added(without_failed(planning, items), named)
    return replan(added, free_lines(added, items), scene)


def with_erp_codes(asked: Iterable[PlanningLine], stock: Iterable[StockItem]) -> list[PlanningLine]:
    """Spell item codes as the ERP does, and make one line of what then is of one item and reason."""
    names = ItemNames(stock)
    spelled = []
    for line in asked:
        item = names.find(line.item_code)
        code = line.item_code if item is None else item.code
        spelled.append(AskedItem(code, line.quantity, line.reason, line.rows))
    return new_lines(spelled)


def with_added(planning: Planning, asked: Sequence[PlanningLine]) -> Planning:
    """Add what is asked: to the line of the same item and reason where it can be changed, else as a new one.

    A line that is excluded, that a document holds or that is limited to a supplier stays as it is.
    """
    lines = {line.line_id: line for line in planning.lines}
    open_lines = {
        (line.item_code, line.reason): line
        for line in reversed(free_lines(planning))
        if not line.excluded and line.card_code is None
    }
    numbers = count(max(lines, default=0) + 1)
    for each in asked:
        line = open_lines.get((each.item_code, each.reason))
        if line is None:
            line_id = next(numbers)
            lines[line_id] = attrs.evolve(each, line_id=line_id)
        else:
            lines[line.line_id] = attrs.evolve(
                line, quantity=line.quantity + each.quantity, rows=(*line.rows, *each.rows)
            )
    return attrs.evolve(planning, lines=tuple(lines.values()))
