"""Time as a parameter."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen unless it is cancelled."""

    def cancel(self) -> object:
        """Cancel the timer. Has no effect after it has run or was cancelled."""
        ...


class Clock(Protocol):
    """Time functions of the client; tests substitute their own."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Call back once, after so many seconds, in the running event loop."""
        ...


class SystemClock:
    """The machine's own clock and the running event loop."""

    monotonic = staticmethod(time.monotonic)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """As :meth:`Clock.call_later`."""
        return asyncio.get_running_loop().call_later(delay_s, callback)
