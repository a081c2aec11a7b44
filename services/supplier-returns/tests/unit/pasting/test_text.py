"""Texts of real clipboards, and unusual pastes."""

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supplier_returns.pasting.cells import split_rows, unify_line_ends
from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.header_words import meaning_of
from supplier_returns.pasting.limits import PasteLimits
from supplier_returns.pasting.numbers import NumberFormat
from supplier_returns.pasting.pasted_table import PastedTable
from supplier_returns.pasting.refusal import PasteRefusedError
from supplier_returns.pasting.rules import PasteRules
from supplier_returns.pasting.text import parse_paste

CLIPBOARD = Path(__file__).parent / "clipboard"
RULES = PasteRules("01", decimals=2)


def paste(text: str, **changes: object) -> PastedTable:
    return parse_paste(text, PasteRules(**{"whs_code": "01", "decimals": 2, **changes}))  # type: ignore[arg-type]


def clipboard(name: str) -> str:
    return (CLIPBOARD / name).read_bytes().decode("utf-8")


def quantities(table: PastedTable) -> dict[str, Decimal]:
    return {line.item_code: line.quantity for line in table.lines}


def codes(table: PastedTable) -> list[tuple[int, str | None, str]]:
    return [(note.row, note.column, note.code) for note in table.problems]


def warned(table: PastedTable) -> set[str]:
    return {note.code for note in table.warnings}


def attempt(text: str) -> tuple[PastedTable | None, str | None]:
    try:
        return parse_paste(text, RULES), None
    except PasteRefusedError as refused:
        return None, refused.code


@pytest.mark.parametrize("form", ["txt", "tsvc"])
@pytest.mark.parametrize("name", ["es_cl_grouped", "en_us_grouped", "es_cl_general"])
def test_a_sheet_is_read_in_either_language(name: str, form: str) -> None:
    table = paste(clipboard(f"{name}.{form}"))
    assert quantities(table) == {
        "0012": Decimal("1234.5"),
        "000450": 3,
        "A/1": Decimal("0.25"),
        '5" TUBO': 12,
        "7801234567890": 1500,
    }
    assert table.problems == []
    assert [line.reason for line in table.lines] == ["VENC", "Roto", 'con "comillas"', "dos líneas", "ñandú"]
    assert warned(table) == {"totals_row"}


def test_ambiguous_thousands_are_read_in_the_chilean_format_with_a_warning() -> None:
    table = paste(clipboard("es_cl_thousands_only.txt"))
    assert quantities(table) == {"A1": 1234, "A2": 5678}
    assert [(note.row, note.value, note.code) for note in table.warnings] == [
        (2, "1.234", "quantity_ambiguous"),
        (3, "5.678", "quantity_ambiguous"),
    ]


def test_one_unambiguous_cell_decides_the_format_of_its_column() -> None:
    table = paste(clipboard("en_us_one_decimal.txt"))
    assert quantities(table) == {"A1": 1234, "A2": Decimal("5678.5")}
    assert paste("A\t1,234\nB\t2,5\n", decimals=3).lines[0].quantity == Decimal("1.234")
    assert paste("A\t1,234\nB\t2.5\n").lines[0].quantity == 1234
    assert paste("A\t1,234\nB\t2.5\n").warnings == []


@pytest.mark.parametrize(
    ("number_format", "text", "quantity"),
    [
        (NumberFormat.SPANISH, "1.234", 1234),
        (NumberFormat.ENGLISH, "1,234", 1234),
        (NumberFormat.ENGLISH, "1.500", Decimal("1.5")),
        (NumberFormat.SPANISH, "1,500", Decimal("1.5")),
    ],
)
def test_the_chosen_format_decides_if_the_column_proves_none(
    number_format: NumberFormat, text: str, quantity: Decimal
) -> None:
    table = paste(f"A\t{text}\n", number_format=number_format)
    assert quantities(table) == {"A": quantity}
    assert table.warnings == []


def test_contradicting_cells_prove_no_format() -> None:
    table = paste("A\t1,5\nB\t2.5\nC\t1.234\n")
    assert quantities(table) == {"A": Decimal("1.5"), "B": Decimal("2.5"), "C": 1234}
    assert warned(table) == {"quantity_ambiguous"}


def test_codes_in_scientific_notation_are_refused_by_row() -> None:
    table = paste(clipboard("es_cl_damaged_codes.txt"))
    assert codes(table) == [(2, "codigo", "code_damaged"), (3, "codigo", "code_damaged")]
    assert [note.value for note in table.problems] == ["7,80E+12", "1,23E+18"]
    assert quantities(table) == {"OK-1": 1}


def test_a_code_that_resembles_scientific_notation_is_valid() -> None:
    assert quantities(paste("1E5\t2\n3E-1\t1\n")) == {"1E5": 2, "3E-1": 1}


def test_problems_name_row_column_and_value() -> None:
    table = paste(clipboard("es_cl_errors.txt"))
    assert [(note.row, note.value, note.code) for note in table.problems] == [
        (2, "0", "quantity_zero"),
        (3, "#DIV/0!", "quantity_not_a_number"),
        (4, "#N/A", "quantity_not_a_number"),
        (6, "-3", "quantity_signed"),
    ]
    assert quantities(table) == {"A4": Decimal("0.15"), "A6": 6}
    assert (table.rows_read, table.rows_empty) == (6, 1)


def test_a_title_above_the_header_is_skipped_with_a_warning() -> None:
    table = paste(clipboard("es_cl_title_and_warehouse.txt"))
    assert table.columns == {"almacen": 0, "codigo": 1, "cantidad": 2}
    assert codes(table) == [(5, "almacen", "other_warehouse")]
    assert quantities(table) == {"A1": 3, "A 3": 5}
    assert warned(table) == {"row_above_header"}


def test_a_title_with_a_header_word_does_not_hide_the_header() -> None:
    table = paste("Bodega\n\nItem Code\tQty\nA1\t3\n")
    assert table.columns == {"codigo": 0, "cantidad": 1}
    assert quantities(table) == {"A1": 3}


def test_a_single_cell_is_refused() -> None:
    with pytest.raises(PasteRefusedError) as refused:
        paste(clipboard("one_cell.txt"))
    assert refused.value.code == "unreadable_paste"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "hola mundo",
        "A\t\n",
        "Código\nA\n",
        "\t\tA\n\t\tB\n",
    ],
    ids=["empty", "blank", "prose", "codes", "one-column", "one-filled-column"],
)
def test_a_text_without_two_columns_is_refused(text: str) -> None:
    with pytest.raises(PasteRefusedError) as refused:
        paste(text)
    assert refused.value.code == "unreadable_paste"


@pytest.mark.parametrize(
    ("quantity", "code"),
    [
        ("-5", "quantity_signed"),
        ("0", "quantity_zero"),
        ("$ 5", "quantity_with_unit"),
        ("5 %", "quantity_with_unit"),
        ("1.23.456", "quantity_grouping"),
        ("1E+05", "quantity_exponent"),
        ("9" * 13, "quantity_too_large"),
    ],
)
def test_without_a_header_invalid_quantities_are_reported_by_row(quantity: str, code: str) -> None:
    table = paste(f"A\t{quantity}\nB\t{quantity}\nC\tpocos\n")
    assert codes(table) == [
        (1, "cantidad", code),
        (2, "cantidad", code),
        (3, "cantidad", "quantity_not_a_number"),
    ]
    assert table.lines == []


def test_a_single_quote_affects_only_its_own_cell() -> None:
    text = '"12 pulgadas\t3\nB\t4\n"C\t5\nD"\t6\n'
    assert quantities(paste(text)) == {'"12 pulgadas': 3, "B": 4, '"C': 5, 'D"': 6}
    assert len(list(csv.reader(io.StringIO(text), delimiter="\t"))) < 4, "why the csv module is not used"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"a\nb"\t1\n', [["a\nb", "1"]]),
        ('"say ""hi""\nthere"\t1\n', [['say "hi"\nthere', "1"]]),
        ('"doubled ""only"""\t1', [['doubled "only"', "1"]]),
        ('"quoted"\t1\n', [['"quoted"', "1"]]),
        ('a"b\t"c\n"d\t1\n', [['a"b', '"c'], ['"d', "1"]]),
        ('x\t"two\nlines"\t"lone\ny\tz\n', [["x", "two\nlines", '"lone'], ["y", "z"]]),
        ('"a\tb\nc"\t1\n', [['"a', "b"], ['c"', "1"]]),
        ('""\t1\n', [['""', "1"]]),
        ("a\t\n\tb\n", [["a", ""], ["", "b"]]),
        ("a\r\nb\rc", [["a"], ["b"], ["c"]]),
        ('"' + "x\n" * 20_000 + '"\t1', None),
    ],
)
def test_cells_are_split_as_in_the_sheet(text: str, rows: list[list[str]] | None) -> None:
    cut = split_rows(unify_line_ends(text))
    if rows is None:
        assert len(cut) == 20_001, "longer than any cell, so the quote is literal"
    else:
        assert cut == rows


@given(st.lists(st.lists(st.text("ab\n\"'", max_size=6), min_size=1, max_size=3), min_size=1, max_size=5))
def test_clipboard_text_of_a_spreadsheet_is_read_back(rows: list[list[str]]) -> None:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if "\n" in text else text

    text = "\n".join("\t".join(cell(value) for value in row) for row in rows) + "\n"
    looks_wrapped = any(value.startswith('"') and "\n" not in value for row in rows for value in row)
    if not looks_wrapped and text.strip("\n"):
        assert split_rows(text) == rows


@given(st.text('a"\t\n', max_size=60))
def test_splitting_neither_loses_nor_adds_text(text: str) -> None:
    cut = split_rows(text)
    joined = "".join("".join(row) for row in cut)
    assert joined.count("a") == text.count("a")
    assert joined.count('"') <= text.count('"')


def test_invisible_characters_are_removed_and_codes_keep_their_zeros() -> None:
    table = paste("\ufeffCódigo\tCantidad\r\n\u200b0012\u00a0\t\u202f3 \r\n½²\t1\r\n\u202aA1\u202c\t2\r\n")
    assert quantities(table) == {"0012": 3, "½²": 1, "A1": 2}


def test_the_same_item_is_added_up() -> None:
    table = paste("A\t1\nB\t2\nA\t3\n")
    assert quantities(table) == {"A": 4, "B": 2}
    assert [line.rows for line in table.lines] == [[1, 3], [2]]


def test_different_reasons_give_different_lines() -> None:
    table = paste("Código\tCantidad\tMotivo\nA\t1\tVENC\nA\t2\tROTO\nA\t4\tVENC\n")
    assert [(line.quantity, line.reason, line.rows) for line in table.lines] == [
        (Decimal(5), "VENC", [2, 4]),
        (Decimal(2), "ROTO", [3]),
    ]


def test_comment_columns_are_recognized_and_ignored_with_a_warning() -> None:
    table = paste("Código\tGlosa\tCantidad\nA\tsin caja\t1\n")
    assert table.columns == {"codigo": 0, "comentario": 1, "cantidad": 2}
    assert [(note.row, note.value, note.code) for note in table.warnings] == [(1, "2", "columns_ignored")]


def test_an_ambiguous_quantity_gets_a_warning_with_its_value() -> None:
    table = paste("A\t1.234\nB\t1,25\n", decimals=3)
    assert table.warnings == [], "another cell decides"
    table = paste("A\t1.234\nB\t1,250\n", decimals=3)
    assert [note.message.partition(";")[0] for note in table.warnings] == [
        "«1.234» se leyó como 1234, con la coma como separador decimal",
        "«1,250» se leyó como 1,25, con la coma como separador decimal",
    ]


def test_other_columns_are_ignored_with_a_warning() -> None:
    table = paste("A\t1\tnota\t\nB\t2\n")
    assert quantities(table) == {"A": 1, "B": 2}
    assert [(note.value, note.code) for note in table.warnings] == [("3", "columns_ignored")]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("\t3", "code_missing"),
        ("x" * 51 + "\t3", "code_too_long"),
        ("a\x00b\t3", "code_invalid"),
        ("a\ufffdb\t3", "code_invalid"),
        ("a\u200bb\t3", "code_invalid"),
        ("a\u202eb\t3", "code_invalid"),
        ("#¡DIV/0!\t3", "code_is_an_error"),
        ("#N/D\t3", "code_is_an_error"),
        ("VERDADERO\t3", "code_is_an_error"),
        ("A\t1,234567", "quantity_decimals"),
        ("A", "quantity_missing"),
    ],
)
def test_an_invalid_row_is_skipped_with_its_reason(row: str, fault: str) -> None:
    table = paste(f"OK\t1,5\n{row}\n")
    assert [note.code for note in table.problems] == [fault]
    assert table.problems[0].row == 2
    assert quantities(table) == {"OK": Decimal("1.5")}


def test_long_texts_are_cut_with_a_warning() -> None:
    table = paste(f"Código\tCantidad\tMotivo\nA\t1\t{'m' * 300}\n")
    assert len(table.lines[0].reason or "") == 254
    assert warned(table) == {"text_cut"}
    assert len(table.warnings[0].value) == 60


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("A\t1\n" * 3, PasteLimits(rows=2)),
        ("A\t1\t\t\n", PasteLimits(columns=3)),
        ("A\t1\nB\t1\n", PasteLimits(items=1)),
    ],
    ids=["rows", "columns", "items"],
)
def test_messages_about_limits_contain_the_numbers(text: str, limits: PasteLimits) -> None:
    with pytest.raises(PasteRefusedError) as refused:
        paste(text, limits=limits)
    assert refused.value.code == "paste_too_large"
    assert any(character.isdigit() for character in refused.value.message)


@given(st.text(st.characters() | st.sampled_from('\t\t\n\n",.0123456789EAcC'), max_size=400))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    table, refusal = attempt(text)
    if table is None:
        assert refusal in {"columns_unknown", "unreadable_paste", "paste_too_large"}
        return
    assert all(line.quantity > 0 and line.item_code for line in table.lines)
    read = {row for line in table.lines for row in line.rows}
    totals = {note.row for note in table.warnings if note.code == "totals_row"}
    left_out = {note.row for note in table.problems} | totals
    assert not read & left_out
    assert len(read) + len(left_out) == table.rows_read


@pytest.mark.parametrize(
    "word", ["Código", "COD.", "cod_articulo", "SKU", "Item Code", " N° de artículo ", "Producto"]
)
def test_header_words_are_compared_without_accents_case_and_punctuation(word: str) -> None:
    assert meaning_of(word) is Column.CODE


@pytest.mark.parametrize("tail", ["." * 200, "\u0300\u0323" * 100])
def test_a_cell_longer_than_any_header_has_no_meaning(tail: str) -> None:
    """Normalizing the combining marks of one letter takes quadratic time."""
    assert meaning_of(f"Código{tail[:20]}") is Column.CODE
    assert meaning_of(f"Código{tail}") is None


@pytest.mark.parametrize("word", ["Total", "TOTALES:", "Subtotal :", "suma"])
def test_a_totals_row_is_skipped_with_a_warning(word: str) -> None:
    table = paste(f"A\t1\n{word}\t1\n")
    assert quantities(table) == {"A": 1}
    assert [(note.row, note.value, note.code) for note in table.warnings] == [(2, word, "totals_row")]


@pytest.mark.parametrize("code", ["VERDADERO", "#N/D", "1,23E+12", "Total", "A\u200bB"])
def test_a_code_of_the_erp_is_valid_even_in_scientific_notation(code: str) -> None:
    text = f"{code}\t3\nB\t1\n{code}\t2\n"
    doubtful = paste(text)
    assert quantities(doubtful) == {"B": Decimal(1)}
    assert doubtful.doubtful_codes == (code,)
    existing = paste(text, existing_codes=frozenset({code}))
    assert quantities(existing) == {code: Decimal(5), "B": Decimal(1)}
    assert (existing.doubtful_codes, existing.problems, existing.warnings) == ((), [], [])


def test_impossible_item_codes_are_not_doubtful() -> None:
    table = paste(f"\t3\n{'x' * 51}\t3\nA\t1\n")
    assert table.doubtful_codes == ()
    assert [note.code for note in table.problems] == ["code_missing", "code_too_long"]


@pytest.mark.parametrize(
    ("chosen", "cells", "quantities", "row"),
    [
        (NumberFormat.SPANISH, ("7", "1.5", "1,234"), ("7", "1.5", "1234"), 2),
        (NumberFormat.ENGLISH, ("1,5", "1.234"), ("1.5", "1234"), 1),
        (NumberFormat.ENGLISH, ("1.5", "1,5", "1.234"), ("1.5", "1.5", "1.234"), 2),
        (NumberFormat.SPANISH, ("1,5", "1.234"), ("1.5", "1234"), None),
        (NumberFormat.AUTO, ("1.5", "1,234"), ("1.5", "1234"), None),
        (NumberFormat.SPANISH, ("1.234", "7"), ("1234", "7"), None),
    ],
)
def test_a_column_that_contradicts_the_chosen_format_gets_one_warning(
    chosen: NumberFormat, cells: tuple[str, ...], quantities: tuple[str, ...], row: int | None
) -> None:
    text = "".join(f"{code}\t{cell}\n" for code, cell in zip("ABC", cells, strict=False))
    table = paste(
        text + "D\t1\n" + "".join(f"E{cell}\t{cell}\n" for cell in cells), number_format=chosen, decimals=3
    )
    assert [str(line.quantity) for line in table.lines[: len(cells)]] == list(quantities)
    notes = [note for note in table.warnings if note.code == "number_format_contradicted"]
    assert [(note.row, note.column, note.value) for note in notes] == (
        [] if row is None else [(row, "cantidad", cells[row - 1])]
    )


@pytest.mark.parametrize(
    ("last", "quantity"),
    [("Total\t1,003,734", 1234), ("\t3,734.00", 1234), ("1,23E+12\t2.5", 1234), ("Total\t3.734,00", "1.234")],
)
def test_a_skipped_row_proves_the_format_of_its_column(last: str, quantity: object) -> None:
    table = paste(f"A\t1,234\n{last}\n", decimals=3)
    assert quantities(table) == {"A": Decimal(str(quantity))}
    assert "quantity_ambiguous" not in warned(table)


@pytest.mark.parametrize(
    ("first", "other", "code", "quantity"),
    [
        ("1.000", "0.000", "quantity_zero", 1),
        ("1.000", "0.0", "quantity_zero", 1),
        ("1,000", "0.00", "quantity_zero", 1000),
        ("1.000", "-2.5", "quantity_signed", 1),
        ("1.000", "(2.5)", "quantity_signed", 1),
        ("1.000", "0,00", "quantity_zero", 1000),
    ],
)
def test_an_invalid_quantity_proves_the_format_of_its_column(
    first: str, other: str, code: str, quantity: int
) -> None:
    table = paste(f"A\t{first}\nB\t{other}\n")
    assert quantities(table) == {"A": quantity}
    assert [(each.row, each.code) for each in table.problems] == [(2, code)]
    assert table.warnings == []


def test_a_zero_that_contradicts_the_chosen_format_gives_a_warning() -> None:
    table = paste("A\t1.000\nB\t0.000\n", number_format=NumberFormat.SPANISH)
    assert quantities(table) == {"A": 1}
    assert [(each.row, each.code) for each in table.warnings] == [(2, "number_format_contradicted")]


@pytest.mark.parametrize("other", ["0,00", "-1,5"])
@pytest.mark.parametrize("number_format", [NumberFormat.AUTO, NumberFormat.ENGLISH])
def test_a_valid_quantity_decides_before_an_invalid_one(other: str, number_format: NumberFormat) -> None:
    table = paste(f"A\t2.5\nB\t1.500\nC\t{other}\n", number_format=number_format)
    assert quantities(table) == {"A": Decimal("2.5"), "B": Decimal("1.5")}
    assert table.warnings == []


@pytest.mark.parametrize("other", ["0", "-2", "5,5 %", "$ 2.5", "1e3", "0" * 100 + ".5"])
def test_a_cell_that_fits_both_formats_or_none_proves_none(other: str) -> None:
    table = paste(f"A\t1.000\nB\t{other}\n")
    assert quantities(table) == {"A": 1000}
    assert warned(table) == {"quantity_ambiguous"}


def test_a_skipped_row_that_contradicts_the_chosen_format_gives_a_warning() -> None:
    table = paste("A\t1,234\nTotal\t1,003,734\n", decimals=3, number_format=NumberFormat.SPANISH)
    assert quantities(table) == {"A": 1234}
    assert [(note.row, note.value, note.code) for note in table.warnings] == [
        (2, "1,003,734", "number_format_contradicted"),
        (2, "Total", "totals_row"),
    ]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Código\tUnid.\tCantidad", "A\tUN\t3"),
        ("Código\tCantidad\tUnid", "A\t3\tUN"),
        ("Código\tUnid.", "A\t3"),
    ],
)
def test_a_column_of_units_next_to_the_quantity_is_not_a_second_quantity(header: str, row: str) -> None:
    assert quantities(paste(f"{header}\n{row}\n")) == {"A": 3}


def test_two_columns_of_units_are_ambiguous() -> None:
    table, refusal = attempt("Código\tUnid.\tUnid.\nA\t1\t2\n")
    assert (table, refusal) == (None, "columns_unknown")


PRICES = "Código\tPedida\tPrecio\tMala\nHO1\t40\t1500\t3\nHO2\t50\t900\t1,5\n"


def test_unknown_columns_are_shown_with_their_possible_meanings() -> None:
    with pytest.raises(PasteRefusedError) as refused:
        paste("\n\n" + PRICES + "HO3\t1\t1\t1\n" * 5)
    assert refused.value.code == "columns_unknown"
    assert refused.value.members == {
        "filas": [
            ["Código", "Pedida", "Precio", "Mala"],
            ["HO1", "40", "1500", "3"],
            ["HO2", "50", "900", "1,5"],
            ["HO3", "1", "1", "1"],
            ["HO3", "1", "1", "1"],
        ],
        "columnas": [
            {"indice": 0, "posibles": ["codigo", "almacen", "motivo", "comentario"]},
            *(
                {"indice": index, "posibles": ["cantidad", "codigo", "almacen", "motivo", "comentario"]}
                for index in (1, 2, 3)
            ),
        ],
    }


def test_requested_columns_are_read_and_skipped_rows_get_warnings() -> None:
    columns = {Column.CODE: 0, Column.QUANTITY: 3, Column.REASON: 1}
    table = paste("Informe\t2026\n\n" + PRICES, columns=columns)
    assert quantities(table) == {"HO1": 3, "HO2": Decimal("1.5")}
    assert [line.reason for line in table.lines] == ["40", "50"]
    assert table.columns == {"codigo": 0, "cantidad": 3, "motivo": 1}
    assert [(note.row, note.code) for note in table.warnings] == [
        (1, "row_without_quantity"),
        (3, "row_without_quantity"),
        (3, "columns_ignored"),
    ]
    assert (table.has_header, table.rows_read, table.rows_empty) == (True, 2, 0)


def test_a_header_with_a_number_is_not_a_row_of_requested_columns() -> None:
    table = paste("Código\tStock\t2025\nA\t40\t3\n", columns={Column.CODE: 0, Column.QUANTITY: 2})
    assert quantities(table) == {"A": 3}


def test_without_quantities_each_row_of_requested_columns_gets_its_reason() -> None:
    table = paste("Código\tNota\nA\tx\n", columns={Column.CODE: 0, Column.QUANTITY: 1})
    assert table.lines == []
    assert [(note.row, note.message) for note in table.problems] == [
        (1, "La cantidad «Nota» de «Código» no es un número."),
        (2, "La cantidad «x» de «A» no es un número."),
    ]


@pytest.mark.parametrize("columns", [None, {Column.CODE: 0, Column.QUANTITY: 1}])
def test_a_header_repeated_on_each_page_is_skipped(columns: dict[Column, int] | None) -> None:
    page = "Código\tCantidad\nA\t1\n"
    table = paste(page * 3, columns=columns)
    assert quantities(table) == {"A": 3}
    assert table.problems == []
    again = [note.row for note in table.warnings if note.code == "header_repeated"]
    assert again == [3, 5]


@pytest.mark.parametrize("columns", [None, {Column.CODE: 0, Column.QUANTITY: 1}])
@pytest.mark.parametrize(
    "other",
    ["Código\tPrecio\tCantidad\nB\t1500\t3\n", "Cantidad\tCódigo\n5\t1001\n", "\tCódigo\tCantidad\n\tB\t3\n"],
)
def test_a_second_table_with_other_columns_is_refused(other: str, columns: dict[Column, int] | None) -> None:
    with pytest.raises(PasteRefusedError) as refused:
        paste("Código\tCantidad\tNota\nA\t1\tx\n\n" + other, columns=columns)
    assert refused.value.code == "unreadable_paste"
    assert "La fila 4 es otro encabezado" in refused.value.message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("HO1\t1,2,3", "Los separadores de la cantidad «1,2,3» de «HO1» no corresponden a ningún número."),
        ("HO{0}\t", "Falta la cantidad de «HO{0}»."),
        ("\t{x}", "Falta el código del artículo de la cantidad «{x}»."),
        ("#N/D\t3", "«#N/D» es un error o un valor lógico de la planilla, no un código."),
    ],
)
def test_the_problem_of_a_row_names_its_item_and_value(row: str, message: str) -> None:
    table = paste(f"Código\tCantidad\nOK\t1\n{row}\n")
    assert [note.message for note in table.problems] == [message]


def test_the_problem_of_another_warehouse_names_item_and_value() -> None:
    table = paste("Código\tCantidad\tBodega\nA\t1\t02\n")
    assert table.problems[0].message == "«A» es de la bodega «02»; la planificación es de «01»."
