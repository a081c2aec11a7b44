"""What a database engine must offer. Adding one is a module with two classes, and a line in `open_engine`."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from decimal import Decimal, localcontext
from typing import Final, Protocol, runtime_checkable

import structlog
from attrs import frozen
from typing_extensions import override

from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.errors import DatabaseConnectTimeout, DatabaseFailed, DatabaseTimeout, ResultTooLarge
from erp_gateway.queries.values import Value
from servicekit.errors import InvalidBody

_log = structlog.get_logger(__name__)

MAX_RESULT_SIZE: Final = 64 * 1024 * 1024
"""Characters and bytes of texts and binaries that one answer may hold."""


@frozen
class Rows:
    """What an engine read.

    Attributes:
        columns: names, all different.
        rows: one mapping per row; values as in `client.QueryResult`. None of them when they went to a sink.
        truncated: whether there were more than were asked for.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, object]]
    truncated: bool


@frozen(kw_only=True)
class Work:
    """What is to be read.

    Attributes:
        sql: a single read, `?` for each value; no value ever stands in it.
        values: what to bind, in the order of the places.
        max_rows: most rows to return; one more is looked for, the rest is left where it is.
        timeout_s: longest run. The engine is interrupted then; it makes sure by its own means as well that a
            server that has fallen silent can't hold it much longer.
        sink: takes the rows instead of the memory.
    """

    sql: str
    values: Sequence[Value]
    max_rows: int
    timeout_s: float
    sink: TableSink | None = None

    def collector(self, columns: Sequence[str]) -> "RowCollector":
        """Return what gathers the rows.

        Args:
            columns: names as the database gives them.

        Raises:
            DatabaseFailed: as `RowCollector` has it.
        """
        if self.sink is None:
            return RowCollector(columns, self.max_rows)
        return RowStream(columns, self.max_rows, self.sink)


class Reading(Protocol):
    """One read on a connection of its own. Both methods block; each is called in its own thread."""

    def read(self) -> Rows:
        """Open, read, close; nothing is ever committed.

        Raises:
            ServiceError: as `errors` has them.
            InterruptedReadError: `interrupt` was called.
        """
        ...

    def interrupt(self) -> None:
        """Make `read` end soon, by stopping the statement on the server.

        May be called at any time and again while `read` goes on, from one other thread. Never raises.
        """
        ...


@runtime_checkable
class Connecting(Protocol):
    """A reading that logs in before it reads.

    Attributes:
        is_connected: whether the login is over.
    """

    is_connected: bool


class Engine(Protocol):
    """A kind of database."""

    @property
    def name(self) -> str:
        """Its name in settings and declarations of queries."""
        ...

    def reading(self, work: Work) -> Reading:
        """Prepare one read. Opens nothing yet.

        Raises:
            DatabaseDriverMissing: the driver is not installed.
        """
        ...


class InterruptedReadError(Exception):
    """The read was ended by `interrupt`."""


class ValueDoesNotFitError(InvalidBody):
    """A bound number can't be that of the column it is compared with, or would be cut to fit it.

    Attributes:
        position: of the place, from 0.
    """

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


class RowCollector:
    """Gathers rows up to the cap and watches their size.

    Args:
        columns: names as the database gives them.
        max_rows: the cap.

    Raises:
        DatabaseFailed: two columns have the same name, so that a row can't be an object.
    """

    def __init__(self, columns: Sequence[str], max_rows: int) -> None:
        self._columns = tuple(columns)
        if len(set(self._columns)) != len(self._columns):
            _log.warning("query_columns_repeated", columns=list(self._columns))
            raise DatabaseFailed
        self._max_rows = max_rows
        self._rows: list[dict[str, object]] = []
        self._taken = 0
        self._size = 0
        self._truncated = False

    @property
    def wanted(self) -> int:
        """How many rows are still to be fetched, counting the one that tells whether there are more."""
        return 0 if self._truncated else self._max_rows + 1 - self._taken

    def add(self, row: Iterable[object]) -> None:
        """Take a row, or notice, without looking at it, that it is one too many.

        Raises:
            ResultTooLarge: the answer would not fit into memory.
        """
        if self._taken == self._max_rows:
            self._truncated = True
            return
        self._taken += 1
        self._keep(tuple(row))

    def finish(self) -> Rows:
        """Return what was gathered."""
        return Rows(self._columns, self._rows, self._truncated)

    def _keep(self, values: tuple[object, ...]) -> None:
        self._size += _size_of(values)
        if self._size > MAX_RESULT_SIZE:
            raise ResultTooLarge
        self._rows.append(dict(zip(self._columns, values, strict=True)))


class RowStream(RowCollector):
    """Hands rows on up to the cap, some at a time, and keeps none.

    Args:
        columns: names as the database gives them.
        max_rows: the cap.
        sink: takes the rows.

    Raises:
        DatabaseFailed: as `RowCollector` has it.
    """

    def __init__(self, columns: Sequence[str], max_rows: int, sink: TableSink) -> None:
        super().__init__(columns, max_rows)
        self._sink = sink
        self._batch: list[tuple[object, ...]] = []
        sink.begin(self._columns)

    @override
    def finish(self) -> Rows:
        """Hand the last rows on."""
        self._hand_on()
        return super().finish()

    @override
    def _keep(self, values: tuple[object, ...]) -> None:
        self._batch.append(values)
        self._size += _size_of(values)
        if len(self._batch) == _HANDED_ON or self._size >= _HANDED_ON_SIZE:
            self._hand_on()

    def _hand_on(self) -> None:
        self._sink.add(self._batch)
        self._batch = []
        self._size = 0


_HANDED_ON: Final = 200
"""Most rows that a sink is given at a time."""

_HANDED_ON_SIZE: Final = 1024 * 1024
"""Characters and bytes of texts and binaries after which it is given fewer."""


def _size_of(values: tuple[object, ...]) -> int:
    return sum(len(value) for value in values if isinstance(value, str | bytes))


def padded(number: Decimal, scale: int) -> Decimal:
    """Give back the zeros behind the point that a driver took away; never cut a digit.

    Args:
        number: any finite number.
        scale: decimals of its column.
    """
    exponent = int(number.as_tuple().exponent)
    if -exponent >= scale or number.adjusted() + scale > _MOST_DIGITS:
        return number
    with localcontext() as context:
        context.prec = 2 * _MOST_DIGITS
        return number.quantize(Decimal(1).scaleb(-scale))


_MOST_DIGITS: Final = 100


INTERRUPTING_SHARE: Final = 0.25
"""Part of a read's time that its interruption may take before the answer goes out without it."""

_INTERRUPT_EVERY_S: Final = 0.1


class ReadingThreads:
    """Runs reads, each in a thread, and watches over them from others.

    Not the event loop's own pool: a database that hangs would fill it, and cancelling would then find no
    thread.

    Args:
        most: how many reads run at a time; the callers see to it.
    """

    def __init__(self, most: int) -> None:
        self._readers = ThreadPoolExecutor(most, "erpdb-read")
        self._watchers = ThreadPoolExecutor(most, "erpdb-cancel")
        self._running: dict[Future[Rows], Reading] = {}
        self._watched: set[Future[Rows]] = set()

    async def run(self, reading: Reading, *, timeout_s: float, ended: Callable[[], None]) -> Rows:
        """Read in a thread. Out of time, or given up by the caller, the read is interrupted on the server.

        Args:
            reading: what to run.
            timeout_s: longest run.
            ended: called in the event loop when the thread is free again. After an interruption that may be
                later than the answer, because the server is at work until then.

        Raises:
            DatabaseTimeout: the time is over; `DatabaseConnectTimeout` while it was still connecting.
            ServiceError: as the read raises it.
        """
        loop = asyncio.get_running_loop()
        future = self._readers.submit(copy_context().run, reading.read)  # the request's id reaches the log
        self._running[future] = reading

        def settle(done: Future[Rows]) -> None:
            self._running.pop(done, None)
            self._watched.discard(done)
            ended()

        def wake(done: Future[Rows]) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
                loop.call_soon_threadsafe(settle, done)

        future.add_done_callback(wake)
        result = asyncio.wrap_future(future)
        result.add_done_callback(_retrieve)
        try:
            await asyncio.wait([result], timeout=timeout_s)
            if result.done():
                return result.result()
            self._interrupt(future, reading)
            await asyncio.wait([result], timeout=timeout_s * INTERRUPTING_SHARE)
        except asyncio.CancelledError:
            self._interrupt(future, reading)
            raise
        finally:
            del future, result  # their error holds this frame, which would hold it, and all would stay
        is_connecting = isinstance(reading, Connecting) and not reading.is_connected
        raise DatabaseConnectTimeout if is_connecting else DatabaseTimeout

    async def aclose(self) -> None:
        """Interrupt what runs, and wait until every thread has ended."""
        for future, reading in list(self._running.items()):
            self._interrupt(future, reading)
        for pool in (self._readers, self._watchers):
            await asyncio.to_thread(pool.shutdown)

    def _interrupt(self, future: Future[Rows], reading: Reading) -> None:
        if future not in self._watched and not future.done():
            self._watched.add(future)
            self._watchers.submit(_interrupt_until_ended, future, reading)


def _interrupt_until_ended(future: Future[Rows], reading: Reading) -> None:
    """Interrupt again and again: the first time may fall between two statements, where nothing runs."""
    while not future.done():
        reading.interrupt()
        wait([future], timeout=_INTERRUPT_EVERY_S)


def _retrieve(result: "asyncio.Future[Rows]") -> None:
    """Look at the outcome, so that one that nobody waits for is not complained about."""
    if not result.cancelled():
        result.exception()
