"""The engine `hana`: SAP HANA through SAP's driver, which is installed only where it is used.

Each read has a connection of its own: open, set the schema, begin a read-only transaction, execute, fetch,
close. Nothing is committed: autocommit is off, and closing rolls back. What the driver does unasked
(autocommit, silent reconnecting, cutting numbers, holding Python's lock over LOBs) was seen with hdbcli
2.30.27 and is switched off or gone around here.
"""

import importlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from threading import Event, Lock
from types import ModuleType
from typing import Any, Final

import structlog

from erp_gateway.queries.engines.engine import (
    MAX_RESULT_SIZE,
    InterruptedReadError,
    Rows,
    ValueDoesNotFitError,
    Work,
    padded,
)
from erp_gateway.queries.errors import (
    DatabaseBusy,
    DatabaseConnectionLost,
    DatabaseConnectTimeout,
    DatabaseDriverMissing,
    DatabaseFailed,
    DatabaseLoginFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    ResultTooLarge,
    UnknownColumn,
    UnknownTable,
)
from erp_gateway.queries.sql.statement import quoted_name
from erp_gateway.queries.values import Value
from erp_gateway.settings.modules import ErpDatabase
from erp_gateway.values.measures import without_end_zeros
from servicekit.errors import FieldProblem, InvalidBody, ServiceError

_log = structlog.get_logger(__name__)


_NOT_CONNECTED: Final = -10709
_CONNECTION: Final = frozenset({_NOT_CONNECTED, -10719, -10807, -10821, -10500, -10905})
_CONVERSIONS: Final = range(-10499, -10399)
_OVERFLOW: Final = -10811
"""Of a number with more digits than the form has in which the driver sends decimals to its place."""

_LOGIN: Final = frozenset({10, 414, 416, 591, 663})
_BUSY: Final = frozenset({4, 129, 131, 133, 138, 143, 145, 146, 1888, -10735})
_TIMEOUT: Final = 613
_UNKNOWN: Final[Mapping[int, type[DatabaseFailed]]] = {259: UnknownTable, 260: UnknownColumn}


def refusal_of(code: int, text: str, *, is_connected: bool = False) -> ServiceError:
    """Return what to answer.

    Args:
        code: the driver's `errorcode`.
        text: its `errortext`; holds hosts and ports and is only looked into.
        is_connected: whether the login was over by then.
    """
    is_late = is_connected and code != _NOT_CONNECTED
    if code == _TIMEOUT or (code in _CONNECTION and "timeout" in text):
        return DatabaseTimeout() if is_late else DatabaseConnectTimeout()
    if code in _LOGIN:
        return DatabaseLoginFailed()
    if code in _BUSY:
        return DatabaseBusy()
    if code in _CONNECTION:
        return DatabaseConnectionLost() if is_late else DatabaseUnreachable()
    return _UNKNOWN.get(code, DatabaseFailed)()


def is_conversion_fault(code: int) -> bool:
    """Tell whether the driver could not turn a value into the type that the server declares for its place."""
    return code in _CONVERSIONS or code == _OVERFLOW


def unfit_values() -> InvalidBody:
    """Return what to answer when a bound value can't be turned into its place's type."""
    return InvalidBody(
        errors=[FieldProblem("params", "Un valor no corresponde al tipo de la columna con que se compara.")]
    )


DRIVER: Final = "hdbcli.dbapi"

BACKSTOP_FACTOR: Final = 1.25
"""How much later than the read's own end the driver gives up a server that has fallen silent."""

_BATCH: Final = 200
_LARGEST_FETCH: Final = 32_767
_LOB_PIECE: Final = 64 * 1024
_WHOLE_CHARACTER: Final = 2
_REPLACEMENT: Final = "\ufffd"
_REFUSED: Final = object()
_BLOB: Final = 27
_LOBS_UNKNOWN_BUT: Final = frozenset({*range(1, 17), 28, 61, 62, 63, 64, 76, 81, 82})
"""Type codes whose values come with their row. Every other one may be a LOB."""

_TEXTS: Final = frozenset({8, 9, 10, 11})
_INTEGERS: Final[Mapping[int, tuple[int, int]]] = {
    1: (0, 255),
    2: (-(2**15), 2**15 - 1),
    3: (-(2**31), 2**31 - 1),
    4: (-(2**63), 2**63 - 1),
}
"""What each integer type holds, TINYINT first. The driver refuses more without saying of which place."""

_DECIMALS: Final = frozenset({5, 76, 81, 82})
_FLOATING: Final = frozenset({34, 16})
"""Precisions of DECIMAL and SMALLDECIMAL, which the driver tells with scale 0 though they keep decimals."""

_LARGEST_INTEGER: Final = 2**63 - 1
"""The largest `int` that the driver takes, at any place."""

_MOMENTS: Final = frozenset({14, 15, 16, 61, 62, 63, 64})


def load_driver(module: str = DRIVER) -> ModuleType | None:
    """Import the driver; None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        _log.error("database_driver_missing", driver=module, install="erp-gateway[hana]")
        return None


class HanaEngine:
    """A company's schema in SAP HANA.

    Args:
        settings: where it is and how to log in: those of an engine `hana`, complete.
        driver: `hdbcli.dbapi`, or None where it is missing.
    """

    name: Final = "hana"

    def __init__(self, settings: ErpDatabase, driver: ModuleType | None) -> None:
        self._settings = settings
        self._driver: Any = driver

    def reading(self, work: Work) -> "HanaReading":
        """Prepare one read.

        Raises:
            DatabaseDriverMissing: the driver is not installed.
        """
        if self._driver is None:
            raise DatabaseDriverMissing
        return HanaReading(self._settings, self._driver, work)


class HanaReading:
    """One read on a connection of its own, which is thrown away whatever happens.

    Attributes:
        is_connected: whether the login is over.
    """

    def __init__(self, settings: ErpDatabase, driver: Any, work: Work) -> None:
        self._settings = settings
        self._driver = driver
        self._work = work
        self.is_connected = False
        self._connection: Any = None
        self._cancelling = Lock()
        self._stopped = Event()

    def read(self) -> Rows:
        """Open, read, close."""
        try:
            connection = self._driver.connect(**connect_options(self._settings, self._work.timeout_s))
            self.is_connected = True
            self._expose(connection)
            try:
                return self._rows(connection)
            finally:
                # A cancel that is under way must have ended: it would run on into the closing, or the driver.
                self._expose(None)
                with suppress(self._driver.Error):
                    connection.close()
        except self._driver.Error as error:
            if self._stopped.is_set():
                raise InterruptedReadError from error
            code, text = error.errorcode, str(error.errortext)
            _log.warning("database_error", engine="hana", code=code, error=text[:500])
            raise refusal_of(code, text, is_connected=self.is_connected) from error

    def interrupt(self) -> None:
        """Cancel the running statement, through a second connection that the driver opens for it."""
        self._stopped.set()
        with self._cancelling, suppress(self._driver.Error):
            if self._connection is not None:
                self._connection.cancel()

    def _expose(self, connection: Any) -> None:
        with self._cancelling:
            self._connection = connection

    def _rows(self, connection: Any) -> Rows:
        if connection.getautocommit() is not False:
            _log.error("database_autocommit_is_on", engine="hana")
            raise DatabaseFailed
        cursor = connection.cursor()
        self._execute(cursor, f"SET SCHEMA {quoted_name(self._settings.schema or '')}")
        self._execute(cursor, "SET TRANSACTION READ ONLY")
        cursor.setfetchsize(min(self._work.max_rows + 1, _LARGEST_FETCH))
        if self._work.values:
            self._execute_bound(cursor)
        else:
            self._execute(cursor, self._work.sql)
        return self._fetch(cursor)

    def _execute(self, cursor: Any, sql: str) -> None:
        self._check_stopped()
        cursor.execute(sql)

    def _execute_bound(self, cursor: Any) -> None:
        self._check_stopped()
        cursor.prepare(self._work.sql)
        bound = _bound(self._work.values, cursor.parameter_description())
        self._check_stopped()
        try:
            cursor.executeprepared(bound)
        except self._driver.Error as error:
            if is_conversion_fault(error.errorcode):
                raise unfit_values() from error
            raise

    def _fetch(self, cursor: Any) -> Rows:
        columns = cursor.description
        rows = self._work.collector([column[0] for column in columns])
        readers = [self._reader(column) for column in columns]
        may_hold_lobs = any(column[1] not in _LOBS_UNKNOWN_BUT for column in columns)
        while batch := self._batch(cursor, rows.wanted, may_hold_lobs=may_hold_lobs):
            for row in batch:
                rows.add(read(value) for read, value in zip(readers, row, strict=True))
        return rows.finish()

    def _batch(self, cursor: Any, wanted: int, *, may_hold_lobs: bool) -> Sequence[Any]:
        """Fetch some rows. Rows with LOBs one by one, as handles: read with the row, a LOB freezes Python."""
        self._check_stopped()
        if not wanted:
            return ()
        if may_hold_lobs:
            row = cursor.fetchone(uselob=True)
            return () if row is None else (row,)
        batch: Sequence[Any] = cursor.fetchmany(min(_BATCH, wanted))
        return batch

    def _reader(self, column: Sequence[Any]) -> Callable[[Any], object]:
        """Return what turns the driver's value of a column into ours."""
        code, scale = column[1], column[5]
        if code in _DECIMALS:
            return lambda value: value if value is None else padded(value, scale)
        if code in _TEXTS:
            return _text
        if code in _LOBS_UNKNOWN_BUT:
            return _plain
        return lambda value: self._lob(value, is_binary=code == _BLOB)

    def _lob(self, value: Any, *, is_binary: bool) -> object:
        """Read a LOB in pieces: the driver lets other threads run meanwhile, and an end can come between."""
        if not hasattr(value, "read"):
            return _plain(value)
        pieces: list[Any] = []
        size = 0
        for piece in lob_pieces(value):
            self._check_stopped()
            size += len(piece)
            if size > MAX_RESULT_SIZE:
                raise ResultTooLarge
            pieces.append(bytes(piece) if is_binary else piece)
        return b"".join(pieces) if is_binary else "".join(pieces)

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise InterruptedReadError


def connect_options(settings: ErpDatabase, timeout_s: float) -> dict[str, object]:
    """Return the driver's options. It takes names that it does not know without a word: change with care."""
    options: dict[str, object] = {
        "address": settings.server,
        "port": settings.port,
        "user": settings.user,
        "password": "" if settings.password is None else settings.password.reveal(),
        "autocommit": False,
        "reconnect": False,
        "connectTimeout": _milliseconds(min(settings.connect_timeout_s, timeout_s)),
        "communicationTimeout": _milliseconds(timeout_s * BACKSTOP_FACTOR),
        "sessionVariable:APPLICATION": "erp-gateway",
    }
    if settings.database is not None:
        options["databaseName"] = settings.database
    if settings.encrypt:
        options |= {"encrypt": True, "sslValidateCertificate": True}
        if settings.ca_file is not None:
            options["sslTrustStore"] = str(settings.ca_file)
        if settings.tls_name is not None:
            options["sslHostNameInCertificate"] = settings.tls_name
    else:
        options["encrypt"] = False
    return options


def _milliseconds(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))


def _bound(values: Sequence[Value], places: Sequence[Any] | None) -> list[Value | int]:
    """Return the values to bind.

    Raises:
        ValueDoesNotFitError: the driver would cut a number to fit its place, and so ask for something else.
    """
    if places is not None and len(places) == len(values):
        for position, (value, place) in enumerate(zip(values, places, strict=True)):
            if isinstance(value, Decimal) and not _fits(value, place[1], place[5], place[6]):
                raise ValueDoesNotFitError(position)
    return [_whole(value) if isinstance(value, Decimal) else value for value in values]


def _fits(number: Decimal, code: int, digits: int, scale: int) -> bool:
    if code in _MOMENTS:
        return False  # it would count days
    if code in _INTEGERS:
        least, most = _INTEGERS[code]
        return number == number.to_integral_value() and least <= number <= most
    if code in _DECIMALS and (scale > 0 or digits not in _FLOATING):
        return -int(without_end_zeros(number).as_tuple().exponent) <= scale
    return True


def _whole(number: Decimal) -> Decimal | int:
    """Return a whole number as the driver takes it."""
    if number != number.to_integral_value():
        return number
    whole = int(number)
    return whole if abs(whole) <= _LARGEST_INTEGER else Decimal(whole)


def lob_pieces(lob: Any) -> Iterator[Any]:
    """Yield what a LOB holds, in pieces.

    The driver refuses one that ends within a character, and one that holds half a character alone: what
    stands before such a half is read in ever shorter pieces, and the half as a replacement.
    """
    position, length = 1, _LOB_PIECE
    while True:
        piece = _piece(lob, length, position)
        if piece is _REFUSED and length == _LOB_PIECE:
            piece = _piece(lob, length - 1, position)
        if piece is _REFUSED and length > _WHOLE_CHARACTER:
            length //= 2
            continue
        if piece is _REFUSED:
            piece = _piece(lob, 1, position)
        if piece is _REFUSED:
            piece, length = _REPLACEMENT, _LOB_PIECE
        if not piece:
            return
        yield piece
        position += _length(piece)


def _piece(lob: Any, length: int, position: int) -> Any:
    """Read a piece from a position, counted from 1; behind the end there is none."""
    with suppress(UnicodeDecodeError):
        return lob.read(length, position)
    return _REFUSED


def _length(piece: Any) -> int:
    """Return a piece's length as the driver counts it: a text's in units of UTF-16."""
    return len(piece.encode("utf-16-le")) // 2 if isinstance(piece, str) else len(piece)


def _text(value: Any) -> object:
    """Return a text also where the driver gives its units of UTF-16: half a character alone is among them."""
    return str(value, "utf-16-le", "replace") if isinstance(value, memoryview) else value


def _plain(value: Any) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
