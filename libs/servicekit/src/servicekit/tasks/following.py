"""Work that continues without its caller, and whose progress several callers can follow."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from attrs import frozen

_P = TypeVar("_P")

_R = TypeVar("_R")


@runtime_checkable
class _CopyableError(Protocol):
    """An error that can be copied without its traceback (`ServiceError`, `ErpError`)."""

    def without_traceback(self) -> Exception: ...


@frozen
class _Failed:
    """Stored error of the work, without the frames that it was raised in."""

    error: Exception


def _without_traceback(error: Exception) -> Exception:
    return error.without_traceback() if isinstance(error, _CopyableError) else error


class FollowedTask(Generic[_P, _R]):
    """Running or finished work with its reported progress.

    Args:
        work: creates the coroutine; it receives the function to report progress to.
    """

    def __init__(self, work: Callable[[Callable[[_P], None]], Coroutine[Any, Any, _R]]) -> None:
        self._reported: list[_P] = []
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._run(work))
        self._task.add_done_callback(lambda _: self._wake())

    @property
    def is_done(self) -> bool:
        """True if it has finished or failed."""
        return self._task.done()

    def cancel(self) -> None:
        """Cancel the work; its result depends on how it handles that."""
        self._task.cancel()

    async def result(self) -> _R:
        """Wait for the result. Cancelling the wait does not stop the work.

        Raises:
            Exception: the error of the work.
        """
        result = await asyncio.shield(self._task)
        if isinstance(result, _Failed):
            raise _without_traceback(result.error)
        return result

    async def ended_within(self, timeout_s: float) -> bool:
        """Wait for the end, at most `timeout_s`, and return whether it came. The work continues."""
        done, _ = await asyncio.wait([self._task], timeout=timeout_s)
        return bool(done)

    async def progress(self, *, quiet_s: float) -> AsyncIterator[_P | None]:
        """Yield all reports from the first on, and None after each `quiet_s` seconds without one."""
        position = 0
        while True:
            while position < len(self._reported):
                yield self._reported[position]
                position += 1
            if self._task.done():
                return
            changed = self._changed
            try:
                async with asyncio.timeout(quiet_s):
                    await changed.wait()
            except TimeoutError:
                yield None

    async def _run(self, work: Callable[[Callable[[_P], None]], Coroutine[Any, Any, _R]]) -> _R | _Failed:
        try:
            return await work(self._report)
        except Exception as error:  # noqa: BLE001 - the error is the result, and the work has logged it
            return _Failed(_without_traceback(error))

    def _report(self, progress: _P) -> None:
        self._reported.append(progress)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
