"""Work of some milliseconds on a thread, so that the event loop stays free."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from supplier_returns.planning.collector import gc_paused

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def run_small_work(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run short work on a thread, independently of `Computing`, and return its result.

    Args:
        work: Python code that creates no reference cycles.
        args: positional arguments.
        kwargs: keyword arguments.
    """
    return await asyncio.to_thread(partial(without_collector, work, *args, **kwargs))


def without_collector(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run work with the garbage collector paused, and return its result."""
    with gc_paused():
        return work(*args, **kwargs)
