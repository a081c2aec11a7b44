"""Columns of a query, as far as its text shows them without a database."""

import pytest

from erp_gateway.queries.sql.select_list import naming_problem, select_problems

TWICE = "has two columns {!r}: a row can have one of each name; AS gives another"


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ('SELECT "A" AS "precio", "B" AS "precio" FROM T', "precio"),
        ('SELECT T0."A", T1."A" FROM T T0, T T1', "A"),
        ('SELECT "A" "x", "B" AS "x", "C" AS "x"', "x"),
        ("SELECT T0.a, B AS A FROM T T0", "A"),
        ('SELECT DISTINCT "A", "A" FROM T', "A"),
        ('WITH X AS (SELECT 1 AS "a") SELECT *, "a", "a" FROM X', "a"),
        ('SELECT :from AS "a", "B" AS "a" FROM T', "a"),
        ('SELECT "A", "A" UNION SELECT 1, 2', "A"),
    ],
)
def test_two_columns_of_one_name_are_reported(sql: str, name: str) -> None:
    assert list(select_problems(sql, folds=True)) == [TWICE.format(name)]


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "A" AS "a", "A" AS "b" FROM T WHERE "A" AS "a"',
        'SELECT "a", "A", a AS x, (SELECT 1 AS "a", 2 AS "a") FROM T',
        "SELECT :n, :n, a IS NULL, b IS NULL, 1 + a, 2 + a, COUNT(*), 1 FROM T",
        'SELECT T0.*, T0."A", CASE WHEN T0."B" = 1 THEN T0."C" END FROM T T0',
        'SELECT CAST("A" AS INTEGER) AS "a", "B" BETWEEN T0."A" AND T0."C" AS "b" FROM T',
        'SELECT "A" AS "a" UNION SELECT "B" AS "a", T0."B" AS "a" FROM T',
        "SELECT",
    ],
)
def test_possible_column_names_are_left_to_the_database(sql: str) -> None:
    assert list(select_problems(sql, folds=True)) == []


def test_letter_case_counts_as_rows_have_it() -> None:
    assert list(select_problems("SELECT a, A FROM t", folds=True)) == [TWICE.format("A")]
    assert list(select_problems("SELECT a, A FROM t", folds=False)) == []
    assert list(select_problems('SELECT "a", "A", A, A FROM t', folds=False)) == [TWICE.format("A")]


@pytest.mark.parametrize(
    ("sql", "piece"),
    [
        ('SELECT T0."B" AS "b" T0."A" AS "a", 1 AS "c" FROM T T0', "T0"),
        ('SELECT "B" AS "b" COUNT(*) AS "a" FROM T', "COUNT"),
        ('SELECT T0."B" T0."A" FROM T T0', "T0"),
        ('SELECT "B" AS AS "b"', '"b"'),
    ],
)
def test_a_missing_comma_is_reported_with_its_position(sql: str, piece: str) -> None:
    assert list(select_problems(sql, folds=True)) == [f"lacks a comma in its select list, before {piece}"]


@pytest.mark.parametrize(
    ("sql", "folds"),
    [
        ('SELECT "A" AS "saldo", SUM(x) "Total" FROM T', True),
        ('SELECT "A" AS "saldo", SUM(x) "Total" FROM T', False),
        ("SELECT A AS saldo, SUM(x) Total FROM T", False),
    ],
)
def test_a_column_is_named_in_the_letter_case_of_its_alias(sql: str, *, folds: bool) -> None:
    assert naming_problem(sql, ["saldo", "Total"], what="measures", folds=folds) is None
    said = "has no column {!r}, which measures names; did you mean {!r}?"
    for wrong, right in ("Saldo", "saldo"), ("total", "Total"):
        found = naming_problem(sql, [wrong], what="measures", folds=folds)
        assert found == said.format(wrong, right)


def test_without_an_alias_the_table_determines_the_letter_case() -> None:
    for named in "Saldo", "total":
        assert naming_problem("SELECT saldo, t.TOTAL FROM t", [named], what="titles", folds=False) is None
    assert naming_problem("SELECT SALDO FROM t", ["saldo"], what="titles", folds=True) is not None
    assert naming_problem("SELECT * FROM t", ["saldo"], what="titles", folds=False) is None
