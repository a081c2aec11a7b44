"""Holding back the collector."""

import gc

import pytest
from plannings import item, receipt

from supplier_returns.planning.collector import gc_paused


def test_blocks_may_overlap_and_the_last_one_lets_go() -> None:
    first, second = gc_paused(), gc_paused()
    assert gc.isenabled()
    with first:
        second.__enter__()
        assert not gc.isenabled()
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_lets_go_too() -> None:
    with pytest.raises(ZeroDivisionError), gc_paused():
        divmod(1, 0)
    assert gc.isenabled()


def test_the_collector_does_not_walk_through_what_a_warehouse_holds() -> None:
    """There are ten thousands of them in each of the plans that are made at once."""
    assert not gc.is_tracked(receipt())
    assert not gc.is_tracked(item())
