"""ERP calls of each request, compared with docs/measurements.md."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import plain_items
from returns_company import open_lines

from erpsim.process.ports import Listening
from erpsim.simulator import Simulator, run_sim
from supplier_returns.app import list_endpoints

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

PAGE = Path(__file__).parents[4] / "docs/measurements.md"
ROW = re.compile(r"^\| (`[A-Z]+ /.*?) \| ([0-9]+)", re.MULTILINE)


def documented_calls() -> dict[str, int]:
    """Return the numbers on the page, by method and path."""
    section = PAGE.read_text(encoding="utf-8").partition("## Calls of supplier-returns")[2]
    rows = ROW.findall(section.partition("\n## ")[0])
    return {request: int(calls) for cell, calls in rows for request in re.findall(r"`([^`]*)`", cell)}


class Counted:
    """A browser that counts the ERP calls of each of its requests."""

    def __init__(self, service: "Service", browser: httpx2.AsyncClient) -> None:
        self._service = service
        self._browser = browser
        self.calls: dict[str, int] = {}

    async def ask(self, request: str, body: object = None, **named: Any) -> Any:
        """Send a request, as `GET /planificaciones/{id}`, and store the cost of the first of its kind."""
        method, path = request.split()
        with self._service.counting() as calls:
            answer = await self._browser.request(method, "/api" + path.format(**named), json=body)
            assert answer.status_code < 300, answer.text
            if path == "/auth/logout":  # answered without a call
                await self._service.arrived("POST", "Logout")
        self.calls.setdefault(request, len(calls))
        return answer.json() if answer.headers.get("content-type") == "application/json" else None


def batched_item(sim: Simulator) -> str:
    """Return an item with returnable batches."""
    items: Any = sim.world.company.rows("Items")
    batched = {row["ItemCode"] for row in items if row.get("ManageBatchNumbers") == "tYES"}
    return next(item for item in open_lines(sim) if item in batched)


async def walk(counted: Counted, item: str, batched: str) -> None:
    """Use every route, with one planning from the paste to its end."""
    ask, lines = counted.ask, [{"itemCode": item, "cantidad": 1}]
    await ask("POST /auth/login", {"usuario": "manager", "clave": "erpsim"})
    for path in ("/health", "/health/erp", "/auth/info", "/auth/me", "/metadata/status"):
        await ask(f"GET {path}")
    await ask("POST /metadata/rebuild", {"simular": False})
    for path in ("/catalogos", "/catalogos/almacenes", "/planificaciones", "/planificaciones/abierta"):
        await ask(f"GET {path}")
    await ask("POST /planificaciones/pegar", {"whsCode": "01", "texto": f"Código\tCantidad\n{item}\t1"})
    new = {"cabecera": {"whsCode": "01"}, "lineas": lines}
    planning = await ask("POST /planificaciones", new)
    where: dict[str, Any] = {"id": planning["id"], "lineId": 1}
    await ask("GET /planificaciones/{id}", **where)
    await ask("GET /planificaciones/{id}/faltantes", **where)
    for request, change in (
        ("PATCH /planificaciones/{id}/cabecera", {"comentario": "Retira el proveedor"}),
        ("PATCH /planificaciones/{id}/lineas/{lineId}", {"cantidad": 2}),
        ("POST /planificaciones/{id}/lineas", {"lineas": lines}),
        ("POST /planificaciones/{id}/replanificar", {}),
        ("POST /planificaciones/{id}/devoluciones", {}),
    ):
        planning = await ask(request, {"version": planning["version"], **change}, **where)
    assert [each["estado"] for each in planning["documentos"]] == ["creado"]
    await ask("POST /planificaciones/{id}/reprocesar", {}, **where)
    await ask("POST /planificaciones/{id}/pdf", {}, **where)
    await ask("POST /planificaciones/{id}/cerrar", {}, **where)
    of_batches = {**new, "lineas": [{"itemCode": batched, "cantidad": 1}]}
    planning = await ask("POST /planificaciones", of_batches)
    await ask("GET /planificaciones/{id}/lineas/{lineId}/lotes", id=planning["id"], lineId=1)
    await ask("POST /auth/logout")


@pytest.mark.check
@pytest.mark.asyncio
async def test_each_request_takes_the_documented_number_of_erp_calls(open_service: "OpenService") -> None:
    async with (
        run_sim(seed="returns", listening=Listening(tax_documents_port=0)) as sim,
        open_service(sim) as service,
    ):
        async with service.signed_in() as installer:
            assert (await installer.post("/api/metadata/rebuild")).status_code == 200
            await installer.post("/api/auth/logout")
            await service.arrived("POST", "Logout")
        sim.calls.clear()
        async with service.client_at() as browser:
            counted = Counted(service, browser)
            await walk(counted, plain_items(sim, 1)[0], batched_item(sim))
        endpoints = list_endpoints(service.components)
    assert set(counted.calls) == {f"{each.method} {each.path.removeprefix('/api')}" for each in endpoints}
    assert documented_calls() == {request: calls for request, calls in counted.calls.items() if calls}
