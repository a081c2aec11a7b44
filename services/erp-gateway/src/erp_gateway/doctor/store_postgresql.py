"""Checks of a store in PostgreSQL, over one read-only connection."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from typing_extensions import override

from erp_gateway.doctor.store import (
    CHAIN_BROKEN,
    CHAIN_S,
    NEWER,
    NOT_YET,
    OLDER,
    StoreChecks,
    judge_version,
)
from erp_gateway.people.permissions.store import Permission, load_all
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.postgresql.looking import Refusal, RefusedError, ServerFacts, StoreInspector
from erp_gateway.store.postgresql.opening import MIN_VERSION
from erpdoctor.checks import STEP_LIMIT_S, Cause, Finding, declares_check, fail, ok, skipped, warn
from erpdoctor.network.reaching import Address, connect

_fail = partial(fail, page="docs/install.md#the-store-on-postgresql")
_warn = partial(warn, page="docs/install.md#the-store-on-postgresql")

AWAY: Final = fail(
    "store_server_away",
    "Nadie responde en el servidor del registro interno.",
    english="No response: wrong name or port, or a network problem.",
    remedy="Corrija el servidor y el puerto de STORE_URL, o abra el paso en la red.",
    english_remedy="Correct server and port in STORE_URL, or open the way in the network.",
)
BAD_URL: Final = _fail(
    "store_url_unreadable",
    "STORE_URL tiene un parámetro que la biblioteca de PostgreSQL no conoce.",
    english="A parameter of the URL is unknown to libpq.",
    remedy="Corrija lo que sigue a ? en STORE_URL.",
)
NO_TLS: Final = _fail(
    "store_tls_failed",
    "No se pudo acordar con el servidor del registro interno el cifrado que pide STORE_URL.",
    english="No TLS there, or a certificate that `sslmode` does not accept.",
    remedy="Corrija sslmode o sslrootcert en STORE_URL, o active TLS en ese servidor.",
)
NOT_ADMITTED: Final = fail(
    "store_not_admitted",
    "El servidor del registro interno no admite conexiones así desde esta máquina.",
    english="`pg_hba.conf` has no line for this host, user and database, or one that rejects it.",
    remedy="Añada a pg_hba.conf de ese servidor esta máquina, el usuario y la base de datos.",
    english_remedy="Add this machine, user and database to pg_hba.conf of that server.",
)
REFUSED: Final = _fail(
    "store_login_refused",
    "El servidor del registro interno rechaza al usuario o su contraseña.",
    english="User or password is wrong. It is tried once.",
    remedy="Corrija usuario y contraseña en STORE_URL; @ : / ? # % se escriben como %40 y así.",
)
NO_DATABASE: Final = _fail(
    "store_database_unknown",
    "La base de datos que nombra STORE_URL no existe.",
    english="There is no such database.",
    remedy="Corrija STORE_URL, o cree la base de datos con ENCODING 'UTF8' y ese usuario como dueño.",
)
NOT_OPENED: Final = fail(
    "store_not_opened",
    "El servidor del registro interno no aceptó la conexión por otra razón.",
    english="Refused for another reason: it is starting, stopping, full, or does not respond.",
    remedy="Revise si ese servidor arranca o se detiene, y si le quedan conexiones (max_connections).",
    english_remedy="Check whether that server is starting or stopping, and whether it has "
    "connections left (max_connections).",
)
PLAIN: Final = _warn(
    "store_not_encrypted",
    "La conexión con el registro interno no está cifrada.",
    english="It is plain, to another host.",
    remedy="Ponga sslmode=verify-full y sslrootcert en STORE_URL.",
)
NOT_VERIFIED: Final = _warn(
    "store_certificate_not_verified",
    "El certificado del servidor del registro interno no se comprueba.",
    english="`sslmode` is neither `verify-full` nor `verify-ca`.",
    remedy="Ponga sslmode=verify-full y sslrootcert en STORE_URL.",
)
OLD_SERVER: Final = _fail(
    "store_server_old",
    "El registro interno está en un PostgreSQL anterior al 13.",
    english="It is older than PostgreSQL 13.",
    remedy="Actualice ese servidor a PostgreSQL 13 o posterior.",
)
ENCODING: Final = _fail(
    "store_encoding",
    "La base de datos del registro interno no guarda los textos en UTF8.",
    english="The database is not in UTF-8.",
    remedy="Cree otra con ENCODING 'UTF8' TEMPLATE template0 y nómbrela en STORE_URL.",
)
READ_ONLY: Final = fail(
    "store_server_read_only",
    "El servidor del registro interno es una réplica: no admite cambios.",
    english="The server is a replica and accepts no writes.",
    remedy="Nombre en STORE_URL el servidor principal.",
    english_remedy="Name the primary server in STORE_URL.",
)
OTHER_DATABASE: Final = _fail(
    "store_of_another_program",
    "La base de datos de STORE_URL es de otro programa.",
    english="They are another program's.",
    remedy="Nombre en STORE_URL una base de datos que solo use este servicio.",
)
NO_RIGHTS: Final = _fail(
    "store_rights_missing",
    "El usuario de STORE_URL no puede escribir en las tablas del registro interno, o crearlas.",
    english="It can't write them, or can't create them.",
    remedy="Haga a ese usuario dueño de la base de datos y de sus tablas.",
)
SPACE_UNTOLD: Final = skipped(
    "space_untold",
    "PostgreSQL no dice cuánto disco queda; solo lo sabe la máquina de ese servidor.",
    english="PostgreSQL does not show free space. `used_mb` is the size of the database.",
)
BACKUP_UNTOLD: Final = skipped(
    "backup_untold",
    "Una copia de PostgreSQL no deja rastro en la base de datos; lo sabe quien la hace.",
    english="A `pg_dump` leaves no trace in the database.",
)
UNREADABLE: Final = fail(
    "store_unreadable",
    "El servidor no dejó leer el registro interno.",
    english="The server refuses to read them, here or in any later check.",
    remedy="Revise ese servidor y su log; si falta una tabla, restaure la última copia.",
    english_remedy="Check that server and its log; if a table is missing, restore the latest backup.",
    page="docs/operate.md#restore",
)

_CAUSES: Final[Mapping[Refusal, Cause]] = {
    Refusal.URL: BAD_URL,
    Refusal.TLS: NO_TLS,
    Refusal.HOST_RULE: NOT_ADMITTED,
    Refusal.LOGIN: REFUSED,
    Refusal.DATABASE: NO_DATABASE,
    Refusal.OTHER: NOT_OPENED,
}
_REACH_S: Final = 2.0
_LOGIN_S: Final = 2 * STEP_LIMIT_S
_MB: Final = 1024 * 1024
_VERIFYING: Final = frozenset({"verify-ca", "verify-full"})


def judge_server(facts: ServerFacts) -> Finding:
    """Check that a server can hold a store."""
    version = f"{facts.version // 10_000}.{facts.version % 10_000}"
    if facts.version < MIN_VERSION:
        return OLD_SERVER.found(server=version)
    if facts.encoding != "UTF8":
        return ENCODING.found(facts.encoding, server=version)
    if facts.read_only:
        return READ_ONLY.found(server=version)
    return ok(f"PostgreSQL {version}", server=version)


class PostgresChecks(StoreChecks):
    """Check a store in PostgreSQL.

    Args:
        inspector: connection to the database. The caller closes it.
    """

    faults: Mapping[type[Exception], Cause] = {StoreUnavailable: UNREADABLE}

    def __init__(self, inspector: StoreInspector) -> None:
        self._inspector = inspector
        self._facts: ServerFacts | None = None
        self._version = 0

    @override
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Database]:
        yield Database(self._inspector.engine)

    @override
    async def permissions(self) -> Mapping[str, Permission]:
        return await self._inspector.read(load_all)

    @declares_check(
        "server",
        "Camino al servidor",
        AWAY,
        english="A host of the URL accepts a connection. A socket is not checked.",
    )
    async def _server(self) -> Finding:
        addresses = self._inspector.addresses()
        reached = [await _listens(host, port) for host, port in addresses]
        summary = ", ".join(f"{host}:{port}" for host, port in addresses)
        return ok(summary or "por un socket local") if any(reached) or not addresses else AWAY.found(summary)

    @declares_check(
        "login",
        "Inicio de sesión",
        *_CAUSES.values(),
        needs=("server",),
        limit_s=_LOGIN_S,
        english="The server admits this user to this database. libpq gives no number, so the cause is "
        "read from its English words; with a server in another language it may show as "
        "`store_not_opened`, with the words on the terminal.",
    )
    async def _login(self) -> Finding:
        try:
            self._facts = await self._inspector.connect()
        except RefusedError as refused:
            return _CAUSES[refused.refusal].found(str(refused))
        return ok(str(self._inspector.place))

    @declares_check(
        "encryption",
        "Conexión cifrada",
        PLAIN,
        NOT_VERIFIED,
        needs=("login",),
        english="TLS with a verified certificate, or a connection that stays on this host.",
    )
    async def _encryption(self) -> Finding:
        facts = self._loaded_facts()
        if _is_here(facts.host):
            return ok("no sale de esta máquina", encrypted=facts.encrypted, sslmode=facts.sslmode)
        if not facts.encrypted:
            return PLAIN.found(sslmode=facts.sslmode)
        if facts.sslmode not in _VERIFYING:
            return NOT_VERIFIED.found(sslmode=facts.sslmode)
        return ok(encrypted=True, sslmode=facts.sslmode)

    @declares_check(
        "fitness",
        "Servidor y base de datos",
        OLD_SERVER,
        ENCODING,
        READ_ONLY,
        needs=("login",),
        english="Server and database can hold a store. `server` is its version.",
    )
    async def _fitness(self) -> Finding:
        return judge_server(self._loaded_facts())

    @declares_check("lock", "Quién lo usa", needs=("login",), english="Process that serves it now.")
    async def _lock(self) -> Finding:
        holder = await self._inspector.find_holder()
        return ok("nadie", held=False) if holder is None else ok(holder, held=True)

    @declares_check(
        "content",
        "Contenido y derechos",
        NOT_YET,
        OTHER_DATABASE,
        NO_RIGHTS,
        needs=("fitness",),
        english="The tables are this program's, and the user can write them.",
    )
    async def _content(self) -> Finding:
        facts = await self._inspector.content()
        if not facts.writable or self._loaded_facts().schema is None:
            return NO_RIGHTS.found()
        if facts.empty:
            return NOT_YET.found()
        if facts.version is None:
            return OTHER_DATABASE.found()
        self._version = facts.version
        return ok()

    @declares_check(
        "version", "Versión", NEWER, OLDER, needs=("content",), english="Its version is this program's."
    )
    async def _schema(self) -> Finding:
        return judge_version(self._version)

    @declares_check("space", "Espacio", SPACE_UNTOLD, needs=("login",), english="Free space of the server.")
    async def _space(self) -> Finding:
        used = await self._inspector.size() // _MB
        return SPACE_UNTOLD.found(f"ocupa {used} MB", used_mb=used)

    @declares_check("backup", "Última copia", BACKUP_UNTOLD, english="Newest copy.")
    async def _backup(self) -> Finding:
        return BACKUP_UNTOLD.found()

    @declares_check(
        "audit-chain",
        "Cadena de la auditoría",
        CHAIN_BROKEN,
        needs=("version",),
        limit_s=CHAIN_S,
        english="The [chain of the audit](docs/audit.md) is unbroken.",
    )
    async def _chain(self) -> Finding:
        return await self.walk_chain()

    def _loaded_facts(self) -> ServerFacts:
        if self._facts is None:
            raise RuntimeError("there is no connection")
        return self._facts


async def _listens(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(_REACH_S):
            await connect(Address(host, port, tls=False))
    except OSError:  # a timeout is an OSError too
        return False
    return True


def _is_here(host: str) -> bool:
    return not host or PurePosixPath(host).is_absolute() or Address(host, 0, tls=False).is_here
