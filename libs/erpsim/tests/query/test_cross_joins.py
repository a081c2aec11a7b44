"""Cross-joins of sets and collections."""

from __future__ import annotations

from typing import Any

import pytest

from erpsim.company.exchange import Caller, Fields
from erpsim.desk import Desk
from erpsim.query.cross_joins import JoinPage, cross_join
from erpsim.world import World

MANAGER = Caller(user="manager")
PATH = "$crossjoin(Orders,Orders/DocumentLines)"
EXPAND = ("$expand", "Orders($select=DocEntry,DocNum),Orders/DocumentLines($select=LineNum)")
LINKED = "Orders/DocEntry eq Orders/DocumentLines/DocEntry"


def join(world: World, condition: str | None, path: str = PATH, size: int = 0, **options: str) -> JoinPage:
    given = [EXPAND] if "expand" not in options else []
    if condition is not None:
        given.append(("$filter", condition))
    given += [(f"${name}", text) for name, text in options.items()]
    return cross_join(world.company, path, given, size, MANAGER)


@pytest.fixture
def orders(desk: Desk, customer: str, item: str) -> list[Fields]:
    """Two orders of two lines each."""
    lines = [{"ItemCode": item, "Quantity": 4}, {"ItemCode": item, "Quantity": 6}]
    return [desk.create("Orders", {"CardCode": customer, "DocumentLines": lines}) for _ in range(2)]


def test_rows_have_a_member_for_each_path(world: World, orders: list[Fields]) -> None:
    entry, number = orders[0]["DocEntry"], orders[0]["DocNum"]
    page = join(world, f"{LINKED} and Orders/DocEntry eq {entry}")
    head = {"DocEntry": entry, "DocNum": number}
    assert page.rows == [
        {"Orders": head, "Orders/DocumentLines": {"LineNum": 0}},
        {"Orders": head, "Orders/DocumentLines": {"LineNum": 1}},
    ]
    assert page.next_skip is None


def test_conditions_on_lines_join_documents_to_their_bases(
    world: World, desk: Desk, customer: str, orders: list[Fields]
) -> None:
    entry = orders[0]["DocEntry"]
    drawn = {"BaseType": 17, "BaseEntry": entry, "BaseLine": 1, "Quantity": 2}
    delivery = desk.create("DeliveryNotes", {"CardCode": customer, "DocumentLines": [drawn]})
    lines = "DeliveryNotes/DocumentLines"
    condition = (
        f"DeliveryNotes/DocEntry eq {lines}/DocEntry and {lines}/BaseType eq 17 "
        f"and ({lines}/BaseEntry eq {entry} or {lines}/BaseEntry eq -7)"
    )
    path = f"$crossjoin(DeliveryNotes,{lines})"
    page = join(world, condition, path, expand="DeliveryNotes($select=DocEntry)")
    assert page.rows == [{"DeliveryNotes": {"DocEntry": delivery["DocEntry"]}}]
    # Lines of two document types without a header.
    both = f"$crossjoin(Orders/DocumentLines,{lines})"
    condition = f"Orders/DocumentLines/DocEntry eq {lines}/BaseEntry and {lines}/BaseType eq 17"
    condition += f" and Orders/DocumentLines/DocEntry eq {entry}"
    page = join(world, condition, both, expand="Orders/DocumentLines($select=LineNum)")
    assert len(page.rows) == 2


def test_without_a_condition_every_pair_comes_back(world: World, orders: list[Fields]) -> None:
    everything = join(world, None, expand=EXPAND[1]).rows
    count = len(desk_rows(world))
    assert len(everything) == count * sum(len(row) for row in desk_rows(world))


def desk_rows(world: World) -> list[list[Any]]:
    return [row["DocumentLines"] for row in Desk(world).rows("Orders")]  # type: ignore[misc]  # a collection


def test_pages_continue_by_skip(world: World, orders: list[Fields]) -> None:
    entries = " or ".join(f"Orders/DocEntry eq {order['DocEntry']}" for order in orders)
    condition = f"{LINKED} and ({entries})"
    everything = join(world, condition).rows
    assert len(everything) == 4
    first = join(world, condition, size=3)
    assert (first.rows, first.next_skip) == (everything[:3], 3)
    second = join(world, condition, size=3, skip="3")
    assert (second.rows, second.next_skip) == (everything[3:], None)
    assert join(world, condition, top="1").next_skip is None


@pytest.mark.parametrize(
    ("path", "condition", "options", "refusal"),
    [
        ("$crossjoin()", LINKED, {}, (400, -1000)),
        ("$crossjoin(Nothing,Orders)", LINKED, {}, (400, 200)),
        ("$crossjoin(Orders,Orders/Nothing)", LINKED, {}, (400, -1000)),
        (PATH, "Orders/Nothing eq 1", {}, (400, 201)),
        (PATH, "DocEntry eq 1", {}, (400, 201)),
        (PATH, "Items/ItemCode eq 'x'", {}, (400, 201)),
        (PATH, LINKED, {"expand": "Items($select=ItemCode)"}, (400, 201)),
        (PATH, LINKED, {"expand": "Orders($select=Nothing)"}, (400, -1000)),
        (PATH, LINKED, {"apply": "aggregate(x)"}, (501, -1)),
        (PATH, LINKED, {"top": "-1"}, (400, 201)),
    ],
)
def test_a_wrong_query_is_refused(
    world: World, path: str, condition: str, options: dict[str, Any], refusal: tuple[int, int]
) -> None:
    error = Desk.refusal(join, world, condition, path, **options)
    assert (error.status, error.code) == refusal


def test_a_query_without_options_is_refused(world: World) -> None:
    error = Desk.refusal(cross_join, world.company, PATH, [], 0, MANAGER)
    assert (error.code, error.text) == (-1000, "invalid $crossjoin query")
