"""Merging collections: by key, by position (the trap), and replacing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import differing, merge_fields, merge_rows, number_rows
from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.facts import Facts

OLD: list[Fields] = [{"LineNum": 0, "ItemCode": "a"}, {"LineNum": 2, "ItemCode": "b"}]


@pytest.fixture(scope="module")
def lines(facts: Facts) -> RowType:
    return RowTypes(facts).of("DocumentLine")


def merged(row_type: RowType, sent: list[Fields], *, replace: bool = False) -> list[Fields]:
    return [each.row for each in merge_rows(row_type, OLD, sent, replace=replace)]


def test_a_row_with_its_key_changes_that_row(lines: RowType) -> None:
    assert merged(lines, [{"LineNum": 2, "ItemCode": "x"}]) == [OLD[0], {"LineNum": 2, "ItemCode": "x"}]


def test_a_row_without_its_key_overwrites_by_position(lines: RowType) -> None:
    assert merged(lines, [{"FreeText": "t"}]) == [{"LineNum": 0, "ItemCode": "a", "FreeText": "t"}, OLD[1]]
    sent: list[Fields] = [{"LineNum": 2}, {"ItemCode": "x"}]
    assert merged(lines, sent) == [OLD[0], {"LineNum": 2, "ItemCode": "x"}]


def test_a_row_without_its_key_is_appended_on_some_builds(lines: RowType, facts: Facts) -> None:
    sent: list[Fields] = [{"ItemCode": "c"}, {"LineNum": 0, "FreeText": "t"}]
    added = merge_rows(lines, OLD, sent, replace=False, append=True)
    assert [each.row for each in added] == [{**OLD[0], "FreeText": "t"}, OLD[1], {"ItemCode": "c"}]
    batches = RowTypes(facts).of("BatchNumber")  # no property matches these
    kept = merge_rows(batches, [{"BatchNumber": "L1"}], [{"Notes": "n"}], replace=False, append=True)
    assert [each.row for each in kept] == [{"BatchNumber": "L1", "Notes": "n"}]


def test_a_row_beyond_the_last_or_with_a_new_key_is_added(lines: RowType) -> None:
    assert merged(lines, [{}, {}, {"ItemCode": "c"}])[2] == {"ItemCode": "c"}
    assert merged(lines, [{"LineNum": 9, "ItemCode": "c"}])[2] == {"LineNum": 9, "ItemCode": "c"}


def test_replacing_drops_unsent_rows_and_adds_rows_without_key(lines: RowType) -> None:
    sent: list[Fields] = [{"LineNum": 2, "FreeText": "t"}, {"ItemCode": "c"}]
    assert merged(lines, sent, replace=True) == [
        {"LineNum": 2, "ItemCode": "b", "FreeText": "t"},
        {"ItemCode": "c"},
    ]
    assert merged(lines, [], replace=True) == []


def test_rows_inside_rows_are_merged_alike(facts: Facts) -> None:
    row_type = RowTypes(facts).of_set("Orders")
    row: Fields = {"DocumentLines": [{"LineNum": 0, "BatchNumbers": [{"BatchNumber": "L1", "Quantity": 1}]}]}
    sent: Fields = {
        "DocumentLines": [{"LineNum": 0, "BatchNumbers": [{"Notes": "n"}, {"BatchNumber": "L2"}]}]
    }
    assert merge_fields(row_type, row, sent, replace=False) == {
        "DocumentLines": [
            {
                "LineNum": 0,
                "BatchNumbers": [{"BatchNumber": "L1", "Quantity": 1, "Notes": "n"}, {"BatchNumber": "L2"}],
            }
        ]
    }


def test_complex_values_are_merged(facts: Facts) -> None:
    row_type = RowTypes(facts).of_set("Orders")
    row: Fields = {"TaxExtension": {"TaxId0": "1", "State": "13"}}
    sent: Fields = {"TaxExtension": {"TaxId0": "2"}}
    assert merge_fields(row_type, row, sent, replace=False) == {
        "TaxExtension": {"TaxId0": "2", "State": "13"}
    }
    assert merge_fields(row_type, {}, sent, replace=False) == sent


def test_unchanged_values_are_no_change(facts: Facts) -> None:
    row_type = RowTypes(facts).of_set("Orders")
    row: Fields = {"Comments": "x", "TaxExtension": {"State": "13"}, "DocumentLines": [{"LineNum": 0}]}
    same: Fields = {
        "Comments": "x",
        "Printed": "psNo",
        "Project": None,
        "TaxExtension": {"State": "13", "County": None},
        "DocumentLines": [{"LineNum": 0, "TreeType": "iNotATree"}],
    }
    assert differing(row_type, row, same) == {}
    changes: list[Fields] = [
        {"Comments": "y"},
        {"TaxExtension": {"State": "5"}},
        {"DocumentLines": [{"LineNum": 0}, {}]},
        {"DocumentLines": [{"LineNum": 0, "FreeText": "t"}]},
    ]
    for changed in changes:
        assert differing(row_type, row, changed) == changed


_numbers = st.lists(st.integers(0, 6), unique=True, max_size=5)
_sent = st.lists(
    st.fixed_dictionaries({"FreeText": st.sampled_from("xyz")}, optional={"LineNum": st.integers(0, 8)}),
    max_size=6,
)


@given(numbers=_numbers, sent=_sent, replace=st.booleans())
def test_merging_never_loses_or_doubles_a_row(
    lines: RowType, numbers: list[int], sent: list[Fields], replace: bool
) -> None:
    old: list[Fields] = [{"LineNum": number, "ItemCode": str(number)} for number in numbers]
    result = merge_rows(lines, old, sent, replace=replace)
    kept = [each for each in result if each.old is not None]
    added = [each for each in result if each.old is None]
    if replace:
        named = {each["LineNum"] for each in sent if "LineNum" in each}
        assert {each.row["LineNum"] for each in kept} == named & set(numbers)
    else:
        assert [each.row["LineNum"] for each in kept] == numbers
    assert all(each.row["ItemCode"] == str(each.row["LineNum"]) for each in kept)
    assert [each.row["FreeText"] for each in added] == [
        each["FreeText"]
        for position, each in enumerate(sent)
        if (each["LineNum"] not in numbers if "LineNum" in each else replace or position >= len(numbers))
    ]


@given(numbers=_numbers, new=st.integers(0, 4), first=st.sampled_from([0, 1, 5]))
def test_new_rows_get_unused_numbers(lines: RowType, numbers: list[int], new: int, first: int) -> None:
    rows: list[Fields] = []
    rows += ({"LineNum": number} for number in numbers)
    rows += ({"ItemCode": "x"} for _ in range(new))
    numbered = [row["LineNum"] for row in number_rows(lines, rows, first)]
    assert numbered[: len(numbers)] == numbers
    assert len(set(numbered)) == len(numbered)
    assert all(isinstance(number, int) and number >= first for number in numbered[len(numbers) :])


def test_rows_without_a_row_number_stay_unchanged(facts: Facts) -> None:
    row_type = RowTypes(facts).of("BatchNumber")
    assert number_rows(row_type, [{"BatchNumber": "L1"}]) == [{"BatchNumber": "L1"}]
