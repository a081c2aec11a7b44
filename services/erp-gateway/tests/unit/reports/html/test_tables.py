"""Declared tables of reports: which of them a file holds, and what their rows are."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest
from attrs import frozen

from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.reports.html.tables import (
    ReportColumn,
    ReportTable,
    TableFailedError,
    chosen_tables,
    rows_of,
    table_problems,
)
from servicekit.errors import InvalidQuery

CSV, XLSX = ExportOptions(format=ExportFormat.CSV), ExportOptions(format=ExportFormat.XLSX)


def table(name: str = "meses", *columns: tuple[str, str], title: str = "Meses") -> ReportTable:
    named = [ReportColumn(name=name, title=title) for name, title in columns or (("a", "A"), ("b", "B"))]
    return ReportTable(name=name, title=title, columns=tuple(named))


@frozen
class Row:
    """A row as an object."""

    a: int
    b: str = "x"


def test_rows_may_be_mappings_or_objects_and_their_columns_are_in_the_declared_order() -> None:
    rows = [{"b": Decimal("1.5"), "a": date(2026, 1, 1), "c": object()}, Row(1)]
    assert rows_of(table(), {"meses": rows}).rows == [[date(2026, 1, 1), Decimal("1.5")], [1, "x"]]
    assert rows_of(table(), {"meses": ()}).rows == []


@pytest.mark.parametrize(
    ("names", "said", "wanted", "known"),
    [
        ({"mes": []}, "its data function returned no 'meses'", "meses", "mes"),
        ({"meses": "abc"}, "its rows must be a list, not of type str", None, None),
        ({"meses": {"a": 1}}, "its rows must be a list, not of type dict", None, None),
        ({"meses": iter(())}, "its rows must be a list, not of type tuple_iterator", None, None),
        ({"meses": [{"a": 1, "c": 2}]}, "a row has no 'b'", "b", "c"),
        ({"meses": [1]}, "a row has no 'a'", "a", "real"),
        ({"meses": [{"a": [], "b": 1}]}, "'a' is of type list, which no cell holds", None, None),
    ],
)
def test_deviations_from_the_declaration_are_reported(
    names: dict[str, object], said: str, wanted: str | None, known: str | None
) -> None:
    with pytest.raises(TableFailedError) as failed:
        rows_of(table(), names)
    assert str(failed.value) == f"table 'meses': {said}"
    assert failed.value.missing == wanted
    assert known is None or known in failed.value.existing


@pytest.mark.parametrize(
    ("tables", "asked", "name", "expected"),
    [
        ((table("a"),), CSV, None, ["a"]),
        ((table("a"), table("b")), CSV, "b", ["b"]),
        ((table("a"), table("b")), XLSX, None, ["a", "b"]),
        ((table("a"), table("b")), XLSX, "a", ["a"]),
    ],
)
def test_an_xlsx_takes_all_tables_and_a_csv_one(
    tables: Sequence[ReportTable], asked: ExportOptions, name: str | None, expected: list[str]
) -> None:
    assert [each.name for each in chosen_tables(tables, asked, name)] == expected


@pytest.mark.parametrize(
    ("tables", "asked", "name", "path"),
    [
        ((), XLSX, None, "formato"),
        ((), XLSX, "a", "formato"),
        ((table("a"), table("b")), CSV, None, "tabla"),
        ((table("a"),), CSV, "A", "tabla"),
        ((table("a"),), CSV, "", "tabla"),
    ],
)
def test_an_invalid_table_choice_is_refused(
    tables: Sequence[ReportTable], asked: ExportOptions, name: str | None, path: str
) -> None:
    with pytest.raises(InvalidQuery) as refused:
        chosen_tables(tables, asked, name)
    assert [problem.path for problem in refused.value.errors] == [path]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ([table(), table()], "table 'meses' is declared twice"),
        ([table("1a")], "the name must be 1 to 64 letters"),
        ([table("a" * 65)], "the name must be 1 to 64 letters"),
        ([table(title=" ")], "it has no title"),
        ([ReportTable(name="a", title="A", columns=())], "it has no columns"),
        ([table("a", ("x", " "))], "the column 'x' has no title"),
        ([table("a", ("x", "X"), ("x", "Y"))], "the column 'x' stands there twice"),
        ([table("a", ("x", "X"), ("y", "X"), ("z", "X"))], "two columns are called 'X'"),
    ],
)
def test_a_table_at_fault_is_named(tables: list[ReportTable], said: str) -> None:
    (problem,) = table_problems(tables)
    assert said in problem


def test_a_declaration_in_order_has_no_problem() -> None:
    assert list(table_problems([table("a"), table("b")])) == []


def test_a_single_column_or_table_without_its_comma_is_refused() -> None:
    with pytest.raises(TypeError, match="columns must be a tuple: add a comma"):
        ReportTable(name="a", title="A", columns=ReportColumn(name="x", title="X"))  # type: ignore[arg-type]
