"""Tables and the resolution of names in a query."""

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
    """Protocol of a database's tables."""

    def has_schema(self, name: str) -> bool:
        """Return whether a schema exists."""

    def columns_of(self, schema: str, table: str) -> Columns | None:
        """Return a table's columns in order, or None for an unknown table."""


@frozen
class Source:
    """One table of a FROM, with its columns in order and its schema. A renamed table has no schema."""

    alias: str
    columns: Columns
    schema: str | None = None

    def has(self, reference: tree.ColumnName) -> bool:
        """Return whether a name refers to a column of this table."""
        is_mine = reference.table in {None, self.alias} and reference.schema in {None, self.schema}
        return is_mine and reference.name in self.columns


@define
class Scope:
    """Tables visible to one SELECT.

    Attributes:
        outer: scope of the surrounding query.
        sources: tables by their names in the query.
        group_keys: SQL of the GROUP BY; None without one.
        in_aggregate: whether an aggregate is being translated.
    """

    outer: Scope | None = None
    sources: dict[str, Source] = field(factory=dict)
    group_keys: frozenset[str] | None = None
    in_aggregate: bool = False

    def add(self, source: Source) -> None:
        """Add a table.

        Raises:
            HanaError: 7, another table has the same name, possibly in other letter case.
        """
        if any(name.upper() == source.alias.upper() for name in self.sources):
            raise not_simulated(f"two tables of one query with the name {source.alias}")
        self.sources[source.alias] = source


class Names:
    """Resolves tables and columns.

    Args:
        catalogue: schemas and tables of the database.
        schema: schema of tables without one.
        sql: the statement, for positions in errors.
    """

    def __init__(self, catalogue: Catalogue, schema: str, sql: str) -> None:
        self._catalogue = catalogue
        self._schema = schema
        self._sql = sql
        self.tables: set[tuple[str, str]] = set()

    def where(self, node: tree.Node) -> str:
        """Format a position as HANA does."""
        return place(self._sql, node.at)

    def table(self, reference: tree.TableName) -> tuple[str, str, Columns]:
        """Find a table; return its schema, its name and its columns.

        A name without a schema is searched in the current one, then among the public synonyms: here `DUMMY`
        and the views of the catalogue.

        Raises:
            HanaError: 259, 362.
        """
        if reference.schema is not None and not self._catalogue.has_schema(reference.schema):
            raise HanaError(362, f"invalid schema name: {reference.schema}: {self.where(reference)}")
        for schema in (reference.schema,) if reference.schema is not None else (self._schema, SYSTEM_SCHEMA):
            columns = self._catalogue.columns_of(schema, reference.name)
            if columns is not None:
                self.tables.add((schema, reference.name))
                return schema, reference.name, columns
        searched = reference.schema or self._schema
        text = f"Could not find table/view {reference.name} in schema {searched}: {self.where(reference)}"
        raise HanaError(259, f"invalid table name:  {text}")

    def column(self, reference: tree.ColumnName, scope: Scope | None) -> Typed:
        """Find a column, in the query's own tables first.

        Raises:
            HanaError: 260, 268, 276.
        """
        current = scope
        while current is not None:
            column = self._in(reference, current)
            if column is not None:
                self._check_grouped(reference, column, current)
                return column
            current = current.outer
        raise HanaError(260, f"invalid column name: {_full_name(reference)}: {self.where(reference)}")

    def _in(self, reference: tree.ColumnName, scope: Scope) -> Typed | None:
        owners = [each for each in scope.sources.values() if each.has(reference)]
        if len(owners) > 1:
            raise HanaError(268, f"column ambiguously defined: {reference.name}: {self.where(reference)}")
        if not owners:
            return None
        (owner,) = owners
        sql = f"{quoted_name(owner.alias)}.{quoted_name(reference.name)}"
        return Typed(sql, owner.columns[reference.name])

    def _check_grouped(self, reference: tree.ColumnName, column: Typed, scope: Scope) -> None:
        if scope.group_keys is None or scope.in_aggregate or column.sql in scope.group_keys:
            return
        text = f"missing aggregation or grouping: {_full_name(reference)}: {self.where(reference)}"
        raise HanaError(276, text)


def _full_name(reference: tree.ColumnName) -> str:
    return ".".join(part for part in (reference.schema, reference.table, reference.name) if part is not None)
