"""Validation of request bodies."""

from typing import Any

import pytest

from servicekit.endpoint.shapes import structure
from servicekit.errors import InvalidBody
from supplier_returns.planning.request_shapes import CreateBody, HeaderChanges, LineChanges

NEW: dict[str, Any] = {"cabecera": {"whsCode": "01"}, "lineas": [{"itemCode": "A", "cantidad": 1}]}


def paths(body: Any, shape: type[Any]) -> list[str]:
    with pytest.raises(InvalidBody) as caught:
        structure(body, shape)
    return [problem.path for problem in caught.value.errors]


def test_a_minimal_body_is_valid() -> None:
    body = structure(NEW, CreateBody)
    assert (body.cabecera.ind_traslado, body.huella, body.permitir_otra) == ("7", None, False)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"cabecera": {"whsCode": "123456789"}}, "cabecera.whsCode"),
        ({"cabecera": {"whsCode": "01", "serie": 0}}, "cabecera.serie"),
        ({"cabecera": {"whsCode": "01", "serie": 2**31}}, "cabecera.serie"),
        ({"cabecera": {"whsCode": "01", "indTraslado": "0"}}, "cabecera.indTraslado"),
        ({"cabecera": {"whsCode": "01", "tipoDespacho": "4"}}, "cabecera.tipoDespacho"),
        ({"cabecera": {"whsCode": "01", "fecha": "4/3/2026"}}, "cabecera.fecha"),
        ({"cabecera": {"whsCode": "01", "comentario": "x" * 255}}, "cabecera.comentario"),
        ({"cabecera": {"whsCode": "01", "comentario": "a\x00b"}}, "cabecera.comentario"),
        ({"cabecera": {"whsCode": "01", "motivo": ""}}, "cabecera.motivo"),
        ({"cabecera": {"whsCode": "01", "motivo": "a\nb"}}, "cabecera.motivo"),
        ({"lineas": []}, "lineas"),
        ({"lineas": [{"itemCode": f"A{number}", "cantidad": 1} for number in range(2_001)]}, "lineas"),
        ({"lineas": [{"itemCode": "", "cantidad": 1}]}, "lineas[0].itemCode"),
        ({"lineas": [{"itemCode": "A", "cantidad": 0}]}, "lineas[0].cantidad"),
        ({"lineas": [{"itemCode": "A", "cantidad": 10**12}]}, "lineas[0].cantidad"),
        ({"lineas": [{"itemCode": "A", "cantidad": 1, "filas": [0]}]}, "lineas[0].filas"),
        ({"lineas": [{"itemCode": "A", "cantidad": 1, "filas": [1] * 50_001}]}, "lineas[0].filas"),
        ({"huella": "abc"}, "huella"),
        ({"huella": "G" * 64}, "huella"),
        ({"permitirOtra": "sí"}, "permitirOtra"),
    ],
)
def test_an_invalid_field_of_a_new_planning_is_named(change: dict[str, Any], path: str) -> None:
    assert paths({**NEW, **change}, CreateBody) == [path]


def test_a_comment_may_have_several_lines() -> None:
    text = "Retira el proveedor.\nLlamar antes."
    body = structure({**NEW, "cabecera": {"whsCode": "01", "comentario": text}}, CreateBody)
    assert body.cabecera.comentario == text


def test_the_limit_counts_items_and_not_lines() -> None:
    lines = [
        {"itemCode": f"A{number // 2}", "cantidad": 1, "motivo": "RV"[number % 2]} for number in range(4_000)
    ]
    assert len(structure({**NEW, "lineas": lines}, CreateBody).lineas) == 4_000


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"lotes": [{"lote": "L", "cantidad": 1}] * 1_001}, "lotes"),
        ({"lotes": [{"lote": "L", "cantidad": -1}]}, "lotes[0].cantidad"),
        ({"series": ["x"] * 1_001}, "series"),
        ({"series": ["S1", ""]}, "series[1]"),
        ({"series": ["S1", "S1"]}, "series[1]"),
        ({"series": ["a\nb"]}, "series[0]"),
        ({"version": None}, "version"),
    ],
)
def test_an_invalid_field_of_a_line_change_is_named(change: dict[str, Any], path: str) -> None:
    assert paths({"version": 1, **change}, LineChanges) == [path]


def test_a_header_change_may_have_only_the_version() -> None:
    assert structure({"version": 3}, HeaderChanges).version == 3
    assert structure({"version": 3, "whsCode": "02"}, HeaderChanges).whs_code == "02"
    assert paths({"version": 3, "whsCode": ""}, HeaderChanges) == ["whsCode"]
    assert paths({}, HeaderChanges) == ["version"]
