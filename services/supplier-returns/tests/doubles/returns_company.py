"""Simulated company with returnable goods for the API tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from executions import PLANNINGS

from erpsim.simulator import Simulator

PASSWORD = "erpsim"


def open_lines(sim: Simulator, whs_code: str = "01") -> dict[str, list[dict[str, Any]]]:
    """Return the open receipt lines of a warehouse in the simulated company, by item."""
    found: dict[str, list[dict[str, Any]]] = {}
    rows: Any = sim.world.company.rows("PurchaseDeliveryNotes")  # sparse rows: unset fields are absent
    for receipt in rows:
        if receipt.get("DocumentStatus") != "bost_Open" or receipt.get("Cancelled", "tNO") != "tNO":
            continue
        for line in receipt.get("DocumentLines", ()):
            if line.get("WarehouseCode") == whs_code and line.get("LineStatus") == "bost_Open":
                found.setdefault(line["ItemCode"], []).append(line)
    return found


async def plan(client: httpx2.AsyncClient, *items: str, quantity: int = 2, **more: Any) -> dict[str, Any]:
    answer = await client.post(
        PLANNINGS,
        json={
            "cabecera": {"whsCode": "01"},
            "lineas": [{"itemCode": item, "cantidad": quantity} for item in items],
            **more,
        },
    )
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


@asynccontextmanager
async def administrator_of(sim: Simulator) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a session of the Service Layer itself."""
    async with httpx2.AsyncClient(base_url=f"{sim.url}/", timeout=30) as layer:
        login = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": PASSWORD}
        opened = await layer.post("Login", json=login)
        layer.headers["Cookie"] = opened.headers["set-cookie"].partition(";")[0]
        yield layer
