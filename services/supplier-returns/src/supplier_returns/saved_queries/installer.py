"""Stored queries of this service in the ERP, in our version and with a text for each kind of database.

The last row of each result has the number of rows: its item code is empty, and `Filas` is the count. The
count is the only proof that a page is complete, whatever page size the Service Layer uses.

The name contains the version, because the ERP keeps names but rewrites texts when it stores them. The column
`Version` of the result shows which text found each row. Whenever you change a text, increment its version, so
that the change reaches the ERP.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from http import HTTPStatus
from typing import Final

import msgspec
import structlog
from attrs import frozen

from erpclient import Caller, ErpClient, ErpError, ErpRefused
from erpclient.odata import ListQuery, StrKey
from servicekit.clock import Clock
from servicekit.errors import ServiceError
from supplier_returns.saved_queries.errors import StoredQueryNewer, StoredQueryOutdated, StoredQueryRejected
from supplier_returns.saved_queries.queries import STORED_QUERIES, StoredQuery
from supplier_returns.web.erp_errors import ErpForbidden
from supplier_returns.web.error_map import erp_write, lacking_right, upstream_of

CHECK_AGAIN_AFTER_S: Final = 600.0
"""Seconds after which a sign-in checks the installed versions again.

A missing query, or one with another version, is noticed at once when it runs.
"""

RUN_RIGHT: Final = "Service Layer SQL Query"
MODIFY_RIGHT: Final = "Modify SQL Queries in Service Layer"

_NO_RIGHT: Final = -6006
_FUNCTION: Final = "usa una función o una expresión que el Service Layer no permite"
_FUNCTION_REFUSED: Final = re.compile("cannot support this function", re.IGNORECASE)
"""Text of the query analyser for a function. Its code differs between builds."""
_MEANINGS: Final = {
    701: _FUNCTION,
    702: "usa una tabla que no está en la lista de tablas permitidas del Service Layer (b1s_sqltable.conf)",
    703: "usa una columna que el Service Layer no permite",
    704: "recibió un parámetro que el Service Layer no acepta",
}
"""Meanings of the query analyser's codes (SAP manual 1.29, query errors)."""

_SET: Final = "SQLQueries"
_KEY: Final = StrKey("SqlCode")
_ALREADY_EXISTS: Final = -2035
_CODES: Final = " or ".join(f"SqlCode eq '{query.code}'" for query in STORED_QUERIES)
_INSTALLED: Final = ListQuery(select=("SqlCode", "SqlName"), filter=_CODES, top=len(STORED_QUERIES))

_MISSING: Final = (
    "La consulta guardada «{query}» aún no está en el ERP y su usuario no puede crearla. "
    "Pida a un administrador que ingrese a esta aplicación y reconstruya los metadatos."
)

_log = structlog.get_logger(__name__)


class QueryState(Enum):
    """Comparison of the installed query with ours."""

    CURRENT = "current"
    MISSING = "missing"
    OLDER = "older"
    NEWER = "newer"


@frozen
class InstalledQuery:
    """Installed version of one of our queries.

    Attributes:
        query: our query.
        version: installed version. None if the query is missing, 0 if its name has no version of ours.
    """

    query: StoredQuery
    version: int | None

    @property
    def state(self) -> QueryState:
        """Comparison with our query."""
        if self.version is None:
            return QueryState.MISSING
        if self.version == self.query.version:
            return QueryState.CURRENT
        return QueryState.OLDER if self.version < self.query.version else QueryState.NEWER


class _Row(msgspec.Struct):
    code: str = msgspec.field(name="SqlCode")
    name: str | None = msgspec.field(name="SqlName", default=None)


class QueryInstaller:
    """Creates and updates our queries with the rights of the signed-in user. The process has one instance.

    Args:
        db_type: `HANA` or `MSSQL`.
        clock: time.
    """

    def __init__(self, db_type: str, clock: Clock) -> None:
        self._db_type = db_type
        self._clock = clock
        self._checked_at_s: float | None = None
        self._current: set[StoredQuery] = set()

    async def read_installed(self, erp: ErpClient, caller: Caller) -> tuple[InstalledQuery, ...]:
        """Return the installed versions, with one call.

        Raises:
            ErpForbidden: the user has no right to stored queries.
            ErpError: the request failed.
        """
        try:
            page = await erp.list(_SET, _INSTALLED, caller=caller)
        except ErpRefused as error:
            if is_forbidden(error):
                raise lacking_right(error, task="ver las consultas guardadas", right=RUN_RIGHT) from error
            raise
        # The version is in the name, because the ERP rewrites the text when it stores it (SAP manual 1.29,
        # 4.9).
        names = {row.code: row.name for row in msgspec.json.decode(page.rows, type=list[_Row])}
        return tuple(installed_of(query, names) for query in STORED_QUERIES)

    async def ensure(self, query: StoredQuery, erp: ErpClient, caller: Caller) -> None:
        """Install our version of a query unless it is known to be installed.

        Concurrent users each check on their own, so that nobody waits for another user's ERP session. Other
        queries are not installed, because a user who does not need them may lack the right to them.

        Raises:
            ErpForbidden: the query is missing, and the user may not create it.
            StoredQueryOutdated: the query is older, and the user may not change it.
            StoredQueryNewer: the query is newer.
            StoredQueryRejected: the ERP does not accept the text.
            ErpError: the request failed.
        """
        if query in self._current:
            return
        found = await self.read_installed(erp, caller)
        self._remember(found)
        for each in found:
            if each.query == query:
                with erp_write():
                    await self.install(each, erp, caller)
        self._current.add(query)

    async def check_again(self, erp: ErpClient, caller: Caller) -> None:
        """Check the installed versions at sign-in, at most every ten minutes, without changing anything.

        If the check fails, `ensure` repeats it later and reports the error.
        """
        now = self._clock.monotonic()
        if self._checked_at_s is not None and now < self._checked_at_s + CHECK_AGAIN_AFTER_S:
            return
        try:
            installed = await self.read_installed(erp, caller)
        except (ErpError, ServiceError, msgspec.DecodeError) as error:
            _log.info("stored_queries_unseen", reason=str(error))
            return
        self._remember(installed)

    def forget_installed(self) -> None:
        """Check again before the next run, because a query was missing or had another version."""
        self._checked_at_s = None
        self._current.clear()

    async def install(self, installed: InstalledQuery, erp: ErpClient, caller: Caller) -> None:
        """Create or update one query.

        Raises:
            ServiceError: as in `ensure`.
            ErpError: the ERP refused the change for another reason, or did not reply.
        """
        query = installed.query
        match installed.state:
            case QueryState.CURRENT:
                return
            case QueryState.NEWER:
                raise StoredQueryNewer
            case QueryState.MISSING:
                await self._create(query, erp, caller)
            case QueryState.OLDER:
                await self._update(query, erp, caller)
        _log.info("stored_query_installed", query=query.name, replaced=installed.version)

    async def _create(self, query: StoredQuery, erp: ErpClient, caller: Caller) -> None:
        body = {"SqlCode": query.code, **self._content(query)}
        try:
            with explaining_refusals(query, right=MODIFY_RIGHT):
                try:
                    await erp.create(_SET, msgspec.json.encode(body), caller=caller)
                except ErpRefused as error:
                    if error.code != _ALREADY_EXISTS:  # another user may have created it meanwhile
                        raise
        except ErpForbidden as error:
            detail = _MISSING.format(query=query.code)
            raise ErpForbidden(detail, upstream=error.upstream, members=error.members) from error

    async def _update(self, query: StoredQuery, erp: ErpClient, caller: Caller) -> None:
        body = msgspec.json.encode(self._content(query))
        try:
            with explaining_refusals(query, right=MODIFY_RIGHT):
                await erp.modify(_SET, _KEY.predicate(query.code), body, caller=caller)
        except ErpForbidden as error:
            raise StoredQueryOutdated(upstream=error.upstream, members=error.members) from error

    def _content(self, query: StoredQuery) -> Mapping[str, str]:
        return {"SqlName": query.name, "SqlText": query.text(self._db_type)}

    def _remember(self, installed: Iterable[InstalledQuery]) -> None:
        self._checked_at_s = self._clock.monotonic()
        self._current = {each.query for each in installed if each.state is QueryState.CURRENT}


def installed_of(query: StoredQuery, names: Mapping[str, str | None]) -> InstalledQuery:
    """Return the installed version of a query, from the names of all installed ones."""
    version = query.version_in(names[query.code]) if query.code in names else None
    return InstalledQuery(query, version)


@contextmanager
def explaining_refusals(query: StoredQuery, *, right: str) -> Iterator[None]:
    """Translate refusals of a stored query. Other errors don't change.

    Args:
        query: query that is stored or run.
        right: right that the request needs.

    Raises:
        ErpForbidden: the user lacks the right. The error names it.
        StoredQueryRejected: the query analyser refused the text or a parameter.
    """
    try:
        yield
    except ErpRefused as error:
        if is_forbidden(error):
            raise lacking_right(error, task=f"la consulta «{query.code}»", right=right) from error
        if _meaning_of(error) is None:
            raise
        raise _rejected(query, error) from error


def is_forbidden(error: ErpRefused) -> bool:
    """Return whether the user lacks a right."""
    # Without the right, the Service Layer answers 403 with code -6006 (SAP manual 1.29, 4.11).
    return error.status == HTTPStatus.FORBIDDEN or error.code == _NO_RIGHT


def _meaning_of(error: ErpRefused) -> str | None:
    """Return the meaning of a refusal as the end of a Spanish sentence, or None for another refusal."""
    if _FUNCTION_REFUSED.search(error.text):
        return _FUNCTION
    return _MEANINGS.get(error.code) if isinstance(error.code, int) else None


def _rejected(query: StoredQuery, error: ErpRefused) -> StoredQueryRejected:
    upstream = upstream_of(error)
    suffix = "" if upstream is None else f" El ERP dice: {upstream.message}"
    return StoredQueryRejected(
        f"La consulta guardada «{query.code}» {_meaning_of(error)}.{suffix}", upstream=upstream
    )
