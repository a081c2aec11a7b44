"""Work beside requests: repeated while a process serves, finished or followed although its caller left."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import structlog
from attrs import frozen

T = TypeVar("T")


async def finish(work: Awaitable[T]) -> T:
    """Run `work` to its end even when the caller is cancelled meanwhile; then let the cancellation go on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            task.exception()  # marks it as seen; the cancellation is what the caller asked for
            raise cancelled
        return task.result()
    finally:
        del task, cancelled  # what is raised holds this frame, which would hold it, and all would stay


_log = structlog.get_logger(__name__)


@asynccontextmanager
async def every(interval_s: float, name: str, work: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Do `work` at once and then every `interval_s` seconds while the block runs; end it on leaving.

    A failure is logged, and the next turn tries again.
    """
    task = asyncio.create_task(_repeat(interval_s, name, work), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _repeat(interval_s: float, name: str, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - the next turn must come, whatever this one met
            _log.error("periodic_work_failed", work=name, exc_info=error)
        await asyncio.sleep(interval_s)


P = TypeVar("P")
R = TypeVar("R")


@runtime_checkable
class _Repeatable(Protocol):
    """An error that can be made once more, without what it came from (`ServiceError`, `ErpError`)."""

    def again(self) -> Exception: ...


@frozen
class _Failed:
    """What the work raised. It is kept, so the frames that it was raised in must not be kept with it."""

    error: Exception


def _anew(error: Exception) -> Exception:
    return error.again() if isinstance(error, _Repeatable) else error


class Following(Generic[P, R]):
    """A piece of work that runs or has run, with what it told of itself.

    Args:
        work: Starts it; it is given what to tell its progress to.
    """

    def __init__(self, work: Callable[[Callable[[P], None]], Coroutine[Any, Any, R]]) -> None:
        self._seen: list[P] = []
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

    async def result(self) -> R:
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

    async def _run(self, work: Callable[[Callable[[P], None]], Coroutine[Any, Any, R]]) -> R | _Failed:
        try:
            return await work(self._tell)
        except Exception as error:  # noqa: BLE001 - it is the result; the work has logged it
            return _Failed(_anew(error))

    def _tell(self, progress: P) -> None:
        self._seen.append(progress)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
