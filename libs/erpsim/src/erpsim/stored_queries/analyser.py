"""Analyses a query as the Service Layer does when it is saved, and rewrites it for the database.

Only the manual's list is accepted: select, alias, where with and/or/not/between/like/in/exists/is null, the
four joins, group by, having, order by, top, union [all], constants, parameters, and a dozen functions. It is
assumed that everything else (arithmetic, `distinct` behind `select`, derived tables, comments) is refused.
"""

from __future__ import annotations

from typing import Final

import attrs

from erpsim.company.switches import SqlDialect
from erpsim.sql import SqlType
from erpsim.stored_queries.catalogue import Catalogue
from erpsim.stored_queries.cursor import Cursor
from erpsim.stored_queries.names import Expression, Names, ResultColumn, Scope
from erpsim.stored_queries.refusals import bad_syntax, incorrect_near, no_select
from erpsim.stored_queries.tokens import Kind, Token

_AGGREGATES: Final = frozenset({"SUM", "AVG", "MIN", "MAX", "COUNT"})
_FUNCTIONS: Final = _AGGREGATES | {"ISNULL", "IFNULL", "LOWER", "UPPER", "LEFT", "RIGHT"}
_ARGUMENTS: Final = {"ISNULL": 2, "IFNULL": 2, "LEFT": 2, "RIGHT": 2}
_OWN_FUNCTIONS: Final = {"LEFT": "b1_left", "RIGHT": "b1_right", "ISNULL": "ifnull"}
_COMPARISONS: Final = ("=", "<>", "!=", "<", ">", "<=", ">=")


@attrs.frozen
class Analysis:
    """An accepted query.

    Args:
        text: the stored text.
        executable: for SQLite; parameters keep their names.
        parameters: names in the order they first appear.
        columns: of the answer.
        tables: names of all tables in it.
        limited: whether the query limits its rows itself (`top`).
    """

    text: str
    executable: str
    parameters: tuple[str, ...]
    columns: tuple[ResultColumn, ...]
    tables: frozenset[str]
    limited: bool


def analyse(sql: str, catalogue: Catalogue, dialect: SqlDialect) -> Analysis:
    """Read a query.

    Raises:
        SlError: 701 to 703, with the real texts.
    """
    analyser = _Analyser(sql, catalogue, dialect)
    try:
        return analyser.run()
    except RecursionError:
        raise analyser.unexpected() from None


class _Analyser(Cursor):
    def __init__(self, sql: str, catalogue: Catalogue, dialect: SqlDialect) -> None:
        super().__init__(sql, dialect)
        self._catalogue = catalogue
        self._parameters: dict[str, None] = {}
        self._names = Names(self, catalogue)
        self._tables: set[str] = set()

    def run(self) -> Analysis:
        if not (self.current.is_word("SELECT") or self.current.is_symbol("(")):
            raise no_select(self.current)
        scope = self._query(None)
        if self.current.kind is not Kind.END:
            raise self.unexpected()
        return Analysis(
            self.written({}),
            self.written(self.executable),
            tuple(self._parameters),
            self._names.results(scope),
            frozenset(self._tables),
            scope.limit is not None,
        )

    # --- selects

    def _query(self, parent: Scope | None) -> Scope:
        first = self._branch(parent)
        union = False
        while self.skip_word("UNION"):
            union = True
            self.skip_word("ALL")
            other = self._branch(parent)
            limited = first.limit is not None or other.limit is not None
            if limited or len(other.items) != len(first.items):
                raise self.unexpected()  # assumed
        if self.skip_word("ORDER"):
            self.need_word("BY")
            self._order(first, by_name_only=union)
        if first.limit is not None:
            self.append(f" LIMIT {first.limit}")
        return first

    def _branch(self, parent: Scope | None) -> Scope:
        if self.current.is_symbol("("):
            # SQLite does not accept brackets around a SELECT of a UNION.
            self.executable[self.take().start] = ""
            scope = self._branch(parent)
            self.executable[self.current.start] = ""
            self.need_symbol(")")
            return scope
        self.need_word("SELECT")
        scope = Scope(parent)
        if self.current.is_word("TOP"):
            self._top(scope)
        self._select_list(scope)
        self.need_word("FROM")
        self._from(scope)
        if self.skip_word("WHERE"):
            self._condition(scope)
        if self.skip_word("GROUP"):
            self.need_word("BY")
            self._expression(scope)
            while self.skip_symbol(","):
                self._expression(scope)
        if self.skip_word("HAVING"):
            self._condition(scope)
        self._names.resolve(scope)
        self._names.check(scope)
        return scope

    def _top(self, scope: Scope) -> None:
        self.executable[self.take().start] = ""
        token = self.take()
        self.executable[token.start] = ""
        if token.kind is not Kind.NUMBER:
            raise incorrect_near(self.sql, token)
        scope.limit = token.text

    def _select_list(self, scope: Scope) -> None:
        while True:
            if self.current.is_symbol("*"):
                if scope.parent is None:
                    reason = "Cannot support asterisk(*) in select list."
                    raise bad_syntax(self.sql, self.current, reason)
                self.at += 1
                return
            item = self._expression(scope)
            alias = None
            if self.skip_word("AS"):
                alias = self.identifier()
            elif self.at_identifier:
                alias = self.take()
            if alias is not None:
                self.rewrite(alias, alias.name)
            elif not item.plain and scope.parent is None:
                reason = "Please specify an alias for the computed column."  # assumed text
                raise bad_syntax(self.sql, self.tokens[item.first], reason)
            scope.items.append((item, alias))
            if not self.skip_symbol(","):
                return

    def _from(self, scope: Scope) -> None:
        self._table(scope)
        while True:
            if self.skip_word("LEFT", "RIGHT", "FULL"):
                self.skip_word("OUTER")
                self.need_word("JOIN")
            elif self.skip_word("INNER"):
                self.need_word("JOIN")
            elif not self.skip_word("JOIN"):
                return
            self._table(scope)
            self.need_word("ON")
            self._condition(scope)

    def _table(self, scope: Scope) -> None:
        token = self.identifier()
        table = self._catalogue.table(token.name)
        self._tables.add(table.name)
        self.rewrite(token, table.name)
        alias = table.name
        # An alias of a table stays unchanged (the manual says that rewriting it makes no sense).
        if self.skip_word("AS"):
            alias = self.identifier().name
        elif self.at_identifier:
            alias = self.take().name
        scope.tables.append((alias, table))

    def _order(self, scope: Scope, *, by_name_only: bool) -> None:
        aliases = {alias.name.upper(): alias.name for _, alias in scope.items if alias is not None}
        while True:
            token, following = self.current, self.tokens[self.at + 1]
            alone = not following.is_symbol(".", "(")
            if self.at_identifier and alone and token.name.upper() in aliases:
                self.rewrite(self.take(), aliases[token.name.upper()])
            elif by_name_only and not self.at_identifier:
                raise self.unexpected()
            else:
                ordered = Scope(scope.parent, scope.tables)
                self._expression(ordered)
                self._names.resolve(ordered)
            self.skip_word("ASC", "DESC")
            if not self.skip_symbol(","):
                return

    # --- conditions

    def _condition(self, scope: Scope) -> None:
        self._conjunction(scope)
        while self.skip_word("OR"):
            self._conjunction(scope)

    def _conjunction(self, scope: Scope) -> None:
        self._negation(scope)
        while self.skip_word("AND"):
            self._negation(scope)

    def _negation(self, scope: Scope) -> None:
        if self.skip_word("NOT"):
            self._negation(scope)
        elif self.skip_word("EXISTS"):
            self.need_symbol("(")
            self._query(scope)
            self.need_symbol(")")
        elif self.current.is_symbol("("):
            self.at += 1
            self._condition(scope)
            self.need_symbol(")")
        else:
            self._predicate(scope)

    def _predicate(self, scope: Scope) -> None:
        left = self._expression(scope)
        if self.skip_word("IS"):
            self.skip_word("NOT")
            self.need_word("NULL")
            return
        if self.current.is_symbol(*_COMPARISONS):
            self.at += 1
            scope.compared.append((left, self._expression(scope)))
            return
        self.skip_word("NOT")
        if self.skip_word("BETWEEN"):
            scope.compared.append((left, self._expression(scope)))
            self.need_word("AND")
            scope.compared.append((left, self._expression(scope)))
        elif self.skip_word("LIKE"):
            self._expression(scope)
        elif self.skip_word("IN"):
            self.need_symbol("(")
            if self.current.is_word("SELECT"):
                self._query(scope)
            else:
                scope.compared.append((left, self._expression(scope)))
                while self.skip_symbol(","):
                    scope.compared.append((left, self._expression(scope)))
            self.need_symbol(")")
        else:
            raise self.unexpected()

    # --- values

    def _expression(self, scope: Scope) -> Expression:
        token, first = self.current, self.at
        following = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.kind is Kind.WORD and following.is_symbol("("):
            return self._function(scope)
        if token.is_word("CASE"):
            raise self._unsupported(token)
        if token.is_symbol("-") and following.kind is Kind.NUMBER:
            self.at += 2
            return Expression(first, self.at)
        if token.kind in {Kind.STRING, Kind.NUMBER}:
            self.at += 1
            return Expression(first, self.at, type=SqlType.NVARCHAR if token.kind is Kind.STRING else None)
        if token.kind is Kind.PARAMETER:
            self.at += 1
            self._parameters.setdefault(token.text[1:])
            return Expression(first, self.at, type=SqlType.NVARCHAR)
        name = self.identifier()
        qualifier = None
        if self.skip_symbol("."):
            qualifier, name = name, self.identifier()
        expression = Expression(first, self.at, name, qualifier)
        scope.named.append(expression)
        return expression

    def _unsupported(self, token: Token) -> Exception:
        reason = f"Cannot support this function or expression: '{token.text}'"
        return bad_syntax(self.sql, token, reason)

    def _function(self, scope: Scope) -> Expression:
        first, token = self.at, self.take()
        name = token.text.upper()
        if name not in _FUNCTIONS:
            raise self._unsupported(token)
        self._name_function(token, name)
        self.need_symbol("(")
        arguments: list[Expression] = []
        if name == "COUNT" and self.skip_symbol("*"):
            pass
        else:
            if name in _AGGREGATES:
                self.skip_word("DISTINCT")
            arguments.append(self._expression(scope))
            while self.skip_symbol(","):
                arguments.append(self._expression(scope))
            if len(arguments) != _ARGUMENTS.get(name, 1):
                raise self.unexpected()
        self.need_symbol(")")
        if name in {"MIN", "MAX", "ISNULL", "IFNULL"}:
            return Expression(first, self.at, of=arguments[0])
        kind = {"COUNT": SqlType.INTEGER, "AVG": SqlType.DECIMAL, "SUM": None}.get(name, SqlType.NVARCHAR)
        return Expression(first, self.at, type=kind, of=arguments[0] if name == "SUM" else None)

    def _name_function(self, token: Token, name: str) -> None:
        if name in {"ISNULL", "IFNULL"}:
            own = "ISNULL" if self.dialect is SqlDialect.MSSQL else "IFNULL"
            self.stored[token.start] = own
            self.executable[token.start] = "ifnull"
        elif name in _OWN_FUNCTIONS:
            self.executable[token.start] = _OWN_FUNCTIONS[name]
