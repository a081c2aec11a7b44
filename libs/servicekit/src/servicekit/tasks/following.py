"""Work beside requests: repeated while a process serves, finished or followed although its caller left."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from attrs import frozen

T = TypeVar("T")

_P = TypeVar("_P")

_R = TypeVar("_R")


@runtime_checkable
class _Repeatable(Protocol):
    """An error that can be made once more, without what it came from (`ServiceError`, `ErpError`)."""

    def without_traceback(self) -> Exception: ...


@frozen
class _Failed:
    """What the work raised. It is kept, so the frames that it was raised in must not be kept with it."""

    error: Exception


def _anew(error: Exception) -> Exception:
    return error.without_traceback() if isinstance(error, _Repeatable) else error


class Following(Generic[_P, _R]):
    """A piece of work that runs or has run, with what it told of itself.

    Args:
        work: Starts it; it is given what to tell its progress to.
    """

    def __init__(self, work: Callable[[Callable[[_P], None]], Coroutine[Any, Any, _R]]) -> None:
        self._seen: list[_P] = []
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._run(work))
        self._task.add_done_callback(lambda _: self._wake())

    @property
    def is_done(self) -> bool:
        """Whether it has ended, well or badly."""
        return self._task.done()

    def cancel(self) -> None:
        """Have it end soon; what it makes of that is its result."""
        self._task.cancel()

    async def result(self) -> _R:
        """Wait for the end; leaving does not stop it.

        Raises:
            Exception: What the work raised.
        """
        found = await asyncio.shield(self._task)
        if isinstance(found, _Failed):
            raise _anew(found.error)
        return found

    async def ended_within(self, timeout_s: float) -> bool:
        """Wait for the end for so long at most; tell whether it came. Leaving does not stop the work."""
        done, _ = await asyncio.wait([self._task], timeout=timeout_s)
        return bool(done)

    async def progress(self, *, quiet_s: float) -> AsyncIterator[_P | None]:
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

    async def _run(self, work: Callable[[Callable[[_P], None]], Coroutine[Any, Any, _R]]) -> _R | _Failed:
        try:
            return await work(self._tell)
        except Exception as error:  # noqa: BLE001 - it is the result; the work has logged it
            return _Failed(_anew(error))

    def _tell(self, progress: _P) -> None:
        self._seen.append(progress)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
