"""Resolution of the names in a query and naming of its result columns."""

from __future__ import annotations

import attrs

from erpsim.sql import SqlTable, SqlType
from erpsim.stored_queries.catalogue import Catalogue, find_column
from erpsim.stored_queries.cursor import Cursor
from erpsim.stored_queries.refusals import bad_syntax, column_refused, incorrect_near
from erpsim.stored_queries.tokens import Kind, Token


@attrs.frozen
class ResultColumn:
    """A column of a query's result, with its name in JSON."""

    name: str
    type: SqlType | None


@attrs.define
class Expression:
    """A value in the text: its tokens and, once resolved, its column."""

    first: int
    last: int
    column: Token | None = None
    qualifier: Token | None = None
    type: SqlType | None = None
    of: Expression | None = None

    @property
    def plain(self) -> bool:
        """True if it is just a column."""
        return self.column is not None


@attrs.define
class Scope:
    """One select with its tables, columns and results."""

    parent: Scope | None
    tables: list[tuple[str, SqlTable]] = attrs.field(factory=list)
    named: list[Expression] = attrs.field(factory=list)
    compared: list[tuple[Expression, Expression]] = attrs.field(factory=list)
    items: list[tuple[Expression, Token | None]] = attrs.field(factory=list)
    limit: str | None = None


class Names:
    """Resolves the names of a query.

    Args:
        cursor: the query.
        catalogue: its tables.
    """

    def __init__(self, cursor: Cursor, catalogue: Catalogue) -> None:
        self._cursor = cursor
        self._catalogue = catalogue

    def resolve(self, scope: Scope) -> None:
        """Resolve the columns of a select, and rewrite them and the dates that they are compared with.

        Raises:
            SlError: 703 for an unknown column; 701 for one that several tables have.
        """
        for expression in scope.named:
            self._resolve_column(scope, expression)
        scope.named.clear()
        for left, right in scope.compared:
            for one, other in ((left, right), (right, left)):
                if _type_of(one) is SqlType.TIMESTAMP and self._is_text(other):
                    token = self._cursor.tokens[other.first]
                    self._cursor.executable[token.start] = f"b1_date({token.text})"
        scope.compared.clear()

    def _is_text(self, expression: Expression) -> bool:
        single = expression.last - expression.first == 1
        return single and self._cursor.tokens[expression.first].kind in {Kind.STRING, Kind.PARAMETER}

    def _resolve_column(self, scope: Scope, expression: Expression) -> None:
        token = expression.column
        if token is None:
            return
        level: Scope | None = scope
        while level is not None:
            candidates = [
                table
                for alias, table in level.tables
                if expression.qualifier is None or alias.upper() == expression.qualifier.name.upper()
            ]
            if expression.qualifier is not None and candidates:
                self._name_table(candidates[0], expression.qualifier)
            having = [table for table in candidates if find_column(table, token.name) is not None]
            if having or (candidates and (expression.qualifier is not None or level.parent is None)):
                if expression.qualifier is None and len(having) > 1:
                    # An ambiguous column; the real text is unknown.
                    raise incorrect_near(self._cursor.sql, token)
                column = self._catalogue.column((having or candidates)[0], token.name)
                self._cursor.rewrite(token, column.name)
                expression.type = column.type
                return
            level = level.parent
        raise column_refused(token.name, expression.qualifier.name if expression.qualifier else "")

    def _name_table(self, table: SqlTable, qualifier: Token) -> None:
        if qualifier.name.upper() == table.name.upper():
            self._cursor.rewrite(qualifier, table.name)

    def check(self, scope: Scope) -> None:
        """Refuse two result columns with one name: they would be one member of the JSON object."""
        if scope.parent is not None:
            return
        used_names: set[str] = set()
        for item, alias in scope.items:
            token = alias or item.column or self._cursor.tokens[item.first]
            name = self._shown_name(item, alias)
            if name in used_names:
                reason = (
                    f"Multiple name for column or column alias '{token.name}', please specify it with a "
                    "different alias."
                )
                raise bad_syntax(self._cursor.sql, token, reason)
            used_names.add(name)

    def _shown_name(self, item: Expression, alias: Token | None) -> str:
        if alias is not None:
            return alias.name
        token = item.column or self._cursor.tokens[item.first]
        return self._cursor.executable.get(token.start, token.text).strip('"')

    def results(self, scope: Scope) -> tuple[ResultColumn, ...]:
        """Return the columns of the query's result."""
        return tuple(
            ResultColumn(self._shown_name(item, alias), _type_of(item)) for item, alias in scope.items
        )


def _type_of(expression: Expression) -> SqlType | None:
    if expression.type is None and expression.of is not None:
        return _type_of(expression.of)
    return expression.type
