"""The process around the serving: its event loop, its exit code, its signals."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run the process's main coroutine in uvloop's event loop (or asyncio's).

    Returns:
        its result; 1 when it failed, which is logged: what Python prints of it waits for a reader.
    """
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main)
    except Exception as exc:  # noqa: BLE001 - there is nobody above
        structlog.get_logger(__name__).critical("process_crashed", exc_info=exc)
        return 1


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
