"""Declarations of what a resource allows."""

import pytest

from erpclient.odata import OptionRules


def test_denied_names_are_stored_in_lower_case() -> None:
    assert OptionRules(denied={"U_WEB_PASS", "u_web_pass"}).denied == {"u_web_pass"}


def test_equal_rules_are_equal_dictionary_keys() -> None:
    rules = OptionRules(expand=["A", "B"], denied=["X"], extra_names=["2_X"])
    same = OptionRules(expand={"B", "A"}, denied={"x"}, extra_names=frozenset({"2_X"}))
    assert {rules: 1}[same] == 1


@pytest.mark.parametrize("name", ["", "A/B", "A B", "1A", "*", "Ñ", "A\n"])
def test_an_expansion_is_a_plain_name(name: str) -> None:
    with pytest.raises(ValueError, match="navigation properties"):
        OptionRules(expand={"Fine", name})


@pytest.mark.parametrize("name", ["", "A", "2 X", "2/X", "٢_X", "2\n", "2|A"])
def test_an_extra_name_starts_with_a_digit(name: str) -> None:
    with pytest.raises(ValueError, match="start with a digit"):
        OptionRules(extra_names={"2_X", name})
