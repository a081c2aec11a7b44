"""Conditions as a WHERE clause."""

from erp_gateway.store.statements import where


def test_only_conditions_with_a_value_are_in_the_clause() -> None:
    clause, values = where([("web_user = ?", "ana"), ("key = ?", None), ("page < ?", 0)])
    assert clause == "WHERE web_user = ? AND page < ?"
    assert values == ["ana", 0]


def test_a_clause_without_conditions_selects_everything() -> None:
    assert where([("web_user = ?", None)]) == ("WHERE TRUE", [])
