"""Users of the service who plan and execute, and the resulting returns in the simulated company."""

from typing import Any, Final

import httpx2

from erpsim.simulator import Simulator

PLANNINGS: Final = "/api/planificaciones"
GRANTED: Final = frozenset(
    f"bodega:{code}" for code in ("DP_Stock", "DP_EntradasAbiertas", "DP_Lotes", "DP_Series")
)
"""What the warehouse's user may run."""


def returns_of(sim: Simulator, planning_id: int) -> list[dict[str, Any]]:
    """Return the returns of a planning in the ERP."""
    rows: Any = sim.world.company.rows("PurchaseReturns")
    return [row for row in rows if row.get("U_LIB_Odev") == planning_id]


def open_lines(sim: Simulator) -> list[tuple[str, str]]:
    """Return supplier and item of the open receipt lines in warehouse 01 without batches or serials."""
    items: Any = sim.world.company.rows("Items")
    managed = {
        row["ItemCode"]
        for row in items
        if "tYES" in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
    }
    rows: Any = sim.world.company.rows("PurchaseDeliveryNotes")
    return [
        (receipt["CardCode"], line["ItemCode"])
        for receipt in sorted(rows, key=lambda row: (row["DocDate"], row["DocEntry"]))
        if receipt.get("DocumentStatus") == "bost_Open"
        for line in receipt["DocumentLines"]
        if line.get("WarehouseCode") == "01"
        and line.get("LineStatus") == "bost_Open"
        and line["ItemCode"] not in managed
    ]


def plain_items(sim: Simulator, count: int) -> list[str]:
    """Return items in warehouse 01 with stock and open receipts, but without batches and serial numbers."""
    return sorted({item for _, item in open_lines(sim)})[:count]


def items_of_different_suppliers(sim: Simulator, count: int) -> list[str]:
    """Return plain items with different suppliers in their oldest receipts. Each gets its own document."""
    oldest: dict[str, str] = {}
    for supplier, item in open_lines(sim):
        oldest.setdefault(item, supplier)
    chosen: dict[str, str] = {}
    for item, supplier in sorted(oldest.items()):
        chosen.setdefault(supplier, item)
    return list(chosen.values())[:count]


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


async def execute(client: httpx2.AsyncClient, detail: dict[str, Any], **more: Any) -> httpx2.Response:
    body = {"version": detail["version"], **more}
    return await client.post(f"{PLANNINGS}/{detail['id']}/devoluciones", json=body)


async def reprocess(client: httpx2.AsyncClient, detail: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = await client.post(f"{PLANNINGS}/{detail['id']}/reprocesar", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def executed(client: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    answer = await execute(client, detail)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def states(detail: dict[str, Any]) -> list[str]:
    return [document["estado"] for document in detail["documentos"]]
