"""The ERP's database: driver, the way to it, one login, schema, rights, and the registered queries."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Final, TypeVar

from erp_gateway.doctor.database_session import HanaSession, Session
from erp_gateway.erpdb.engines.engine import DatabaseError
from erp_gateway.erpdb.engines.hana import load_driver, refusal_of
from erp_gateway.erpdb.engines.sqlite import SqliteSession
from erp_gateway.erpdb.errors import DatabaseLoginFailed, DatabaseTimeout, DatabaseUnreachable
from erp_gateway.erpdb.service import hana_address
from erp_gateway.erpdb.sql.statement import Statement
from erp_gateway.settings.modules import ErpDatabase
from erpdoctor import (
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
from erpdoctor.network import Address, open_stream

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
_REACH_S: Final = 4.0
_CONNECT_S: Final = 2 * STEP_LIMIT_S

T = TypeVar("T")


def writing(privileges: Iterable[str]) -> tuple[str, ...]:
    """Return those of some rights that allow changing data or tables, or running procedures that may."""
    return tuple(sorted(set(privileges) - _READS))


def login_cause(error: DatabaseError, authorities: Path | None = None) -> Finding:
    """Return what a failed login means.

    Args:
        error: of the driver.
        authorities: the file of those that are trusted.
    """
    if isinstance(refusal_of(error.number, error.text), DatabaseLoginFailed):
        return REFUSED.found(error=error.number)
    if "SSL" in error.text:
        trusted = "" if authorities is None else f", autoridades {authorities}"
        return NO_TLS.found(f"{error.text}{trusted}", error=error.number)
    return NOT_OPENED.found(error.text, error=error.number)


class DatabaseChecks(Checks):
    """Looks at the ERP's database, on one connection, which `aclose` closes.

    Args:
        settings: None where it is not configured.
        statements: text of every registered query for the configured engine, by its name.
        beside: names of earlier checks that need the same file of authorities.
    """

    group = DATABASE

    def __init__(
        self,
        settings: ErpDatabase | None,
        statements: Mapping[str, Statement],
        beside: tuple[str, ...] = (),
    ) -> None:
        self._settings = settings
        self._statements = statements
        self._beside = beside
        self._session: Session | None = None
        self._thread = ThreadPoolExecutor(1, "doctor-database")

    async def aclose(self) -> None:
        """Log out, after what still runs has ended."""
        if self._session is not None:
            await self._in_thread(self._session.close)
        self._thread.shutdown()

    @looks_at("driver", "Controlador de la base de datos", OFF, NO_DRIVER)
    async def _driver(self) -> Finding:
        settings = self._settings
        if settings is None:
            return OFF.found()
        if settings.engine == "sqlite":
            self._session = SqliteSession(Path(settings.database or ""))
            return ok(engine="sqlite")
        driver = load_driver()
        if driver is None:
            return NO_DRIVER.found()
        self._session = HanaSession(hana_address(settings), driver, STEP_LIMIT_S)
        return ok(engine="hana")

    @looks_at("port", "Camino a la base de datos", AWAY, needs=("driver",))
    async def _port(self) -> Finding:
        settings = self._configured()
        if settings.engine == "sqlite":
            is_there = await self._in_thread(Path(settings.database or "").is_file)
            return ok() if is_there else AWAY.found(str(settings.database))
        seen = f"{settings.server}:{settings.port}"
        try:
            async with asyncio.timeout(_REACH_S):  # a firewall often lets a call wait
                _, writer = await open_stream(Address(settings.server or "", settings.port, tls=False))
        except OSError:
            return AWAY.found(seen)
        writer.transport.abort()
        return ok(seen)

    @looks_at("encryption", "Conexión cifrada", PLAIN, needs=("port",))
    async def _encryption(self) -> Finding:
        settings = self._configured()
        if settings.engine == "sqlite" or _is_here(settings.server or ""):
            return ok("no sale de esta máquina")
        return ok() if settings.encrypt else PLAIN.found()

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
        settings = self._configured()
        judged = partial(login_cause, authorities=settings.ca_file)
        found = await self._try(self._open().open, _named(settings), judged)
        return found.suspecting(*self._beside) if found.cause is NO_TLS else found

    @looks_at("version", "Versión de la base de datos", NO_VERSION, needs=("login",))
    async def _version(self) -> Finding:
        try:
            return ok(await self._in_thread(self._open().version))
        except DatabaseError:
            return NO_VERSION.found()

    @looks_at("schema", "Esquema de la empresa", NO_SCHEMA, SCHEMA_FAILED, needs=("login",))
    async def _schema(self) -> Finding:
        schema = self._configured().schema or ""
        return await self._try(
            self._open().enter,
            schema,
            lambda error: (NO_SCHEMA if error.number == _INVALID_SCHEMA else SCHEMA_FAILED).found(
                schema, error=error.number
            ),
        )

    @looks_at("rights", "Derechos del usuario", MAY_WRITE, NO_RIGHTS, needs=("schema",))
    async def _rights(self) -> Finding:
        try:
            privileges = await self._in_thread(self._open().privileges)
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
        names = sorted(self._statements)[:_MOST_QUERIES]
        refused: list[str] = []
        forbidden = 0
        for name in names:
            statement = self._statements[name]
            try:
                await self._in_thread(partial(self._open().prepare, statement))
            except DatabaseError as error:
                if isinstance(refusal_of(error.number, error.text), DatabaseUnreachable | DatabaseTimeout):
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

    def _configured(self) -> ErpDatabase:
        if self._settings is None:
            raise RuntimeError("the database is not configured")
        return self._settings

    def _open(self) -> Session:
        if self._session is None:
            raise RuntimeError("there is no session")
        return self._session


def _named(settings: ErpDatabase) -> str:
    return f"usuario {settings.user}" if settings.engine == "hana" else str(settings.database)


def _is_here(server: str) -> bool:
    try:
        return ip_address(server).is_loopback
    except ValueError:
        return server == "localhost"
