"""Columns are recognized or unknown. No table is read with a wrong quantity column."""

from itertools import product

import pytest

from supplier_returns.pasting.columns import Column, Layout, UnknownColumns
from supplier_returns.pasting.layouts import find_layout, requested_layout


def rows_of(text: str) -> list[list[str]]:
    """Split a table with `|` between cells and `/` between rows."""
    return [[cell.strip() for cell in row.split("|")] for row in text.split("/")]


def positions_of(text: str) -> tuple[int, int] | None:
    layout = find_layout(rows_of(text))
    if isinstance(layout, UnknownColumns):
        return None
    return layout.positions[Column.CODE], layout.positions[Column.QUANTITY]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("Código|Stock|2025|Cantidad/HO1|40|7|3", (0, 3)),
        ("Informe|2026//Código|Precio|Cantidad/HO1|1500|3", (0, 2)),
        ("Cod. Producto|Precio|Cant. dev./HO1|1500|3", (0, 2)),
        ("Año 2025//CODIGO|Descripción|UM|CANTIDAD/1001|Tubo|UN|3", (0, 3)),
        ("SKU|Qty/1001|3", (0, 1)),
        ("sku|Item description|Price|QTY TO RETURN/1001|x|9.9|3", (0, 3)),
        ("N° Artículo|Bodega|Stock|Cantidad a devolver/1001|01|40|3", (0, 3)),
        ("Item No.|Quantity/A|3", (0, 1)),
        ("Cód. Art.|Ctd/A|3", (0, 1)),
        ("Código|Precio Unid.|Cantidad/A|1500|3", (0, 2)),
        ("Código|Unid.|Cantidad/A|UN|3", (0, 2)),
        ("Código|Unidades/A|3", (0, 1)),
        ("Código|Cant. Stock|Cantidad/A|40|3", (0, 2)),
        ("Código|Cantidad recibida|Cantidad a devolver/A|40|3", (0, 2)),
        ("Código|Cantidad|Motivo devolución/A|3|Roto", (0, 1)),
        ("|Código||Cantidad/|A||3", (1, 3)),
        ("Distribuidora|||/Desde|01/Hasta|31//Fecha|2025-01-03/Código|x|45000|Cantidad/A|x|40|3", (0, 3)),
        ("/".join(["título"] * 19) + "/Código|Precio|Cantidad/A|1500|3", (0, 2)),
        ("Cantidad|Código/3|A", (1, 0)),
        ("Cantidad|Código/3|1001", (1, 0)),
        ("Código|Cantidad|31-12-2025|01/12/2025/A|3|7|9", (0, 1)),
        ("Bodega|2026//Código|Cantidad/A|3", (0, 1)),
        ("Código|Cantidad/A|3/Total|3", (0, 1)),
    ],
)
def test_a_header_is_recognized_despite_other_cells_and_rows_above(
    text: str, columns: tuple[int, int]
) -> None:
    assert positions_of(text) == columns


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("A|3/B|4", (0, 1)),
        ("1001|3/1002|4", (0, 1)),
        ("7801234567890|3/7801234567891|4", (0, 1)),
        ("|A|3/|B|4", (1, 2)),
        ("A||3/B||4", (0, 2)),
        ("A|Tubo|3/B|Caja|4", (0, 2)),
        ("A|3|Unid./B|4|Unid.", (0, 1)),
        ("A|Tubo|3|UDS", (0, 2)),
        ("A|3|Unidades|x", (0, 1)),
        ("A|-3/B|0/C|pocos", (0, 1)),
        ("A|3 UN/B|4", (0, 1)),
        ("A|#REF!/B|4", (0, 1)),
        ("A|2025-01-03|4", (0, 2)),
        ("A|3/Total|3", (0, 1)),
        ("1001|3|VENC/A|4|ROTO/B|4|ROTO", (0, 1)),
        ("Devolución marzo//A|3", (0, 1)),
    ],
)
def test_a_table_without_header_is_recognized_if_one_column_has_numbers(
    text: str, columns: tuple[int, int]
) -> None:
    assert positions_of(text) == columns


@pytest.mark.parametrize(
    "text",
    [
        "A|1500|3",
        "1001|Tubo|3",
        "3|A",
        "3|A|x",
        "A|3 UN|1500",
        "A|$ 1.500|3",
        "A|03.01.2025|3",
        "A|x",
        "A|x|y",
        "Código|Precio/A|1500",
        "Código|2025|Unid./A|1500|UN",
        "Precio|Cantidad/1500|3",
        "Detalle|Precio/A|1500",
        "Informe|2026/Detalle|Precio/A|1500",
        "Ref. interna|Saldo/A|40",
        "Ref. interna|Detalle|Saldo/A|x|40",
        "Código|Cantidad|Cantidad/A|40|3",
        "Código|Cantidad|Cantidad a devolver/A|40|3",
        "Código|Cantidad|Cant. mala/A|40|3",
        "Código|Cantidad|Devuelto/A|40|3",
        "Código|Cantidad|Unidades/A|2|24",
        "Código|Cant. dev.|Unid./A|2|24",
        "Código|Unid.|Unid./A|1|2",
        "Código|Unid.|Cajas/A|12|3",
        "Código|Unid.|Cant. mala/A|40|3",
        "Código|Cód.|Cantidad/A|B|3",
        "SKU|Producto|Cantidad/A|B|3",
        "Código|Cantidad|Bodega|Almacén/A|3|01|02",
        "Código|Cantidad|Motivo|Causa/A|3|x|y",
        "|Cantidad|/Código|Pedida|Devuelta/A|40|3",
        "Código|Cantidad|/|Pedida|Devuelta/A|40|3",
        "Código|Cantidad|/SAP|Pedida|Devuelta/A|40|3",
        "Código|Cantidad|/A|40|3",
        "Código|Cantidad 2024|Cantidad 2025/A|40|3",
        "/".join(["título"] * 25) + "/Código|Precio/A|1500",
        "Informe|2026/" + "/".join(["título"] * 25) + "/Código|Precio|Cantidad/A|1500|3",
    ],
)
def test_an_ambiguous_table_has_unknown_columns(text: str) -> None:
    assert positions_of(text) is None


CODES = ("Código", "COD. PRODUCTO", "SKU", "Item Code", "N° de artículo", "Ref. interna", "EAN")
QUANTITIES = (
    *("Cantidad", "Cant. dev.", "Cantidad a devolver", "Ctd", "Qty", "Unidades"),
    *("Cantidad mala", "Devuelto", "Saldo"),
)
OTHERS = (
    *(
        "Precio",
        "Stock",
        "2025",
        "Año 2025",
        "01/12/2025",
        "Cant. recibida",
        "Cantidad pedida",
        "Unid.",
        "UM",
    ),
    *("", "Costo unit.", "Total", "N°", "Existencia (un)", "Qty on hand", "Valor"),
)
ABOVE = ("", "Informe|2026//", "Devolución|||||//Fecha|31-12-2025|7/", "1|2|3|4/")


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("code", CODES)
def test_every_combination_of_headers_reads_the_right_quantity_or_is_unknown(code: str, above: str) -> None:
    recognized = 0
    for quantity, other, place in product(QUANTITIES, OTHERS, range(3)):
        header, row = [code, quantity], ["HO1", "3"]
        header.insert(place, other)
        row.insert(place, "40")
        found = positions_of(f"{above}{'|'.join(header).replace('/', '-')}/{'|'.join(row)}")
        if found is not None:
            recognized += 1
            names_units = (quantity, other) == ("Saldo", "Unid.")  # here "Unid." is the quantity column
            assert found[1] == header.index(other if names_units else quantity), (header, found)
    assert recognized > 0 or code in {"Ref. interna", "EAN"}


@pytest.mark.parametrize("code", CODES)
def test_a_header_of_two_columns_never_reads_another_column_as_quantity(code: str) -> None:
    for other in (*OTHERS, "Ref.", "Lote"):
        is_data = other == "2025" and code in {"Ref. interna", "EAN"}  # the cells don't exclude it
        if other not in {"Unid.", ""} and not is_data:
            assert positions_of(f"{code}|{other.replace('/', '-')}/HO1|40") is None, other


@pytest.mark.parametrize(
    ("text", "first_row", "header_row"),
    [
        ("A|40|3/B|50|4", 0, None),
        ("Ref|Saldo|Pedido/A|40|3", 1, 0),
        ("Informe|2026//Ref|Saldo|Pedido/A|40|3", 3, 2),
        ("Código|Saldo|2025/A|40|3", 1, 0),
        ("A|40|x/B|50|", 0, None),
        ("A|40/B|50|4", 1, 0),
    ],
    ids=["none", "header", "title", "number-in-header", "no-quantity-at-all", "first-without"],
)
def test_a_requested_layout_starts_at_the_first_row_with_a_quantity(
    text: str, first_row: int, header_row: int | None
) -> None:
    positions = {Column.CODE: 0, Column.QUANTITY: 2}
    assert requested_layout(rows_of(text), positions) == Layout(positions, first_row, header_row)
