"""The order of rows: several keys, nulls, enumerations, capitals."""

from __future__ import annotations

import pytest

from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields
from erpsim.company.rows.row_types import RowType
from erpsim.query.evaluation import sort_rows
from erpsim.query.ordering import Order, parse_order


def test_rows_are_sorted_by_several_keys_with_nulls_first(row_type: RowType) -> None:
    rows: list[Fields] = [
        {"ItemCode": "a", "ForeignName": "x", "ItemsGroupCode": 1},
        {"ItemCode": "b", "ForeignName": None, "ItemsGroupCode": 2},
        {"ItemCode": "c", "ForeignName": "x", "ItemsGroupCode": 2},
        {"ItemCode": "d", "ForeignName": "w", "ItemsGroupCode": 1},
    ]
    sort_rows(rows, parse_order("ForeignName, ItemsGroupCode desc"), row_type)
    assert [row["ItemCode"] for row in rows] == ["b", "d", "c", "a"]


def test_enums_are_sorted_by_their_database_value(row_type: RowType) -> None:
    rows: list[Fields] = [
        {"ItemCode": "a", "InventoryItem": "tYES"},
        {"ItemCode": "b", "InventoryItem": "tNO"},
    ]
    sort_rows(rows, [Order("InventoryItem")], row_type)
    assert [row["ItemCode"] for row in rows] == ["b", "a"]


def test_capitals_sort_before_small_letters_unless_case_is_ignored(row_type: RowType) -> None:
    rows: list[Fields] = [{"ItemCode": "a"}, {"ItemCode": "B"}]
    sort_rows(rows, [Order("ItemCode")], row_type)
    assert [row["ItemCode"] for row in rows] == ["B", "a"]
    sort_rows(rows, [Order("ItemCode")], row_type, case_insensitive=True)
    assert [row["ItemCode"] for row in rows] == ["a", "B"]


@pytest.mark.parametrize("text", ["ItemCode up", "ItemCode,,ItemName", "ItemCode DESC", "-ItemCode"])
def test_an_invalid_order_is_refused(text: str) -> None:
    with pytest.raises(SlError, match=r"Invalid value of \$orderby"):
        parse_order(text)


def test_an_unknown_name_in_the_order_is_refused(row_type: RowType) -> None:
    with pytest.raises(SlError, match="Property 'NoExiste' is invalid"):
        sort_rows([], parse_order("NoExiste"), row_type)
