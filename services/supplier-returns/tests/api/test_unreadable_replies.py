"""Replies of the ERP with missing or mistyped fields lead to the declared 502, never to a 500."""

import json
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import pytest_asyncio

from erpsim.faults import Answer, Fault

if TYPE_CHECKING:
    from tests.api.conftest import Service

pytestmark = pytest.mark.asyncio

DEEP = "[" * 3_000 + "]" * 3_000
ONE = "/api/planificaciones/1"

ROWS: dict[str, Any] = {
    "no rows": {},
    "rows of another kind": {"value": 7, "odata.count": "1"},
    "rows that are none": {"value": None, "odata.count": "1"},
    "a row that is none": {"value": [None], "odata.count": "1"},
    "a row that is a text": {"value": ["x"], "odata.count": "1"},
    "an empty row": {"value": [{}], "odata.count": "1"},
    "no count": {"value": []},
}


def rows_with(**fields: Any) -> dict[str, Any]:
    return {"value": [fields], "odata.count": "1"}


WRONG: list[tuple[str, str, str, Any]] = [
    *(("/api/catalogos/almacenes", "GET", "Warehouses*", body) for body in ROWS.values()),
    ("/api/catalogos/almacenes", "GET", "Warehouses*", rows_with(WarehouseCode=1)),
    ("/api/catalogos/almacenes", "GET", "Warehouses*", rows_with(WarehouseCode="01", WarehouseName=[1])),
    ("/api/catalogos", "POST", "SeriesService_GetDocumentSeries", {}),
    ("/api/catalogos", "POST", "SeriesService_GetDocumentSeries", {"value": [{}]}),
    ("/api/catalogos", "POST", "SeriesService_GetDocumentSeries", {"value": [{"Series": "x"}]}),
    ("/api/catalogos", "POST", "SeriesService_GetDocumentSeries", {"value": {"Series": 1}}),
    ("/api/catalogos", "POST", "CompanyService_GetAdminInfo", {}),
    ("/api/catalogos", "POST", "CompanyService_GetAdminInfo", {"AccuracyofQuantities": None}),
    ("/api/catalogos", "POST", "CompanyService_GetAdminInfo", {"AccuracyofQuantities": "2"}),
    ("/api/catalogos", "POST", "CompanyService_GetAdminInfo", {"AccuracyofQuantities": 2.5}),
    ("/api/catalogos?actualizar=true", "GET", "UserFieldsMD*", rows_with(Name=1)),
    ("/api/catalogos?actualizar=true", "GET", "UserFieldsMD*", rows_with(Name="Motivo", ValidValuesMD=[{}])),
    ("/api/catalogos?actualizar=true", "GET", "UserFieldsMD*", rows_with(Name="Motivo", ValidValuesMD=None)),
    ("/api/metadata/status", "GET", "UserTablesMD*", rows_with(TableName="LIB_ODEV")),
    ("/api/metadata/status", "GET", "UserFieldsMD*", rows_with(TableName="@LIB_ODEV", Name="x", FieldID="1")),
    ("/api/metadata/status", "GET", "UserObjectsMD*", {"Code": "LIB_ODEV", "TableName": 1}),
    ("/api/metadata/status", "GET", "SQLQueries*", rows_with(SqlCode=None)),
    (ONE, "GET", "LIB_ODEV*", {}),
    (ONE, "GET", "LIB_ODEV*", {"DocEntry": "1", "U_WhsCode": "01", "U_Fecha": "2026-01-01"}),
    (ONE, "GET", "LIB_ODEV*", {"DocEntry": 1, "U_WhsCode": "01", "U_Fecha": "hoy"}),
    ("/api/planificaciones", "GET", "LIB_ODEV*", rows_with(U_WhsCode="01", U_Fecha="2026-01-01")),
    ("/api/planificaciones", "GET", "LIB_ODEV*", {"value": [7], "odata.count": "1"}),
    ("/api/planificaciones/abierta", "GET", "LIB_ODEV*", rows_with(U_WhsCode="01", U_Fecha="2026-01-01")),
    ("/api/planificaciones/abierta", "GET", "LIB_ODEV*", {"value": [7], "odata.count": "1"}),
]
UNREADABLE = {"upstream_unreadable", "planning_unreadable"}


@pytest_asyncio.fixture
async def client(manager: httpx2.AsyncClient) -> httpx2.AsyncClient:
    assert (await manager.post("/api/metadata/rebuild")).status_code == 200
    return manager


async def answer_to(service: "Service", client: httpx2.AsyncClient, wrong: tuple[str, str, str, str]) -> Any:
    path, method, upstream, body = wrong
    answer = Answer(status=200, body=body, content_type="application/json")
    fault = service.sim.faults.add(Fault(action=answer, method=method, path=upstream, times=None))
    found = await client.get(path)
    service.sim.faults.remove(fault)
    return found


async def test_a_reply_with_a_missing_or_mistyped_field_is_unreadable(
    service: "Service", client: httpx2.AsyncClient
) -> None:
    for path, method, upstream, body in WRONG:
        answer = await answer_to(service, client, (path, method, upstream, json.dumps(body)))
        assert (answer.status_code, answer.json()["code"] in UNREADABLE) == (502, True), (
            path,
            upstream,
            body,
        )


async def test_missing_price_decimals_are_accepted(service: "Service", client: httpx2.AsyncClient) -> None:
    body = json.dumps({"AccuracyofQuantities": 2, "PriceAccuracy": "2"})
    answer = await answer_to(service, client, ("/api/catalogos", "POST", "CompanyService_GetAdminInfo", body))
    assert answer.status_code == 200


@pytest.mark.parametrize("text", [DEEP, '{"value": ' + DEEP + ', "odata.count": "1"}', "<html>", " "])
async def test_a_reply_with_invalid_json_is_unreadable(
    service: "Service", client: httpx2.AsyncClient, text: str
) -> None:
    for path, method, upstream in dict.fromkeys(wrong[:3] for wrong in WRONG):
        answer = await answer_to(service, client, (path, method, upstream, text))
        assert (answer.status_code, answer.json()["code"] in UNREADABLE) == (502, True), (path, upstream)


async def test_a_longer_page_than_requested_is_cut(service: "Service", client: httpx2.AsyncClient) -> None:
    row = {"DocEntry": 1, "U_WhsCode": "01", "U_Fecha": "2026-01-01", "U_Estado": "P", "Status": "O"}
    body = json.dumps(
        {"value": [row | {"DocEntry": number} for number in range(1, 2001)], "odata.count": "2000"}
    )
    answer = await answer_to(service, client, ("/api/planificaciones?tamano=10", "GET", "LIB_ODEV*", body))
    listed = answer.json()
    assert (answer.status_code, listed["total"], listed["paginas"]) == (200, 2000, 200)
    assert [each["id"] for each in listed["datos"]] == list(range(1, 11))
