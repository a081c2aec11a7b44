"""The diagram of docs/returns.md is that of the rules."""

import pytest
from tools.state_diagram import CAUSES, PAGE, diagram, walked, written_into

from supplier_returns.planning.model.states import DocumentState


def test_the_page_shows_the_states_as_the_rules_lead_through_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written_into(page), "write it again: python -m tools.state_diagram --write"


def test_every_state_is_reached() -> None:
    assert {state for arrow in walked() for state in arrow} == {state.value for state in DocumentState}


@pytest.mark.parametrize("differing", [("creado", "pendiente"), ("pendiente", "en_proceso")])
def test_arrows_and_causes_that_differ_are_refused(
    differing: tuple[str, str],
) -> None:
    causes = dict(CAUSES)
    if causes.pop(differing, None) is None:
        causes[differing] = "never"
    with pytest.raises(ValueError, match=f"'{differing[0]}', '{differing[1]}'"):
        diagram(causes)
