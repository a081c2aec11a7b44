"""Planning again with today's stock."""

from decimal import Decimal
from typing import Any

import attrs
import pytest
from asking import ask, refusal
from msgspec.structs import replace

from supplier_returns.planning.errors import HeldByDocument
from supplier_returns.planning.model.states import DocumentState, LineState, PlanningState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.service import PlanningService

pytestmark = pytest.mark.asyncio


async def test_replanning_uses_todays_stock_and_keeps_fitting_picks(
    service: PlanningService, company: Any, objects: Any
) -> None:
    created = await service.create(ask(("A", 8), ("LOTE", 6), ("SERIE", 2)))
    batches = [Pick(Decimal(2), batch="L2"), Pick(Decimal(4), batch="L1")]
    serials = [Pick(Decimal(1), serial="S1"), Pick(Decimal(1), serial="S2")]
    await service.change_line(created.id, 2, 1, {}, batches)
    await service.change_line(created.id, 3, 2, {}, serials)
    company.stock = [
        replace(item, on_hand=Decimal({"A": 5, "LOTE": 5, "SERIE": 2}.get(item.code, 0)))
        for item in company.stock
    ]
    company.lots = [
        Lot("LOTE", "L2", Decimal(1)),
        Lot("LOTE", "L1", Decimal(4)),
        Lot("SERIE", "S2", Decimal(1)),
    ]
    company.calls.clear()
    objects.calls.clear()
    planned = await service.replan(created.id, 3)
    assert company.calls == ["stock 01 *", "receipts 01 *", "lotes 01 LOTE", "series 01 SERIE"]
    assert objects.calls == ["get", "modify"]
    plain, batch, serial = planned.lines
    assert (planned.version, int(plain.allocated), int(plain.no_stock)) == (4, 5, 3)
    assert [(part.inventory, part.batch) for part in batch.allocations] == [
        (Decimal(1), "L2"),
        (Decimal(2), "L1"),
        (Decimal(2), "L1"),
    ]
    assert batch.state is LineState.PARTIAL
    assert [part.serial for part in serial.allocations] == ["S2", None]
    assert serial.state is LineState.NEEDS_PICKS
    assert await service.get(created.id) == planned


async def test_replanning_without_a_change_writes_nothing(
    service: PlanningService, company: Any, objects: Any
) -> None:
    created = await service.create(ask(("A", 8), ("LOTE", 6)))
    picked = await service.change_line(created.id, 2, 1, {}, [Pick(Decimal(6), batch="L1")])
    objects.calls.clear()
    company.calls.clear()
    assert await service.replan(created.id, 2) == picked
    assert objects.calls == ["get"]
    assert company.calls == ["stock 01 *", "receipts 01 *", "lotes 01 LOTE"]


async def test_lots_of_two_items_with_picks_are_read_in_one_call(
    service: PlanningService, company: Any
) -> None:
    company.add("OTRO", 3, company.receipts[0], management=Management.BATCHES)
    company.receipts.append(replace(company.receipts[0], item_code="OTRO", doc_entry=50))
    company.lots.append(Lot("OTRO", "L1", Decimal(3)))
    created = await service.create(ask(("LOTE", 6), ("OTRO", 3)))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(6), batch="L1")])
    picked = await service.change_line(created.id, 2, 2, {}, [Pick(Decimal(3), batch="L1")])
    company.calls.clear()
    assert await service.replan(created.id, 3) == picked
    assert company.calls[2:] == ["lotes 01 *"]


async def test_replanning_does_not_change_lines_in_sent_documents(
    service: PlanningService, company: Any, objects: Any
) -> None:
    created = await service.create(ask(("A", 2), ("B", 1), ("LOTE", 2), max_lines=1))
    row = objects.rows[created.id]
    sent_doc_id = created.lines[0].allocations[0].doc_id
    next(each for each in row["LIB_DEV3Collection"] if each["LineId"] == sent_doc_id)["U_Estado"] = "I"
    row["U_Estado"] = "X"
    company.stock = [replace(item, on_hand=Decimal(0)) for item in company.stock]
    planned = await service.replan(created.id, 1)
    assert planned.lines[0].allocations == created.lines[0].allocations
    assert [line.allocated for line in planned.lines] == [2, 0, 0]
    for each in row["LIB_DEV3Collection"]:
        each["U_Estado"] = "C"
    for part, number in zip(row["LIB_DEV2Collection"], (1, 2, 3), strict=False):
        part["U_LinRef"] = number
    row["LIB_DEV1Collection"] = row["LIB_DEV1Collection"][:1]
    row["LIB_DEV2Collection"] = row["LIB_DEV2Collection"][:1]
    assert isinstance(await refusal(lambda: service.replan(created.id, 2)), HeldByDocument)


async def test_a_lot_in_a_document_of_unknown_outcome_is_not_picked_twice(
    service: PlanningService, objects: Any
) -> None:
    new = ask(("LOTE", 4), ("LOTE", 2))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), new.lines[1]]
    created = await service.create(attrs.evolve(new, lines=lines))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(4), batch="L1")])
    await service.change_line(created.id, 2, 2, {}, [Pick(Decimal(2), batch="L1")])
    row = objects.rows[created.id]
    document = row["LIB_DEV3Collection"][0]
    document["U_Estado"], row["U_Estado"] = "I", "X"
    for part in row["LIB_DEV2Collection"]:
        part["U_DocRef"] = document["LineId"] if part["U_LinRef"] == 1 else 0
    same = await service.replan(created.id, 3)
    assert [part.batch for part in same.lines[1].allocations] == ["L1"], "six lie there, four are spoken for"


async def test_pending_parts_of_a_partly_sent_line_are_not_planned_twice(
    service: PlanningService, objects: Any, company: Any
) -> None:
    new = ask(("A", 6), ("A", 2))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), new.lines[1]]
    created = await service.create(attrs.evolve(new, lines=lines))
    made, waiting = created.lines[0].allocations[0].doc_id, created.lines[0].allocations[1].doc_id
    assert made != waiting
    row = objects.rows[created.id]
    next(each for each in row["LIB_DEV3Collection"] if each["LineId"] == made)["U_Estado"] = "C"
    for part in row["LIB_DEV2Collection"]:
        part["U_DocRef"] = waiting if part["U_LinRef"] == 2 else part["U_DocRef"]
    company.stock = [
        replace(item, on_hand=Decimal(5)) if item.code == "A" else item for item in company.stock
    ]
    company.receipts = [line for line in company.receipts if (line.item_code, line.doc_entry) != ("A", 1)]
    changed = await service.change_line(created.id, 2, 1, {"quantity": Decimal(9)})
    assert changed.lines[0].allocated == 6, "two of the five that are left wait in the other document"
    assert (changed.lines[1].allocated, changed.lines[1].no_stock) == (Decimal(3), Decimal(6))


async def test_a_planning_with_a_new_pending_document_is_not_done(
    service: PlanningService, objects: Any
) -> None:
    created = await service.create(ask(("A", 2), ("B", 1), max_lines=1))
    row = objects.rows[created.id]
    made, failed = row["LIB_DEV3Collection"]
    made["U_Estado"], failed["U_Estado"], failed["U_CodErr"], row["U_Estado"] = "C", "X", "-4013", "X"
    planned = await service.replan(created.id, 1)
    assert [each.state for each in planned.documents] == [
        DocumentState.CREATED,
        DocumentState.OMITTED,
        DocumentState.PENDING,
    ]
    assert planned.state is PlanningState.PLANNED
    assert await service.get(created.id) == planned


async def test_a_batch_that_a_line_no_longer_needs_is_available_to_the_next(
    service: PlanningService, company: Any
) -> None:
    company.add("OTRO", 9, company.receipts[0], management=Management.BATCHES)
    first = replace(company.receipts[-1], item_code="OTRO", doc_entry=60, open_inventory=Decimal(3))
    second = replace(first, doc_entry=61, card_code="P2")
    company.receipts += [first, second]
    company.lots.append(Lot("OTRO", "L1", Decimal(6)))
    new = ask(("OTRO", 3), ("OTRO", 3))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), new.lines[1]]
    created = await service.create(attrs.evolve(new, lines=lines))
    await service.change_line(created.id, 1, 1, {"card_code": first.card_code})
    await service.change_line(created.id, 2, 2, {"card_code": "P2"})
    for version, line_id in ((3, 1), (4, 2)):
        await service.change_line(created.id, line_id, version, {}, [Pick(Decimal(3), batch="L1")])
    company.lots[-1] = Lot("OTRO", "L1", Decimal(4))
    company.receipts[-2] = replace(first, open_inventory=Decimal(1), open_document=Decimal(1))
    planned = await service.replan(created.id, 5)
    assert [[(int(part.inventory), part.batch) for part in line.allocations] for line in planned.lines] == [
        [(1, "L1")],
        [(3, "L1")],
    ]
