"""A desk: one user's way to a company."""

from __future__ import annotations

import pytest

from erpsim.desk import Desk


def test_the_desk_fails_a_test_if_no_refusal_happened(desk: Desk) -> None:
    with pytest.raises(AssertionError, match="not refused"):
        desk.refusal(desk.rows, "Items")
