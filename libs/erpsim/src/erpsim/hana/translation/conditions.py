"""Translation of conditions."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final

from typing_extensions import override

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.parsing.tree import Node
from erpsim.hana.translation.typed import Typed, quoted_text
from erpsim.hana.translation.values import Values

# Regular expressions with the same meaning in HANA (PCRE) and in the engine (RE2).
_SAFE_PATTERN: Final = re.compile(
    r"(?:[\w\sñáéíóúÑ@/,:;_=<>-]|[.*+?^$|()]|\[[\w-]+\]|\{\d+(?:,\d*)?\}|\\[.dsw])*"
)


class Conditions(Values):
    """Translates conditions."""

    @abstractmethod
    def only_column(self, query: tree.Query) -> tuple[str, Typed]:
        """Translate a query of one column; return its SQL and that column as a value."""

    @abstractmethod
    def rows(self, query: tree.Query) -> str:
        """Translate a query in brackets of which only the existence of rows matters."""

    @override
    def condition(self, node: Node) -> str:
        """Write a condition out.

        Raises:
            HanaError: 257 for a value, and as the parts are refused.
        """
        write = _WRITERS.get(type(node))
        if write is None:
            raise self.fault(node)
        return f"({write(self, node)})"

    def logical(self, node: tree.Logical) -> str:
        """Write AND or OR."""
        return f"{self.condition(node.left)} {node.operator} {self.condition(node.right)}"

    def negation(self, node: tree.Not) -> str:
        """Write NOT."""
        return f"NOT {self.condition(node.operand)}"

    def comparison(self, node: tree.Comparison) -> str:
        """Write a comparison."""
        left, right = self.convert.compared([self.value(node.left), self.value(node.right)])
        return f"{left} {node.operator} {right}"

    def between(self, node: tree.Between) -> str:
        """Write BETWEEN."""
        operand, low, high = self.convert.compared(
            [self.value(each) for each in (node.operand, node.low, node.high)]
        )
        return f"{operand} {_not(node.negated)}BETWEEN {low} AND {high}"

    def in_list(self, node: tree.InList) -> str:
        """Write IN with values."""
        operand, *values = self.convert.compared([self.value(each) for each in (node.operand, *node.values)])
        return f"{operand} {_not(node.negated)}IN ({', '.join(values)})"

    def in_query(self, node: tree.InQuery) -> str:
        """Write IN with a query; both sides have to be of one kind."""
        sql, column = self.only_column(node.query)
        operand = self.value(node.operand)
        target = self.convert.comparable([operand, column])
        if (
            column.type is not None
            and target.kept_in != column.type.kept_in
            and not (target.is_number and column.type.is_number)
        ):
            raise not_simulated("IN with a query of another type")
        left = (
            operand.sql
            if target.is_number and operand.type is not None and operand.type.is_number
            else (self.convert.to(operand, target))
        )
        return f"{left} {_not(node.negated)}IN ({sql})"

    def like(self, node: tree.Like) -> str:
        """Write LIKE; letter case counts."""
        operand = self.convert.to_text(self.value(node.operand))
        if node.regular:
            return self._regular(node, operand)
        pattern = self.convert.to_text(self.value(node.pattern))
        escape = "" if node.escape is None else f" ESCAPE {self.convert.to_text(self.value(node.escape))}"
        return f"{operand} {_not(node.negated)}LIKE {pattern}{escape}"

    def _regular(self, node: tree.Like, operand: str) -> str:
        if not isinstance(node.pattern, tree.Text) or not _SAFE_PATTERN.fullmatch(node.pattern.value):
            raise not_simulated("LIKE_REGEXPR with this pattern")
        if node.flags not in {"", "i"}:
            raise not_simulated(f"LIKE_REGEXPR with the flags {node.flags}")
        flags = f", {quoted_text(node.flags)}" if node.flags else ""
        negation = "NOT " if node.negated else ""
        return f"{negation}regexp_matches({operand}, {quoted_text(node.pattern.value)}{flags})"

    def is_null(self, node: tree.IsNull) -> str:
        """Write IS NULL."""
        value = self.value(node.operand)
        return f"{value.sql} IS {_not(node.negated)}NULL"

    def exists(self, node: tree.Exists) -> str:
        """Write EXISTS."""
        return f"EXISTS ({self.rows(node.query)})"


def _not(negated: bool) -> str:
    return "NOT " if negated else ""


_WRITERS: Final[Mapping[type[Node], Callable[[Any, Any], str]]] = {
    tree.Logical: Conditions.logical,
    tree.Not: Conditions.negation,
    tree.Comparison: Conditions.comparison,
    tree.Between: Conditions.between,
    tree.InList: Conditions.in_list,
    tree.InQuery: Conditions.in_query,
    tree.Like: Conditions.like,
    tree.IsNull: Conditions.is_null,
    tree.Exists: Conditions.exists,
}
