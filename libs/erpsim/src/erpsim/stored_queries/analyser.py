"""Reads a query as the Service Layer's analyser does when it is saved, and writes it in the database's form.

Taken is what the manual lists and nothing else: select, alias, where with and/or/not/between/like/in/exists/
is null, the four joins, group by, having, order by, top, union [all], constants, parameters, and a dozen
functions. That everything else (arithmetic, `distinct` behind `select`, derived tables, comments) is refused
is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from erpsim.sql import SqlTable, SqlType
from erpsim.stored_queries.catalogue import Catalogue, find_column
from erpsim.stored_queries.refusals import bad_syntax, column_refused, incorrect_near, no_select
from erpsim.stored_queries.tokens import Kind, Token, tokenize
from erpsim.switches import SqlDialect

_AGGREGATES: Final = frozenset({"SUM", "AVG", "MIN", "MAX", "COUNT"})
_FUNCTIONS: Final = _AGGREGATES | {"ISNULL", "IFNULL", "LOWER", "UPPER", "LEFT", "RIGHT"}
_ARGUMENTS: Final = {"ISNULL": 2, "IFNULL": 2, "LEFT": 2, "RIGHT": 2}
_OWN_FUNCTIONS: Final = {"LEFT": "b1_left", "RIGHT": "b1_right", "ISNULL": "ifnull"}
_COMPARISONS: Final = ("=", "<>", "!=", "<", ">", "<=", ">=")
_RESERVED: Final = frozenset(
    {
        "SELECT", "FROM", "WHERE", "AS", "AND", "OR", "NOT", "BETWEEN", "ORDER", "BY", "GROUP", "HAVING",
        "IS", "NULL", "LIKE", "TOP", "UNION", "ALL", "IN", "EXISTS", "INNER", "LEFT", "RIGHT", "FULL",
        "OUTER", "JOIN", "ON", "DISTINCT", "ASC", "DESC", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST",
        "CONVERT", "LIMIT", "OFFSET", "WITH", "OVER", "INTO", "FOR", "EXCEPT", "INTERSECT", "CROSS",
    }
)  # fmt: skip


@attrs.frozen
class ResultColumn:
    """A column of a query's answer: its name in JSON and what it holds."""

    name: str
    type: SqlType | None


@attrs.frozen
class Analysis:
    """A query that the analyser took.

    Args:
        text: as it is stored.
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


@attrs.define
class _Expression:
    """A value in the text: its tokens, and what is known of it once its table is."""

    first: int
    last: int
    column: Token | None = None
    qualifier: Token | None = None
    type: SqlType | None = None
    of: _Expression | None = None

    @property
    def plain(self) -> bool:
        """Whether it is a column and nothing more."""
        return self.column is not None


@attrs.define
class _Scope:
    """One select: its tables, the columns named in it, what it gives."""

    parent: _Scope | None
    tables: list[tuple[str, SqlTable]] = attrs.field(factory=list)
    named: list[_Expression] = attrs.field(factory=list)
    compared: list[tuple[_Expression, _Expression]] = attrs.field(factory=list)
    items: list[tuple[_Expression, Token | None]] = attrs.field(factory=list)
    limit: str | None = None


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


class _Analyser:
    def __init__(self, sql: str, catalogue: Catalogue, dialect: SqlDialect) -> None:
        self._sql = sql
        self._catalogue = catalogue
        self._dialect = dialect
        self._tokens = tokenize(sql)
        self._at = 0
        self._stored: dict[int, str] = {}
        self._executable: dict[int, str] = {}
        self._parameters: dict[str, None] = {}
        self._names: set[str] = set()

    def run(self) -> Analysis:
        if not (self._here.is_word("SELECT") or self._here.is_symbol("(")):
            raise no_select(self._here)
        scope = self._query(None)
        if self._here.kind is not Kind.END:
            raise self.unexpected()
        return Analysis(
            self._written({}),
            self._written(self._executable),
            tuple(self._parameters),
            tuple(self._results(scope)),
            frozenset(self._names),
            scope.limit is not None,
        )

    # --- walking

    @property
    def _here(self) -> Token:
        return self._tokens[self._at]

    def unexpected(self) -> Exception:
        """Return the refusal of the word that the analyser has come to."""
        return incorrect_near(self._sql, self._here)

    def _take(self) -> Token:
        token = self._here
        self._at += 1
        return token

    def _skip_word(self, *words: str) -> bool:
        if self._here.is_word(*words):
            self._at += 1
            return True
        return False

    def _skip_symbol(self, symbol: str) -> bool:
        if self._here.is_symbol(symbol):
            self._at += 1
            return True
        return False

    def _need_word(self, word: str) -> None:
        if not self._skip_word(word):
            raise self.unexpected()

    def _need_symbol(self, symbol: str) -> None:
        if not self._skip_symbol(symbol):
            raise self.unexpected()

    @property
    def _at_identifier(self) -> bool:
        here = self._here
        return here.kind is Kind.QUOTED or (here.kind is Kind.WORD and here.text.upper() not in _RESERVED)

    def _identifier(self) -> Token:
        if not self._at_identifier:
            raise self.unexpected()
        return self._take()

    def _rewrite(self, token: Token, name: str) -> None:
        self._stored[token.start] = self._quoted(name)
        self._executable[token.start] = '"' + name.replace('"', '""') + '"'

    def _quoted(self, name: str) -> str:
        if self._dialect is SqlDialect.MSSQL:
            return f"[{name}]"
        return '"' + name.replace('"', '""') + '"'

    def _written(self, instead: dict[int, str]) -> str:
        """Return the text with the identifiers in their true form, the blanks between them as they were."""
        pieces: list[str] = []
        position = 0
        for token in self._tokens:
            pieces += [self._sql[position : token.start]]
            pieces += [instead.get(token.start, self._stored.get(token.start, token.text))]
            position = token.end
        return "".join(pieces)

    # --- selects

    def _query(self, parent: _Scope | None) -> _Scope:
        """Read `select ... [union [all] select ...] [order by ...]`."""
        start = self._at
        first = self._branch(parent)
        union = False
        while self._skip_word("UNION"):
            union = True
            self._skip_word("ALL")
            other = self._branch(parent)
            if len(other.items) != len(first.items):
                raise self.unexpected()
        if union and first.limit is not None:
            raise incorrect_near(self._sql, self._tokens[start])
        if self._skip_word("ORDER"):
            self._need_word("BY")
            self._order(first, by_name_only=union)
        if first.limit is not None:
            self._append(f" LIMIT {first.limit}")
        return first

    def _append(self, text: str) -> None:
        """Put a text behind the latest token of what is executed."""
        token = self._tokens[self._at - 1]
        known = self._executable.get(token.start, self._stored.get(token.start, token.text))
        self._executable[token.start] = known + text

    def _branch(self, parent: _Scope | None) -> _Scope:
        if self._skip_symbol("("):
            scope = self._branch(parent)
            self._need_symbol(")")
            return scope
        self._need_word("SELECT")
        scope = _Scope(parent)
        if self._here.is_word("TOP"):
            self._top(scope)
        self._select_list(scope)
        self._need_word("FROM")
        self._from(scope)
        if self._skip_word("WHERE"):
            self._condition(scope)
        if self._skip_word("GROUP"):
            self._need_word("BY")
            self._expression(scope)
            while self._skip_symbol(","):
                self._expression(scope)
        if self._skip_word("HAVING"):
            self._condition(scope)
        self._resolve(scope)
        self._check_names(scope)
        return scope

    def _top(self, scope: _Scope) -> None:
        self._executable[self._take().start] = ""
        token = self._take()
        self._executable[token.start] = ""
        if token.kind is not Kind.NUMBER:
            raise incorrect_near(self._sql, token)
        scope.limit = token.text

    def _select_list(self, scope: _Scope) -> None:
        while True:
            if self._here.is_symbol("*"):
                if scope.parent is None:
                    reason = "Cannot support asterisk(*) in select list."
                    raise bad_syntax(self._sql, self._here, reason)
                self._at += 1
                return
            item = self._expression(scope)
            alias = None
            if self._skip_word("AS"):
                alias = self._identifier()
            elif self._at_identifier:
                alias = self._take()
            if alias is not None:
                self._rewrite(alias, alias.name)
            elif not item.plain and scope.parent is None:
                reason = "Please specify an alias for the computed column."  # the text is ours
                raise bad_syntax(self._sql, self._tokens[item.first], reason)
            scope.items.append((item, alias))
            if not self._skip_symbol(","):
                return

    def _from(self, scope: _Scope) -> None:
        self._table(scope)
        while True:
            if self._skip_word("LEFT", "RIGHT", "FULL"):
                self._skip_word("OUTER")
                self._need_word("JOIN")
            elif self._skip_word("INNER"):
                self._need_word("JOIN")
            elif not self._skip_word("JOIN"):
                return
            self._table(scope)
            self._need_word("ON")
            self._condition(scope)

    def _table(self, scope: _Scope) -> None:
        token = self._identifier()
        table = self._catalogue.table(token.name)
        self._names.add(table.name)
        self._rewrite(token, table.name)
        alias = table.name
        # An alias of a table stays as it is (the manual finds rewriting it not meaningful).
        if self._skip_word("AS"):
            alias = self._identifier().name
        elif self._at_identifier:
            alias = self._take().name
        scope.tables.append((alias, table))

    def _order(self, scope: _Scope, *, by_name_only: bool) -> None:
        aliases = {alias.name.upper(): alias.name for _, alias in scope.items if alias is not None}
        while True:
            here, following = self._here, self._tokens[self._at + 1]
            alone = not following.is_symbol(".", "(")
            if self._at_identifier and alone and here.name.upper() in aliases:
                self._rewrite(self._take(), aliases[here.name.upper()])
            elif by_name_only and not self._at_identifier:
                raise self.unexpected()
            else:
                ordered = _Scope(scope.parent, scope.tables)
                self._expression(ordered)
                self._resolve(ordered)
            self._skip_word("ASC", "DESC")
            if not self._skip_symbol(","):
                return

    # --- conditions

    def _condition(self, scope: _Scope) -> None:
        self._conjunction(scope)
        while self._skip_word("OR"):
            self._conjunction(scope)

    def _conjunction(self, scope: _Scope) -> None:
        self._negation(scope)
        while self._skip_word("AND"):
            self._negation(scope)

    def _negation(self, scope: _Scope) -> None:
        if self._skip_word("NOT"):
            self._negation(scope)
        elif self._skip_word("EXISTS"):
            self._need_symbol("(")
            self._query(scope)
            self._need_symbol(")")
        elif self._here.is_symbol("("):
            self._at += 1
            self._condition(scope)
            self._need_symbol(")")
        else:
            self._predicate(scope)

    def _predicate(self, scope: _Scope) -> None:
        left = self._expression(scope)
        if self._skip_word("IS"):
            self._skip_word("NOT")
            self._need_word("NULL")
            return
        if self._here.is_symbol(*_COMPARISONS):
            self._at += 1
            scope.compared.append((left, self._expression(scope)))
            return
        self._skip_word("NOT")
        if self._skip_word("BETWEEN"):
            scope.compared.append((left, self._expression(scope)))
            self._need_word("AND")
            scope.compared.append((left, self._expression(scope)))
        elif self._skip_word("LIKE"):
            self._expression(scope)
        elif self._skip_word("IN"):
            self._need_symbol("(")
            if self._here.is_word("SELECT"):
                self._query(scope)
            else:
                scope.compared.append((left, self._expression(scope)))
                while self._skip_symbol(","):
                    scope.compared.append((left, self._expression(scope)))
            self._need_symbol(")")
        else:
            raise self.unexpected()

    # --- values

    def _expression(self, scope: _Scope) -> _Expression:
        here, first = self._here, self._at
        following = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        if here.kind is Kind.WORD and following.is_symbol("("):
            return self._function(scope)
        if here.is_word("CASE"):
            raise self._unsupported(here)
        if here.is_symbol("-") and following.kind is Kind.NUMBER:
            self._at += 2
            return _Expression(first, self._at)
        if here.kind in {Kind.STRING, Kind.NUMBER}:
            self._at += 1
            return _Expression(first, self._at, type=SqlType.NVARCHAR if here.kind is Kind.STRING else None)
        if here.kind is Kind.PARAMETER:
            self._at += 1
            self._parameters.setdefault(here.text[1:])
            return _Expression(first, self._at, type=SqlType.NVARCHAR)
        name = self._identifier()
        qualifier = None
        if self._skip_symbol("."):
            qualifier, name = name, self._identifier()
        named = _Expression(first, self._at, name, qualifier)
        scope.named.append(named)
        return named

    def _unsupported(self, token: Token) -> Exception:
        reason = f"Cannot support this function or expression: '{token.text}'"
        return bad_syntax(self._sql, token, reason)

    def _function(self, scope: _Scope) -> _Expression:
        first, token = self._at, self._take()
        name = token.text.upper()
        if name not in _FUNCTIONS:
            raise self._unsupported(token)
        self._name_function(token, name)
        self._need_symbol("(")
        arguments: list[_Expression] = []
        if name == "COUNT" and self._skip_symbol("*"):
            pass
        else:
            if name in _AGGREGATES:
                self._skip_word("DISTINCT")
            arguments.append(self._expression(scope))
            while self._skip_symbol(","):
                arguments.append(self._expression(scope))
            if len(arguments) != _ARGUMENTS.get(name, 1):
                raise self.unexpected()
        self._need_symbol(")")
        if name in {"MIN", "MAX", "ISNULL", "IFNULL"}:
            return _Expression(first, self._at, of=arguments[0])
        kind = {"COUNT": SqlType.INTEGER, "AVG": SqlType.DECIMAL, "SUM": None}.get(name, SqlType.NVARCHAR)
        return _Expression(first, self._at, type=kind, of=arguments[0] if name == "SUM" else None)

    def _name_function(self, token: Token, name: str) -> None:
        """Swap `IsNull` and `IfNull` for the one that the database has."""
        if name in {"ISNULL", "IFNULL"}:
            own = "ISNULL" if self._dialect is SqlDialect.MSSQL else "IFNULL"
            self._stored[token.start] = own
            self._executable[token.start] = "ifnull"
        elif name in _OWN_FUNCTIONS:
            self._executable[token.start] = _OWN_FUNCTIONS[name]

    # --- names

    def _resolve(self, scope: _Scope) -> None:
        for named in scope.named:
            self._resolve_column(scope, named)
        scope.named.clear()
        for left, right in scope.compared:
            for one, other in ((left, right), (right, left)):
                if _type_of(one) is SqlType.TIMESTAMP and self._is_text(other):
                    token = self._tokens[other.first]
                    self._executable[token.start] = f"b1_date({token.text})"
        scope.compared.clear()

    def _is_text(self, expression: _Expression) -> bool:
        single = expression.last - expression.first == 1
        return single and self._tokens[expression.first].kind in {Kind.STRING, Kind.PARAMETER}

    def _resolve_column(self, scope: _Scope, named: _Expression) -> None:
        token = named.column
        if token is None:
            return
        level: _Scope | None = scope
        while level is not None:
            found = [
                table
                for alias, table in level.tables
                if named.qualifier is None or alias.upper() == named.qualifier.name.upper()
            ]
            if named.qualifier is not None and found:
                self._name_table(found[0], named.qualifier)
            having = [table for table in found if find_column(table, token.name) is not None]
            if having or (found and (named.qualifier is not None or level.parent is None)):
                if named.qualifier is None and len(having) > 1:
                    raise incorrect_near(self._sql, token)  # ambiguous; the real words are unknown
                column = self._catalogue.column((having or found)[0], token.name)
                self._rewrite(token, column.name)
                named.type = column.type
                return
            level = level.parent
        raise column_refused(token.name, named.qualifier.name if named.qualifier else "")

    def _name_table(self, table: SqlTable, qualifier: Token) -> None:
        """Write a table's own name in its true form where it stands before a column."""
        if qualifier.name.upper() == table.name.upper():
            self._rewrite(qualifier, table.name)

    def _check_names(self, scope: _Scope) -> None:
        """Refuse two columns of one name: they would be one member of the JSON object."""
        if scope.parent is not None:
            return
        seen: set[str] = set()
        for item, alias in scope.items:
            token = alias or item.column or self._tokens[item.first]
            name = self._shown_name(item, alias)
            if name in seen:
                reason = (
                    f"Multiple name for column or column alias '{token.name}', please specify it with a "
                    "different alias."
                )
                raise bad_syntax(self._sql, token, reason)
            seen.add(name)

    def _shown_name(self, item: _Expression, alias: Token | None) -> str:
        if alias is not None:
            return alias.name
        token = item.column or self._tokens[item.first]
        return self._executable.get(token.start, token.text).strip('"')

    def _results(self, scope: _Scope) -> Sequence[ResultColumn]:
        return [ResultColumn(self._shown_name(item, alias), _type_of(item)) for item, alias in scope.items]


def _type_of(expression: _Expression) -> SqlType | None:
    if expression.type is None and expression.of is not None:
        return _type_of(expression.of)
    return expression.type
