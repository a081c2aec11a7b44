"""Syntax tree of a statement. Names are folded, and positions do not count in comparisons."""

from __future__ import annotations

from attrs import field, frozen


@frozen(kw_only=True)
class Node:
    """Base of the tree's nodes.

    Attributes:
        at: its position in the statement's text.
    """

    at: int = field(default=0, eq=False)


@frozen(kw_only=True)
class Number(Node):
    """A number as it is written."""

    text: str


@frozen(kw_only=True)
class Text(Node):
    """A text between single quotes."""

    value: str


@frozen(kw_only=True)
class Null(Node):
    """NULL."""


@frozen(kw_only=True)
class Boolean(Node):
    """TRUE or FALSE."""

    value: bool


@frozen(kw_only=True)
class Moment(Node):
    """``DATE '2024-01-31'`` and similar literals; ``kind`` is the keyword."""

    kind: str
    text: str


@frozen(kw_only=True)
class ParameterMarker(Node):
    """A parameter; they are numbered from one in the order of the text."""

    number: int


@frozen(kw_only=True)
class ColumnName(Node):
    """A column, optionally with the name of its table and of the table's schema."""

    name: str
    table: str | None = None
    schema: str | None = None


@frozen(kw_only=True)
class Star(Node):
    """``*`` or ``T0.*``."""

    table: str | None = None


@frozen(kw_only=True)
class OrderItem(Node):
    """One place of an ORDER BY; ``nulls_first`` is None if the statement does not say."""

    operand: Node
    descending: bool = False
    nulls_first: bool | None = None


@frozen(kw_only=True)
class Over(Node):
    """A window."""

    partition: tuple[Node, ...] = ()
    order: tuple[OrderItem, ...] = ()


@frozen(kw_only=True)
class Call(Node):
    """A function. ``over`` makes it a window function; ``order`` is the order inside its brackets."""

    name: str
    arguments: tuple[Node, ...] = ()
    distinct: bool = False
    order: tuple[OrderItem, ...] = ()
    over: Over | None = None


@frozen(kw_only=True)
class TypeName(Node):
    """A type as CAST names it."""

    name: str
    sizes: tuple[int, ...] = ()


@frozen(kw_only=True)
class Cast(Node):
    """``CAST(what AS type)``."""

    operand: Node
    type: TypeName


@frozen(kw_only=True)
class Extract(Node):
    """``EXTRACT(YEAR FROM what)``."""

    unit: str
    operand: Node


@frozen(kw_only=True)
class Trim(Node):
    """``TRIM([side] [characters FROM] what)``."""

    side: str
    operand: Node
    characters: Node | None = None


@frozen(kw_only=True)
class Case(Node):
    """CASE; with ``operand``, the conditions are values to compare with it."""

    operand: Node | None
    whens: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@frozen(kw_only=True)
class Sign(Node):
    """A sign in front of a value."""

    sign: str
    operand: Node


@frozen(kw_only=True)
class Arithmetic(Node):
    """``+ - * /`` and ``||`` between two values."""

    operator: str
    left: Node
    right: Node


@frozen(kw_only=True)
class Subquery(Node):
    """A query in brackets used as a value."""

    query: Query


class Predicate(Node):
    """A true, false or unknown condition, which HANA does not accept as a value."""


@frozen(kw_only=True)
class Comparison(Predicate):
    """``= <> < <= > >=``."""

    operator: str
    left: Node
    right: Node


@frozen(kw_only=True)
class Between(Predicate):
    """``what BETWEEN low AND high``."""

    operand: Node
    low: Node
    high: Node
    negated: bool = False


@frozen(kw_only=True)
class InList(Predicate):
    """``what IN (a, b)``."""

    operand: Node
    values: tuple[Node, ...]
    negated: bool = False


@frozen(kw_only=True)
class InQuery(Predicate):
    """``what IN (SELECT ...)``."""

    operand: Node
    query: Query
    negated: bool = False


@frozen(kw_only=True)
class Like(Predicate):
    """``what LIKE pattern``, or ``LIKE_REGEXPR``."""

    operand: Node
    pattern: Node
    escape: Node | None = None
    negated: bool = False
    regular: bool = False
    flags: str = ""


@frozen(kw_only=True)
class IsNull(Predicate):
    """``what IS NULL``."""

    operand: Node
    negated: bool = False


@frozen(kw_only=True)
class Exists(Predicate):
    """``EXISTS (SELECT ...)``."""

    query: Query


@frozen(kw_only=True)
class Not(Predicate):
    """NOT."""

    operand: Node


@frozen(kw_only=True)
class Logical(Predicate):
    """AND and OR."""

    operator: str
    left: Node
    right: Node


@frozen(kw_only=True)
class TableName(Node):
    """A table or view with its alias."""

    name: str
    schema: str | None = None
    alias: str | None = None


@frozen(kw_only=True)
class DerivedTable(Node):
    """A query in FROM."""

    query: Query
    alias: str


@frozen(kw_only=True)
class Join(Node):
    """Two sources; ``kind`` is INNER, LEFT, RIGHT, FULL or CROSS. Only CROSS has no condition."""

    kind: str
    left: Node
    right: Node
    condition: Node | None = None


@frozen(kw_only=True)
class SelectItem(Node):
    """A column of a result with its name."""

    operand: Node
    name: str


@frozen(kw_only=True)
class Select(Node):
    """One SELECT; ``source`` is None without FROM."""

    items: tuple[SelectItem | Star, ...]
    source: Node
    distinct: bool = False
    top: Node | None = None
    condition: Node | None = None
    group: tuple[Node, ...] = ()
    having: Node | None = None


@frozen(kw_only=True)
class Combined(Node):
    """Two results as one; ``operator`` is UNION, UNION ALL, EXCEPT or INTERSECT."""

    operator: str
    left: Node
    right: Node


@frozen(kw_only=True)
class CommonTable(Node):
    """A query with a name, in front of the others."""

    name: str
    columns: tuple[str, ...]
    query: Query


@frozen(kw_only=True)
class Query(Node):
    """A whole query: ``body`` is a `Select`, a `Combined` or a `Query` in brackets."""

    body: Node
    common: tuple[CommonTable, ...] = ()
    order: tuple[OrderItem, ...] = ()
    limit: Node | None = None
    offset: Node | None = None


@frozen(kw_only=True)
class Insert(Node):
    """INSERT; ``columns`` is empty for all columns."""

    table: TableName
    columns: tuple[ColumnName, ...]
    source: Query | tuple[Node, ...]


@frozen(kw_only=True)
class Update(Node):
    """UPDATE."""

    table: TableName
    changes: tuple[tuple[ColumnName, Node], ...]
    condition: Node | None


@frozen(kw_only=True)
class Delete(Node):
    """DELETE."""

    table: TableName
    condition: Node | None
