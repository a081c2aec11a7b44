"""Lines added to a planning."""

from decimal import Decimal
from typing import Any

import attrs
import pytest
from asking import ask, refusal

from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.service import PlanningService

pytestmark = pytest.mark.asyncio


def added(*requested: tuple[str, int | str], **more: Any) -> list[PlanningLine]:
    return [attrs.evolve(line, **more) for line in ask(*requested).lines]


async def test_lines_are_added_and_planned_with_the_others_of_their_items(
    service: PlanningService, company: Any, objects: Any
) -> None:
    created = await service.create(ask(("A", 8), ("B", 1)))
    objects.calls.clear()
    company.calls.clear()
    changed = await service.add_lines(
        created.id, 1, added(("a", 5), ("LOTE", 2), ("ZZZ", 1), reason="ROTO", rows=(7,))
    )
    assert (objects.calls, company.calls) == (["get", "modify"], ["stock 01 *", "receipts 01 *"])
    assert [
        (line.line_id, line.item_code, int(line.quantity), int(line.allocated)) for line in changed.lines
    ] == [
        (1, "A", 8, 8),
        (2, "B", 1, 1),
        (3, "A", 5, 2),
        (4, "LOTE", 2, 2),
        (5, "ZZZ", 1, 0),
    ]
    assert (changed.version, changed.lines[2].reason, changed.lines[2].rows) == (2, "ROTO", (7,))
    assert changed.lines[1] == created.lines[1]
    assert await service.get(created.id) == changed


async def test_a_repeated_item_is_added_to_its_line(service: PlanningService) -> None:
    created = await service.create(ask(("LOTE", 2), ("B", 1)))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(2), batch="L1")])
    changed = await service.add_lines(created.id, 2, added(("lote", 1), ("LOTE", 2), rows=(3,)))
    assert [(int(line.quantity), line.rows) for line in changed.lines] == [(5, (3, 3)), (1, ())]
    assert [(part.inventory, part.batch) for part in changed.lines[0].allocations] == [
        (Decimal(2), "L1"),
        (Decimal(1), None),
        (Decimal(2), None),
    ], "what was picked stays"


@pytest.mark.parametrize("change", [{"excluded": True}, {"card_code": "P1"}])
async def test_an_excluded_or_limited_line_does_not_change(service: PlanningService, change: Any) -> None:
    created = await service.create(ask(("A", 2)))
    await service.change_line(created.id, 1, 1, change)
    changed = await service.add_lines(created.id, 2, added(("A", 1)))
    assert [line.quantity for line in changed.lines] == [2, 1]


async def test_a_line_of_a_sent_document_does_not_change(service: PlanningService, objects: Any) -> None:
    created = await service.create(ask(("A", 2)))
    row = objects.rows[created.id]
    row["LIB_DEV3Collection"][0]["U_Estado"], row["U_Estado"] = "I", "X"
    changed = await service.add_lines(created.id, 1, added(("A", 9)))
    assert [line.quantity for line in changed.lines] == [2, 9]
    assert changed.lines[0] == (await service.get(created.id)).lines[0]
    assert [changed.lines[1].allocated, changed.lines[1].no_stock] == [Decimal(8), Decimal(1)]


@pytest.mark.parametrize(
    ("lines", "path"),
    [(added(("A", "1.005")), "lineas[0].cantidad"), (added(("A", 1), reason="OTRO"), "lineas[0].motivo")],
)
async def test_added_lines_that_the_erp_cannot_store_are_refused(
    service: PlanningService, objects: Any, lines: list[PlanningLine], path: str
) -> None:
    created = await service.create(ask(("A", 1)))
    refused = await refusal(lambda: service.add_lines(created.id, 1, lines))
    assert [problem.path for problem in refused.errors] == [path]
    assert objects.rows[created.id]["U_Version"] == 1
