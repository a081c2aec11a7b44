"""Pages of a query: the requested rows, and the check that pages fit together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from erp_gateway.queries.errors import QueryOrderNotTotal
from erp_gateway.queries.registry import DeclaredQuery, Query
from erp_gateway.queries.sql.select_list import column_key
from servicekit.errors import FieldProblem, InvalidBody

MAX_OFFSET: Final = 1_000_000_000
"""Maximum offset: below the range of a database INTEGER, with room for a page."""

PAGE_CLAUSE: Final = "\nLIMIT ? OFFSET ?"
"""Appended to a statement on its own line, because the text may end in a comment."""

COUNT_BEFORE: Final = 'SELECT COUNT(*) AS "total" FROM (\n'
COUNT_AFTER: Final = '\n) "counted"'
"""Around a statement, on lines of their own like the page clause."""

_NOT_PAGED: Final = "Esta consulta no se puede pedir por páginas: su orden no está declarado como total."


@frozen(kw_only=True)
class Page:
    """Requested rows of a query.

    Attributes:
        limit: maximum number; None for the maximum of a response.
        offset: number of rows to skip.
    """

    limit: int | None = None
    offset: int | None = None

    @property
    def is_requested(self) -> bool:
        """True if the client requested a page."""
        return self.limit is not None or self.offset is not None


@frozen
class Bounds:
    """A valid page: `limit` rows after the first `offset` ones."""

    limit: int
    offset: int


def read_page(query: DeclaredQuery, page: Page, *, cap: int) -> Bounds | None:
    """Return the rows to read, or None if no page is requested.

    Args:
        query: the query.
        page: the requested page.
        cap: maximum rows of a response of this query.

    Raises:
        InvalidBody: the query has no total order, or a number is out of its range; with `errors`.
    """
    if not page.is_requested:
        return None
    problems = list(_problems(query, page, cap))
    if problems:
        raise InvalidBody(errors=problems)
    return Bounds(cap if page.limit is None else page.limit, page.offset or 0)


def check_order(query: Query, rows: Sequence[Mapping[str, object]], *, folds: bool) -> None:
    """Check that no two rows have equal values in the columns of the total order.

    Args:
        query: with a total order.
        rows: rows of one response.
        folds: as for `order_problem`.

    Raises:
        QueryOrderNotTotal: two rows are equal or lack such a column, so pages could overlap or skip a row.
    """
    columns = {column_key(column, folds=folds): column for column in (rows[0] if rows else ())}
    try:
        names = [columns[column_key(column, folds=folds)] for column in query.total_order if rows]
    except KeyError as error:
        raise QueryOrderNotTotal from error
    if len({tuple(row[name] for name in names) for row in rows}) != len(rows):
        raise QueryOrderNotTotal


def _problems(query: DeclaredQuery, page: Page, cap: int) -> Iterator[FieldProblem]:
    for name, value, lowest, highest in (
        ("limit", page.limit, 1, cap),
        ("offset", page.offset, 0, MAX_OFFSET),
    ):
        if value is None:
            continue
        if not query.is_paged:
            yield FieldProblem(name, _NOT_PAGED)
        elif not lowest <= value <= highest:
            yield FieldProblem(name, f"Debe ser un número entero de {lowest} a {highest}.")
