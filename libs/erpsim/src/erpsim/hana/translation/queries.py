"""Translation of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import attrs
from attrs import frozen
from typing_extensions import override

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.parsing.tree import Node
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.translation.conditions import Conditions
from erpsim.hana.translation.functions import is_aggregate
from erpsim.hana.translation.hana_types import INTEGER, HanaType
from erpsim.hana.translation.scopes import Scope, Source
from erpsim.hana.translation.typed import Typed, quoted_name, type_of
from erpsim.hana.translation.values import calls

Column: TypeAlias = "tuple[str, HanaType]"


@frozen
class Written:
    """A query in DuckDB's SQL and the columns of its result.

    Attributes:
        nulls: indexes of columns that are just NULL, so that another query determines their type.
    """

    sql: str
    columns: tuple[Column, ...]
    nulls: frozenset[int] = frozenset()

    def column(self, place: int) -> Typed:
        """Return a column as a value whose type may matter to another query."""
        return Typed("", None if place in self.nulls else self.columns[place][1])


class Queries(Conditions):
    """Translates queries."""

    _common: dict[str, Source]

    def whole(self, query: tree.Query) -> Written:
        """Translate a stand-alone query."""
        self._common = {}
        return self.query(query)

    def query(self, query: tree.Query) -> Written:
        """Translate a query, nested or alone.

        Raises:
            HanaError: HANA would refuse it, or 7.
        """
        outer_common = dict(getattr(self, "_common", {}))
        try:
            self._common = dict(outer_common)
            common = [self._common_table(each) for each in query.common]
            tail = self._tail(query)
            body = query.body
            if isinstance(body, tree.Select):
                written = self._select(body, query.order, tail)
            else:
                combined = self._body(body)
                order = [self._by_result(item, combined.columns) for item in query.order]
                by = f" ORDER BY {', '.join(order)}" if order else ""
                written = Written(f"{combined.sql}{by}{tail}", combined.columns)
        finally:
            self._common = outer_common
        with_ = f"WITH {', '.join(common)} " if common else ""
        return Written(with_ + written.sql, written.columns)

    def _common_table(self, table: tree.CommonTable) -> str:
        written = self.query(table.query)
        columns = written.columns
        if table.columns:
            if len(table.columns) != len(columns):
                raise not_simulated("a WITH whose names are not as many as its columns")
            columns = tuple((name, kind) for name, (_, kind) in zip(table.columns, columns, strict=True))
        names = f" ({', '.join(quoted_name(name) for name, _ in columns)})"
        self._common[table.name] = Source(table.name, _by_name(columns))
        return f"{quoted_name(table.name)}{names} AS ({written.sql})"

    def _tail(self, query: tree.Query) -> str:
        limit = "" if query.limit is None else f" LIMIT {self._count(query.limit)}"
        return limit if query.offset is None else f"{limit} OFFSET {self._count(query.offset)}"

    def _count(self, node: Node) -> str:
        value = self.value(node)
        if value.type is not None and not value.type.is_integer:
            raise self.fault(node)
        return self.convert.to(value, INTEGER)

    def _body(self, body: Node) -> Written:
        if isinstance(body, tree.Select):
            return self._select(body, (), "")
        if isinstance(body, tree.Query):
            inner = self.query(body)
            return Written(f"({inner.sql})", inner.columns)
        if isinstance(body, tree.Combined):
            return self._combined(body)
        raise self.fault(body)

    def _combined(self, node: tree.Combined) -> Written:
        left, right = self._body(node.left), self._body(node.right)
        if len(left.columns) != len(right.columns):
            raise not_simulated("combining queries with different numbers of columns")
        columns = [
            (name, self.convert.unified([left.column(place), right.column(place)])[1])
            for place, (name, _) in enumerate(left.columns)
        ]
        sides = [self._cast_columns(side, columns) for side in (left, right)]
        return Written(f"{sides[0]} {node.operator} {sides[1]}", tuple(columns), left.nulls & right.nulls)

    def _cast_columns(self, side: Written, target: list[Column]) -> str:
        if all(own[1].kept_in == column[1].kept_in for own, column in zip(side.columns, target, strict=True)):
            return side.sql
        names = [f"c{place}" for place in range(len(target))]
        items = ", ".join(
            f"CAST({name} AS {kind.kept_in})" for name, (_, kind) in zip(names, target, strict=True)
        )
        return f"(SELECT {items} FROM ({side.sql}) AS u({', '.join(names)}))"  # noqa: S608 - translated

    def _by_result(self, item: tree.OrderItem, columns: Sequence[Column]) -> str:
        place = self._place(item.operand, columns)
        if place is None:
            raise not_simulated("ORDER BY of combined queries by anything but a column of theirs")
        return f"{place} {_direction(item)}"

    def _place(self, node: Node, columns: Sequence[Column]) -> int | None:
        if isinstance(node, tree.Number) and node.text.isdigit():
            if not 1 <= int(node.text) <= len(columns):
                text = f"ORDER BY item must be the number of a SELECT-list: {self.names.where(node)}"
                raise HanaError(280, text)
            return int(node.text)
        if isinstance(node, tree.ColumnName) and node.table is None:
            found = [place for place, (name, _) in enumerate(columns, 1) if name == node.name]
            if len(found) > 1:
                raise HanaError(268, f"column ambiguously defined: {node.name}: {self.names.where(node)}")
            return found[0] if found else None
        return None

    def _select(self, node: tree.Select, order: Sequence[tree.OrderItem], tail: str) -> Written:
        with self._inside(Scope(self.scope)) as scope:
            source = self._source(node.source)
            where = "" if node.condition is None else f" WHERE {self.condition(node.condition)}"
            group = self._group(node)
            if self._is_grouped(node, order):
                scope.group_keys = frozenset(group)
            written, columns, nulls = self._items(node)
            having = "" if node.having is None else f" HAVING {self.condition(node.having)}"
            by = self._ordered(node, order, columns)
            if node.top is not None:
                if tail:
                    raise self.fault(node.top, "TOP")
                tail = f" LIMIT {self._count(node.top)}"
        distinct = "DISTINCT " if node.distinct else ""
        if node.distinct and any(kind.is_lob for _, kind in columns):
            raise not_simulated("DISTINCT with a LOB")
        grouped = f" GROUP BY {', '.join(group)}" if group else ""
        items = ", ".join(written)
        return Written(
            f"SELECT {distinct}{items} FROM {source}{where}{grouped}{having}{by}{tail}",  # noqa: S608 - translated
            tuple(columns),
            nulls,
        )

    def _is_grouped(self, node: tree.Select, order: Sequence[tree.OrderItem]) -> bool:
        parts = (node.items, node.having, tuple(order))
        return bool(node.group) or node.having is not None or any(is_aggregate(each) for each in calls(parts))

    def _group(self, node: tree.Select) -> list[str]:
        for key in node.group:
            if not isinstance(key, tree.ColumnName) and not _has_column(key):
                raise not_simulated("GROUP BY a constant")
        keys = [self.value(key) for key in node.group]
        if any(type_of(key).is_lob for key in keys):
            raise not_simulated("GROUP BY a LOB")
        return [key.sql for key in keys]

    def _items(self, node: tree.Select) -> tuple[list[str], list[Column], frozenset[int]]:
        nulls: set[int] = set()
        written: list[str] = []
        columns: list[Column] = []
        for item in node.items:
            if isinstance(item, tree.Star):
                for name, value in self._all_columns(item):
                    written.append(f"{value.sql} AS {quoted_name(name)}")
                    columns.append((name, type_of(value)))
                continue
            value = self.value(item.operand)
            sql = self.convert.to(value, type_of(value)) if value.type is None else value.sql
            if value.type is None and value.parameter is None:
                nulls.add(len(columns))
            written.append(f"{sql} AS {quoted_name(item.name)}")
            columns.append(
                (item.name, self.convert.parameters.types.get(value.parameter or 0) or type_of(value))
            )
        return written, columns, frozenset(nulls)

    def _all_columns(self, star: tree.Star) -> Iterator[tuple[str, Typed]]:
        scope = self.scope
        sources = [] if scope is None else list(scope.sources.values())
        if star.table is not None:
            sources = [each for each in sources if each.alias == star.table]
            if not sources:
                raise HanaError(260, f"invalid column name: {star.table}.*: {self.names.where(star)}")
        for source in sources:
            for name in source.columns:
                found = self.names.column(tree.ColumnName(at=star.at, table=source.alias, name=name), scope)
                yield name, found

    def _ordered(self, node: tree.Select, order: Sequence[tree.OrderItem], columns: Sequence[Column]) -> str:
        written = []
        for item in order:
            place = self._place(item.operand, columns)
            if place is not None:
                if columns[place - 1][1].is_lob:
                    raise not_simulated("ORDER BY a LOB")
                written.append(f"{place} {_direction(item)}")
                continue
            if node.distinct:
                raise not_simulated("ORDER BY of distinct rows by anything but a column of theirs")
            written.append(self.order(item))
        return f" ORDER BY {', '.join(written)}" if written else ""

    @override
    def order(self, item: tree.OrderItem) -> str:
        """Translate an ORDER BY item of a query or a window. NULLs are the smallest values by default."""
        if isinstance(item.operand, tree.Number | tree.Text | tree.ParameterMarker):
            raise not_simulated("ORDER BY a constant")
        value = self.value(item.operand)
        if type_of(value).is_lob:
            raise not_simulated("ORDER BY a LOB")
        return f"{value.sql} {_direction(item)}"

    def _source(self, node: Node) -> str:
        if isinstance(node, tree.TableName):
            return self._table(node)
        if isinstance(node, tree.DerivedTable):
            with self._inside(None):
                written = self.query(node.query)
            self._add(Source(node.alias, _by_name(written.columns)))
            return f"({written.sql}) AS {quoted_name(node.alias)}"
        if isinstance(node, tree.Join):
            left, right = self._source(node.left), self._source(node.right)
            if node.condition is None:
                return f"{left} CROSS JOIN {right}"
            return f"({left} {node.kind} JOIN {right} ON {self.condition(node.condition)})"
        raise self.fault(node)

    def _table(self, node: tree.TableName) -> str:
        common = self._common.get(node.name) if node.schema is None else None
        if common is not None:
            alias = node.alias or common.alias
            self._add(Source(alias, common.columns))
            return f"{quoted_name(common.alias)} AS {quoted_name(alias)}"
        schema, name, columns = self.names.table(node)
        alias = node.alias or name
        self._add(Source(alias, columns, None if node.alias else schema))
        return f"{quoted_name(schema)}.{quoted_name(name)} AS {quoted_name(alias)}"

    def _add(self, source: Source) -> None:
        if self.scope is not None:
            self.scope.add(source)

    @contextmanager
    def _inside(self, scope: Scope | None) -> Iterator[Scope]:
        """Translate inside another scope; None hides the surrounding scopes."""
        outer, self.scope = self.scope, scope or Scope()
        try:
            yield self.scope
        finally:
            self.scope = outer

    @override
    def scalar(self, query: tree.Query) -> Typed:
        """Translate a scalar subquery."""
        sql, column = self.only_column(query)
        return Typed(f"({sql})", column.type)

    @override
    def only_column(self, query: tree.Query) -> tuple[str, Typed]:
        """Translate a query of one column; return its SQL and the column as a value."""
        written = self.query(query)
        if len(written.columns) != 1:
            raise HanaError(269, f"too many values: {self.names.where(query)}")
        return written.sql, Typed(quoted_name(written.columns[0][0]), written.columns[0][1])

    @override
    def rows(self, query: tree.Query) -> str:
        """Translate a query in brackets of which only the existence of rows matters."""
        return self.query(query).sql


def _by_name(columns: Sequence[Column]) -> dict[str, HanaType]:
    """Return the columns of a query in FROM by their names.

    Raises:
        HanaError: 7, two names are equal, or equal without letter case, which the engine ignores.
    """
    names: set[str] = set()
    for name, _ in columns:
        if name.upper() in names:
            raise not_simulated(f"two columns {name} of a query in FROM")
        names.add(name.upper())
    return dict(columns)


def _direction(item: tree.OrderItem) -> str:
    nulls_first = not item.descending if item.nulls_first is None else item.nulls_first
    return f"{'DESC' if item.descending else 'ASC'} NULLS {'FIRST' if nulls_first else 'LAST'}"


def _has_column(node: object) -> bool:
    if isinstance(node, tree.ColumnName):
        return True
    if isinstance(node, tuple):
        return any(map(_has_column, node))
    return isinstance(node, tree.Node) and any(
        _has_column(getattr(node, each.name)) for each in attrs.fields(type(node))
    )
