"""The engine `hana`: SAP HANA through SAP's driver, an optional dependency.

Each read has its own connection: open, set the schema, begin a read-only transaction, execute, fetch, close.
It never commits: autocommit is off, and closing rolls back. Undesired behaviour of the driver (autocommit,
silent reconnecting, truncating numbers, holding Python's lock over LOBs) was observed with hdbcli 2.30.27 and
is switched off or avoided here.
"""

import importlib
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Lock
from types import ModuleType
from typing import Any, Final

import structlog

from erp_gateway.queries.engines.engine import InterruptedReadError, Work
from erp_gateway.queries.engines.hana_errors import is_conversion_fault, refusal_of, unfit_values
from erp_gateway.queries.engines.hana_values import (
    BATCH,
    DECIMALS,
    TEXTS,
    bind_values,
    lob_pieces,
    plain_value,
    text_of,
)
from erp_gateway.queries.engines.outage import OutageLog
from erp_gateway.queries.engines.rows import MAX_RESULT_SIZE, Rows, padded
from erp_gateway.queries.errors import (
    DatabaseDriverMissing,
    DatabaseFailed,
    ResultTooLarge,
)
from erp_gateway.queries.sql.statement import quoted_name
from erp_gateway.settings.erp_database import ErpDatabase

_log = structlog.get_logger(__name__)


DRIVER: Final = "hdbcli.dbapi"

BACKSTOP_FACTOR: Final = 1.25
"""Factor of the read's timeout after which the driver drops an unresponsive server."""
_LARGEST_FETCH: Final = 32_767
_BLOB: Final = 27
# Type codes whose values come with their row. Any other may be a LOB.
_LOBS_UNKNOWN_BUT: Final = frozenset({*range(1, 17), 28, 61, 62, 63, 64, 76, 81, 82})


def load_driver(module: str = DRIVER) -> ModuleType | None:
    """Import the driver; None if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        _log.error("database_driver_missing", driver=module, install="erp-gateway[hana]")
        return None


class HanaEngine:
    """A company's schema in SAP HANA.

    Args:
        settings: complete settings of an engine `hana`.
        driver: `hdbcli.dbapi`, or None if it is missing.
    """

    name: Final = "hana"

    def __init__(self, settings: ErpDatabase, driver: ModuleType | None) -> None:
        self._settings = settings
        self._driver: Any = driver
        self._outage = OutageLog(self.name)

    def reading(self, work: Work) -> "HanaReading":
        """Prepare one read.

        Raises:
            DatabaseDriverMissing: the driver is not installed.
        """
        if self._driver is None:
            raise DatabaseDriverMissing
        return HanaReading(self._settings, self._driver, work, self._outage)


class HanaReading:
    """One read on its own connection, which is never reused.

    Attributes:
        is_connected: whether the login is over.
    """

    def __init__(self, settings: ErpDatabase, driver: Any, work: Work, outage: OutageLog) -> None:
        self._settings = settings
        self._driver = driver
        self._work = work
        self._outage = outage
        self.is_connected = False
        self._connection: Any = None
        self._cancelling = Lock()
        self._stopped = Event()

    def read(self) -> Rows:
        """Open, read, close."""
        try:
            connection = self._driver.connect(**connect_options(self._settings, self._work.timeout_s))
            self.is_connected = True
            self._outage.connected()
            self._expose(connection)
            try:
                return self._rows(connection)
            finally:
                # Wait for a cancel in progress: it must not run while the connection closes or inside the
                # driver.
                self._expose(None)
                with suppress(self._driver.Error):
                    connection.close()
        except self._driver.Error as error:
            if self._stopped.is_set():
                raise InterruptedReadError from error
            code, text = error.errorcode, str(error.errortext)
            if self.is_connected:
                _log.warning("database_error", engine="hana", code=code, error=text[:500])
            else:
                self._outage.failed(code, text[:500])
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
        bound = bind_values(self._work.values, cursor.parameter_description())
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

    def _batch(self, cursor: Any, count: int, *, may_hold_lobs: bool) -> Sequence[Any]:
        """Fetch some rows. Rows with LOBs are fetched one by one, as handles, because the driver blocks
        Python while it reads a LOB together with its row.
        """
        self._check_stopped()
        if not count:
            return ()
        if may_hold_lobs:
            row = cursor.fetchone(uselob=True)
            return () if row is None else (row,)
        batch: Sequence[Any] = cursor.fetchmany(min(BATCH, count))
        return batch

    def _reader(self, column: Sequence[Any]) -> Callable[[Any], object]:
        code, scale = column[1], column[5]
        if code in DECIMALS:
            return lambda value: value if value is None else padded(value, scale)
        if code in TEXTS:
            return text_of
        if code in _LOBS_UNKNOWN_BUT:
            return plain_value
        return lambda value: self._lob(value, is_binary=code == _BLOB)

    def _lob(self, value: Any, *, is_binary: bool) -> object:
        """Read a LOB in pieces, so that other threads can run and interrupt in between."""
        if not hasattr(value, "read"):
            return plain_value(value)
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
    """Return the driver's options. It silently accepts unknown names: change with care."""
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
