"""Answers of queries that declare `cache_s`: the same for all who may run them, so one run serves many.

Who may run a query is checked before anybody comes here. Answers are kept as the bytes that are sent.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Final, TypeAlias

import msgspec
from attrs import define, frozen

from erp_gateway.erpdb.runner import QueryResult
from servicekit.clock import Clock

SMALL_ANSWER_ROWS: Final = 100
"""Up to so many rows are encoded faster than handed to a thread."""

_ROWS_AT_A_TIME: Final = 200
"""The encoder holds Python's lock while it works, so that it must come up for air."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen
class QueryAnswer:
    """An answer as it is sent, and what the audit is to know of it."""

    body: bytes
    rows: int
    truncated: bool


async def answer_of(result: QueryResult, *, paged: bool) -> QueryAnswer:
    """Encode a result, a large one in a thread; see `encode_result`."""
    if len(result.rows) <= SMALL_ANSWER_ROWS:
        body = encode_result(result, paged=paged)
    else:
        body = await asyncio.to_thread(encode_result, result, paged=paged)
    return QueryAnswer(body, len(result.rows), result.truncated)


def encode_result(result: QueryResult, *, paged: bool = False) -> bytes:
    """Return `{"rows": [...], "truncated": ...}`. For a large result, call it in a thread.

    Args:
        result: what the query returned.
        paged: whether the query has a total order, so that `nextOffset` belongs into the answer.
    """
    starts = range(0, len(result.rows), _ROWS_AT_A_TIME)
    parts = (_ENCODER.encode(result.rows[start : start + _ROWS_AT_A_TIME])[1:-1] for start in starts)
    following = b"null" if result.next_offset is None else b"%d" % result.next_offset
    return b'{"rows":[%b],"truncated":%b%b}' % (
        b",".join(parts),
        b"true" if result.truncated else b"false",
        b',"nextOffset":%b' % following if paged else b"",
    )


MAX_ENTRIES: Final = 1000
ENTRY_BYTES: Final = 1024
"""What an entry counts beside its answer and its question."""

LARGEST_SHARE: Final = 4
"""An answer of more than this part of the memory is not kept."""

Question: TypeAlias = tuple[Hashable, ...]
"""Query, values of its parameters, page."""


@frozen
class CachedAnswer:
    """An answer, and its age: None where the database gave it while this request waited."""

    answer: QueryAnswer
    age_s: float | None = None


@frozen
class _Entry:
    answer: QueryAnswer
    since: float
    until: float
    size: int


@define(eq=False)
class _Run:
    """A run that is under way, when it began, and how many wait for it."""

    task: "asyncio.Task[QueryAnswer]"
    since: float
    waiting: int = 0


class QueryCache:
    """Keeps answers, the most recently used ones, within a bound; the same question is asked once at a time.

    Args:
        clock: time.
        max_bytes: most that the answers take.
    """

    def __init__(self, clock: Clock, *, max_bytes: int = 32 * 1024 * 1024) -> None:
        self._clock = clock
        self._max_bytes = max_bytes
        self._entries: OrderedDict[Question, _Entry] = OrderedDict()
        self._runs: dict[Question, _Run] = {}
        self._tasks: set[asyncio.Task[QueryAnswer]] = set()
        self._size = 0

    def __len__(self) -> int:
        """Return how many answers are held."""
        return len(self._entries)

    @property
    def size(self) -> int:
        """Bytes that are held, questions and what an entry itself takes included."""
        return self._size

    async def ask(
        self,
        question: Question,
        read: Callable[[], Coroutine[Any, Any, QueryAnswer]],
        *,
        keep_s: float,
        past_memory: bool,
    ) -> CachedAnswer:
        """Answer from memory, with whoever asks the same at this moment, or by a run that is kept.

        The run goes on as long as one of those waits who asked for it.

        Args:
            question: what is asked.
            read: asks the database.
            keep_s: how old an answer may be, counted from when its run began.
            past_memory: whether only a run will do that begins now.

        Raises:
            ServiceError: as `read`; a failure is not kept.
        """
        if not past_memory:
            held = self._find(question)
            if held is not None:
                return held
        run = None if past_memory else self._runs.get(question)
        if run is None:
            run = self._begin(question, read, keep_s)
        run.waiting += 1
        try:
            return CachedAnswer(await asyncio.shield(run.task))
        finally:
            run.waiting -= 1
            if not run.waiting and not run.task.done():
                self._forget_run(question, run)
                run.task.cancel()
            del run  # its error holds this frame, which would hold it, and all would stay

    async def aclose(self) -> None:
        """Give up what is being read."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(
        self, question: Question, read: Callable[[], Coroutine[Any, Any, QueryAnswer]], keep_s: float
    ) -> _Run:
        since = self._clock.monotonic()
        task = asyncio.ensure_future(read())
        run = self._runs[question] = _Run(task, since)
        self._tasks.add(task)

        def ended(task: "asyncio.Task[QueryAnswer]") -> None:
            self._tasks.discard(task)
            self._forget_run(question, run)
            if not task.cancelled() and task.exception() is None:
                self._keep(question, task.result(), since, since + keep_s)

        task.add_done_callback(ended)
        return run

    def _forget_run(self, question: Question, run: _Run) -> None:
        if self._runs.get(question) is run:
            del self._runs[question]

    def _find(self, question: Question) -> CachedAnswer | None:
        entry = self._entries.get(question)
        now = self._clock.monotonic()
        if entry is None or now >= entry.until:
            return None
        self._entries.move_to_end(question)
        return CachedAnswer(entry.answer, now - entry.since)

    def _keep(self, question: Question, answer: QueryAnswer, since: float, until: float) -> None:
        """Keep an answer unless a younger one is there; what is over goes first, then what nobody used."""
        before = self._entries.get(question)
        size = len(answer.body) + len(repr(question)) + ENTRY_BYTES
        if size > self._max_bytes // LARGEST_SHARE or (before is not None and before.since > since):
            return
        now = self._clock.monotonic()
        over = [key for key, entry in self._entries.items() if now >= entry.until or key == question]
        for key in over:
            self._drop(key)
        self._entries[question] = _Entry(answer, since, until, size)
        self._size += size
        while self._size > self._max_bytes or len(self._entries) > MAX_ENTRIES:
            self._drop(next(iter(self._entries)))

    def _drop(self, question: Question) -> None:
        self._size -= self._entries.pop(question).size
