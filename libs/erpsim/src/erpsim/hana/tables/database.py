"""Schemas of the database and the rights on them."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from attrs import define, field

from erpsim.company.clock import Clock, SystemClock
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol.codes import HanaError, Type
from erpsim.hana.protocol.columns import Column, Value
from erpsim.hana.tables.catalogue import CATALOGUE, PUBLIC, catalogue_rows
from erpsim.hana.tables.engine import fill, open_engine
from erpsim.hana.tables.rights import Grants, Right
from erpsim.hana.translation.hana_types import HanaType
from erpsim.hana.translation.scopes import SYSTEM_SCHEMA, Columns
from erpsim.hana.translation.translation import Translation
from erpsim.hana.translation.typed import quoted_name

if TYPE_CHECKING:
    import duckdb

DUMMY: Final = (SYSTEM_SCHEMA, "DUMMY")


class Provider(Protocol):
    """Source of a schema's tables, which it copies into the engine."""

    @property
    def columns(self) -> Mapping[str, Columns]:
        """Current columns of its tables; a new object after each change."""
        ...

    def refresh(self, names: Iterable[str]) -> None:
        """Update these tables in the engine."""
        ...


@define(eq=False)
class Database:
    """All schemas with their tables.

    Attributes:
        clock: of the server.
        timezone: of its local time; None for the machine's.
    """

    clock: Clock = field(factory=SystemClock)
    timezone: Callable[[], dt.tzinfo] | None = None
    _engine: duckdb.DuckDBPyConnection = field(factory=open_engine)
    _own: dict[str, dict[str, Columns]] = field(factory=dict)
    _provided: dict[str, Provider] = field(factory=dict)
    _catalogue_of: list[object] | None = None
    _opening: threading.Lock = field(factory=threading.Lock)
    _writers: dict[tuple[str, str], object] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.add_schema(SYSTEM_SCHEMA)
        self.add_table(*DUMMY, [Column("DUMMY", Type.VARCHAR, 1)], [("X",)])
        for name, columns in CATALOGUE.items():
            self.add_table(SYSTEM_SCHEMA, name, columns)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a new connection to the engine."""
        with self._opening:
            return self._engine.cursor()

    def close(self) -> None:
        """Drop everything."""
        self._engine.close()

    def add_schema(self, name: str) -> None:
        """Make an empty schema."""
        self._own[name] = {}
        self._engine.execute(f"CREATE SCHEMA {quoted_name(name)}")

    def provide(self, name: str, provider: Provider) -> None:
        """Add a schema whose tables come from a provider."""
        self._engine.execute(f"CREATE SCHEMA {quoted_name(name)}")
        self._provided[name] = provider

    def add_table(
        self, schema: str, name: str, columns: Sequence[Column], rows: Iterable[Sequence[Value]] = ()
    ) -> None:
        """Create and fill a table."""
        types = {column.name: HanaType.of(column) for column in columns}
        declared = ", ".join(f"{quoted_name(each)} {kind.kept_in}" for each, kind in types.items())
        target = f"{quoted_name(schema)}.{quoted_name(name)}"
        self._engine.execute(f"CREATE TABLE {target} ({declared})")
        fill(self._engine, target, list(types.items()), rows)
        self._own[schema][name] = types

    def run(self, sql: str) -> None:
        """Run a statement of the engine's own, to fill a table."""
        self._engine.execute(sql)

    def has_schema(self, name: str) -> bool:
        """Return whether a schema exists."""
        return name in self._own or name in self._provided

    def columns_of(self, schema: str, table: str) -> Columns | None:
        """Return a table's columns in order, None for an unknown table."""
        return self._tables_of(schema).get(table)

    def _tables_of(self, schema: str) -> Mapping[str, Columns]:
        provider = self._provided.get(schema)
        return provider.columns if provider is not None else self._own.get(schema, {})

    def now(self) -> tuple[dt.datetime, dt.datetime]:
        """Return the server's local time and UTC, both without a zone."""
        moment = self.clock.now()
        local = moment.astimezone(None if self.timezone is None else self.timezone())
        return local.replace(tzinfo=None), moment.astimezone(dt.UTC).replace(tzinfo=None)

    def check(self, translation: Translation, grants: Grants) -> None:
        """Check a user's rights on a statement.

        Raises:
            HanaError: 258; 7 for a change of tables that the Service Layer changes.
        """
        target = translation.target
        others = translation.tables - PUBLIC - {target}
        is_refused = not all(grants.reads(name) for _, name in others)
        if target is not None:
            is_refused = is_refused or Right.CHANGE not in grants.everywhere or target[0] == SYSTEM_SCHEMA
        if is_refused:
            raise HanaError(258, "insufficient privilege: Not authorized")
        if target is not None and target[0] in self._provided:
            raise not_simulated("changing the company's tables: the Service Layer does")

    def refresh(self, tables: Iterable[tuple[str, str]], users: Mapping[str, Grants]) -> None:
        """Update the tables of a statement before it runs.

        Call it while the company does not change.

        Args:
            tables: schema and name of each.
            users: grants of each user, shown by the catalogue.
        """
        table_names = list(tables)
        for schema, provider in self._provided.items():
            names = [table for owner, table in table_names if owner == schema]
            if names:
                provider.refresh(names)
        if any(schema == SYSTEM_SCHEMA and table in CATALOGUE for schema, table in table_names):
            self._refresh_catalogue(users)

    def _refresh_catalogue(self, users: Mapping[str, Grants]) -> None:
        present: list[object] = [users, *(provider.columns for provider in self._provided.values())]
        cached = self._catalogue_of
        if cached is not None and all(one is other for one, other in zip(cached, present, strict=True)):
            return
        self._catalogue_of = present
        schemas = {name: self._tables_of(name) for name in [*self._own, *self._provided]}
        for name, rows in catalogue_rows(schemas, users).items():
            target = f"{quoted_name(SYSTEM_SCHEMA)}.{quoted_name(name)}"
            self._engine.execute(f"DELETE FROM {target}")  # noqa: S608 - our own name
            fill(self._engine, target, list(self._own[SYSTEM_SCHEMA][name].items()), rows)

    def lock(self, table: tuple[str, str], owner: object) -> bool:
        """Lock a table for a transaction until `unlock`; False if another transaction holds it."""
        with self._opening:
            return self._writers.setdefault(table, owner) is owner

    def unlock(self, owner: object) -> None:
        """Release a lock."""
        with self._opening:
            self._writers = {table: each for table, each in self._writers.items() if each is not owner}
