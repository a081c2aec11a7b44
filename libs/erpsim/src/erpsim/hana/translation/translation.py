"""Translates a statement's text to the engine's SQL."""

from __future__ import annotations

import enum

from attrs import frozen

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.parsing.statements import StatementParser
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.protocol.columns import Column
from erpsim.hana.translation.context import Context
from erpsim.hana.translation.queries import Queries
from erpsim.hana.translation.scopes import Catalogue, Columns, Names, Scope, Source
from erpsim.hana.translation.typed import Conversions, ParameterTypes, Typed, quoted_name


class Kind(enum.Enum):
    """Kind of a statement."""

    SELECT = "SELECT"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


@frozen
class Translation:
    """A statement for the engine.

    Attributes:
        kind: kind of the statement.
        sql: DuckDB's, parameters as ``$p1``, ``$p2``.
        parameters: their declarations for the client.
        columns: of the result of a query.
        tables: schema and name of every table in it.
        target: the changed table.
    """

    kind: Kind
    sql: str
    parameters: tuple[Column, ...]
    columns: tuple[Column, ...]
    tables: frozenset[tuple[str, str]]
    target: tuple[str, str] | None = None


def translate(sql: str, catalogue: Catalogue, context: Context) -> Translation:
    """Translate a statement.

    Raises:
        HanaError: HANA would refuse it; 7 if it is not simulated.
    """
    try:
        return _translated(sql, catalogue, context)
    except RecursionError as error:
        raise not_simulated("a statement nested so deeply") from error


def _translated(sql: str, catalogue: Catalogue, context: Context) -> Translation:
    parser = StatementParser(sql)
    statement = parser.statement()
    parameters = ParameterTypes()
    names = Names(catalogue, context.schema, sql)
    writer = Changes(sql, names, Conversions(parameters), context)
    target: tuple[str, str] | None = None
    columns: tuple[Column, ...] = ()
    if isinstance(statement, tree.Query):
        kind, written = Kind.SELECT, writer.whole(statement)
        text = written.sql
        columns = tuple(each.column(name) for name, each in written.columns)
    else:
        kind = Kind[type(statement).__name__.upper()]
        text, target = writer.change(statement)
    return Translation(
        kind, text, parameters.columns(parser.parameters), columns, frozenset(names.tables), target
    )


class Changes(Queries):
    """Translates INSERT, UPDATE and DELETE."""

    def change(self, statement: tree.Insert | tree.Update | tree.Delete) -> tuple[str, tuple[str, str]]:
        """Translate a change; also return the changed table.

        Raises:
            HanaError: as HANA would refuse it, or 7.
        """
        self._common = {}
        schema, name, columns = self.names.table(statement.table)
        if isinstance(statement, tree.Insert):
            text = self._insert(statement, schema, name, columns)
        else:
            text = self._update_or_delete(statement, schema, name, columns)
        return text, (schema, name)

    def _insert(self, statement: tree.Insert, schema: str, name: str, columns: Columns) -> str:
        for each in statement.columns:
            self._check_column(each, columns)
        target_columns = [each.name for each in statement.columns] or list(columns)
        target = f"{quoted_name(schema)}.{quoted_name(name)} ({', '.join(map(quoted_name, target_columns))})"
        if isinstance(statement.source, tree.Query):
            written = self.query(statement.source)
            if any(
                columns[key].kept_in != kind.kept_in
                for key, (_, kind) in zip(target_columns, written.columns, strict=False)
            ):
                raise not_simulated("INSERT of a query with other types than the table's")
            row_length, text = len(written.columns), written.sql
        else:
            row_length = len(statement.source)
            pairs = zip(target_columns, statement.source, strict=False)
            text = f"VALUES ({', '.join(self._stored(each, columns[key]) for key, each in pairs)})"
        if row_length != len(target_columns):
            raise (
                HanaError(269, "too many values")
                if row_length > len(target_columns)
                else HanaError(270, "not enough values")
            )
        return f"INSERT INTO {target} {text}"

    def _stored(self, node: tree.Node, target: object) -> str:
        value: Typed = self.value(node)
        return self.convert.to(value, target)  # type: ignore[arg-type]  # a HanaType, see `Columns`

    def _update_or_delete(
        self, statement: tree.Update | tree.Delete, schema: str, name: str, columns: Columns
    ) -> str:
        target = f"{quoted_name(schema)}.{quoted_name(name)} AS {quoted_name(name)}"
        with self._inside(Scope()) as scope:
            scope.add(Source(name, columns, schema))
            where = "" if statement.condition is None else f" WHERE {self.condition(statement.condition)}"
            if isinstance(statement, tree.Delete):
                return f"DELETE FROM {target}{where}"  # noqa: S608 - translated
            changes = []
            for column, value in statement.changes:
                self._check_column(column, columns)
                changes.append(f"{quoted_name(column.name)} = {self._stored(value, columns[column.name])}")
        return f"UPDATE {target} SET {', '.join(changes)}{where}"  # noqa: S608 - translated

    def _check_column(self, column: tree.ColumnName, columns: Columns) -> None:
        if column.name not in columns:
            raise HanaError(260, f"invalid column name: {column.name}: {self.names.where(column)}")
