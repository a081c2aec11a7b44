"""Content of the catalogues, and their ERP calls."""

from typing import TYPE_CHECKING

import httpx2
import pytest

from erpsim.company.exchange import Value
from erpsim.faults import Fault, Refuse
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Service


@pytest.mark.asyncio
async def test_all_catalogues_take_four_calls_and_are_then_cached(
    service: "Service", manager: httpx2.AsyncClient, clock: ManualClock
) -> None:
    with service.counting() as calls:
        catalogues = (await manager.get("/api/catalogos")).json()
    assert len(calls) == 3, "signing in has asked for the valid values"
    with service.counting() as calls:
        assert (await manager.get("/api/catalogos")).json() == catalogues
        assert (await manager.get("/api/catalogos/almacenes")).json() == catalogues["almacenes"]
    assert calls == []
    clock.advance(299)
    with service.counting() as calls:
        await manager.get("/api/catalogos?actualizar=false")
    assert calls == []
    clock.advance(1)
    with service.counting() as calls:
        await manager.get("/api/catalogos")
    assert len(calls) == 4
    with service.counting() as calls:
        await manager.get("/api/catalogos/almacenes?actualizar=true")
    assert [call.path for call in calls] == ["Warehouses"]


@pytest.mark.asyncio
async def test_the_catalogues_have_the_values_of_the_company(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    found = (await manager.get("/api/catalogos")).json()
    company = service.sim.world.company
    stored = {row["WarehouseCode"]: row for row in company.rows("Warehouses")}
    assert {row["whsCode"]: row["nombre"] for row in found["almacenes"]} == {
        code: row["WarehouseName"] for code, row in stored.items()
    }
    for row in found["almacenes"]:
        bins = stored[row["whsCode"]].get("EnableBinLocations")
        assert row["ubicaciones"] is (bins == "tYES")
        assert row["inactivo"] is (stored[row["whsCode"]].get("Inactive") == "tYES")
    assert found["series"]
    assert {"serie", "nombre", "prefijo", "siguiente", "bloqueada", "electronica"} == set(found["series"][0])
    assert {"codigo": "7", "nombre": "Guía de devolución"} in found["indTraslado"]
    assert [row["codigo"] for row in found["tipoDespacho"]] == ["1", "2", "3"]
    assert {"codigo": "VENC", "nombre": "Vencido o por vencer"} in found["motivos"]
    assert found["decimalesCantidad"] == company.admin_info()["AccuracyofQuantities"]
    assert found["maxLineas"] == 60


@pytest.mark.asyncio
async def test_valid_values_come_from_the_erp_if_it_has_any(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    await manager.post("/api/metadata/rebuild")
    company = service.sim.world.company
    (row,) = [
        row
        for row in company.rows("UserFieldsMD")
        if (row["TableName"], row["Name"]) == ("@LIB_ODEV", "Motivo")
    ]
    with company.transaction():
        values: list[Value] = [{"Value": "MIO", "Description": "Mío"}, {"Value": "X", "Description": None}]
        company.update("UserFieldsMD", {**row, "ValidValuesMD": values})
    found = (await manager.get("/api/catalogos?actualizar=true")).json()
    assert found["motivos"] == [{"codigo": "MIO", "nombre": "Mío"}, {"codigo": "X", "nombre": "X"}]


@pytest.mark.asyncio
async def test_a_user_without_access_to_definitions_gets_the_default_values(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(
        Fault(action=Refuse(status=403, code=-5006, text="no"), path="UserFieldsMD*", times=None)
    )
    found = await manager.get("/api/catalogos")
    assert found.status_code == 200
    assert found.json()["motivos"][0]["codigo"] == "VENC"


@pytest.mark.asyncio
async def test_many_warehouses_are_read_in_several_pages(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    company = service.sim.world.company
    pattern = next(iter(company.rows("Warehouses")))
    with company.transaction():
        for number in range(1200):
            company.insert("Warehouses", {**pattern, "WarehouseCode": f"W{number:04}"})
    with service.counting() as calls:
        found = (await manager.get("/api/catalogos/almacenes")).json()
    assert len(calls) == 3
    assert len({row["whsCode"] for row in found}) == len(found) == len(list(company.rows("Warehouses")))


@pytest.mark.asyncio
@pytest.mark.parametrize("query", ["actualizar=si", "otro=1", "actualizar=true&actualizar=true"])
async def test_an_invalid_parameter_is_refused(manager: httpx2.AsyncClient, query: str) -> None:
    answer = await manager.get(f"/api/catalogos?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")


@pytest.mark.asyncio
async def test_each_session_has_its_own_cache(service: "Service") -> None:
    for user in ("manager", "bodega"):
        async with service.signed_in(user) as client:
            with service.counting() as calls:
                assert (await client.get("/api/catalogos/almacenes")).status_code == 200
            assert [call.user for call in calls] == [user]
