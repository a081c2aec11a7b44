"""Pages of a query: which rows are requested, and whether pages fit together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from erp_gateway.queries.errors import QueryOrderNotTotal
from erp_gateway.queries.registry import Query
from erp_gateway.queries.sql.select_list import column_key
from servicekit.errors import FieldProblem, InvalidBody

MAX_OFFSET: Final = 1_000_000_000
"""Below what an INTEGER of the database holds, with room for a page."""

PAGE_CLAUSE: Final = "\nLIMIT ? OFFSET ?"
"""Goes behind a statement, on a line of its own: the text may end in a comment."""

_NOT_PAGED: Final = "Esta consulta no se puede pedir por páginas: su orden no está declarado como total."


@frozen(kw_only=True)
class Page:
    """Which of a query's rows are wanted.

    Attributes:
        limit: how many at most; None for as many as an answer may have.
        offset: how many are passed over before.
    """

    limit: int | None = None
    offset: int | None = None

    @property
    def is_asked_for(self) -> bool:
        """Whether a client said anything about it."""
        return self.limit is not None or self.offset is not None


@frozen
class Bounds:
    """A page that may be read: `limit` rows behind the first `offset` ones."""

    limit: int
    offset: int


def read_page(query: Query, page: Page, *, cap: int) -> Bounds | None:
    """Return the rows to read; None where no page is asked for.

    Args:
        query: whose rows they are.
        page: what is asked for.
        cap: most rows of an answer of this query.

    Raises:
        InvalidBody: the query has no total order, or a number is out of its range; with `errors`.
    """
    if not page.is_asked_for:
        return None
    problems = list(_problems(query, page, cap))
    if problems:
        raise InvalidBody(errors=problems)
    return Bounds(cap if page.limit is None else page.limit, page.offset or 0)


def check_order(query: Query, rows: Sequence[Mapping[str, object]], *, folds: bool) -> None:
    """Make sure that no two rows share what is declared to tell them apart.

    Args:
        query: with a total order.
        rows: of one answer.
        folds: as `total_order.order_problem` has it.

    Raises:
        QueryOrderNotTotal: two of them do, or lack such a column: pages could overlap or leave a row out.
    """
    columns = {column_key(column, folds=folds): column for column in (rows[0] if rows else ())}
    try:
        names = [columns[column_key(column, folds=folds)] for column in query.total_order if rows]
    except KeyError as error:
        raise QueryOrderNotTotal from error
    if len({tuple(row[name] for name in names) for row in rows}) != len(rows):
        raise QueryOrderNotTotal


def _problems(query: Query, page: Page, cap: int) -> Iterator[FieldProblem]:
    for name, value, lowest, highest in (
        ("limit", page.limit, 1, cap),
        ("offset", page.offset, 0, MAX_OFFSET),
    ):
        if value is None:
            continue
        if not query.total_order:
            yield FieldProblem(name, _NOT_PAGED)
        elif not lowest <= value <= highest:
            yield FieldProblem(name, f"Debe ser un número entero de {lowest} a {highest}.")
