"""Parser of values and conditions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.parsing.tokens import Tokens
from erpsim.hana.parsing.tree import Node

SESSION_WORDS: Final = frozenset(
    {
        "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_UTCDATE", "CURRENT_UTCTIME",
        "CURRENT_UTCTIMESTAMP", "CURRENT_SCHEMA", "CURRENT_USER", "CURRENT_CONNECTION", "SESSION_USER",
        "CURRENT_TRANSACTION_ISOLATION_LEVEL",
    }
)  # fmt: skip
"""Functions written without brackets."""

_COMPARISONS: Final = frozenset({"=", "<>", "!=", "<", "<=", ">", ">="})
_MOMENTS: Final = frozenset({"DATE", "TIME", "TIMESTAMP"})
# Reserved words that are functions if a bracket follows.
_CALLED: Final = frozenset({"LEFT", "RIGHT", "CHAR", "NCHAR", "IF"})
_Read = TypeVar("_Read")


class ExpressionParser(Tokens, ABC):
    """Parses values and conditions with one grammar; the translation checks later which one is allowed."""

    @abstractmethod
    def query(self) -> tree.Query:
        """Read a whole query."""

    def condition(self) -> Node:
        """Read a condition (or a value).

        Raises:
            HanaError: 257.
        """
        left = self._conjunction()
        while self.take("OR"):
            left = tree.Logical(at=self.before.at, operator="OR", left=left, right=self._conjunction())
        return left

    def _conjunction(self) -> Node:
        left = self._negation()
        while self.take("AND"):
            left = tree.Logical(at=self.before.at, operator="AND", left=left, right=self._negation())
        return left

    def _negation(self) -> Node:
        if self.take("NOT"):
            return tree.Not(at=self.before.at, operand=self._negation())
        return self._predicate()

    def _predicate(self) -> Node:
        if self.sees("EXISTS"):
            at = self.advance().at
            return tree.Exists(at=at, query=self._bracketed(self.query))
        left = self.value()
        at = self.current.at
        if self.current.word in _COMPARISONS:
            operator = self.advance().word
            if self.current.word in {"ANY", "SOME", "ALL"}:
                raise not_simulated(f"comparing with {self.current.word}")
            operator = "<>" if operator == "!=" else operator
            return tree.Comparison(at=at, operator=operator, left=left, right=self.value())
        if self.take("IS"):
            negated = self.take("NOT")
            self.expect("NULL")
            return tree.IsNull(at=at, operand=left, negated=negated)
        return self._worded(left, at)

    def _worded(self, left: Node, at: int) -> Node:
        negated = self.current.word == "NOT" and self.ahead().word in {
            "BETWEEN",
            "IN",
            "LIKE",
            "LIKE_REGEXPR",
        }
        if negated:
            self.advance()
        if self.take("BETWEEN"):
            low = self.value()
            self.expect("AND")
            return tree.Between(at=at, operand=left, low=low, high=self.value(), negated=negated)
        if self.take("LIKE"):
            pattern = self.value()
            escape = self.value() if self.take("ESCAPE") else None
            return tree.Like(at=at, operand=left, pattern=pattern, escape=escape, negated=negated)
        if self.take("LIKE_REGEXPR"):
            pattern = self.value()
            flags = self.text() if self.take("FLAG") else ""
            return tree.Like(at=at, operand=left, pattern=pattern, negated=negated, regular=True, flags=flags)
        if self.take("IN"):
            return self._in(left, at, negated=negated)
        return left

    def _in(self, left: Node, at: int, *, negated: bool) -> Node:
        self.expect("(")
        if self.current.word in {"SELECT", "WITH"}:
            query = self.query()
            self.expect(")")
            return tree.InQuery(at=at, operand=left, query=query, negated=negated)
        values = self.listed(self.value)
        self.expect(")")
        return tree.InList(at=at, operand=left, values=values, negated=negated)

    def value(self) -> Node:
        """Read a value.

        Raises:
            HanaError: 257.
        """
        left = self._sum()
        while self.take("||"):
            left = tree.Arithmetic(at=self.before.at, operator="||", left=left, right=self._sum())
        return left

    def _sum(self) -> Node:
        left = self._product()
        while self.current.word in {"+", "-"}:
            token = self.advance()
            left = tree.Arithmetic(at=token.at, operator=token.text, left=left, right=self._product())
        return left

    def _product(self) -> Node:
        left = self._signed()
        while self.current.word in {"*", "/"}:
            token = self.advance()
            left = tree.Arithmetic(at=token.at, operator=token.text, left=left, right=self._signed())
        return left

    def _signed(self) -> Node:
        if self.current.word in {"+", "-"}:
            token = self.advance()
            return tree.Sign(at=token.at, sign=token.text, operand=self._signed())
        return self._primary()

    def _primary(self) -> Node:
        token = self.current
        if token.kind in _PLAIN:
            return _PLAIN[token.kind](self)
        if token.word == "(":
            return self._in_brackets()
        return self._worded_value()

    def _worded_value(self) -> Node:
        token = self.current
        special = _SPECIAL.get(token.word)
        if special is not None and (token.word not in _BRACKETED or self.ahead().word == "("):
            return special(self)
        if token.word in _MOMENTS and self.ahead().kind == "text":
            self.advance()
            return tree.Moment(at=token.at, kind=token.word, text=self.text())
        if token.word in SESSION_WORDS:
            self.advance()
            return tree.Call(at=token.at, name=token.word)
        if self.ahead().word == "(" and (self.is_name() or token.word in _CALLED) and token.kind == "word":
            return self._call()
        return self._column()

    def _in_brackets(self) -> Node:
        token = self.expect("(")
        if self.current.word in {"SELECT", "WITH"}:
            inner: Node = tree.Subquery(at=token.at, query=self.query())
        else:
            inner = self.condition()
        self.expect(")")
        return inner

    def _column(self) -> Node:
        token = self.name()
        if not self.take("."):
            return tree.ColumnName(at=token.at, name=token.name)
        name = self.name()
        if self.sees("("):
            raise not_simulated("a function of a schema")
        if self.take("."):
            column = self.name()
            return tree.ColumnName(at=token.at, schema=token.name, table=name.name, name=column.name)
        return tree.ColumnName(at=token.at, table=token.name, name=name.name)

    def _call(self) -> Node:
        token = self.advance()
        self.expect("(")
        distinct = self.take("DISTINCT")
        if not distinct:
            self.take("ALL")
        arguments: tuple[Node, ...] = ()
        order: tuple[tree.OrderItem, ...] = ()
        if self.sees("*"):
            arguments = (tree.Star(at=self.advance().at),)
        elif not self.sees(")"):
            arguments = self.listed(self.value)
            if self.take("ORDER", "BY"):
                order = self.listed(self.order_item)
        self.expect(")")
        if self.sees("WITHIN") or self.sees("FILTER"):
            raise not_simulated(f"{self.current.word} behind a function")
        over = self._over() if self.take("OVER") else None
        return tree.Call(
            at=token.at, name=token.word, arguments=arguments, distinct=distinct, order=order, over=over
        )

    def _over(self) -> tree.Over:
        at = self.expect("(").at
        partition = self.listed(self.value) if self.take("PARTITION", "BY") else ()
        order = self.listed(self.order_item) if self.take("ORDER", "BY") else ()
        if self.current.word in {"ROWS", "RANGE"}:
            raise not_simulated("the frame of a window")
        self.expect(")")
        return tree.Over(at=at, partition=partition, order=order)

    def order_item(self) -> tree.OrderItem:
        """Read one place of an ORDER BY."""
        at = self.current.at
        operand = self.value()
        descending = self.take("DESC")
        if not descending:
            self.take("ASC")
        nulls_first = None
        if self.take("NULLS"):
            nulls_first = self.take("FIRST")
            if not nulls_first:
                self.expect("LAST")
        return tree.OrderItem(at=at, operand=operand, descending=descending, nulls_first=nulls_first)

    def listed(self, read: Callable[[], _Read]) -> tuple[_Read, ...]:
        """Read a comma-separated list."""
        found = [read()]
        while self.take(","):
            found.append(read())
        return tuple(found)

    def _bracketed(self, read: Callable[[], _Read]) -> _Read:
        self.expect("(")
        found = read()
        self.expect(")")
        return found

    def read_number(self) -> Node:
        """Read a number."""
        token = self.advance()
        return tree.Number(at=token.at, text=token.text)

    def read_text(self) -> Node:
        """Read a text."""
        return tree.Text(at=self.current.at, value=self.text())

    def read_parameter(self) -> Node:
        """Read a parameter."""
        self.parameters += 1
        return tree.ParameterMarker(at=self.advance().at, number=self.parameters)

    def read_null(self) -> Node:
        """Read NULL."""
        return tree.Null(at=self.advance().at)

    def read_boolean(self) -> Node:
        """Read TRUE or FALSE."""
        token = self.advance()
        return tree.Boolean(at=token.at, value=token.word == "TRUE")

    def read_case(self) -> Node:
        """Read CASE up to its END."""
        at = self.advance().at
        operand = None if self.sees("WHEN") else self.value()
        read_test = self.condition if operand is None else self.value
        whens = []
        while self.take("WHEN"):
            test = read_test()
            self.expect("THEN")
            whens.append((test, self.value()))
        if not whens:
            raise self.fault()
        otherwise = self.value() if self.take("ELSE") else None
        self.expect("END")
        return tree.Case(at=at, operand=operand, whens=tuple(whens), otherwise=otherwise)

    def read_cast(self) -> Node:
        """Read CAST."""
        at = self.advance().at
        self.expect("(")
        operand = self.value()
        self.expect("AS")
        token = self.advance()
        if token.kind != "word":
            raise self.fault(token)
        sizes = self._bracketed(lambda: self.listed(self.whole_number)) if self.sees("(") else ()
        self.expect(")")
        return tree.Cast(
            at=at, operand=operand, type=tree.TypeName(at=token.at, name=token.word, sizes=sizes)
        )

    def read_extract(self) -> Node:
        """Read EXTRACT."""
        at = self.advance().at
        self.expect("(")
        unit = self.advance().word
        self.expect("FROM")
        operand = self.value()
        self.expect(")")
        return tree.Extract(at=at, unit=unit, operand=operand)

    def read_trim(self) -> Node:
        """Read TRIM with its sides."""
        at = self.advance().at
        self.expect("(")
        side = self.advance().word if self.current.word in {"LEADING", "TRAILING", "BOTH"} else ""
        characters = None
        operand = self.value()
        if self.take("FROM"):
            characters, operand = operand, self.value()
        elif side:
            raise self.fault()
        self.expect(")")
        return tree.Trim(at=at, side=side or "BOTH", operand=operand, characters=characters)


_SPECIAL: Final[Mapping[str, Callable[[ExpressionParser], Node]]] = {
    "NULL": ExpressionParser.read_null,
    "TRUE": ExpressionParser.read_boolean,
    "FALSE": ExpressionParser.read_boolean,
    "CASE": ExpressionParser.read_case,
    "CAST": ExpressionParser.read_cast,
    "EXTRACT": ExpressionParser.read_extract,
    "TRIM": ExpressionParser.read_trim,
}
_PLAIN: Final[Mapping[str, Callable[[ExpressionParser], Node]]] = {
    "number": ExpressionParser.read_number,
    "text": ExpressionParser.read_text,
    "mark": ExpressionParser.read_parameter,
}
_BRACKETED: Final = frozenset({"CAST", "EXTRACT", "TRIM"})
