"""Facts about a store's database, read without its lock and without a change: for the doctor."""

from collections.abc import Callable
from enum import Enum
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

import psycopg
from attrs import frozen
from psycopg.conninfo import conninfo_to_dict

from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.connection import Connector
from erp_gateway.store.postgresql.dialect import PostgresStatements
from erp_gateway.store.postgresql.engine import PostgresEngine
from erp_gateway.store.postgresql.opening import PROGRAM
from erp_gateway.store.postgresql.watched_lock import find_serving_process
from erp_gateway.store.statements import Statements

T = TypeVar("T")

_ANSWER_S: Final = 4.0
_PORT: Final = 5432

_SERVER: Final = "SELECT current_setting('server_encoding'), current_schema(), pg_is_in_recovery()"
_CONTENT: Final = """
SELECT count(*) FILTER (WHERE relkind IN ('r', 'p')) AS tables,
       coalesce(bool_or(relname = 'store_version' AND relkind = 'r'), false) AS has_version,
       coalesce(bool_and(CASE WHEN relkind = 'S' THEN has_sequence_privilege(oid, 'USAGE')
                              ELSE has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                                   AND has_table_privilege(oid, 'UPDATE')
                                   AND has_table_privilege(oid, 'DELETE') END), true) AS writable,
       has_schema_privilege(current_schema(), 'CREATE') AS creatable
FROM pg_catalog.pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'S')
"""


class Refusal(Enum):
    """Reason why a connection was refused."""

    URL = "url"
    """libpq can't read the URL."""
    TLS = "tls"
    """The encryption that the URL requires is not available."""
    HOST_RULE = "host_rule"
    """The server's `pg_hba.conf` does not allow this connection."""
    LOGIN = "login"
    """User or password."""
    DATABASE = "database"
    """There is no such database."""
    OTHER = "other"
    """The server is starting, stopping or full, or its message is not in English."""


# psycopg has no SQLSTATE for a refused connection, so its message is the only source.
_MESSAGES: Final = (
    ("libpq can't read", Refusal.URL),
    ("pg_hba.conf", Refusal.HOST_RULE),
    ("password", Refusal.LOGIN),
    ('role "', Refusal.LOGIN),
    ("SSL", Refusal.TLS),
    ("certificate", Refusal.TLS),
    ('database "', Refusal.DATABASE),
)


class RefusedError(Exception):
    """The connection was refused; the message has host, user and database, and no password."""

    def __init__(self, refusal: Refusal, text: str) -> None:
        super().__init__(text)
        self.refusal = refusal


@frozen(kw_only=True)
class ServerFacts:
    """Facts about the server and the connection.

    Attributes:
        version: in libpq's form, `160004` for 16.4.
        encoding: of the database.
        schema: schema of the tables; None if there is none.
        read_only: whether the server is a replica.
        host: the configured host; a path for a socket.
        encrypted: whether the connection uses TLS.
        sslmode: of the URL, or libpq's default.
    """

    version: int
    encoding: str
    schema: str | None
    read_only: bool
    host: str
    encrypted: bool
    sslmode: str


@frozen(kw_only=True)
class ContentFacts:
    """Facts about the content of the database.

    Attributes:
        empty: whether there is no table.
        version: number of the newest migration; None if the store is not one of this program.
        writable: whether the user may write all tables, or create them if there are none.
    """

    empty: bool
    version: int | None
    writable: bool


class StoreInspector:
    """One read-only connection; close it with `aclose`.

    Attributes:
        place: user, host and database; its text form has no password.
        engine: the same connection, for reading only.
    """

    def __init__(self, place: PostgresPlace) -> None:
        self.place = place
        self._connector = Connector(
            place,
            "doctor",
            read_only=True,
            statement_timeout_s=_ANSWER_S,
            allow_replica=True,
        )
        self.engine: Final = PostgresEngine(self._connector, self._connector)

    def addresses(self) -> list[tuple[str, int]]:
        """Return hosts and ports of the URL; empty if it uses a socket or can't be parsed."""
        try:
            parameters = conninfo_to_dict(self.place.url.reveal())
        except psycopg.ProgrammingError:
            return []
        hosts = str(parameters.get("hostaddr") or parameters.get("host") or "").split(",")
        ports = str(parameters.get("port") or _PORT).split(",")
        ports = ports * len(hosts) if len(ports) == 1 else ports
        return [
            (host, int(port or _PORT))
            for host, port in zip(hosts, ports, strict=False)
            if host and not PurePosixPath(host).is_absolute()
        ]

    async def connect(self) -> ServerFacts:
        """Connect, and return facts about the server.

        Raises:
            RefusedError: the connection was refused.
            StoreUnavailable: the server did not reply afterwards.
        """
        try:
            connection = await self._connector.run(self._connector.connection)
        except psycopg.Error as error:
            text = " ".join(str(error).split())
            refusal = next((refusal for word, refusal in _MESSAGES if word in text), Refusal.OTHER)
            raise RefusedError(refusal, text) from None
        options = {each.keyword: each.val for each in connection.pgconn.info}
        encoding, schema, is_replica = (await self._select(_SERVER))[0]
        return ServerFacts(
            version=connection.info.server_version,
            encoding=encoding,
            schema=schema,
            read_only=is_replica,
            host=connection.info.host,
            encrypted=bool(connection.pgconn.ssl_in_use),
            sslmode=(options.get(b"sslmode") or b"prefer").decode("ascii", "replace"),
        )

    async def content(self) -> ContentFacts:
        """Return facts about the content of the database.

        Raises:
            StoreUnavailable: it can't be read.
        """
        tables, has_version, writable, creatable = (await self._select(_CONTENT))[0]
        if not tables:
            return ContentFacts(empty=True, version=None, writable=bool(creatable))
        rows = (
            await self._select("SELECT version FROM store_version WHERE program = ?", PROGRAM)
            if has_version and writable
            else []
        )
        return ContentFacts(empty=False, version=int(rows[0][0]) if rows else None, writable=bool(writable))

    async def find_holder(self) -> str | None:
        """Return the process that serves the store, or None.

        Raises:
            StoreUnavailable: the server did not reply.
        """
        return await self._run(lambda: find_serving_process(self._connector.connection()))

    async def size(self) -> int:
        """Return the size of the database in bytes.

        Raises:
            StoreUnavailable: the server did not reply.
        """
        ((size,),) = await self._select("SELECT pg_database_size(current_database())")
        return int(size)

    async def read(self, work: Callable[[Statements], T]) -> T:
        """Run a piece of work that only reads.

        Raises:
            StoreUnavailable: the server refused.
        """
        return await self._run(lambda: work(PostgresStatements(self._connector.connection())))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._connector.aclose()

    async def _select(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        return await self.read(lambda store: [tuple(row) for row in store.execute(sql, values).fetchall()])

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await self._connector.run(work)
        except psycopg.Error as error:
            raise StoreUnavailable from error
