"""Reasons found by code or name in constant time."""

import pytest

from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.rules.names import ReasonNames


@pytest.mark.parametrize(
    ("text", "found"),
    [("VENC", "VENC"), ("vencido", "VENC"), ("Vencído", "VENC"), ("ROTO", "ROTO"), ("Otro", None)],
)
def test_a_reason_is_found_by_code_or_name(text: str, found: str | None) -> None:
    reasons = [Reason("VENC", "Vencido"), Reason("ROTO", "Dañado"), Reason("X", "Roto")]
    assert ReasonNames(reasons).find(text) == found


def test_of_two_reasons_with_the_same_name_the_first_is_found() -> None:
    reasons = [Reason("A", "Roto"), Reason("B", "roto"), Reason("a", "Otro")]
    names = ReasonNames(reasons)
    assert [names.find("ROTO"), names.find("a")] == ["A", "A"]


def test_without_valid_values_any_text_that_fits_is_a_reason() -> None:
    names = ReasonNames([])
    assert names.find("Cualquiera") == "Cualquiera"
    assert names.find("Demasiado largo") is None
    assert names.find("in\u200bvisible") is None
