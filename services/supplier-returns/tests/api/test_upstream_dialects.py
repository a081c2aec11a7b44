"""Both versions of the Service Layer's protocol, and replies of another form."""

import json
from typing import TYPE_CHECKING

import httpx2
import pytest

from erpsim.faults import Answer, Fault
from erpsim.simulator import Simulator

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service


@pytest.mark.asyncio
async def test_v2_gives_the_same_results_as_v1(open_service: "OpenService", sim: Simulator) -> None:
    async with (
        open_service(sim) as first,
        open_service(sim, url=sim.url_v2) as second,
        first.signed_in() as v1,
        second.signed_in() as v2,
    ):
        assert (await v2.post("/api/metadata/rebuild")).json()["errores"] == []
        for path in ("/api/auth/me", "/api/metadata/status", "/api/catalogos", "/api/planificaciones"):
            answer = await v2.get(path)
            assert (answer.status_code, answer.json()) == (200, (await v1.get(path)).json()), path
        assert (await v2.get("/api/catalogos")).json()["series"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("/api/catalogos/almacenes", "Warehouses*"),
        ("/api/catalogos", "SeriesService_GetDocumentSeries"),
        ("/api/catalogos", "CompanyService_GetAdminInfo"),
        ("/api/metadata/status", "UserTablesMD*"),
        ("/api/metadata/status", "SQLQueries*"),
    ],
)
async def test_a_reply_of_another_form_is_unreadable(
    service: "Service", manager: httpx2.AsyncClient, path: str, call: str
) -> None:
    body = json.dumps({"odata.count": "1", "value": [{"Name": "Primario"}]})
    service.sim.faults.add(
        Fault(action=Answer(status=200, body=body, content_type="application/json"), path=call, times=1)
    )
    answer = await manager.get(path)
    assert (answer.status_code, answer.json()["code"]) == (502, "upstream_unreadable")
    assert (await manager.get(path)).status_code == 200


@pytest.mark.asyncio
async def test_a_rebuild_with_such_a_reply_ends_with_the_same_error(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    body = json.dumps({"odata.count": "1", "value": [{"Name": "X"}]})
    fault = Fault(
        action=Answer(status=200, body=body, content_type="application/json"), path="UserFieldsMD*", times=1
    )
    service.sim.faults.add(fault)
    answer = await manager.post("/api/metadata/rebuild")
    assert (answer.status_code, answer.json()["code"]) == (502, "upstream_unreadable")
