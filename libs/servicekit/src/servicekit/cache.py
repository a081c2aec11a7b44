"""A cache bounded by age, size and number of entries; concurrent callers share one read."""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Final, Generic, TypeVar

from attrs import define, field, frozen

from servicekit.clock import Clock

MAX_ENTRIES: Final = 1_000

A = TypeVar("A")
K = TypeVar("K", bound=Hashable)


@frozen
class CachedAnswer(Generic[A]):
    """An answer with its age.

    Attributes:
        answer: result of a read.
        age_s: seconds since that read was sent; None if it was sent for this request.
        stale: whether it is expired and returned because a new read failed.
    """

    answer: A
    age_s: float | None = None
    stale: bool = False


@frozen
class ReadStart:
    """Start of a read: `number` increases with each one, `at` is in monotonic seconds."""

    number: int
    at: float


@frozen
class _Entry(Generic[A]):
    answer: A
    start: ReadStart
    until: float
    size: int


@define(eq=False)
class _Run(Generic[A]):
    """A read in flight and the number of its waiting callers."""

    task: "asyncio.Task[A]"
    waiting: int = 0


@define(eq=False, repr=False)
class Cache(Generic[K, A]):
    """Keeps the most recently used answers. `ask` also reads missing ones, with one read per key at a time.

    Args:
        clock: time.
        size_of: returns the size of an entry in the unit of the bounds.
        max_size: maximum total size; the newest entry always stays.
        largest: maximum size of a stored answer.
    """

    _clock: Clock
    _size_of: Callable[[K, A], int] = field(kw_only=True)
    _max_size: int = field(kw_only=True)
    _largest: float = field(default=math.inf, kw_only=True)
    _entries: OrderedDict[K, _Entry[A]] = field(factory=OrderedDict, init=False)
    _runs: dict[K, _Run[A]] = field(factory=dict, init=False)
    _tasks: set[asyncio.Task[A]] = field(factory=set, init=False)
    _number: int = field(default=0, init=False)
    _size: int = field(default=0, init=False)

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    @property
    def size(self) -> int:
        """Size of all entries."""
        return self._size

    def start(self) -> ReadStart:
        """Register a read that is being sent; pass the result to `keep`."""
        self._number += 1
        return ReadStart(self._number, self._clock.monotonic())

    def find(self, key: K, max_age_s: float = math.inf) -> CachedAnswer[A] | None:
        """Return the answer for this key if it is younger than the limit."""
        entry, now = self._entries.get(key), self._clock.monotonic()
        if entry is None:
            return None
        if now >= entry.until:
            self._drop(key)
            return None
        age_s = now - entry.start.at
        if age_s >= max_age_s:
            return None
        self._entries.move_to_end(key)
        return CachedAnswer(entry.answer, age_s)

    def keep(self, key: K, answer: A, start: ReadStart, keep_s: float) -> None:
        """Store the result of a read, unless a later read has stored one; evict the least recently used.

        Args:
            key: key of the answer.
            answer: result of the read.
            start: of the read.
            keep_s: lifetime, counted from the start of the read.
        """
        before = self._entries.get(key)
        if before is not None:
            if before.start.number > start.number:
                return
            self._drop(key)
        size = self._size_of(key, answer)
        if size > self._largest:
            return
        self._entries[key] = _Entry(answer, start, start.at + keep_s, size)
        self._size += size
        now = self._clock.monotonic()
        while len(self._entries) > 1:
            oldest = next(iter(self._entries))
            is_full = self._size > self._max_size or len(self._entries) > MAX_ENTRIES
            if not is_full and now < self._entries[oldest].until:
                return
            self._drop(oldest)

    def forget(self, which: Callable[[K], bool]) -> None:
        """Remove the answers for these keys."""
        for key in [key for key in self._entries if which(key)]:
            self._drop(key)

    async def ask(
        self,
        key: K,
        read: Callable[[], Coroutine[Any, Any, A]],
        *,
        keep_s: float,
        bypass_cache: bool = False,
    ) -> CachedAnswer[A]:
        """Return the entry; otherwise share a read in flight, or read and store it.

        The read continues as long as one of its callers waits.

        Args:
            key: key of the answer.
            read: reads it.
            keep_s: maximum age of an answer, counted from the start of its read.
            bypass_cache: whether to bypass the cache with a new read.

        Raises:
            Exception: as `read`; a failure goes to all waiting callers and is not stored.
        """
        if not bypass_cache:
            cached = self.find(key)
            if cached is not None:
                return cached
        run = None if bypass_cache else self._runs.get(key)
        if run is None:
            run = self._begin(key, read, keep_s)
        run.waiting += 1
        try:
            return CachedAnswer(await asyncio.shield(run.task))
        finally:
            run.waiting -= 1
            if not run.waiting and not run.task.done():
                self._forget_run(key, run)
                run.task.cancel()
            del run  # breaks the reference cycle of error and frame

    async def aclose(self) -> None:
        """Cancel the reads in flight."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, key: K, read: Callable[[], Coroutine[Any, Any, A]], keep_s: float) -> _Run[A]:
        start = self.start()
        task = asyncio.ensure_future(read())
        run = self._runs[key] = _Run(task)
        self._tasks.add(task)

        def on_end(task: "asyncio.Task[A]") -> None:
            self._tasks.discard(task)
            self._forget_run(key, run)
            if not task.cancelled() and task.exception() is None:
                self.keep(key, task.result(), start, keep_s)

        task.add_done_callback(on_end)
        return run

    def _forget_run(self, key: K, run: _Run[A]) -> None:
        if self._runs.get(key) is run:
            del self._runs[key]

    def _drop(self, key: K) -> None:
        self._size -= self._entries.pop(key).size
