"""Refusals of the ERP by class: its codes, and its words in English and Spanish."""

import pytest

from supplier_returns.execution.rules.failures import PASSING, ErrorClass, classify, passes


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
    ],
)
def test_a_refusal_has_a_class(code: int | str | None, text: str, expected: str) -> None:
    assert classify(code, text) is ErrorClass(expected)


def test_some_classes_pass_and_the_others_need_another_plan() -> None:
    assert {each for each in ErrorClass if passes(each.value)} == PASSING
    assert not passes(None)
