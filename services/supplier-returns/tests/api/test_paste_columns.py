"""A paste with unknown columns: the response, the user's choice, and the plan."""

import hashlib
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import PLANNINGS
from returns_company import open_lines

if TYPE_CHECKING:
    from tests.api.conftest import Service

pytestmark = pytest.mark.asyncio

PASTE = f"{PLANNINGS}/pegar"


async def paste(client: httpx2.AsyncClient, text: str, **more: Any) -> httpx2.Response:
    return await client.post(PASTE, json={"whsCode": "01", "texto": text, **more})


async def test_unknown_columns_are_assigned_by_the_user_and_planned(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item = min(open_lines(stocked.sim))
    text = f"Listado\t2026\n\nReferencia\tSaldo\tPrecio\tMala\n{item}\t40\t1500\t3\n"
    with stocked.counting() as calls:
        unknown = await paste(bodega, text)
    assert (unknown.status_code, unknown.json()["code"]) == (422, "columns_unknown")
    assert not [call for call in calls if "SQLQueries" in call.path], "nothing is read to plan"
    refusal = unknown.json()
    assert refusal["filas"] == text_rows(text)
    assert [each["indice"] for each in refusal["columnas"]] == [0, 1, 2, 3]
    assert refusal["columnas"][0]["posibles"][0] == "codigo"
    assert refusal["columnas"][3]["posibles"][0] == "cantidad"

    columns = {"codigo": 0, "cantidad": 3, "motivo": None, "almacen": None, "comentario": None}
    response = await paste(bodega, text, columnas=columns)
    assert response.status_code == 200, response.text
    shown = response.json()
    assert shown["columnas"] == {"codigo": 0, "cantidad": 3}
    assert [(line["itemCode"], line["cantidad"]) for line in shown["lineas"]] == [(item, 3)]
    skipped = [note["fila"] for note in shown["avisos"] if note["code"] == "row_without_quantity"]
    assert skipped == [1, 3]
    assert shown["huella"] == hashlib.sha256(text.encode()).hexdigest()
    lines = [{"itemCode": item, "cantidad": 3, "filas": shown["lineas"][0]["filas"]}]
    body = {"cabecera": {"whsCode": "01"}, "lineas": lines, "huella": shown["huella"]}
    assert (await bodega.post(PLANNINGS, json=body)).status_code == 201


def text_rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines() if line]


async def test_unknown_columns_of_a_large_paste_are_returned(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    text = "A\t40\t3\n" * 20_000
    unknown = await paste(bodega, text)
    assert (unknown.status_code, unknown.json()["code"]) == (422, "columns_unknown")
    assert len(unknown.json()["filas"]) == 5
    shown = await paste(bodega, text, columnas={"codigo": 0, "cantidad": 2})
    assert shown.status_code == 200, shown.text
    assert shown.json()["lineas"][0]["cantidad"] == 60_000


@pytest.mark.parametrize(
    ("columns", "paths"),
    [
        ({"codigo": 0, "cantidad": 9}, ["columnas.cantidad"]),
        ({"codigo": -1, "cantidad": 1}, ["columnas.codigo"]),
        ({"codigo": 0, "cantidad": 0}, ["columnas.cantidad"]),
        ({"codigo": 0, "cantidad": 2, "motivo": 0}, ["columnas.motivo"]),
        ({"codigo": None, "cantidad": 2}, ["columnas.codigo"]),
        ({"cantidad": 2}, ["columnas.codigo"]),
        ({"codigo": 0}, ["columnas.cantidad"]),
        ({"codigo": "0", "cantidad": 2}, ["columnas.codigo"]),
        ({"codigo": 0, "cantidad": True}, ["columnas.cantidad"]),
        ({"codigo": 0, "cantidad": 1.5}, ["columnas.cantidad"]),
        ({"codigo": 0, "cantidad": [2]}, ["columnas.cantidad"]),
        ({"codigo": 0, "cantidad": 2, "precio": 1}, ["columnas.precio"]),
        ({"Codigo": 0, "cantidad": 2}, ["columnas.Codigo", "columnas.codigo"]),
        ({"codigo": 0, "cantidad": 10**30}, ["columnas.cantidad"]),
        ([0, 2], ["columnas"]),
        ("0,2", ["columnas"]),
    ],
)
async def test_invalid_columns_are_refused_by_name(
    bodega: httpx2.AsyncClient, columns: Any, paths: list[str]
) -> None:
    answer = await paste(bodega, "A\t40\t3\n", columnas=columns)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert sorted(problem["path"] for problem in answer.json()["errors"]) == sorted(paths)


async def test_null_columns_are_recognized(bodega: httpx2.AsyncClient) -> None:
    assert (await paste(bodega, "A\t3\n", columnas=None)).status_code == 200
    assert (await paste(bodega, "", columnas={"codigo": 0, "cantidad": 1})).status_code == 400
