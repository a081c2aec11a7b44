"""What a store's database says of itself, read without its lock and without a change: for a doctor."""

from collections.abc import Callable
from enum import Enum
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

import psycopg
from attrs import frozen
from psycopg.conninfo import conninfo_to_dict

from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.connection import Line
from erp_gateway.store.postgresql.dialect import PostgresStatements
from erp_gateway.store.postgresql.engine import PostgresEngine
from erp_gateway.store.postgresql.opening import PROGRAM
from erp_gateway.store.postgresql.watched_lock import who_serves
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
    """Why there is no connection."""

    URL = "url"
    """libpq can't read the URL."""
    TLS = "tls"
    """The encryption that the URL asks for was not agreed on."""
    HOST_RULE = "host_rule"
    """The server takes no such connection from this host: its `pg_hba.conf`."""
    LOGIN = "login"
    """User or password."""
    DATABASE = "database"
    """There is no such database."""
    OTHER = "other"
    """It starts, stops, is full, or says it in another language than English."""


_WORDS: Final = (
    ("libpq can't read", Refusal.URL),
    ("pg_hba.conf", Refusal.HOST_RULE),
    ("password", Refusal.LOGIN),
    ('role "', Refusal.LOGIN),
    ("SSL", Refusal.TLS),
    ("certificate", Refusal.TLS),
    ('database "', Refusal.DATABASE),
)
"""The library tells no number of a refused connection: its words, and the server's, are all there is."""


class RefusedError(Exception):
    """There is no connection; the text tells host, user and database, and no password."""

    def __init__(self, refusal: Refusal, text: str) -> None:
        super().__init__(text)
        self.refusal = refusal


@frozen(kw_only=True)
class ServerFacts:
    """What the server says of itself and of the connection.

    Attributes:
        version: as libpq counts, `160004` for 16.4.
        encoding: of the database.
        schema: where the tables go; None where there is none.
        read_only: whether it follows another server and takes no writes.
        host: that was connected to, as configured; a path for a socket.
        encrypted: whether by TLS.
        sslmode: what the URL, or libpq's default, asks of the certificate.
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
    """What is in the database.

    Attributes:
        empty: whether there is no table.
        version: number of the newest migration; None where the store is not of this program.
        writable: whether the user may use all tables, or make them where there are none.
    """

    empty: bool
    version: int | None
    writable: bool


class PostgresLook:
    """One connection that can't write; close it with `aclose`.

    Attributes:
        place: user, host and database; its text is for people and has no password.
        engine: the same connection, for reading alone.
    """

    def __init__(self, place: PostgresPlace) -> None:
        self.place = place
        self._line = Line(
            place,
            "doctor",
            read_only=True,
            statement_timeout_s=_ANSWER_S,
            may_follow=True,
        )
        self.engine: Final = PostgresEngine(self._line, self._line)

    def addresses(self) -> list[tuple[str, int]]:
        """Return hosts and ports of the URL; none where it goes through a socket, or can't be read."""
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
        """Connect, and return what the server says.

        Raises:
            RefusedError: there is no connection.
            StoreUnavailable: it did not answer then.
        """
        try:
            connection = await self._line.run(self._line.connection)
        except psycopg.Error as error:
            text = " ".join(str(error).split())
            found = next((refusal for word, refusal in _WORDS if word in text), Refusal.OTHER)
            raise RefusedError(found, text) from None
        told = {each.keyword: each.val for each in connection.pgconn.info}
        encoding, schema, follows = (await self._ask(_SERVER))[0]
        return ServerFacts(
            version=connection.info.server_version,
            encoding=encoding,
            schema=schema,
            read_only=follows,
            host=connection.info.host,
            encrypted=bool(connection.pgconn.ssl_in_use),
            sslmode=(told.get(b"sslmode") or b"prefer").decode("ascii", "replace"),
        )

    async def content(self) -> ContentFacts:
        """Return what is in the database.

        Raises:
            StoreUnavailable: it can't be read.
        """
        tables, has_version, writable, creatable = (await self._ask(_CONTENT))[0]
        if not tables:
            return ContentFacts(empty=True, version=None, writable=bool(creatable))
        rows = (
            await self._ask("SELECT version FROM store_version WHERE program = ?", PROGRAM)
            if has_version and writable
            else []
        )
        return ContentFacts(empty=False, version=int(rows[0][0]) if rows else None, writable=bool(writable))

    async def holder(self) -> str | None:
        """Return who serves the store; None where nobody does.

        Raises:
            StoreUnavailable: the server did not tell.
        """
        return await self._run(lambda: who_serves(self._line.connection()))

    async def size(self) -> int:
        """Return how many bytes the database takes.

        Raises:
            StoreUnavailable: the server did not tell.
        """
        ((size,),) = await self._ask("SELECT pg_database_size(current_database())")
        return int(size)

    async def read(self, work: Callable[[Statements], T]) -> T:
        """Run a piece of work that reads.

        Raises:
            StoreUnavailable: the server refused.
        """
        return await self._run(lambda: work(PostgresStatements(self._line.connection())))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._line.aclose()

    async def _ask(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        return await self.read(lambda store: [tuple(row) for row in store.execute(sql, values).fetchall()])

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await self._line.run(work)
        except psycopg.Error as error:
            raise StoreUnavailable from error
