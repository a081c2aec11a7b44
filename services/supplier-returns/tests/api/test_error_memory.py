"""Failed requests leave nothing of the ERP's replies in memory, without any garbage collection."""

from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import PLANNINGS, items_of_different_suppliers, plan

from erpclient import ErpError, HttpReply
from erpsim.faults import Answer, Fault
from servicekit.errors import ServiceError
from servicekit.testing.remains import uncollected

if TYPE_CHECKING:
    from tests.api.conftest import Service

pytestmark = [pytest.mark.asyncio, pytest.mark.check]

TIMES = 10
ANSWER = Answer(status=200, body='{"value": [{"ItemCode": "', content_type="application/json")
"""Half an answer; erpclient's test_errors_kept has the other ways to fail."""

NEW: dict[str, Any] = {
    "cabecera": {"whsCode": "01"},
    "lineas": [{"itemCode": "A", "cantidad": 1}],
    "permitirOtra": True,
}
REQUESTS: dict[str, tuple[str, str, Any, str]] = {
    "list": ("GET", PLANNINGS, None, "LIB_ODEV*"),
    "planning": ("GET", f"{PLANNINGS}/1", None, "LIB_ODEV*"),
    "create": ("POST", PLANNINGS, NEW, "LIB_ODEV*"),
    "change": ("PATCH", f"{PLANNINGS}/1/cabecera", {"version": 1, "comentario": "x"}, "LIB_ODEV*"),
    "stock": ("POST", f"{PLANNINGS}/pegar", {"whsCode": "01", "texto": "a\t1"}, "SQLQueries*"),
    "execution": ("POST", f"{PLANNINGS}/1/devoluciones", {"version": 1}, "*"),
    "catalogue": ("GET", "/api/catalogos/almacenes?actualizar=true", None, "Warehouses*"),
    "status": ("GET", "/api/metadata/status", None, "*"),
    "rebuild": ("POST", "/api/metadata/rebuild", None, "*"),
}


@pytest.mark.parametrize("request_", REQUESTS)
async def test_ten_bad_answers_of_the_erp_leave_no_objects(stocked: "Service", request_: str) -> None:
    method, path, body, upstream = REQUESTS[request_]
    async with stocked.signed_in() as manager:
        await plan(manager, *items_of_different_suppliers(stocked.sim, 1))
        stocked.sim.faults.add(Fault(action=ANSWER, path=upstream, times=None))
        with uncollected(HttpReply, ErpError, ServiceError) as remains:
            for _ in range(TIMES):
                got: httpx2.Response = await manager.request(method, path, json=body)
                assert got.status_code >= 400
            assert await remains.names() == []
