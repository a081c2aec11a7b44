"""The process around the serving: its event loop and threads, its exit code, its signals."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog

SWITCH_S: Final = 0.0001
"""How long a thread that wants to go on waits for one that is busy.

With Python's own 5 ms a commit of the store waits that long after each of its statements while the event
loop is busy, and the event loop for a thread that reads a large body.
"""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run the process's main coroutine in uvloop's event loop (or asyncio's).

    Returns:
        its result; 1 when it failed, which is logged: what Python prints of it waits for a reader.
    """
    try:
        with _threads_taking_turns(), asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main)
    except Exception as exc:  # noqa: BLE001 - there is nobody above
        structlog.get_logger(__name__).critical("process_crashed", exc_info=exc)
        return 1


@contextmanager
def _threads_taking_turns() -> Iterator[None]:
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
