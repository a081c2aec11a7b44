"""The walk through the rules of a document's states."""

import pytest
from tools.docs.states import CAUSES, diagram, walked

from supplier_returns.planning.model.states import DocumentState


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
