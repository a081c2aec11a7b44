"""The shape of the rows that queries run over."""

from __future__ import annotations

import pytest

from erpsim.company.rows.row_types import Shape, Shapes
from erpsim.facts import Facts


@pytest.fixture(scope="module")
def shape(facts: Facts) -> Shape:
    return Shapes(facts).of_set("Items")
