"""The row type of the rows that queries run over."""

from __future__ import annotations

import pytest

from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.facts import Facts


@pytest.fixture(scope="module")
def row_type(facts: Facts) -> RowType:
    return RowTypes(facts).of_set("Items")
