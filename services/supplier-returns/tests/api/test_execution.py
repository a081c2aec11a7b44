"""Executing, reprocessing and closing through the whole application on the simulated company."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import pytest_asyncio

from erpsim.company.switches import Switches
from erpsim.simulator import Simulator, run_sim

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

PLANNINGS = "/api/planificaciones"
GRANTED = frozenset({"bodega:DP_Stock", "bodega:DP_EntradasAbiertas"})


@pytest_asyncio.fixture
async def stocked(open_service: "OpenService") -> AsyncIterator["Service"]:
    """A company with goods to send back, its metadata in order, `bodega` granted the queries."""
    async with (
        run_sim(seed="returns", switches=Switches(sql_grants=GRANTED)) as sim,
        open_service(sim) as opened,
    ):
        async with opened.signed_in() as manager:
            done = await manager.post("/api/metadata/rebuild")
            assert done.status_code == 200, done.text
        yield opened


@pytest_asyncio.fixture
async def bodega(stocked: "Service") -> AsyncIterator[httpx2.AsyncClient]:
    async with stocked.signed_in("bodega") as client:
        yield client


def returns_of(sim: Simulator, planning_id: int) -> list[dict[str, Any]]:
    """The returns that the ERP holds of a planning."""
    rows: Any = sim.world.company.rows("PurchaseReturns")
    return [row for row in rows if row.get("U_LIB_Odev") == planning_id]


def plain_items(sim: Simulator, count: int) -> list[str]:
    """Items with stock and open receipts in warehouse 01 that have neither batches nor serial numbers."""
    items: Any = sim.world.company.rows("Items")
    managed = {
        row["ItemCode"]
        for row in items
        if "tYES" in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
    }
    rows: Any = sim.world.company.rows("PurchaseDeliveryNotes")
    found: dict[str, set[str]] = {}
    for receipt in rows:
        if receipt.get("DocumentStatus") == "bost_Open":
            for line in receipt["DocumentLines"]:
                if line.get("WarehouseCode") == "01" and line.get("LineStatus") == "bost_Open":
                    found.setdefault(line["ItemCode"], set()).add(receipt["CardCode"])
    return [code for code in sorted(found) if code not in managed][:count]


async def plan(client: httpx2.AsyncClient, *items: str, quantity: int = 2) -> dict[str, Any]:
    answer = await client.post(
        PLANNINGS,
        json={
            "cabecera": {"whsCode": "01"},
            "lineas": [{"itemCode": item, "cantidad": quantity} for item in items],
            "permitirOtra": True,
        },
    )
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_executing_makes_each_planned_document_once(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 6))
    assert "devoluciones" in detail["acciones"]
    with stocked.counting() as calls:
        answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/devoluciones", json={"version": 1})
    assert answer.status_code == 200, answer.text
    done = answer.json()
    assert {document["estado"] for document in done["documentos"]} == {"creado"}, done["documentos"]
    assert done["estado"] == "ejecutada"
    made = returns_of(stocked.sim, detail["id"])
    assert len(made) == len(done["documentos"])
    planned = {
        (part["docId"], part["baseEntry"], part["baseLine"]): Decimal(str(part["cantidadDocumento"]))
        for line in detail["lineas"]
        for part in line["asignaciones"]
    }
    by_entry = {document["docEntry"]: document["docId"] for document in done["documentos"]}
    returned = {
        (by_entry[row["DocEntry"]], line["BaseEntry"], line["BaseLine"]): Decimal(str(line["Quantity"]))
        for row in made
        for line in row["DocumentLines"]
    }
    assert returned == planned
    count = len(done["documentos"])
    assert len(calls) <= 6 * count + 6, [f"{call.method} {call.path}" for call in calls]
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == done
