"""Proposed meanings of a table's columns."""

from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.proposals import MAX_WHS_CODE, propose_columns


def test_a_column_with_long_texts_is_not_proposed_as_warehouse() -> None:
    short, long = propose_columns([["01", "x" * (MAX_WHS_CODE + 1)], ["02", "y"]], None)
    assert Column.WAREHOUSE in short.possible
    assert Column.WAREHOUSE not in long.possible
