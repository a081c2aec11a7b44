"""Translation of values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from erpsim.hana.parsing import tree
from erpsim.hana.parsing.expressions import SESSION_WORDS
from erpsim.hana.parsing.refusals import not_simulated, syntax_error
from erpsim.hana.parsing.tree import Node
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.translation.context import Context
from erpsim.hana.translation.conversion_functions import converted, named_type
from erpsim.hana.translation.function_rules import ORDER, OVER, as_day
from erpsim.hana.translation.functions import find_function, is_aggregate
from erpsim.hana.translation.hana_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOATING,
    INTEGER,
    NVARCHAR,
    TIME,
    TIMESTAMP,
    HanaType,
    decimal,
    product_type,
    sum_type,
    text,
)
from erpsim.hana.translation.scopes import Names, Scope
from erpsim.hana.translation.typed import (
    Conversions,
    Typed,
    moment_literal,
    quoted_text,
    type_of,
)

_MOMENTS: Final = {"DATE": DATE, "TIME": TIME, "TIMESTAMP": TIMESTAMP}
_UNITS: Final = {"YEAR": "year", "MONTH": "month", "DAY": "day", "HOUR": "hour", "MINUTE": "minute"}
_INTEGER_LIMIT, _BIGINT_LIMIT = 2**31, 2**63
_TRIMS: Final = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}


class Values(ABC):
    """Translates values to DuckDB's SQL with HANA's types.

    Args:
        sql: the statement, for positions in errors.
        names: finds tables and columns.
        convert: turns values into other types.
        context: the session.
    """

    def __init__(self, sql: str, names: Names, convert: Conversions, context: Context) -> None:
        self.sql = sql
        self.names = names
        self.convert = convert
        self.context = context
        self.scope: Scope | None = None

    @abstractmethod
    def condition(self, node: Node) -> str:
        """Write a condition out."""

    @abstractmethod
    def scalar(self, query: tree.Query) -> Typed:
        """Translate a scalar subquery."""

    @abstractmethod
    def order(self, item: tree.OrderItem) -> str:
        """Translate one place of an ORDER BY."""

    def fault(self, node: Node, near: str = "") -> HanaError:
        """Return the syntax error at a node."""
        return syntax_error(self.sql, node.at, near)

    def value(self, node: Node) -> Typed:
        """Write a value out.

        Raises:
            HanaError: as HANA would refuse it, or 7.
        """
        grouped = self._group_key(node)
        if grouped is not None:
            return grouped
        if isinstance(node, tree.ColumnName):
            return self.names.column(node, self.scope)
        write = _WRITERS.get(type(node))
        if write is None:
            # A predicate: HANA has no truth values outside conditions.
            raise self.fault(node)
        return write(self, node)

    def _group_key(self, node: Node) -> Typed | None:
        scope = self.scope
        if scope is None or not scope.group_keys or scope.in_aggregate or isinstance(node, tree.ColumnName):
            return None
        if isinstance(node, tree.ParameterMarker | tree.Subquery | tree.Star) or any(
            is_aggregate(each) for each in calls(node)
        ):
            return None
        scope.in_aggregate = True
        try:
            written = self.value(node)
        finally:
            scope.in_aggregate = False
        return written if written.sql in scope.group_keys else None

    def number(self, node: tree.Number) -> Typed:
        """Write a number; without a point it is a whole one, with an exponent a DOUBLE."""
        if "e" in node.text.lower():
            return Typed(f"CAST({node.text} AS DOUBLE)", DOUBLE)
        if "." not in node.text:
            size = int(node.text)
            if size < _BIGINT_LIMIT:
                return Typed(node.text, INTEGER if size < _INTEGER_LIMIT else BIGINT)
        whole, _, fraction = node.text.partition(".")
        exact = decimal(len(whole.lstrip("0")) + len(fraction), len(fraction))
        if len(whole.lstrip("0")) + len(fraction) > exact.length and exact.length != max(1, len(fraction)):
            raise HanaError(314, f"numeric overflow: {node.text}")
        return Typed(f"CAST('{node.text}' AS {exact.kept_in})", exact)

    def text(self, node: tree.Text) -> Typed:
        """Write a text."""
        return Typed(quoted_text(node.value), text(len(node.value)), literal=node.value)

    def null(self, _: tree.Null) -> Typed:
        """Write NULL."""
        return Typed("NULL", None)

    def boolean(self, node: tree.Boolean) -> Typed:
        """Write TRUE or FALSE."""
        return Typed(str(node.value).upper(), BOOLEAN)

    def moment(self, node: tree.Moment) -> Typed:
        """Write a day or time with its keyword."""
        target = _MOMENTS[node.kind]
        return Typed(moment_literal(node.text, target), target)

    def parameter(self, node: tree.ParameterMarker) -> Typed:
        """Translate a parameter. Its context determines its type, by default text."""
        number = node.number
        assigned = self.convert.parameters.types.get(number)
        return Typed(f"CAST($p{number} AS {(assigned or NVARCHAR).kept_in})", None, parameter=number)

    def cast(self, node: tree.Cast) -> Typed:
        """Write CAST."""
        return converted(self.convert, self.value(node.operand), named_type(node.type))

    def extract(self, node: tree.Extract) -> Typed:
        """Write EXTRACT."""
        unit = _UNITS.get(node.unit)
        if unit is None:
            raise not_simulated(f"EXTRACT({node.unit} FROM ...)")
        day = as_day(self.convert, self.value(node.operand))
        return Typed(f"CAST(date_part('{unit}', {day}) AS INTEGER)", INTEGER)

    def trim(self, node: tree.Trim) -> Typed:
        """Write TRIM."""
        operand = self.value(node.operand)
        characters = "' '" if node.characters is None else self.convert.to_text(self.value(node.characters))
        length = type_of(operand).length if type_of(operand).is_text else NVARCHAR.length
        return Typed(f"{_TRIMS[node.side]}({self.convert.to_text(operand)}, {characters})", text(length))

    def case(self, node: tree.Case) -> Typed:
        """Write CASE; its results become one type."""
        results, target = self.convert.unified(
            [self.value(each) for _, each in node.whens]
            + ([self.value(node.otherwise)] if node.otherwise is not None else [])
        )
        tests = [self._test(node, test) for test, _ in node.whens]
        whens = " ".join(f"WHEN {test} THEN {result}" for test, result in zip(tests, results, strict=False))
        otherwise = f" ELSE {results[-1]}" if node.otherwise is not None else ""
        return Typed(f"CASE {whens}{otherwise} END", target)

    def _test(self, node: tree.Case, test: Node) -> str:
        if node.operand is None:
            return self.condition(test)
        left, right = self.convert.compared([self.value(node.operand), self.value(test)])
        return f"({left} = {right})"

    def sign(self, node: tree.Sign) -> Typed:
        """Write a sign."""
        value = self.value(node.operand)
        own = type_of(value) if type_of(value).is_number else FLOATING
        sql = self.convert.to(value, own)
        if own.is_integer:
            own = sum_type(own, own)
            sql = f"CAST({sql} AS {own.kept_in})"
        return Typed(f"({node.sign}{sql})", own)

    def arithmetic(self, node: tree.Arithmetic) -> Typed:
        """Write ``+ - * / ||``."""
        left, right = self.value(node.left), self.value(node.right)
        if node.operator == "||":
            one, other = self.convert.to_text(left), self.convert.to_text(right)
            return Typed(f"({one} || {other})", text(type_of(left).length + type_of(right).length))
        types = self._operands(left, right)
        one, other = self.convert.to(left, types[0]), self.convert.to(right, types[1])
        if node.operator == "/":
            is_binary = any(each.is_binary_float for each in types)
            return Typed(f"h_div({one}, {other})", DOUBLE if is_binary else FLOATING)
        target = product_type(*types) if node.operator == "*" else sum_type(*types)
        if target.is_floating_decimal or target.is_binary_float:
            one, other = f"CAST({one} AS DOUBLE)", f"CAST({other} AS DOUBLE)"
        elif target.is_integer:
            one, other = f"CAST({one} AS {target.kept_in})", f"CAST({other} AS {target.kept_in})"
        return Typed(f"({one} {node.operator} {other})", target)

    def _operands(self, left: Typed, right: Typed) -> tuple[HanaType, HanaType]:
        for value in (left, right):
            if value.type is not None and not value.type.is_number and not value.type.is_text:
                raise not_simulated(f"calculating with {value.type.name}")
        number_types = [each.type for each in (left, right) if each.type is not None and each.type.is_number]
        spare = number_types[0] if len(number_types) == 1 else FLOATING
        if number_types and any(each.type is not None and each.type.is_text for each in (left, right)):
            spare = FLOATING
        one, other = (
            each.type if each.type is not None and each.type.is_number else spare for each in (left, right)
        )
        return one, other

    def subquery(self, node: tree.Subquery) -> Typed:
        """Translate a scalar subquery."""
        return self.scalar(node.query)

    def call(self, node: tree.Call) -> Typed:
        """Write a function.

        Raises:
            HanaError: 328, 7.
        """
        if node.name in SESSION_WORDS or (node.name == "NOW" and not node.arguments):
            return self._session_word(node.name)
        if node.name == "SESSION_CONTEXT":
            return self._session_variable(node)
        if [type(each) for each in node.arguments] == [tree.Star]:
            return self._count_all(node)
        function = find_function(node.name, len(node.arguments), self.names.where(node))
        if node.distinct and not function.is_aggregate:
            raise self.fault(node, "DISTINCT")
        if node.over is None and function.needs_window:
            raise self.fault(node, node.name)
        if node.over is not None and not function.is_window:
            raise self.fault(node, "OVER")
        if function.is_aggregate and node.over is None:
            return self._aggregate(node, function.build)
        result = function.build(self.convert, [self.value(each) for each in node.arguments], node)
        return self._finished(node, result)

    def _aggregate(self, node: tree.Call, build: Callable[..., Typed]) -> Typed:
        scope = self._grouped_scope(node)
        scope.in_aggregate = True
        try:
            return self._finished(
                node, build(self.convert, [self.value(each) for each in node.arguments], node)
            )
        finally:
            scope.in_aggregate = False

    def _grouped_scope(self, node: tree.Call) -> Scope:
        scope = self.scope
        if scope is None or scope.group_keys is None:
            raise HanaError(275, f"aggregate function not allowed: {self.names.where(node)}")
        if scope.in_aggregate:
            raise not_simulated("an aggregate inside another")
        return scope

    def _finished(self, node: tree.Call, result: Typed) -> Typed:
        if node.order and ORDER not in result.sql:
            raise self.fault(node, "ORDER")
        order = " ORDER BY " + ", ".join(map(self.order, node.order)) if node.order else ""
        window = "" if node.over is None else self._over(node.over)
        return Typed(result.sql.replace(ORDER, order).replace(OVER, window), result.type)

    def _over(self, over: tree.Over) -> str:
        partition = ", ".join(self.value(each).sql for each in over.partition)
        order = ", ".join(map(self.order, over.order))
        parts = [f"PARTITION BY {partition}"] if partition else []
        return f" OVER ({' '.join([*parts, *([f'ORDER BY {order}'] if order else [])])})"

    def _count_all(self, node: tree.Call) -> Typed:
        if node.name != "COUNT" or node.distinct:
            raise self.fault(node.arguments[0], "*")
        if node.over is None:
            self._grouped_scope(node)
        return Typed(f"count(*){'' if node.over is None else self._over(node.over)}", BIGINT)

    def _session_word(self, name: str) -> Typed:
        context = self.context
        moment = context.utc if "UTC" in name else context.now
        if name in {"CURRENT_SCHEMA", "CURRENT_USER", "SESSION_USER"}:
            word = context.schema if name == "CURRENT_SCHEMA" else context.user
            return Typed(quoted_text(word), text(256))
        if name == "CURRENT_CONNECTION":
            return Typed(str(context.connection), INTEGER)
        if name == "CURRENT_TRANSACTION_ISOLATION_LEVEL":  # The only isolation level that can be set here.
            return Typed(quoted_text("READ COMMITTED"), text(256))
        if name.endswith("DATE"):
            return Typed(f"DATE '{moment.date().isoformat()}'", DATE)
        if name.endswith("TIMESTAMP") or name == "NOW":
            return Typed(f"TIMESTAMP '{moment.isoformat(' ')}'", TIMESTAMP)
        return Typed(f"TIME '{moment.time().replace(microsecond=0).isoformat()}'", TIME)

    def _session_variable(self, node: tree.Call) -> Typed:
        if len(node.arguments) != 1 or not isinstance(node.arguments[0], tree.Text):
            raise not_simulated("SESSION_CONTEXT of anything but a name written out")
        found = self.context.variables.get(node.arguments[0].value.upper())
        return Typed("CAST(NULL AS VARCHAR)" if found is None else quoted_text(found), text(512))


def calls(node: object) -> Iterator[tree.Call]:
    """Yield the function calls of an expression, without those of nested queries."""
    if isinstance(node, tree.Call):
        yield node
    if isinstance(node, tree.Query | tree.TypeName):
        return
    if isinstance(node, tuple):
        for each in node:
            yield from calls(each)
    elif isinstance(node, tree.Node):
        for each in attrs.fields(type(node)):
            yield from calls(getattr(node, each.name))


_WRITERS: Final[Mapping[type[Node], Callable[[Any, Any], Typed]]] = {
    tree.Number: Values.number,
    tree.Text: Values.text,
    tree.Null: Values.null,
    tree.Boolean: Values.boolean,
    tree.Moment: Values.moment,
    tree.ParameterMarker: Values.parameter,
    tree.Cast: Values.cast,
    tree.Extract: Values.extract,
    tree.Trim: Values.trim,
    tree.Case: Values.case,
    tree.Sign: Values.sign,
    tree.Arithmetic: Values.arithmetic,
    tree.Subquery: Values.subquery,
    tree.Call: Values.call,
}
