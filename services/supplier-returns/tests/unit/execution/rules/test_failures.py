"""Classes of refusals: by ERP code, by message number, and by English and Spanish words."""

import re
from pathlib import Path

import pytest

from supplier_returns.execution.rules.failures import (
    CAUSES,
    RETRYABLE,
    Cause,
    ErrorClass,
    classify,
    is_retryable,
)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (-10, "Quantity falls into negative inventory  [RPD1.ItemCode][line: 1]", "stock"),
        (-5002, "La cantidad recae en un inventario negativo", "stock"),
        (-10, "One of the base documents has already been closed  [RPD1.BaseEntry][line: 2]", "base"),
        (-5002, "Uno de los documentos base ya se ha cerrado", "base"),
        (-5006, "Document is already closed", "base"),
        (-10, "Base document card and target document card do not match.", "base"),
        (-10, "Quantity exceeds the open quantity of the base document", "base"),
        (-4014, "Cannot add row without complete selection of batch/serial numbers", "lotes"),
        (-5002, "No se puede añadir la fila sin una selección completa de números de lote/serie", "lotes"),
        (-4013, "Posting period locked; specify an alternative date", "periodo"),
        (-5002, "Date deviates from permissible range", "periodo"),
        (-10, "La fecha se desvía del rango permitido", "periodo"),
        (-10, "To generate this document, first define the numbering series in the Administration", "serie"),
        (-4002, "define the numbering series", "serie"),
        (-1, "Defina la serie de numeración", "serie"),
        (-10, "Item '0012' is inactive", "maestro"),
        (-5002, "Invalid BP code [ORPD.CardCode] , 'X'", "maestro"),
        (-2028, "No matching records found (ODBC -2028)", "maestro"),
        (-2028, "Specify an active branch", "maestro"),
        (-2028, "Update the exchange rate , 'USD'", "tipoCambio"),
        (-1, "Actualice el tipo de cambio", "tipoCambio"),
        (301, "Invalid session or session already timeout.", "sesion"),
        (None, "Invalid session", "sesion"),
        (-1116, "(1) Regla de la empresa: motivo obligatorio", "erp"),
        ("abc", "", "erp"),
        (-10, "Item 000111 is frozen in warehouse 1801 and bin location 1801-A-01", "maestro"),
    ],
)
def test_a_refusal_has_a_class(code: int | str | None, text: str, expected: str) -> None:
    assert classify(code, text) is ErrorClass(expected)


def test_five_classes_are_retryable_and_the_others_need_a_new_plan() -> None:
    assert {each for each in ErrorClass if is_retryable(each.value)} == RETRYABLE
    assert not is_retryable(None)


NO_BATCH = "El número de serie/lote L7 seleccionado en la fila 1 no existe; especifique uno válido"
SAMPLES = [
    ("Item '0012' is inactive", "El artículo '0012' está inactivo"),
    ("complete selection of batch/serial numbers", "selección completa de números de lote/serie"),
    ("Fully allocate item to bin locations", "Asigne todo el artículo a ubicaciones"),
    ("Quantity falls into negative inventory", "La cantidad recae en un inventario negativo"),
    (
        "Insufficient quantity for item A with batch L",
        "Cantidad insuficiente para el artículo A con el lote L",
    ),
    ("Base document card and target document card do not match", "El documento base es de otro socio"),
    ("The document has already been closed", "El documento ya se ha cerrado"),
    ("Quantity exceeds the open quantity", "La cantidad supera la cantidad pendiente"),
    ("first define the numbering series", "primero defina la serie de numeración"),
    ("Posting period locked", "Período de contabilización bloqueado"),
    ("outside the permissible range", "fuera del rango permitido"),
    ("Date deviates from the period", "La fecha se desvía del período"),
    ("Update the exchange rate", "Actualice el tipo de cambio"),
    ("Invalid session", "Sesión no válida"),
    ("session already timeout", "La sesión expiró"),
    ("Invalid BP code [ORPD.CardCode]", "Código de socio de negocios no válido [ORPD.CardCode]"),
    ("Item number is missing", "Falta el número de artículo"),
    ("No matching records found (ODBC -2028)", "No existen registros coincidentes (ODBC -2028)"),
]


@pytest.mark.parametrize(("cause", "samples"), list(zip(CAUSES, SAMPLES, strict=True)))
def test_every_cause_has_patterns_in_english_and_spanish(cause: Cause, samples: tuple[str, str]) -> None:
    english, spanish = samples
    assert re.search(cause.english, english, re.IGNORECASE)
    assert re.search(cause.spanish, spanish, re.IGNORECASE)
    for text in samples:
        assert classify(-10, text) is cause.error_class
        assert classify(-5002, text.upper()) is cause.error_class


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"480000112 - {NO_BATCH}", "lotes"),
        ("480000112 - Batch/serial number L7 selected in row 1 does not exist", "lotes"),
        ("480000112 - ロット番号が存在しません", "lotes"),
        ("480000112-O número de lote não existe", "lotes"),
        ("480000112 \u2013 lote", "lotes"),
        ("480000112: lote", "lotes"),
        ("  480000112 lote", "lotes"),
        ("[RPD1.ItemCode][line: 1] 480000112 - no existe", "lotes"),
        ("Error -10 - 480000112 - no existe", "lotes"),
        ("Error: 480000112 - no existe", "lotes"),
        ("1470000341 - Distribua todo o item", "lotes"),
        ("10001153 - Quantidade insuficiente", "stock"),
        ("10000515 - Item 057371 ausente", "maestro"),
        ("480000112 - está en inventario negativo", "lotes"),
        ("480000113 - La cantidad recae en un inventario negativo", "stock"),
        ("131-183 - Quantity falls into negative inventory", "stock"),
        ("Quantity falls into negative inventory [Message 131-183]", "stock"),
        ("480000113 - Algo nuevo", "erp"),
        ("4800001120 - Algo nuevo", "erp"),
        ("Pedido 480000112 rechazado", "erp"),
        (NO_BATCH, "lotes"),
    ],
)
def test_the_message_number_decides_before_the_words(text: str, expected: str) -> None:
    assert classify(-10, text) is ErrorClass(expected)
    assert classify(-5002, text) is ErrorClass(expected)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (-1116, "(3) La devolución no tiene cantidad pendiente de autorización de Calidad"),
        (-1116, "La devolución no tiene cantidad pendiente"),
        (-1116, "480000112 - lote"),
        (-1116, "Could not commit transaction: Error -1 detected during transaction"),
        (-5002, "(3) El documento base ya está cerrado"),
        (-10, "(15) Falta el tipo de cambio"),
        (-4014, "(7) batch/serial"),
        (-2028, "(7) not found"),
        (None, "( 12 )base document"),
        (-5002, "[ORPD.CardCode] (3) inactivo"),
        (-5002, " (-7) inactivo"),
        (-5002, "(480000112) lote"),
    ],
)
def test_a_company_rule_decides_before_numbers_and_words(code: int | None, text: str) -> None:
    assert classify(code, text) is ErrorClass.ERP


@pytest.mark.parametrize(
    "text", ["(A) base document", "() base document", "base document (3)", "(3 base document"]
)
def test_parentheses_inside_a_text_are_not_a_company_rule(text: str) -> None:
    assert classify(-5002, text) is ErrorClass.BASE


def test_the_docs_list_every_error_class() -> None:
    page = (Path(__file__).parents[6] / "docs" / "returns.md").read_text(encoding="utf-8")
    section = page.split("\n### Reprocess\n")[1].split("\n## ")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) - {"clase"}
    assert named == {each.value for each in ErrorClass}
