"""`$apply`: sums, counts and groups over the rows of a filter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from erpsim.company.errors import SlError
from erpsim.company.exchange import Caller, Fields
from erpsim.company.habits import OtherHabit
from erpsim.company.switches import Switches
from erpsim.query.options import QueryOptions
from erpsim.world import World

MANAGER = Caller(user="manager")


def applied(world: World, apply: str, set_name: str = "Orders", **options: Any) -> list[Fields]:
    result = world.aggregate(set_name, QueryOptions(apply=apply, **options), MANAGER)
    return [row.fields for row in result.rows]


def orders(world: World, condition: str | None = None) -> list[Fields]:
    options = QueryOptions(filter=condition, page_size=0)
    return [row.fields for row in world.list("Orders", options, MANAGER).rows]


def total(rows: list[Fields]) -> Decimal:
    return sum((Decimal(str(row["DocTotal"])) for row in rows), Decimal(0))


def test_a_sum_is_over_all_rows(world: World) -> None:
    assert applied(world, "aggregate(DocTotal with sum as Total)") == [{"Total": total(orders(world))}]


def test_a_filter_comes_before_the_sum(world: World) -> None:
    condition = "DocumentStatus eq 'bost_Open'"
    expected = orders(world, condition)
    found = applied(world, f"filter({condition})/aggregate(DocTotal with sum as Total,$count as N)")
    assert found == [{"Total": total(expected), "N": len(expected)}]
    assert 0 < len(expected) < len(orders(world))
    assert applied(world, "aggregate(DocTotal with sum as Total,$count as N)", filter=condition) == found


def test_brackets_and_quotes_inside_a_text_do_not_end_the_filter(world: World) -> None:
    condition = "(CardName ne 'O''Higgins) y (Cía' and DocEntry gt 0) or DocEntry eq -1"
    found = applied(world, f"filter({condition})/aggregate($count as N)")
    assert found == [{"N": len(orders(world))}]


def test_groups_have_their_own_sums(world: World) -> None:
    by_partner: dict[Any, list[Fields]] = defaultdict(list)
    for row in orders(world):
        by_partner[row["CardCode"]].append(row)
    found = applied(world, "groupby((CardCode),aggregate(DocTotal with sum as Total))", page_size=0)
    assert {row["CardCode"]: row["Total"] for row in found} == {
        partner: total(rows) for partner, rows in by_partner.items()
    }
    assert len(found) == len(by_partner) > 1


def test_groups_without_results_are_the_different_values(world: World) -> None:
    found = applied(world, "groupby((Orders/DocumentStatus))")
    assert sorted(str(row["DocumentStatus"]) for row in found) == ["bost_Close", "bost_Open"]


def test_other_methods_ignore_nulls(world: World) -> None:
    numbers = [row["DocEntry"] for row in orders(world)]
    methods = "DocEntry with min as A,DocEntry with max as B,DocEntry with countdistinct as C"
    assert applied(world, f"aggregate({methods})") == [
        {"A": min(numbers), "B": max(numbers), "C": len(numbers)}  # type: ignore[type-var]
    ]
    empty = "filter(DocEntry eq -1)/aggregate(DocTotal with sum as S,DocTotal with average as A,$count as N)"
    assert applied(world, empty) == [{"S": None, "A": None, "N": 0}]
    average = applied(world, "filter(DocEntry eq 1)/aggregate(DocTotal with average as A)")
    assert average == [{"A": orders(world, "DocEntry eq 1")[0]["DocTotal"]}]


def test_groups_come_in_pages(world: World) -> None:
    result = world.aggregate("Items", QueryOptions(apply="groupby((ItemCode))"), MANAGER)
    assert (len(result.rows), result.next_skip) == (20, 20)
    result = world.aggregate("Items", QueryOptions(apply="groupby((ItemCode))", page_size=0), MANAGER)
    assert (len(result.rows), result.next_skip) == (60, None)


@pytest.mark.parametrize(
    "apply",
    [
        "",
        "aggregate(DocTotal)",
        "aggregate(DocTotal with product as P)",
        "aggregate(CardName with sum as S)",
        "aggregate(Nonsense with sum as S)",
        "aggregate(DocTotal with sum as S,VatSum with sum as S)",
        "groupby(DocCurrency)",
        "groupby((Nonsense))",
        "filter(DocEntry eq 1)",
        "filter(DocEntry eq 1)aggregate($count as N)",
        "filter(DocEntry eq 1/aggregate($count as N)",
        "filter(Nonsense eq 1)/aggregate($count as N)",
    ],
)
def test_text_that_does_not_parse_is_refused(world: World, apply: str) -> None:
    with pytest.raises(SlError) as caught:
        applied(world, apply)
    assert (caught.value.status, caught.value.code) == (400, 201)


def test_other_options_beside_it_are_not_simulated(world: World) -> None:
    with pytest.raises(SlError) as caught:
        applied(world, "aggregate($count as N)", select="DocEntry")
    assert caught.value.status == 501


def test_a_switch_refuses_it(make_world: Callable[..., World]) -> None:
    world = make_world(switches=Switches(other_habits=frozenset({OtherHabit.NO_APPLY})))
    with pytest.raises(SlError) as caught:
        applied(world, "aggregate($count as N)")
    assert caught.value.status == 400


def test_a_switch_ignores_its_filter(make_world: Callable[..., World]) -> None:
    world = make_world(switches=Switches(other_habits=frozenset({OtherHabit.APPLY_FILTER_IGNORED})))
    [row] = applied(world, "filter(DocEntry eq 1)/aggregate($count as N)")
    assert row == {"N": len(orders(world))}
