"""Work that goes on when its browser leaves, and that any number of listeners may follow."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Generic, TypeVar

P = TypeVar("P")
R = TypeVar("R")


class Following(Generic[P, R]):
    """A piece of work that runs or has run, with what it told of itself.

    Args:
        work: Starts it; it is given what to tell its progress to.
    """

    def __init__(self, work: Callable[[Callable[[P], None]], Coroutine[Any, Any, R]]) -> None:
        self._seen: list[P] = []
        self._news = asyncio.Event()
        self._task = asyncio.create_task(work(self._tell))
        self._task.add_done_callback(self._ended)

    @property
    def is_done(self) -> bool:
        """Whether it has ended, well or badly."""
        return self._task.done()

    def cancel(self) -> None:
        """Have it end soon; what it makes of that is its result."""
        self._task.cancel()

    async def result(self) -> R:
        """Wait for the end; leaving does not stop it.

        Raises:
            Exception: What the work raised.
        """
        return await asyncio.shield(self._task)

    async def ended_within(self, timeout_s: float) -> bool:
        """Wait for the end for so long at most; tell whether it came. Leaving does not stop the work."""
        done, _ = await asyncio.wait([self._task], timeout=timeout_s)
        return bool(done)

    async def progress(self, *, quiet_s: float) -> AsyncIterator[P | None]:
        """Yield what was told, from the first on, and None after so many seconds without any news."""
        position = 0
        while True:
            while position < len(self._seen):
                yield self._seen[position]
                position += 1
            if self._task.done():
                return
            news = self._news
            try:
                async with asyncio.timeout(quiet_s):
                    await news.wait()
            except TimeoutError:
                yield None

    def _tell(self, progress: P) -> None:
        self._seen.append(progress)
        self._wake()

    def _ended(self, task: asyncio.Task[R]) -> None:
        if not task.cancelled():
            task.exception()  # the work has logged it; nobody may be left to hear of it
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
