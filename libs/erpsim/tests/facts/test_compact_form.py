"""The compact form of the packaged facts."""

from __future__ import annotations

from importlib import resources

import pytest

from erpsim.facts import Facts, FactsError
from erpsim.facts.compact_form import dump_facts, parse_facts


def test_the_packaged_facts_are_compact_and_canonical(facts: Facts) -> None:
    content = resources.files("erpsim").joinpath("data/facts.json").read_bytes()
    assert len(content) < 400_000
    assert dump_facts(facts) == content
    assert parse_facts(content) == facts


def test_another_facts_format_is_refused() -> None:
    with pytest.raises(FactsError, match="format 99, expected 1"):
        parse_facts(b'{"format": 99}')
