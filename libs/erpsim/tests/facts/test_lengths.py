"""Maximum lengths of texts."""

from __future__ import annotations

from pathlib import Path

from erpsim.facts import Facts, load_own_facts
from erpsim.sql.columns import KNOWN_LENGTHS


def test_text_properties_have_the_known_column_lengths(facts: Facts) -> None:
    document = facts.entity_sets["PurchaseReturns"].type.properties
    lengths = {
        name: document[name].max_length for name in ("Comments", "JournalMemo", "NumAtCard", "CardCode")
    }
    assert lengths == {"Comments": 254, "JournalMemo": 50, "NumAtCard": 100, "CardCode": 15}
    assert facts.types["DocumentLine"].properties["CostingCode"].max_length == 8
    assert facts.types["Payment"].properties["Remarks"].max_length == 254, "it is another name of that column"


def test_a_column_without_documented_length_has_none(facts: Facts) -> None:
    document = facts.types["Document"].properties
    assert document["OpeningRemarks"].max_length is None
    assert document["U_CANAL"].max_length is None
    assert document["DocEntry"].max_length is None


def test_tables_and_bodies_have_the_same_lengths(facts: Facts) -> None:
    result = {
        prop.column: prop.max_length
        for each in facts.types.values()
        for prop in each.properties.values()
        if prop.max_length is not None
    }
    assert len(result) > 15
    assert {column: KNOWN_LENGTHS[str(column)] for column in result} == result


def test_the_lengths_of_a_custom_export_take_precedence(v2_export: Path) -> None:
    item = load_own_facts(v2_export).types["Item"].properties
    assert (item["ItemCode"].max_length, item["U_CORTO"].max_length) == (20, 2)
    assert item["ItemName"].max_length == 200, "`max` says nothing"
