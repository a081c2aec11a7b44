"""Pauses of the garbage collector."""

import gc

import pytest
from plannings import item, receipt

from supplier_returns.planning.collector import gc_paused


def test_the_last_of_overlapping_blocks_enables_the_collector() -> None:
    first, second = gc_paused(), gc_paused()
    assert gc.isenabled()
    with first:
        second.__enter__()
        assert not gc.isenabled()
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_enables_the_collector() -> None:
    with pytest.raises(ZeroDivisionError), gc_paused():
        divmod(1, 0)
    assert gc.isenabled()


def test_the_collector_ignores_the_contents_of_a_warehouse() -> None:
    """Each of several plans at a time has tens of thousands of them."""
    assert not gc.is_tracked(receipt())
    assert not gc.is_tracked(item())
