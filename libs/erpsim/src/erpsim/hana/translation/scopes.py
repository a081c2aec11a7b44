"""Which tables there are, and what the names inside a query mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from attrs import define, field, frozen

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated, place
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.translation.hana_types import HanaType
from erpsim.hana.translation.typed import Typed, quoted_name

Columns = Mapping[str, HanaType]
SYSTEM_SCHEMA = "SYS"


class Catalogue(Protocol):
    """What a database has."""

    def has_schema(self, name: str) -> bool:
        """Tell whether there is a schema."""

    def columns_of(self, schema: str, table: str) -> Columns | None:
        """Return a table's columns in order; None where there is no such table."""


@frozen
class Source:
    """One table of a FROM: its columns, in order, and its schema, by which no renamed table is called."""

    alias: str
    columns: Columns
    schema: str | None = None

    def has(self, named: tree.ColumnName) -> bool:
        """Tell whether a name means a column of this table."""
        is_mine = named.table in {None, self.alias} and named.schema in {None, self.schema}
        return is_mine and named.name in self.columns


@define
class Scope:
    """The tables that the columns of one SELECT may belong to.

    Attributes:
        outer: Of the query around it.
        sources: By their names in the query.
        group_keys: SQL of what the rows are grouped by; None where they are not.
        in_aggregate: Whether an aggregate is being written out.
    """

    outer: Scope | None = None
    sources: dict[str, Source] = field(factory=dict)
    group_keys: frozenset[str] | None = None
    in_aggregate: bool = False

    def add(self, source: Source) -> None:
        """Add a table.

        Raises:
            HanaError: 7, its name differs from another one by letter case alone or not at all.
        """
        if any(known.upper() == source.alias.upper() for known in self.sources):
            raise not_simulated(f"two tables of one query with the name {source.alias}")
        self.sources[source.alias] = source


class Names:
    """Finds tables and columns.

    Args:
        catalogue: what the database has.
        schema: where tables without a schema are looked for first.
        sql: the statement, for telling places in it.
    """

    def __init__(self, catalogue: Catalogue, schema: str, sql: str) -> None:
        self._catalogue = catalogue
        self._schema = schema
        self._sql = sql
        self.tables: set[tuple[str, str]] = set()

    def where(self, node: tree.Node) -> str:
        """Return where something stands, as HANA tells it."""
        return place(self._sql, node.at)

    def table(self, named: tree.TableName) -> tuple[str, str, Columns]:
        """Find a table; return its schema, its name and its columns.

        A name without a schema is looked for in the current one, then among the public synonyms, which are
        `DUMMY` and the views of the catalogue here.

        Raises:
            HanaError: 259, 362.
        """
        if named.schema is not None and not self._catalogue.has_schema(named.schema):
            raise HanaError(362, f"invalid schema name: {named.schema}: {self.where(named)}")
        for schema in (named.schema,) if named.schema is not None else (self._schema, SYSTEM_SCHEMA):
            columns = self._catalogue.columns_of(schema, named.name)
            if columns is not None:
                self.tables.add((schema, named.name))
                return schema, named.name, columns
        searched = named.schema or self._schema
        text = f"Could not find table/view {named.name} in schema {searched}: {self.where(named)}"
        raise HanaError(259, f"invalid table name:  {text}")

    def column(self, named: tree.ColumnName, scope: Scope | None) -> Typed:
        """Find a column, in the query's own tables first.

        Raises:
            HanaError: 260, 268, 276.
        """
        looked_in = scope
        while looked_in is not None:
            found = self._in(named, looked_in)
            if found is not None:
                self._check_grouped(named, found, looked_in)
                return found
            looked_in = looked_in.outer
        raise HanaError(260, f"invalid column name: {_full_name(named)}: {self.where(named)}")

    def _in(self, named: tree.ColumnName, scope: Scope) -> Typed | None:
        owners = [each for each in scope.sources.values() if each.has(named)]
        if len(owners) > 1:
            raise HanaError(268, f"column ambiguously defined: {named.name}: {self.where(named)}")
        if not owners:
            return None
        (owner,) = owners
        sql = f"{quoted_name(owner.alias)}.{quoted_name(named.name)}"
        return Typed(sql, owner.columns[named.name])

    def _check_grouped(self, named: tree.ColumnName, found: Typed, scope: Scope) -> None:
        if scope.group_keys is None or scope.in_aggregate or found.sql in scope.group_keys:
            return
        text = f"missing aggregation or grouping: {_full_name(named)}: {self.where(named)}"
        raise HanaError(276, text)


def _full_name(named: tree.ColumnName) -> str:
    return ".".join(part for part in (named.schema, named.table, named.name) if part is not None)
