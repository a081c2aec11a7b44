"""Parser of whole statements: queries, INSERT, UPDATE, DELETE."""

from typing import Final, TypeAlias

from typing_extensions import override

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.expressions import ExpressionParser
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.parsing.tree import Node

Statement: TypeAlias = "tree.Query | tree.Insert | tree.Update | tree.Delete"

_JOINS: Final = ("INNER", "LEFT", "RIGHT", "FULL", "CROSS")
_CARDINALITIES: Final = frozenset({"MANY", "ONE", "EXACT"})
_KNOWN_ELSEWHERE_TEXT = """
    ALTER CALL COMMENT COMMIT CREATE DO DROP EXPLAIN EXPORT GRANT IMPORT LOAD LOCK MERGE RECLAIM RENAME
    REPLACE REVOKE ROLLBACK SAVEPOINT RELEASE SET TRUNCATE UNLOAD UNSET UPSERT VALIDATE CONNECT BACKUP
    RECOVER REFRESH
"""
# First keywords of HANA statements that are not simulated.
_KNOWN_ELSEWHERE: Final = frozenset(_KNOWN_ELSEWHERE_TEXT.split())


def parse(sql: str) -> Statement:
    """Read a statement.

    Raises:
        HanaError: 257 with the place, 7 for a statement of HANA's that is not simulated.
    """
    return StatementParser(sql).statement()


class StatementParser(ExpressionParser):
    """Parser of one statement."""

    def statement(self) -> Statement:
        """Read it to its end.

        Raises:
            HanaError: 257, 7.
        """
        word = self.current.word
        if word in {"SELECT", "WITH", "("}:
            read: Statement = self.query()
        elif word == "INSERT":
            read = self._insert()
        elif word == "UPDATE":
            read = self._update()
        elif word == "DELETE":
            read = self._delete()
        elif word in _KNOWN_ELSEWHERE:
            raise not_simulated(f"the statement {word}")
        else:
            raise self.fault()
        self.finish()
        return read

    @override
    def query(self) -> tree.Query:
        """Read a whole query."""
        at = self.current.at
        common = self.listed(self._common_table) if self.take("WITH") else ()
        body = self._combined()
        order = self.listed(self.order_item) if self.take("ORDER", "BY") else ()
        limit = offset = None
        if self.take("LIMIT"):
            limit = self._count()
            offset = self._count() if self.take("OFFSET") else None
        if self.sees("FOR"):
            raise not_simulated("FOR UPDATE and its like: nothing is locked")
        if self.take("WITH"):
            self._skip_hint()
        return tree.Query(at=at, body=body, common=common, order=order, limit=limit, offset=offset)

    def _count(self) -> Node:
        node = self._primary()
        if not isinstance(node, tree.Number | tree.ParameterMarker):
            raise self.fault(self.before)
        return node

    def _skip_hint(self) -> None:
        """Skip hints: they only affect performance."""
        self.expect("HINT", "(")
        depth = 1
        while depth:
            token = self.advance()
            if token.kind == "end":
                raise self.fault(token)
            depth += {"(": 1, ")": -1}.get(token.word, 0)

    def _common_table(self) -> tree.CommonTable:
        token = self.name()
        columns: tuple[str, ...] = ()
        if self.take("("):
            columns = tuple(each.name for each in self.listed(self.name))
            self.expect(")")
        self.expect("AS", "(")
        query = self.query()
        self.expect(")")
        return tree.CommonTable(at=token.at, name=token.name, columns=columns, query=query)

    def _combined(self) -> Node:
        left = self._term()
        used: set[str] = set()
        while self.current.word in {"UNION", "EXCEPT", "MINUS", "INTERSECT"}:
            token = self.advance()
            operator = "EXCEPT" if token.word == "MINUS" else token.word
            if operator == "UNION" and self.take("ALL"):
                operator = "UNION ALL"
            else:
                self.take("DISTINCT")
            used.add("INTERSECT" if operator == "INTERSECT" else "other")
            if len(used) > 1:
                raise not_simulated("INTERSECT beside UNION or EXCEPT without brackets")
            left = tree.Combined(at=token.at, operator=operator, left=left, right=self._term())
        return left

    def _term(self) -> Node:
        if self.take("("):
            inner = self.query()
            self.expect(")")
            return inner
        return self._select()

    def _select(self) -> tree.Select:
        at = self.expect("SELECT").at
        top = self._count() if self.take("TOP") else None
        distinct = self.take("DISTINCT")
        if not distinct:
            self.take("ALL")
        items = self.listed(self._item)
        if self.sees("INTO"):
            raise not_simulated("SELECT INTO")
        self.expect("FROM")
        source = self._source()
        while self.take(","):
            source = tree.Join(at=self.before.at, kind="CROSS", left=source, right=self._source())
        condition = self.condition() if self.take("WHERE") else None
        group: tuple[Node, ...] = ()
        if self.take("GROUP", "BY"):
            if self.current.word in {"GROUPING", "ROLLUP", "CUBE"}:
                raise not_simulated(f"GROUP BY {self.current.word}")
            group = self.listed(self.value)
        having = self.condition() if self.take("HAVING") else None
        return tree.Select(
            at=at, items=items, source=source, distinct=distinct, top=top,
            condition=condition, group=group, having=having,
        )  # fmt: skip

    def _item(self) -> tree.SelectItem | tree.Star:
        token = self.current
        if self.take("*"):
            return tree.Star(at=token.at)
        if self.is_name() and self.ahead().word == "." and self.ahead(2).word == "*":
            self.advance()
            self.expect(".", "*")
            return tree.Star(at=token.at, table=token.name)
        operand = self.condition()
        end = self.before.end
        if self.take("AS"):
            name = self.name().name
        elif self.is_name(introduced=False):
            name = self.advance().name
        elif isinstance(operand, tree.ColumnName):
            name = operand.name
        else:
            name = self._as_written(token.at, end)
        return tree.SelectItem(at=token.at, operand=operand, name=name)

    def _as_written(self, begin: int, end: int) -> str:
        """Return the name of an unnamed column: its text with blanks only between words."""
        written = ""
        for token in self.between(begin, end):
            text = token.text if token.kind == "text" else token.name
            apart = written[-1:].isalnum() and text[:1].isalnum()
            written += f" {text}" if apart or (token.word == "ORDER" and written) else text
        return written

    def _source(self) -> Node:
        left = self._primary_source()
        while True:
            at = self.current.at
            kind = self._join_kind()
            if kind is None:
                return left
            right = self._primary_source()
            condition = None
            if kind != "CROSS":
                if self.sees("USING"):
                    raise not_simulated("JOIN ... USING")
                self.expect("ON")
                condition = self.condition()
            left = tree.Join(at=at, kind=kind, left=left, right=right, condition=condition)

    def _join_kind(self) -> str | None:
        word = self.current.word
        if word == "NATURAL":
            raise not_simulated("NATURAL JOIN")
        if word == "JOIN":
            self.advance()
            return "INNER"
        if word not in _JOINS:
            return None
        self.advance()
        if word in {"LEFT", "RIGHT", "FULL"}:
            self.take("OUTER")
        if self.current.word in _CARDINALITIES:
            raise not_simulated("the cardinality of a join")
        self.expect("JOIN")
        return word

    def _primary_source(self) -> Node:
        at = self.current.at
        if self.sees("LATERAL"):
            raise not_simulated("LATERAL")
        if self.take("("):
            if self.current.word not in {"SELECT", "WITH", "("}:
                inner = self._source()
                self.expect(")")
                return inner
            query = self.query()
            self.expect(")")
            alias = (
                self._alias() or f"$query{at}"
            )  # HANA requires no name, and sqlalchemy-hana and others send none
            return tree.DerivedTable(at=at, query=query, alias=alias)
        return self._table(alias=True)

    def _table(self, *, alias: bool) -> tree.TableName:
        token = self.name()
        schema = None
        name = token.name
        if self.take("."):
            schema, name = name, self.name().name
        if self.sees("(") and alias:
            raise not_simulated("a table function")
        return tree.TableName(at=token.at, schema=schema, name=name, alias=self._alias() if alias else None)

    def _alias(self) -> str | None:
        if self.take("AS"):
            return self.name().name
        return self.advance().name if self.is_name(introduced=False) else None

    def _insert(self) -> tree.Insert:
        at = self.expect("INSERT").at
        self.expect("INTO")
        table = self._table(alias=False)
        columns: tuple[tree.ColumnName, ...] = ()
        if self.sees("(") and self.ahead().word not in {"SELECT", "WITH"}:
            self.expect("(")
            columns = self.listed(self._changed)
            self.expect(")")
        if self.take("VALUES"):
            self.expect("(")
            values = self.listed(self.value)
            self.expect(")")
            return tree.Insert(at=at, table=table, columns=columns, source=values)
        return tree.Insert(at=at, table=table, columns=columns, source=self.query())

    def _changed(self) -> tree.ColumnName:
        token = self.name()
        return tree.ColumnName(at=token.at, name=token.name)

    def _update(self) -> tree.Update:
        at = self.expect("UPDATE").at
        table = self._table(alias=False)
        self.expect("SET")
        changes = self.listed(self._change)
        if self.sees("FROM"):
            raise not_simulated("UPDATE ... FROM")
        condition = self.condition() if self.take("WHERE") else None
        return tree.Update(at=at, table=table, changes=changes, condition=condition)

    def _change(self) -> tuple[tree.ColumnName, Node]:
        column = self._changed()
        self.expect("=")
        return column, self.value()

    def _delete(self) -> tree.Delete:
        at = self.expect("DELETE").at
        self.expect("FROM")
        table = self._table(alias=False)
        condition = self.condition() if self.take("WHERE") else None
        return tree.Delete(at=at, table=table, condition=condition)
