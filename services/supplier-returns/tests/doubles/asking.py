"""What tests ask of planning, and the refusals that they expect."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import attrs
import pytest

from servicekit.errors import ServiceError
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import PlanningHeader
from supplier_returns.planning.service import NewPlanning

HEADER = PlanningHeader(
    whs_code="01", posting_date=date(2026, 3, 4), document_date=date(2026, 3, 4), max_lines=60
)


def ask(*requested: tuple[str, int | str], **header: Any) -> NewPlanning:
    lines = [
        PlanningLine(line_id=number, item_code=code, quantity=Decimal(quantity))
        for number, (code, quantity) in enumerate(requested, 1)
    ]
    return NewPlanning(header=attrs.evolve(HEADER, **header), lines=lines)


async def refusal(work: Callable[[], Any]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        await work()
    return caught.value
