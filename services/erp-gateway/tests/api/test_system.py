"""`GET /api/system`: what an administrator sees of the service, and that nobody else does."""

import asyncio
import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from erpsim.faults import Answer, BadGateway, Delay, Fault

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock


async def look(gateway: "Gateway", headers: dict[str, str]) -> dict[str, Any]:
    answer = await gateway.http.get("/api/system", headers=headers)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.asyncio
async def test_the_status_of_an_idle_service_is_complete(gateway: "Gateway", clock: "ManualClock") -> None:
    ana = await gateway.signed_in()
    await gateway.signed_in("luis")
    clock.advance(90)
    state = await look(gateway, ana)
    assert state.pop("printing")["engine"] == "browser"
    assert state == {
        "version": version("erp-gateway"),
        "startedAt": "2026-03-02T14:05:09.120Z",
        "uptimeS": 90,
        "erp": {"status": "ok", "reason": None, "ping": "pong", "session": "active"},
        "queue": {"waiting": 0, "running": 0, "users": []},
        "sessions": {"live": 2},
        "reportGateway": {"configured": False, "waiting": 0, "running": 0},
        "database": {"engine": None, "waiting": 0, "running": 0},
        "store": {"engine": "sqlite"},
        "audit": {"owed": 0},
        "log": {"droppedAudit": 0, "droppedOther": 0},
        "doctor": None,
        "errors": [],
    }


@pytest.mark.asyncio
async def test_the_status_shows_which_modules_are_configured(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    further = {
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": "/tmp/none.sqlite",
        "APIGATEWAY_URL": "http://127.0.0.1:1",
        "APIGATEWAY_COMPANY_DB": "SBO_DEMO",
        "APIGATEWAY_USER": "manager",
        "APIGATEWAY_PASSWORD": "erpsim",
    }
    for engine, available in ("weasyprint", True), ("browser", False), ("none", False):
        printing = {"HTML_PDF_ENGINE": engine, "BROWSER_BIN": os.devnull}
        async with open_gateway(sim, **further, **printing) as gateway:
            state = await look(gateway, await gateway.signed_in())
        assert state["database"]["engine"] == "sqlite"
        assert state["reportGateway"]["configured"] is True
        assert (state["printing"]["engine"], state["printing"]["available"]) == (engine, available)


@pytest.mark.asyncio
async def test_queued_requests_are_listed_by_user(gateway: "Gateway", sim: "Simulator") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    sim.faults.add(Fault(action=Delay(seconds=3.0), method="GET", path="Items"))
    paths = [(ana, "Items"), (luis, "Currencies"), (luis, "Countries"), (ana, "Projects")]
    asking = [asyncio.create_task(gateway.http.get(f"/api/sl/{name}", headers=who)) for who, name in paths]
    while not sim.calls.of("GET", "Items"):  # noqa: ASYNC110 - the simulator has no event for it
        await asyncio.sleep(0.005)
    queue = (await look(gateway, ana))["queue"]
    assert (queue["waiting"], queue["running"]) == (3, 1)
    assert [(each["user"], each["waiting"]) for each in queue["users"]] == [("luis", 2), ("ana", 1)]
    assert all(0 < each["longestS"] < 30 for each in queue["users"])
    assert [answer.status_code for answer in await asyncio.gather(*asking)] == [200] * 4


@pytest.mark.asyncio
async def test_recent_failures_are_listed_without_request_data(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=BadGateway(), method="GET", path="Items*"))
    failed = await gateway.http.get(
        "/api/sl/Items/SENTINEL", headers={**ana, "X-Request-ID": "req-7"}, params={"$select": "ItemName"}
    )
    assert failed.status_code == 502
    assert (await gateway.http.get("/api/sl/Nothing", headers=ana)).status_code == 404
    state = await look(gateway, ana)
    assert state["errors"] == [
        {
            "at": "2026-03-02T14:05:09.120Z",
            "method": "GET",
            "route": "/api/sl/{resource}/{key}",
            "status": 502,
            "code": failed.json()["code"],
            "requestId": "req-7",
        }
    ]
    assert "SENTINEL" not in str(state)


@pytest.mark.asyncio
async def test_an_unreachable_erp_is_reported_and_the_status_stays_200(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Answer(status=503), method="GET", path="ping/*"))
    state = await look(gateway, ana)
    assert (state["erp"]["status"], state["erp"]["reason"]) == ("unavailable", "unreachable")


@pytest.mark.asyncio
async def test_the_system_status_is_for_administrators_only(gateway: "Gateway") -> None:
    assert (await gateway.http.get("/api/system")).status_code == 401
    denied = await gateway.http.get("/api/system", headers=await gateway.signed_in("luis"))
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")


DOCTOR = """{"doctor": 1, "startedAt": "2026-03-02T05:00:00.000Z", "checks": [
{"name": "network.name", "outcome": "ok"}, {"name": "network.tls", "outcome": "fail"},
{"name": "people.passwords", "outcome": "warn"}, {"name": "network.answer", "outcome": "skipped"}]}"""


@pytest.mark.asyncio
async def test_the_last_complete_doctor_run_is_reported(
    open_gateway: "OpenGateway", sim: "Simulator", tmp_path: Path
) -> None:
    file = tmp_path / "doctor.json"
    async with open_gateway(sim, DOCTOR_REPORT=str(file)) as gateway:
        ana = await gateway.signed_in()
        figures = gateway.components.metrics_registry
        for unreadable in (None, "", DOCTOR[:40]):
            if unreadable is not None:
                file.write_text(unreadable, encoding="utf-8")
            assert (await look(gateway, ana))["doctor"] is None
            assert figures.get_sample_value("doctor_last_run_timestamp_seconds") == 0
            assert figures.get_sample_value("doctor_checks", {"outcome": "fail"}) == 0
        file.write_text(DOCTOR, encoding="utf-8")
        assert (await look(gateway, ana))["doctor"] == {
            "at": "2026-03-02T05:00:00.000Z",
            "ok": 1,
            "warnings": 1,
            "failures": 1,
            "skipped": 1,
            "failed": ["network.tls"],
        }
        assert figures.get_sample_value("doctor_last_run_timestamp_seconds") == 1_772_427_600
        assert figures.get_sample_value("doctor_checks", {"outcome": "fail"}) == 1
