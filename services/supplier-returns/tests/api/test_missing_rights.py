"""A refusal by the ERP names the missing right and contains the ERP's text."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx2
import pytest
import pytest_asyncio
from executions import PLANNINGS, execute, items_of_different_suppliers, plan

from erpsim.faults import Fault, Refuse

if TYPE_CHECKING:
    from tests.api.conftest import Service

pytestmark = pytest.mark.asyncio

WORDS = "You are not permitted to perform this action"
Ask: TypeAlias = Callable[[httpx2.AsyncClient, dict[str, Any]], Awaitable[httpx2.Response]]


def get(path: str) -> Ask:
    return lambda browser, planned: browser.get(path.format(planned["id"]))


def post(path: str, **body: Any) -> Ask:
    return lambda browser, planned: browser.post(path.format(planned["id"]), json=body)


def change(path: str, **body: Any) -> Ask:
    return lambda browser, planned: browser.patch(path.format(planned["id"]), json=body)


ONE = PLANNINGS + "/{}"
PASTE = post(f"{PLANNINGS}/pegar", whsCode="01", texto="a\t1")
NEW = {"cabecera": {"whsCode": "01"}, "lineas": [{"itemCode": "A", "cantidad": 1}], "permitirOtra": True}
MISSING = [
    ("LIB_ODEV", get(PLANNINGS), "LIB_ODEV"),
    ("LIB_ODEV*", get(ONE), "LIB_ODEV"),
    ("LIB_ODEV", post(PLANNINGS, **NEW), "LIB_ODEV"),
    ("LIB_ODEV", get(f"{PLANNINGS}/abierta?whsCode=01"), "LIB_ODEV"),
    ("LIB_ODEV*", change(f"{ONE}/cabecera", version=1, comentario="x"), "LIB_ODEV"),
    ("Warehouses", PASTE, "Warehouses"),
    ("Warehouses", get("/api/catalogos/almacenes"), "Warehouses"),
    ("CompanyService_GetAdminInfo", PASTE, "CompanyService_GetAdminInfo"),
    ("SeriesService_GetDocumentSeries", get("/api/catalogos"), "SeriesService_GetDocumentSeries"),
    ("SQLQueries*", PASTE, "Service Layer SQL Query: DP_Stock"),
    ("PurchaseReturns", post(f"{ONE}/reprocesar"), "PurchaseReturns"),
    ("PurchaseReturns", post(f"{ONE}/cerrar"), "PurchaseReturns"),
    ("PurchaseReturns", execute, "PurchaseReturns"),
]


@pytest_asyncio.fixture
async def planned(stocked: "Service") -> AsyncIterator[dict[str, Any]]:
    async with stocked.signed_in("bodega") as browser:
        yield await plan(browser, *items_of_different_suppliers(stocked.sim, 1))


@pytest.mark.parametrize(
    ("path", "ask", "name"), MISSING, ids=[f"{number} {path}" for number, (path, _, _) in enumerate(MISSING)]
)
async def test_every_403_names_the_missing_authorisation(
    stocked: "Service", planned: dict[str, Any], path: str, ask: Ask, name: str
) -> None:
    """Uses a new session, which has no cached catalogue."""
    async with stocked.signed_in("bodega") as browser:
        stocked.sim.faults.add(Fault(action=Refuse(status=403, code=-6006, text=WORDS), path=path))
        body = (await ask(browser, planned)).json()
    assert (body["status"], body["code"], body["authorization"]) == (403, "erp_forbidden", name)
    assert f"«{name}»" in body["detail"]
    assert body["upstream"] == {"code": -6006, "message": WORDS}
