"""Checks of the ERP's database: driver, connection, one login, schema, rights, and the registered queries."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from erpdoctor.checks import (
    NO_ANSWER_IN_TIME,
    STEP_LIMIT_S,
    Checks,
    Finding,
    declares_check,
    ok,
)
from erpdoctor.database.causes import (
    AWAY,
    DATABASE,
    MAY_WRITE,
    NO_DRIVER,
    NO_RIGHTS,
    NO_SCHEMA,
    NO_TLS,
    NO_VERSION,
    NOT_OPENED,
    OFF,
    PLAIN,
    QUERIES_FAIL,
    QUERIES_FORBIDDEN,
    REFUSED,
    SCHEMA_FAILED,
)
from erpdoctor.database.sessions import DatabaseError, Session
from erpdoctor.database.target import DatabaseTarget, DatabaseTrouble
from erpdoctor.network.reaching import connect

_READS: Final = frozenset({"SELECT", "SELECT METADATA", "SELECT CDS METADATA", "DEBUG", "REFERENCES"})
_MOST_QUERIES: Final = 50
_INVALID_SCHEMA: Final = 362
_NO_PRIVILEGE: Final = 258
_COLUMNS_UNTOLD: Final = "sus columnas no: el controlador solo las dice al ejecutarlas"
_CONNECT_S: Final = 2 * STEP_LIMIT_S

_T = TypeVar("_T")


def writing(privileges: Iterable[str]) -> tuple[str, ...]:
    """Return those of some rights that allow changing data or tables, or running procedures that may."""
    return tuple(sorted(set(privileges) - _READS))


class DatabaseChecks(Checks):
    """Checks of the ERP's database on one connection, which `aclose` closes.

    Args:
        target: the database; None if none is configured.
    """

    group = DATABASE

    def __init__(self, target: DatabaseTarget | None) -> None:
        self._configured = target
        self._opened: Session | None = None
        self._thread = ThreadPoolExecutor(1, "doctor-database")

    async def aclose(self) -> None:
        """Log out, after the running work has ended."""
        if self._opened is not None:
            await self._in_thread(self._opened.close)
        self._thread.shutdown()

    @declares_check(
        "driver", "Controlador de la base de datos", OFF, NO_DRIVER, english="The driver is installed."
    )
    async def _driver(self) -> Finding:
        if self._configured is None:
            return OFF.found()
        self._opened = self._configured.open_session()
        return NO_DRIVER.found() if self._opened is None else ok(engine=self._configured.engine)

    @declares_check(
        "port",
        "Camino a la base de datos",
        AWAY,
        needs=("driver",),
        english="The server accepts a connection. With `sqlite`, the file exists.",
    )
    async def _port(self) -> Finding:
        address = self._target.address
        if address is None:
            is_there = await self._in_thread(self._target.file.is_file)
            return ok() if is_there else AWAY.found(self._target.named)
        try:
            # Firewalls often drop packets silently, so this may take the whole timeout.
            await connect(address)
        except OSError:
            return AWAY.found(address.shown)
        return ok(address.shown)

    @declares_check(
        "encryption",
        "Conexión cifrada",
        PLAIN,
        needs=("port",),
        english="The connection is encrypted, or stays on this host.",
    )
    async def _encryption(self) -> Finding:
        address = self._target.address
        if address is None or address.is_here:
            return ok("no sale de esta máquina")
        return ok() if self._target.encrypted else PLAIN.found()

    @declares_check(
        "login",
        "Inicio de sesión en la base de datos",
        REFUSED,
        NO_TLS,
        NOT_OPENED,
        needs=("port",),
        limit_s=_CONNECT_S,
        english="The user can log in. With TLS, the certificate is trusted.",
    )
    async def _login(self) -> Finding:
        found = await self._try(self._session.open, self._target.named, self._refused)
        return found.suspecting(*self._target.shared_ca_checks) if found.cause is NO_TLS else found

    def _refused(self, error: DatabaseError) -> Finding:
        if self._target.trouble_of(error.number, error.text) is DatabaseTrouble.LOGIN:
            return REFUSED.found(error=error.number)
        if "SSL" in error.text:
            authorities = self._target.authorities
            trusted = "" if authorities is None else f", autoridades {authorities}"
            return NO_TLS.found(f"{error.text}{trusted}", error=error.number)
        return NOT_OPENED.found(error.text, error=error.number)

    @declares_check(
        "version",
        "Versión de la base de datos",
        NO_VERSION,
        needs=("login",),
        english="Version, from `SYS.M_DATABASE`.",
    )
    async def _version(self) -> Finding:
        try:
            return ok(await self._in_thread(self._session.version))
        except DatabaseError:
            return NO_VERSION.found()

    @declares_check(
        "schema",
        "Esquema de la empresa",
        NO_SCHEMA,
        SCHEMA_FAILED,
        needs=("login",),
        english="The schema exists, and a read-only transaction starts.",
    )
    async def _schema(self) -> Finding:
        schema = self._target.schema
        return await self._try(
            self._session.enter,
            schema,
            lambda error: (NO_SCHEMA if error.number == _INVALID_SCHEMA else SCHEMA_FAILED).found(
                schema, error=error.number
            ),
        )

    @declares_check(
        "rights",
        "Derechos del usuario",
        MAY_WRITE,
        NO_RIGHTS,
        needs=("schema",),
        english="In the schema the user can only read, according to `SYS.EFFECTIVE_PRIVILEGES`.",
    )
    async def _rights(self) -> Finding:
        try:
            privileges = await self._in_thread(self._session.privileges)
        except DatabaseError as error:
            return NO_RIGHTS.found(error=error.number)
        if not privileges:
            return NO_RIGHTS.found()
        rights = writing(privileges)
        return MAY_WRITE.found(", ".join(rights), rights=len(rights)) if rights else ok()

    @declares_check(
        "queries",
        "Consultas registradas",
        QUERIES_FAIL,
        QUERIES_FORBIDDEN,
        needs=("schema",),
        limit_s=_MOST_QUERIES * STEP_LIMIT_S,
        english="The database prepares each registered query (the first 50).",
    )
    async def _queries(self) -> Finding:
        target = self._target
        names = sorted(target.queries)[:_MOST_QUERIES]
        refused: list[str] = []
        forbidden = 0
        for name in names:
            try:
                await self._in_thread(partial(self._session.prepare, *target.queries[name]))
            except DatabaseError as error:
                if target.trouble_of(error.number, error.text) is DatabaseTrouble.SILENT:
                    return NO_ANSWER_IN_TIME.found(name)
                forbidden += error.number == _NO_PRIVILEGE
                refused.append(f"{name}: {error.text}")
        figures = {"queries": len(names), "refused": len(refused), "forbidden": forbidden}
        if refused:
            cause = QUERIES_FORBIDDEN if forbidden == len(refused) else QUERIES_FAIL
            return cause.found("; ".join(refused), **figures)
        return ok(f"{len(names)} preparadas; {_COLUMNS_UNTOLD}", **figures)

    async def _try(
        self, act: Callable[[], None], summary: str, cause: Callable[[DatabaseError], Finding]
    ) -> Finding:
        try:
            await self._in_thread(act)
        except DatabaseError as error:
            return cause(error)
        return ok(summary)

    def _in_thread(self, act: Callable[[], _T]) -> Awaitable[_T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, act)

    @property
    def _target(self) -> DatabaseTarget:
        if self._configured is None:
            raise RuntimeError("the database is not configured")
        return self._configured

    @property
    def _session(self) -> Session:
        if self._opened is None:
            raise RuntimeError("there is no session")
        return self._opened
