"""Texts with semicolons, pipes and commas instead of tabs."""

import pytest

from supplier_returns.pasting.pasted_table import PastedTable
from supplier_returns.pasting.refusal import PasteRefusedError
from supplier_returns.pasting.rules import PasteRules
from supplier_returns.pasting.separators import TAB, find_separator, split_separated
from supplier_returns.pasting.text import parse_paste


def paste(text: str) -> PastedTable:
    return parse_paste(text, PasteRules("01", decimals=2))


def quantities(table: PastedTable) -> dict[str, str]:
    return {line.item_code: str(line.quantity) for line in table.lines}


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("A1\t5;3", TAB),
        ("A1;5\nA2;7", ";"),
        ("A1;1,5\nA2;2,5", ";"),
        ("A1|5\nA2|7", "|"),
        ("| A1 | 5 |\n| A2 | 7 |", "|"),
        ("A1,5\nA2,7", ","),
        ("Devoluciones de noviembre\nA1;5\n\nA2;7\n", ";"),
        ('"Tubo; 5""";3\nA2;4', ";"),
        ("A1", TAB),
        ("", TAB),
        ("1,5\n2,5", TAB),
        ("1.234,5\n2", TAB),
        ("A1,1,5\nA2,3", TAB),
        ("A1;5\nA2", TAB),
    ],
)
def test_a_separator_splits_all_rows_alike(text: str, separator: str) -> None:
    assert find_separator(text) == separator


@pytest.mark.parametrize(
    "text",
    [
        "Código;Cantidad\nA1;1,5\nA2;1234",
        "Código|Cantidad\nA1|1,5\nA2|1234",
        'Código,Cantidad\nA1,"1,5"\nA2,1234',
        "A1;1,5\nA2;1234",
        "| A1 | 1,5 |\n| A2 | 1234 |",
        "Código;Detalle;Cantidad\r\nA1;Tornillo, 5/8;1,5\r\nA2;;1234\r\n",
        "\ufeffCódigo;Cantidad\nA1;1,5\nA2;1234",
    ],
)
def test_cells_are_read_as_with_tabs(text: str) -> None:
    assert quantities(paste(text)) == {"A1": "1.5", "A2": "1234"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("A1,1,5\nA2,2,5", [["A1", "1", "5"], ["A2", "2", "5"]]),
        ("A1;7;5\nA2;3;4", [["A1", "7", "5"], ["A2", "3", "4"]]),
        ("Ref;Total\nA1;5\nA2;6", [["Ref", "Total"], ["A1", "5"], ["A2", "6"]]),
    ],
)
def test_uncertain_columns_are_asked_for(text: str, rows: list[list[str]]) -> None:
    with pytest.raises(PasteRefusedError) as refused:
        paste(text)
    assert refused.value.code == "columns_unknown"
    assert refused.value.members is not None
    assert refused.value.members["filas"] == rows


def test_one_row_and_one_cell_more_show_an_excess() -> None:
    assert len(split_separated("a;1\n" * 10, ";", max_rows=3, max_columns=5)) == 4
    assert split_separated("a;" * 10, ";", max_rows=3, max_columns=5) == [["a"] * 6]


@pytest.mark.parametrize("rows", [8_000, 40_000])
def test_an_unclosed_quote_is_refused_and_not_read_as_one_cell(rows: int) -> None:
    text = 'A1;"5\n' + "A2;7\n" * rows
    with pytest.raises(PasteRefusedError) as refused:
        split_separated(text, ";", max_rows=100_000, max_columns=5)
    assert refused.value.code == "paste_too_large"
