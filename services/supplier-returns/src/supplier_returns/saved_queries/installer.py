"""The stored queries of this service, kept in the ERP at our version, with a text for each kind of database.

The last row of each result tells how many rows there should be: its item code is empty and `Filas` holds the
count. That count is the only proof that a page holds everything, whatever the Service Layer does with pages.

The version travels in the name, which the ERP keeps as it is; the text it rewrites when it is saved. It is a
column of the result too, `Version`, so that every row says by which text it was found. Whoever changes a text
raises the version, so that the change reaches the ERP.
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
"""How long a look at the installed versions is believed when somebody signs in.

In between nobody looks: a query that has vanished, or whose text is of another version, is noticed at once.
"""

RUN_RIGHT: Final = "Service Layer SQL Query"
MODIFY_RIGHT: Final = "Modify SQL Queries in Service Layer"

_NO_RIGHT: Final = -6006
_FUNCTION: Final = "usa una función o una expresión que el Service Layer no permite"
_FUNCTION_REFUSED: Final = re.compile("cannot support this function", re.IGNORECASE)
"""What the analyser says of a function; its code for that differs between builds."""
_MEANINGS: Final = {
    701: _FUNCTION,
    702: "usa una tabla que no está en la lista de tablas permitidas del Service Layer (b1s_sqltable.conf)",
    703: "usa una columna que el Service Layer no permite",
    704: "recibió un parámetro que el Service Layer no acepta",
}
"""What the analyser's codes mean (SAP manual 1.29, query errors)."""

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
    """How the installed query compares to ours."""

    CURRENT = "current"
    MISSING = "missing"
    OLDER = "older"
    NEWER = "newer"


@frozen
class InstalledQuery:
    """What is installed of one of our queries.

    Attributes:
        query: ours.
        version: the installed one; None when it is missing, 0 when its name is not ours.
    """

    query: StoredQuery
    version: int | None

    @property
    def state(self) -> QueryState:
        """How it compares to ours."""
        if self.version is None:
            return QueryState.MISSING
        if self.version == self.query.version:
            return QueryState.CURRENT
        return QueryState.OLDER if self.version < self.query.version else QueryState.NEWER


class _Row(msgspec.Struct):
    code: str = msgspec.field(name="SqlCode")
    name: str | None = msgspec.field(name="SqlName", default=None)


class QueryInstaller:
    """Creates and updates our queries, by the right of whoever is signed in. One for the whole process.

    Args:
        db_type: `HANA` or `MSSQL`.
        clock: time.
    """

    def __init__(self, db_type: str, clock: Clock) -> None:
        self._db_type = db_type
        self._clock = clock
        self._looked_at_s: float | None = None
        self._current: set[StoredQuery] = set()

    async def look(self, erp: ErpClient, caller: Caller) -> tuple[InstalledQuery, ...]:
        """Say what is installed, in one call.

        Raises:
            ErpForbidden: the user may not see stored queries.
            ErpError: the ERP could not be asked.
        """
        try:
            page = await erp.list(_SET, _INSTALLED, caller=caller)
        except ErpRefused as error:
            if is_forbidden(error):
                raise lacking_right(error, task="ver las consultas guardadas", right=RUN_RIGHT) from error
            raise
        names = {row.code: row.name for row in msgspec.json.decode(page.rows, type=list[_Row])}
        return tuple(installed_of(query, names) for query in STORED_QUERIES)

    async def ensure(self, query: StoredQuery, erp: ErpClient, caller: Caller) -> None:
        """See to it that our version of a query is installed; asks the ERP only where that is not known.

        Users who come at the same moment each look for themselves: nobody waits for another's ERP session.
        The other queries are left alone: who plans without them needs no right to them.

        Raises:
            ErpForbidden: it is missing, and the user may not create it.
            StoredQueryOutdated: it is older, and the user may not change it.
            StoredQueryNewer: it is newer.
            StoredQueryRejected: the ERP does not take the text.
            ErpError: the ERP could not be asked.
        """
        if query in self._current:
            return
        found = await self.look(erp, caller)
        self._note(found)
        for installed in found:
            if installed.query == query:
                with erp_write():
                    await self.install(installed, erp, caller)
        self._current.add(query)

    async def check_again(self, erp: ErpClient, caller: Caller) -> None:
        """Look at what is installed, once in some minutes, and change nothing; for the moment of signing in.

        What can't be seen now is seen to by `ensure`, which says why not.
        """
        now = self._clock.monotonic()
        if self._looked_at_s is not None and now < self._looked_at_s + CHECK_AGAIN_AFTER_S:
            return
        try:
            found = await self.look(erp, caller)
        except (ErpError, ServiceError, msgspec.DecodeError) as error:
            _log.info("stored_queries_unseen", reason=str(error))
            return
        self._note(found)

    def doubt(self) -> None:
        """Look again next time: a query was not where, or not what, it should be."""
        self._looked_at_s = None
        self._current.clear()

    async def install(self, installed: InstalledQuery, erp: ErpClient, caller: Caller) -> None:
        """Bring one query to our version.

        Raises:
            ServiceError: as `ensure` does.
            ErpError: the ERP refuses it for another reason, or gave no answer to the change.
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
            with explained(query, right=MODIFY_RIGHT):
                try:
                    await erp.create(_SET, msgspec.json.encode(body), caller=caller)
                except ErpRefused as error:
                    if error.code != _ALREADY_EXISTS:  # somebody else may have been quicker
                        raise
        except ErpForbidden as error:
            detail = _MISSING.format(query=query.code)
            raise ErpForbidden(detail, upstream=error.upstream, members=error.members) from error

    async def _update(self, query: StoredQuery, erp: ErpClient, caller: Caller) -> None:
        body = msgspec.json.encode(self._content(query))
        try:
            with explained(query, right=MODIFY_RIGHT):
                await erp.modify(_SET, _KEY.predicate(query.code), body, caller=caller)
        except ErpForbidden as error:
            raise StoredQueryOutdated(upstream=error.upstream, members=error.members) from error

    def _content(self, query: StoredQuery) -> Mapping[str, str]:
        return {"SqlName": query.name, "SqlText": query.text(self._db_type)}

    def _note(self, found: Iterable[InstalledQuery]) -> None:
        self._looked_at_s = self._clock.monotonic()
        self._current = {each.query for each in found if each.state is QueryState.CURRENT}


def installed_of(query: StoredQuery, names: Mapping[str, str | None]) -> InstalledQuery:
    """Say which version of a query the ERP has, by the names of those that it has."""
    version = query.version_in(names[query.code]) if query.code in names else None
    return InstalledQuery(query, version)


@contextmanager
def explained(query: StoredQuery, *, right: str) -> Iterator[None]:
    """Translate what the ERP says against a stored query; any other error passes.

    Args:
        query: the query that is saved or run.
        right: the authorisation that this needs.

    Raises:
        ErpForbidden: the user lacks the authorisation, which is named.
        StoredQueryRejected: the analyser refused the text or a parameter.
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
    """Tell whether the user lacks an authorisation."""
    return error.status == HTTPStatus.FORBIDDEN or error.code == _NO_RIGHT


def _meaning_of(error: ErpRefused) -> str | None:
    """Return what a refusal means, the end of a Spanish sentence; None where it is about something else."""
    if _FUNCTION_REFUSED.search(error.text):
        return _FUNCTION
    return _MEANINGS.get(error.code) if isinstance(error.code, int) else None


def _rejected(query: StoredQuery, error: ErpRefused) -> StoredQueryRejected:
    upstream = upstream_of(error)
    said = "" if upstream is None else f" El ERP dice: {upstream.message}"
    return StoredQueryRejected(
        f"La consulta guardada «{query.code}» {_meaning_of(error)}.{said}", upstream=upstream
    )
