"""Which texts end in the order that their total_order names."""

import pytest

from erp_gateway.queries.sql.select_list import order_problem

NO_ORDER = "does not end in an ORDER BY"
NOT_ITS = "must end its ORDER BY in the total_order"
LIMITED = "has a LIMIT or OFFSET of its own"
NO_COLUMN = "has no column 'A', which total_order names"
STAR = "must name its columns one by one"


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ('SELECT "DocEntry" FROM ORDR ORDER BY "DocEntry"', ("DocEntry",)),
        ('SELECT T0."DocEntry" FROM ORDR T0 ORDER BY T0."DocDate" DESC, T0."DocEntry" DESC', ("DocEntry",)),
        ('SELECT T0."A", T0."DocEntry" AS "docEntry" FROM ORDR T0 ORDER BY T0."DocEntry"', ("docEntry",)),
        ('SELECT T0."DocEntry" "docEntry" FROM ORDR T0 ORDER BY "docEntry" NULLS LAST', ("docEntry",)),
        ('SELECT T0."DocEntry" "docEntry" FROM ORDR T0 ORDER BY "docEntry" ASC NULLS FIRST', ("docEntry",)),
        ('SELECT "A" AS "a", SUM("B") AS "b" FROM T GROUP BY "A" ORDER BY 1', ("a",)),
        ('SELECT "A" AS "a", "B" AS "b" FROM T ORDER BY 2, 1', ("a", "b")),
        ('SELECT DISTINCT "A" AS "a" FROM T ORDER BY "a"', ("a",)),
        ('SELECT COALESCE("A", 0) AS "a" FROM T ORDER BY COALESCE("A", 0)', ("a",)),
        ('SELECT COALESCE("A", 0) "a" FROM T ORDER BY "x"."y", COALESCE("A", 0)', ("a",)),
        ('SELECT \'x\' "a", 1 "b" FROM T ORDER BY "a", "b"', ("a", "b")),
        ('SELECT "say ""hi""" FROM T ORDER BY "say ""hi"""', ('say "hi"',)),
        ('WITH X AS (SELECT "A" FROM T ORDER BY "A") SELECT "A" FROM X ORDER BY "A"', ("A",)),
        ('SELECT "A" FROM T UNION ALL SELECT "B" FROM U ORDER BY "A"', ("A",)),
        ('SELECT "A" FROM T WHERE "B" = :limit AND "C" = :order ORDER BY "A"; -- the end', ("A",)),
        ("SELECT DocEntry FROM ORDR T0 ORDER BY docentry", ("DOCENTRY",)),
        ('SELECT "A", (SELECT MAX("B") FROM U LIMIT 1) AS "b" FROM T ORDER BY "A"', ("A",)),
        ("SELECT CASE WHEN 1 = 1 THEN 1 END, x FROM T ORDER BY X", ("X",)),
        ("SELECT :n, -1, a + 1, a FROM T ORDER BY A", ("A",)),
    ],
)
def test_a_text_that_ends_in_its_total_order_can_be_paged(sql: str, columns: tuple[str, ...]) -> None:
    assert order_problem(sql, columns, folds=True) is None


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ('SELECT "A" FROM T', NO_ORDER),
        ('SELECT "A" FROM (SELECT "A" FROM T ORDER BY "A") X', NO_ORDER),
        ('SELECT "A" FROM T WHERE "A" = :order', NO_ORDER),
        ('SELECT "A", "B" FROM T ORDER BY "A", "B"', NOT_ITS),
        ('SELECT "B" FROM T ORDER BY "A"', NO_COLUMN),
        ('SELECT "B" AS "A" FROM T ORDER BY "A" COLLATE NOCASE', NOT_ITS),
        ('SELECT "A" FROM T ORDER BY "A" WITH HINT (NO_CS_JOIN)', NOT_ITS),
        ('SELECT "A" FROM T ORDER BY UPPER("A")', NOT_ITS),
        ('SELECT T0."A" FROM T T0, U T1 ORDER BY T1."A"', NOT_ITS),
        ('SELECT "a" FROM T ORDER BY "a"', NO_COLUMN),
        ('SELECT "A" FROM T ORDER BY 2', NOT_ITS),
        ('SELECT "A" FROM T ORDER BY 0', NOT_ITS),
        ('SELECT "A" + 1 FROM T ORDER BY 1', NO_COLUMN),
        ('SELECT "X" AS "A" FROM T UNION SELECT "B" FROM U ORDER BY "X"', NOT_ITS),
        ('SELECT * FROM T ORDER BY "A"', STAR),
        ('SELECT T0.*, T0."A" FROM T T0 ORDER BY "A"', STAR),
        ('SELECT TOP 5 "A" FROM T ORDER BY "A"', STAR),
        ('SELECT "A" FROM T ORDER BY "A" LIMIT 5', LIMITED),
        ('SELECT "A" FROM T ORDER BY "A" LIMIT :n OFFSET :m', LIMITED),
    ],
)
def test_an_order_that_is_not_total_is_reported(sql: str, said: str) -> None:
    assert (order_problem(sql, ("A",), folds=True) or "").startswith(said)


def test_letter_case_never_counts_where_the_engine_does_not_fold_names() -> None:
    sql = 'SELECT "DocEntry" FROM ORDR ORDER BY docentry'
    assert order_problem(sql, ("DOCENTRY",), folds=False) is None
    assert order_problem(sql, ("DocEntry",), folds=True) is not None


def test_missing_columns_are_named() -> None:
    problem = order_problem('SELECT "A", "B" FROM T ORDER BY "A"', ("A", "B"), folds=True)
    assert problem == "must end its ORDER BY in the total_order, as its select list has it: B"
