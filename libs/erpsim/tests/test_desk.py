"""A desk: one user's way to a company."""

from __future__ import annotations

import pytest

from erpsim.desk import Desk


def test_a_desk_tells_when_nothing_was_refused(desk: Desk) -> None:
    with pytest.raises(AssertionError, match="not refused"):
        desk.refusal(desk.rows, "Items")
