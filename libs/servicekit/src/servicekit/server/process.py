"""The process around the serving: its event loop, threads and memory, its exit code, its signals."""

import asyncio
import ctypes
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import structlog

SWITCH_S: Final = 0.0001
"""Switch interval of Python's threads.

With the default of 5 ms, each statement of a commit of the store waits that long while the event loop is
busy, and the event loop waits for a thread that reads a large body. With one busy thread, an echo over
loopback took 10.6 ms at 5 ms, 1.9 ms at 0.5 ms and 0.6 ms at 0.1 ms, and the thread's work took as long.
"""

LARGE_BYTES: Final = 1024 * 1024
"""Blocks from this size on are returned to the system when they are freed.

glibc's own limit rises to the largest block ever freed, up to 32 MiB. After the first hash of a password (19
MiB), the next one would be cut from a heap and stay there for good.
"""

_M_TRIM_THRESHOLD: Final = -1
# `mallopt`'s parameters, as glibc's malloc.h numbers them.
_M_MMAP_THRESHOLD: Final = -3

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run the process's main coroutine in uvloop's event loop (or asyncio's), with large blocks given back.

    Returns:
        its result; 1 if it failed. The failure is logged, because Python's own traceback would block until it
        is read.
    """
    _give_large_blocks_back()
    try:
        with _short_switch_interval(), asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main)
    except Exception as exc:  # noqa: BLE001 - outermost frame
        structlog.get_logger(__name__).critical("process_crashed", exc_info=exc)
        return 1


def _give_large_blocks_back() -> None:
    with suppress(AttributeError, OSError):  # not glibc: nothing to set
        set_option = ctypes.CDLL(None).mallopt
        set_option(_M_MMAP_THRESHOLD, LARGE_BYTES)
        set_option(_M_TRIM_THRESHOLD, 2 * LARGE_BYTES)


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before_s)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - optional: not every platform has it
    except ImportError:
        return None
    return uvloop.new_event_loop


@contextmanager
def signals(first: asyncio.Event, second: asyncio.Event) -> Iterator[None]:
    """Let SIGTERM and SIGINT set the first event, and once that is set the second, while the block runs."""
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        (second if first.is_set() else first).set()

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
