"""Valid page requests, and rows that prove an order wrong."""

import pytest

from erp_gateway.queries.errors import QueryOrderNotTotal
from erp_gateway.queries.pages import MAX_OFFSET, Bounds, Page, check_order, read_page
from erp_gateway.queries.registry import Query
from servicekit.errors import InvalidBody

SQL = 'SELECT "A", "B" FROM T ORDER BY "A", "B"'
PAGED = Query(name="paged", title="Paginada", sql={"hana": SQL}, total_order=("A", "B"))
PLAIN = Query(name="plain", title="Corriente", sql={"hana": SQL})


@pytest.mark.parametrize(
    ("page", "bounds"),
    [
        (Page(), None),
        (Page(limit=7), Bounds(7, 0)),
        (Page(offset=7), Bounds(500, 7)),
        (Page(limit=1, offset=0), Bounds(1, 0)),
        (Page(limit=500, offset=MAX_OFFSET), Bounds(500, MAX_OFFSET)),
    ],
)
def test_a_page_is_read_within_the_cap(page: Page, bounds: Bounds | None) -> None:
    assert read_page(PAGED, page, cap=500) == bounds


@pytest.mark.parametrize(
    ("page", "paths"),
    [
        (Page(limit=0), ["limit"]),
        (Page(limit=501), ["limit"]),
        (Page(limit=-1, offset=-1), ["limit", "offset"]),
        (Page(offset=MAX_OFFSET + 1), ["offset"]),
    ],
)
def test_a_number_out_of_its_range_is_refused(page: Page, paths: list[str]) -> None:
    with pytest.raises(InvalidBody) as refused:
        read_page(PAGED, page, cap=500)
    assert [problem.path for problem in refused.value.errors] == paths


def test_a_query_without_a_total_order_has_no_pages() -> None:
    assert read_page(PLAIN, Page(), cap=5) is None
    with pytest.raises(InvalidBody) as refused:
        read_page(PLAIN, Page(limit=1, offset=1), cap=5)
    assert [problem.path for problem in refused.value.errors] == ["limit", "offset"]
    assert {problem.message for problem in refused.value.errors} == {
        "Esta consulta no se puede pedir por páginas: su orden no está declarado como total."
    }


@pytest.mark.parametrize(
    ("rows", "folds"),
    [
        ([], True),
        ([{"A": 1, "B": 1}, {"A": 1, "B": 2}], True),
        ([{"a": 1, "b": None}, {"a": None, "b": None}], False),
    ],
)
def test_differing_rows_do_not_disprove_the_order(rows: list[dict[str, object]], folds: bool) -> None:
    check_order(PAGED, rows, folds=folds)


@pytest.mark.parametrize("rows", [[{"A": 1, "B": 1}, {"A": 2, "B": 1}, {"A": 1, "B": 1}], [{"A": 1, "b": 1}]])
def test_equal_rows_and_a_column_that_is_not_there_do(rows: list[dict[str, object]]) -> None:
    with pytest.raises(QueryOrderNotTotal):
        check_order(PAGED, rows, folds=True)
