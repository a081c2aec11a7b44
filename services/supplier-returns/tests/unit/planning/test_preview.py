"""A preview takes linear time in the size of the paste and of the company."""

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import overload

import pytest
from plannings import item, line
from typing_extensions import override

from servicekit.errors import InvalidBody
from supplier_returns.pasting.reading import PasteReading, read_paste
from supplier_returns.planning.checks import check_reasons
from supplier_returns.planning.model.open_plans import OpenPlans
from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.warehouse import WarehouseFacts
from supplier_returns.planning.preview import preview
from supplier_returns.planning.rules.drafting import WarehouseSnapshot

LINES, REASONS = 500, 50


class CountingReasons(Sequence[Reason]):
    """Valid values that count how often one is read."""

    def __init__(self) -> None:
        self.looks = 0
        self._reasons = [Reason(f"R{number}", f"Razón {number}") for number in range(REASONS)]

    @override
    def __len__(self) -> int:
        return len(self._reasons)

    @overload
    def __getitem__(self, index: int) -> Reason: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Reason]: ...
    @override
    def __getitem__(self, index: int | slice) -> Reason | Sequence[Reason]:
        self.looks += 1
        return self._reasons[index]


def read(text: str) -> PasteReading:
    reading = read_paste(json.dumps({"whsCode": "01", "texto": text}).encode(), 2)
    assert isinstance(reading, PasteReading)
    return reading


def test_valid_values_are_read_once_for_all_lines() -> None:
    rows = "".join(f"A\t1\trazon {number}\n" for number in range(LINES))
    reasons = CountingReasons()
    result = preview(
        read(f"Código\tCantidad\tMotivo\n{rows}"),
        WarehouseSnapshot(WarehouseFacts("01"), [item("A", LINES)], [], 2),
        reasons,
        OpenPlans(),
        max_lines=60,
        return_date=date(2026, 3, 4),
    )
    assert [line.reason for line in result.plan.lines] == [*(f"R{number}" for number in range(REASONS)), None]
    assert result.plan.lines[-1].quantity == Decimal(LINES - REASONS)
    assert reasons.looks <= 2 * (REASONS + 1)


def test_the_reasons_of_many_lines_are_each_compared_once() -> None:
    lines = [line(number, reason=f"R{number % REASONS}") for number in range(1, LINES + 1)]
    reasons = CountingReasons()
    check_reasons(lines, reasons)
    assert reasons.looks <= REASONS * (REASONS + 1)
    with pytest.raises(InvalidBody) as refused:
        check_reasons([*lines, line(reason="OTRO"), line(reason="MÁS")], reasons)
    assert [problem.path for problem in refused.value.errors] == [f"lineas[{LINES}].motivo"]
