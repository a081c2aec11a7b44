"""The ERP's database: driver, the way to it, one login, schema, rights, and the registered queries."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import frozen
from typing_extensions import override

from erpdoctor.checks import (
    NO_ANSWER_IN_TIME,
    STEP_LIMIT_S,
    Checks,
    Finding,
    Group,
    fail,
    looks_at,
    ok,
    skipped,
    warn,
)
from erpdoctor.network.reaching import Address, connect

DATABASE: Final = Group("database", "docs/doctor.md#database")

OFF: Final = skipped("not_configured", "ERPDB_ENGINE no está configurado.")
NO_DRIVER: Final = fail(
    "database_driver_missing",
    "Falta el controlador de la base de datos (hdbcli).",
    remedy=(
        "La imagen publicada no trae hdbcli, por la licencia de SAP: construya la suya con WITH_HANA=1, o "
        "instale erp-gateway con el extra hana."
    ),
)
AWAY: Final = fail(
    "database_away",
    "No se pudo conectar con la base de datos.",
    remedy="Corrija ERPDB_SERVER y ERPDB_PORT (con sqlite, ERPDB_DATABASE), o abra el paso en la red.",
)
PLAIN: Final = warn(
    "database_not_encrypted",
    "La conexión con la base de datos no está cifrada.",
    remedy="Active TLS en la base de datos y quite ERPDB_ENCRYPT=false.",
)
REFUSED: Final = fail(
    "database_login_refused",
    "La base de datos rechaza al usuario o su contraseña, o el usuario está bloqueado.",
    remedy="Corrija ERPDB_USER y ERPDB_PASSWORD, o desbloquee al usuario.",
)
NO_TLS: Final = fail(
    "database_tls_failed",
    "No se pudo acordar una conexión cifrada de confianza con la base de datos.",
    remedy=(
        "Corrija ERPDB_CA_FILE o ERPDB_TLS_NAME, o active TLS en ese puerto. Si no puede tener TLS, "
        "ERPDB_ENCRYPT=false conecta sin cifrar: quien esté en esa red puede leer los datos y cambiarlos."
    ),
)
NOT_OPENED: Final = fail(
    "database_not_opened",
    "La base de datos no aceptó la conexión por otra razón.",
    remedy="Revise ERPDB_PORT y ERPDB_DATABASE, y si la base de datos está en marcha.",
)
NO_VERSION: Final = skipped("database_version_untold", "El usuario no puede leer la versión en el catálogo.")
NO_SCHEMA: Final = fail(
    "database_schema_unknown",
    "El esquema no existe en la base de datos.",
    remedy="Corrija ERPDB_SCHEMA: el nombre de la empresa, con sus mayúsculas.",
)
SCHEMA_FAILED: Final = fail(
    "database_schema_failed",
    "La base de datos no dejó elegir el esquema ni empezar una lectura.",
    remedy="Pruebe con el mismo usuario SET SCHEMA y SET TRANSACTION READ ONLY en la base de datos.",
)
MAY_WRITE: Final = warn(
    "database_may_write",
    "El usuario de la base de datos puede escribir en el esquema de la empresa.",
    remedy="Quite a ese usuario todo menos SELECT en ese esquema, o use en ERPDB_USER otro que solo lea.",
)
NO_RIGHTS: Final = skipped("database_rights_untold", "El catálogo no dice los derechos del usuario.")
QUERIES_FAIL: Final = fail(
    "queries_refused",
    "La base de datos no acepta consultas registradas: nombran lo que no tiene, o su SQL tiene un error.",
    remedy="Corrija esas consultas: al lado está lo que la base de datos dice de cada una.",
)
QUERIES_FORBIDDEN: Final = fail(
    "queries_forbidden",
    "El usuario no puede leer alguna tabla de las consultas registradas.",
    remedy="Dé al usuario SELECT en el esquema de la empresa, o en cada tabla que leen esas consultas.",
)

_READS: Final = frozenset({"SELECT", "SELECT METADATA", "SELECT CDS METADATA", "DEBUG", "REFERENCES"})
_MOST_QUERIES: Final = 50
_INVALID_SCHEMA: Final = 362
_NO_PRIVILEGE: Final = 258
_COLUMNS_UNTOLD: Final = "sus columnas no: el controlador solo las dice al ejecutarlas"
_CONNECT_S: Final = 2 * STEP_LIMIT_S
_VERSION: Final = "SELECT VERSION FROM SYS.M_DATABASE"
_PRIVILEGES: Final = (
    "SELECT DISTINCT PRIVILEGE FROM SYS.EFFECTIVE_PRIVILEGES"
    " WHERE USER_NAME = CURRENT_USER AND SCHEMA_NAME = ?"
)

T = TypeVar("T")


class DatabaseError(Exception):
    """The database, or its driver, refuses something.

    Attributes:
        number: its number; 0 without one.
        text: what it says; may name hosts and users.
    """

    def __init__(self, number: int, text: str) -> None:
        super().__init__(number)
        self.number = number
        self.text = text


class Session:
    """One login that runs no registered query: it prepares them and asks the catalogue.

    Its methods block and are called one after another in one thread. All but `close` raise `DatabaseError`.

    Args:
        connect: connects and logs in.
        failure: what the driver raises.
    """

    def __init__(self, connect: Callable[[], Any], failure: type[Exception]) -> None:
        self._connect = connect
        self._failure = failure
        self._connection: Any = None

    def open(self) -> None:
        """Connect and log in."""
        self._connection = self._try(self._connect)

    def version(self) -> str:
        """Return the database's version."""
        raise NotImplementedError

    def enter(self) -> None:
        """Choose the company's schema, and begin a transaction that can't write."""

    def privileges(self) -> Sequence[str]:
        """Return the names of the rights that the user has in the schema."""
        raise NotImplementedError

    def prepare(self, sql: str, places: int) -> None:
        """Let the database read a query, which has so many places for values, without running it."""
        raise NotImplementedError

    def close(self) -> None:
        """Log out; nothing was changed."""
        if self._connection is not None:
            with suppress(self._failure):
                self._connection.close()

    def _ask(self, sql: str, *values: object) -> Sequence[Any]:
        def ask() -> Sequence[Any]:
            cursor = self._connection.cursor()
            cursor.execute(sql, values) if values else cursor.execute(sql)
            rows: Sequence[Any] = cursor.fetchall() if cursor.description else ()
            cursor.close()
            return rows

        return self._try(ask)

    def _try(self, act: Callable[[], T]) -> T:
        try:
            return act()
        except self._failure as error:
            number, text = getattr(error, "errorcode", 0), getattr(error, "errortext", error)
            raise DatabaseError(int(number), str(text)) from error


class HanaSession(Session):
    """SAP HANA.

    Args:
        connect: as of `Session`.
        failure: as of `Session`.
        schema: of the company.
    """

    def __init__(self, connect: Callable[[], Any], failure: type[Exception], schema: str) -> None:
        super().__init__(connect, failure)
        self._schema = schema

    @override
    def version(self) -> str:
        return str(self._ask(_VERSION)[0][0])

    @override
    def enter(self) -> None:
        quoted = self._schema.replace('"', '""')
        self._ask(f'SET SCHEMA "{quoted}"')
        self._ask("SET TRANSACTION READ ONLY")

    @override
    def privileges(self) -> Sequence[str]:
        return [str(row[0]) for row in self._ask(_PRIVILEGES, self._schema)]

    @override
    def prepare(self, sql: str, places: int) -> None:
        def prepare() -> None:
            cursor = self._connection.cursor()
            cursor.prepare(sql)
            cursor.close()

        self._try(prepare)


class FileSession(Session):
    """A database file of SQLite, for trying out: no user, no rights, one schema.

    Args:
        file: the file.
    """

    def __init__(self, file: Path) -> None:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        super().__init__(partial(sqlite3.connect, uri, uri=True, check_same_thread=False), sqlite3.Error)

    @override
    def open(self) -> None:
        super().open()
        self._ask("PRAGMA schema_version")

    @override
    def version(self) -> str:
        return sqlite3.sqlite_version

    @override
    def privileges(self) -> Sequence[str]:
        return ("SELECT",)

    @override
    def prepare(self, sql: str, places: int) -> None:
        self._ask(f"EXPLAIN {sql}", *[None] * places)


class DatabaseTrouble(Enum):
    """What the number and the text of an error mean."""

    LOGIN = "login"
    """User or password are wrong, or the user is locked."""
    SILENT = "silent"
    """It can't be reached, or does not answer in time."""
    OTHER = "other"


@frozen(kw_only=True)
class DatabaseTarget:
    """What is looked at.

    Attributes:
        engine: its kind.
        address: of the server; None of a file.
        file: where there is no server.
        named: who logs in, or the file, for the terminal.
        schema: of the company; empty of a file.
        encrypted: whether the connection is.
        authorities: file of those that are trusted besides the system's.
        open_session: returns what logs in; None where the driver is missing.
        trouble_of: says what the number and the text of an error mean.
        queries: the registered ones, text and number of places for values, by their names.
        beside: names of earlier checks that need the same file of authorities.
    """

    engine: str
    address: Address | None
    file: Path
    named: str
    schema: str
    encrypted: bool
    authorities: Path | None
    open_session: Callable[[], Session | None]
    trouble_of: Callable[[int, str], DatabaseTrouble]
    queries: Mapping[str, tuple[str, int]]
    beside: tuple[str, ...] = ()


def writing(privileges: Iterable[str]) -> tuple[str, ...]:
    """Return those of some rights that allow changing data or tables, or running procedures that may."""
    return tuple(sorted(set(privileges) - _READS))


class DatabaseChecks(Checks):
    """Looks at the ERP's database, on one connection, which `aclose` closes.

    Args:
        target: None where none is configured.
    """

    group = DATABASE

    def __init__(self, target: DatabaseTarget | None) -> None:
        self._configured = target
        self._opened: Session | None = None
        self._thread = ThreadPoolExecutor(1, "doctor-database")

    async def aclose(self) -> None:
        """Log out, after what still runs has ended."""
        if self._opened is not None:
            await self._in_thread(self._opened.close)
        self._thread.shutdown()

    @looks_at("driver", "Controlador de la base de datos", OFF, NO_DRIVER)
    async def _driver(self) -> Finding:
        if self._configured is None:
            return OFF.found()
        self._opened = self._configured.open_session()
        return NO_DRIVER.found() if self._opened is None else ok(engine=self._configured.engine)

    @looks_at("port", "Camino a la base de datos", AWAY, needs=("driver",))
    async def _port(self) -> Finding:
        address = self._target.address
        if address is None:
            is_there = await self._in_thread(self._target.file.is_file)
            return ok() if is_there else AWAY.found(self._target.named)
        try:
            await connect(address)  # a firewall often lets a call wait
        except OSError:
            return AWAY.found(address.shown)
        return ok(address.shown)

    @looks_at("encryption", "Conexión cifrada", PLAIN, needs=("port",))
    async def _encryption(self) -> Finding:
        address = self._target.address
        if address is None or address.is_here:
            return ok("no sale de esta máquina")
        return ok() if self._target.encrypted else PLAIN.found()

    @looks_at(
        "login",
        "Inicio de sesión en la base de datos",
        REFUSED,
        NO_TLS,
        NOT_OPENED,
        needs=("port",),
        limit_s=_CONNECT_S,
    )
    async def _login(self) -> Finding:
        found = await self._try(self._session.open, self._target.named, self._refused)
        return found.suspecting(*self._target.beside) if found.cause is NO_TLS else found

    def _refused(self, error: DatabaseError) -> Finding:
        if self._target.trouble_of(error.number, error.text) is DatabaseTrouble.LOGIN:
            return REFUSED.found(error=error.number)
        if "SSL" in error.text:
            authorities = self._target.authorities
            trusted = "" if authorities is None else f", autoridades {authorities}"
            return NO_TLS.found(f"{error.text}{trusted}", error=error.number)
        return NOT_OPENED.found(error.text, error=error.number)

    @looks_at("version", "Versión de la base de datos", NO_VERSION, needs=("login",))
    async def _version(self) -> Finding:
        try:
            return ok(await self._in_thread(self._session.version))
        except DatabaseError:
            return NO_VERSION.found()

    @looks_at("schema", "Esquema de la empresa", NO_SCHEMA, SCHEMA_FAILED, needs=("login",))
    async def _schema(self) -> Finding:
        schema = self._target.schema
        return await self._try(
            self._session.enter,
            schema,
            lambda error: (NO_SCHEMA if error.number == _INVALID_SCHEMA else SCHEMA_FAILED).found(
                schema, error=error.number
            ),
        )

    @looks_at("rights", "Derechos del usuario", MAY_WRITE, NO_RIGHTS, needs=("schema",))
    async def _rights(self) -> Finding:
        try:
            privileges = await self._in_thread(self._session.privileges)
        except DatabaseError as error:
            return NO_RIGHTS.found(error=error.number)
        if not privileges:
            return NO_RIGHTS.found()
        rights = writing(privileges)
        return MAY_WRITE.found(", ".join(rights), rights=len(rights)) if rights else ok()

    @looks_at(
        "queries",
        "Consultas registradas",
        QUERIES_FAIL,
        QUERIES_FORBIDDEN,
        needs=("schema",),
        limit_s=_MOST_QUERIES * STEP_LIMIT_S,
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
        self, act: Callable[[], None], seen: str, cause: Callable[[DatabaseError], Finding]
    ) -> Finding:
        try:
            await self._in_thread(act)
        except DatabaseError as error:
            return cause(error)
        return ok(seen)

    def _in_thread(self, act: Callable[[], T]) -> Awaitable[T]:
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
