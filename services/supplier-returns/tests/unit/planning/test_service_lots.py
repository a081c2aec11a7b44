"""Batches and serial numbers in the warehouse, and picks checked against them."""

from datetime import date
from decimal import Decimal
from typing import Any

import attrs
import pytest
from asking import ask, refusal

from supplier_returns.planning.errors import LineNotFound, PicksMismatch
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.service import PlanningService

pytestmark = pytest.mark.asyncio


async def test_lots_are_shown_with_their_picked_quantity(
    service: PlanningService, company: Any, objects: Any
) -> None:
    company.lots = [
        Lot("LOTE", "L1", Decimal(6), None, date(2025, 2, 1)),
        Lot("LOTE", "L2", Decimal(4), date(2026, 9, 1), None),
        Lot("LOTE", "L3", Decimal(1), None, date(2025, 1, 1)),
    ]
    new = ask(("LOTE", 4), ("LOTE", 3), ("A", 1))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), *new.lines[1:]]
    created = await service.create(attrs.evolve(new, lines=lines))
    await service.change_line(
        created.id, 1, 1, {}, [Pick(Decimal(3), batch="L1"), Pick(Decimal(1), batch="L2")]
    )
    objects.calls.clear()
    company.calls.clear()
    found = await service.lots_of_line(created.id, 2)
    assert (objects.calls, company.calls) == (["get"], ["lotes 01 LOTE"])
    assert [(each.lot.name, int(each.available), int(each.picked)) for each in found.choices] == [
        ("L2", 3, 0),
        ("L3", 1, 0),
        ("L1", 3, 0),
    ], "what expires first comes first, then what came in first"
    own = (await service.lots_of_line(created.id, 1)).choices
    assert [(each.lot.name, int(each.available), int(each.picked)) for each in own] == [
        ("L2", 4, 1),
        ("L3", 1, 0),
        ("L1", 6, 3),
    ]
    company.calls.clear()
    assert (await service.lots_of_line(created.id, 3)).choices == []
    assert company.calls == []
    assert isinstance(await refusal(lambda: service.lots_of_line(created.id, 9)), LineNotFound)


@pytest.mark.parametrize(
    ("item", "picks", "text"),
    [
        (
            "LOTE",
            [Pick(Decimal(2), batch="NADA")],
            "El lote NADA no está en la bodega, o ya se eligió todo en otra línea.",
        ),
        ("LOTE", [Pick(Decimal(2), batch="L3")], "Del lote L3 se pueden elegir 1, no 2."),
        (
            "LOTE",
            [Pick(Decimal(1), batch="L3"), Pick(Decimal(1), batch="L3")],
            "El lote L3 no está en la bodega, o ya se eligió todo en otra línea.",
        ),
        (
            "SERIE",
            [Pick(Decimal(1), serial="S1"), Pick(Decimal(1), serial="OTRA")],
            "La serie OTRA no está en la bodega, o ya se eligió.",
        ),
    ],
)
async def test_lots_outside_the_warehouse_cannot_be_picked(
    service: PlanningService, objects: Any, company: Any, item: str, picks: list[Pick], text: str
) -> None:
    created = await service.create(ask((item, 2)))
    company.calls.clear()
    refused = await refusal(lambda: service.change_line(created.id, 1, 1, {}, picks))
    assert isinstance(refused, PicksMismatch)
    assert refused.detail == text
    assert objects.rows[created.id]["U_Version"] == 1


async def test_lots_picked_by_another_line_cannot_be_picked_again(
    service: PlanningService, objects: Any
) -> None:
    new = ask(("LOTE", 4), ("LOTE", 3))
    lines = [attrs.evolve(new.lines[0], reason="VENC"), new.lines[1]]
    created = await service.create(attrs.evolve(new, lines=lines))
    await service.change_line(created.id, 1, 1, {}, [Pick(Decimal(4), batch="L1")])
    refused = await refusal(lambda: service.change_line(created.id, 2, 2, {}, [Pick(Decimal(3), batch="L1")]))
    assert refused.detail == "Del lote L1 se pueden elegir 2, no 3."
    row = objects.rows[created.id]
    document = row["LIB_DEV3Collection"][0]
    document["U_Estado"], row["U_Estado"] = "C", "X"  # a posted return has left the warehouse
    for part in row["LIB_DEV2Collection"]:
        part["U_DocRef"] = document["LineId"] if part["U_LinRef"] == 1 else 0
    changed = await service.change_line(created.id, 2, 2, {}, [Pick(Decimal(3), batch="L1")])
    assert not changed.lines[1].lacks_picks
