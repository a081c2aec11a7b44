"""Lines with the same item and reason are merged."""

import time
from decimal import Decimal

from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.rules.plans import merged


def test_quantities_and_rows_of_the_same_item_and_reason_are_added_up() -> None:
    requested = [
        PlanningLine(item_code="A", quantity=Decimal("0.1"), rows=(2,)),
        PlanningLine(item_code="A", quantity=Decimal(1), reason="VENC", rows=(3,)),
        PlanningLine(item_code="A", quantity=Decimal("0.2"), rows=(4, 5)),
        PlanningLine(item_code="a", quantity=Decimal(7)),
    ]
    assert merged(requested) == [
        PlanningLine(line_id=1, item_code="A", quantity=Decimal("0.3"), rows=(2, 4, 5)),
        PlanningLine(line_id=2, item_code="A", quantity=Decimal(1), reason="VENC", rows=(3,)),
        PlanningLine(line_id=3, item_code="a", quantity=Decimal(7)),
    ]


def test_fifty_thousand_rows_of_one_item_are_merged_in_linear_time() -> None:
    requested = [PlanningLine(item_code="A", quantity=Decimal(1), rows=(number,)) for number in range(50_000)]
    started = time.thread_time()
    (line,) = merged(requested)
    assert time.thread_time() - started < 1, "copying the rows at each step takes ten times that"
    assert line.quantity == len(line.rows) == 50_000
