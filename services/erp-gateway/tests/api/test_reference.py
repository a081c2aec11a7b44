"""Reference data from memory, counted in calls to the ERP: read once, never older than a write."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import structlog

from erpsim.faults import Delay, Drop, Fault, When

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

LIST = "Warehouses?$select=WarehouseCode,WarehouseName"
RECORD = "Warehouses/01?$select=WarehouseName"
ISLAND = {"STALE_IF_ERROR_S": "3600", "SESSION_TIMEOUT_MINUTES": "120"}


async def read(
    gateway: "Gateway", who: dict[str, str], path: str = LIST, **headers: str
) -> "httpx2.Response":
    return await gateway.http.get(f"/api/sl/{path}", headers={**who, **headers})


async def rename(gateway: "Gateway", who: dict[str, str], name: str) -> "httpx2.Response":
    return await gateway.http.patch("/api/sl/Warehouses/01", json={"WarehouseName": name}, headers=who)


def calls(sim: "Simulator", resource: str = "Warehouses") -> int:
    return len([call for call in sim.calls.of("GET") if call.path.startswith(resource)])


@pytest.mark.asyncio
async def test_a_fresh_reference_list_is_read_once(
    gateway: "Gateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    with structlog.testing.capture_logs() as logs:
        first = await read(gateway, ana)
        clock.advance(59.9)
        second = await read(gateway, luis)
    assert (first.status_code, second.status_code, calls(sim)) == (200, 200, 1)
    assert (second.content, second.headers["Content-Type"]) == (first.content, first.headers["Content-Type"])
    assert "Age" not in first.headers
    assert (second.headers["Age"], second.headers["Cache-Control"]) == ("59", "no-store")
    assert "X-ERP-Stale" not in second.headers
    assert second.headers["Server-Timing"].startswith("cached, total;dur=")
    figure = gateway.components.metrics_registry.get_sample_value
    assert figure("erp_cached_answers_total", {"kind": "fresh"}) == 1
    assert figure("erp_cached_answers_total", {"kind": "stale"}) == 0
    lines = [line for line in logs if line["event"] == "request_finished"]
    assert [line.get("cached") for line in lines] == [None, True]
    assert [line.get("upstream_calls") for line in lines] == [1, None]
    clock.advance(0.1)
    assert "Age" not in (await read(gateway, ana)).headers
    assert calls(sim) == 2


@pytest.mark.asyncio
async def test_records_and_lists_are_cached_per_query(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    for path in (RECORD, LIST, f"{LIST}&$top=1", f"{LIST}&$top=2", "Warehouses/02", "Warehouses/01"):
        first, again = await read(gateway, ana, path), await read(gateway, ana, path)
        assert (first.status_code, again.headers["Age"]) == (200, "0"), first.text
        assert again.content == first.content
    assert calls(sim) == 6
    spelt_otherwise = await read(gateway, ana, "Warehouses?%24select=WarehouseCode%2CWarehouseName")
    assert spelt_otherwise.headers["Age"] == "0"


@pytest.mark.asyncio
async def test_refusals_and_other_resources_are_never_cached(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    before = len(
        sim.calls.of("POST", "CompanyService_GetCompanyInfo")
    )  # the login asks for the company's name
    for _ in range(2):
        assert (await read(gateway, ana, "Warehouses/NONE")).status_code == 404
        assert "Age" not in (await read(gateway, ana, "Items?$top=1")).headers
        action = await gateway.http.post("/api/sl/CompanyService_GetCompanyInfo", headers=ana)
        assert (action.status_code, action.headers.get("Age")) == (200, None)
    assert (calls(sim), calls(sim, "Items")) == (2, 2)
    assert len(sim.calls.of("POST", "CompanyService_GetCompanyInfo")) == before + 2


@pytest.mark.asyncio
@pytest.mark.parametrize("said", ["no-cache", "max-age=0, No-Cache"])
async def test_a_no_cache_request_reads_the_erp_and_refreshes_the_cache(
    gateway: "Gateway", sim: "Simulator", said: str
) -> None:
    ana = await gateway.signed_in()
    await read(gateway, ana)
    assert "Age" in (await read(gateway, ana, **{"Cache-Control": "max-age=0"})).headers
    assert "Age" not in (await read(gateway, ana, **{"Cache-Control": said})).headers
    assert "Age" in (await read(gateway, ana)).headers
    assert calls(sim) == 2


@pytest.mark.asyncio
async def test_a_read_after_a_write_returns_the_new_record(gateway: "Gateway", sim: "Simulator") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    for number in range(3):
        await read(gateway, luis)
        await read(gateway, luis, RECORD)
        assert (await rename(gateway, ana, f"Bodega {number}")).status_code == 204
        assert (await read(gateway, luis, RECORD)).json()["WarehouseName"] == f"Bodega {number}"
        assert f"Bodega {number}" in (await read(gateway, luis)).text
    assert calls(sim) == 8


@pytest.mark.asyncio
async def test_the_cache_is_bypassed_while_a_write_is_in_flight(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_MAX_CONCURRENCY="2") as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        await read(gateway, luis)
        sim.faults.add(Fault(action=Delay(seconds=0.3), method="PATCH", path="Warehouses*"))
        writing = asyncio.create_task(rename(gateway, ana, "Bodega"))
        async with asyncio.timeout(30):
            while not sim.calls.of("PATCH"):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.001)
        assert "Age" not in (await read(gateway, luis)).headers
        assert (await writing).status_code == 204
        assert "Bodega" in (await read(gateway, luis)).text


@pytest.mark.asyncio
async def test_an_unknown_outcome_bypasses_the_cache_for_ten_minutes_across_restarts(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        await read(gateway, ana, RECORD)
        await read(gateway, ana, "Currencies")
        sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="PATCH", path="Warehouses*"))
        assert (await rename(gateway, ana, "Perdida")).json()["code"] == "outcome_unknown"
        for _ in range(2):
            assert (await read(gateway, ana, RECORD)).json()["WarehouseName"] == "Perdida"
        assert calls(sim) == 3
        assert "Age" in (await read(gateway, ana, "Currencies")).headers
    clock.advance(500)
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        for _ in range(2):
            assert "Age" not in (await read(gateway, ana, RECORD)).headers
        await read(gateway, ana, "Currencies")
        assert "Age" in (await read(gateway, ana, "Currencies")).headers
        clock.advance(600)
        await read(gateway, ana, RECORD)
        assert "Age" in (await read(gateway, ana, RECORD)).headers


@pytest.mark.asyncio
async def test_with_the_cache_off_every_read_is_a_call_without_cache_fields(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    with structlog.testing.capture_logs() as logs:
        async with open_gateway(sim, REFERENCE_FRESH_S="0") as gateway:
            ana = await gateway.signed_in()
            answers = [await read(gateway, ana), await read(gateway, ana)]
            assert answers[0].content == answers[1].content
            assert [answer.headers.get("Age") for answer in answers] == [None, None]
            assert calls(sim) == 2
            sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="Warehouses*", times=None))
            assert (await read(gateway, ana)).status_code == 502
    assert not [line for line in logs if "cached" in line or "stale" in line]


@pytest.mark.asyncio
async def test_in_island_mode_stale_reference_data_is_served_with_its_age(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with open_gateway(sim, **ISLAND) as gateway:
        ana = await gateway.signed_in()
        first = await read(gateway, ana)
        clock.advance(1200)
        sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), times=None))
        with structlog.testing.capture_logs() as logs:
            old = await read(gateway, ana)
        assert (old.status_code, old.content) == (200, first.content)
        assert (old.headers["Age"], old.headers["X-ERP-Stale"]) == ("1200", "true")
        (line,) = [line for line in logs if line["event"] == "request_finished"]
        assert (line["cached"], line["stale"], line["status"]) == (True, True, 200)
        for answer in (
            await read(gateway, ana, **{"Cache-Control": "no-cache"}),
            await read(gateway, ana, RECORD),
            await read(gateway, ana, "Items?$top=1"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (502, "upstream_unreachable")
        clock.advance(2400)
        assert (await read(gateway, ana)).status_code == 502


NAME = "customer_of_the_reference_tests"
MODULE = """
from erp_gateway.extensions import *

EXTENSION = Extension(
    replaces=Declarations(
        resources=(
            Resource(
                name="Warehouses", key=StrKey("WarehouseCode"), read_menu="/almacenes", write_menu=None,
                expand={"WarehouseLocation"}, reference=True, secret_fields=frozenset({"Street"}),
            ),
        ),
    ),
)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    (tmp_path / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": NAME}
    sys.modules.pop(NAME, None)


@pytest.mark.asyncio
async def test_the_cache_respects_permissions_and_hidden_fields(
    open_gateway: "OpenGateway", sim: "Simulator", installed: dict[str, str]
) -> None:
    async with open_gateway(sim, **installed) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        assert "Street" not in (await read(gateway, ana, "Warehouses/01")).json()
        kept = await read(gateway, ana, "Warehouses/01")
        assert kept.headers["Age"] == "0"
        assert "Street" not in kept.json()
        denied = await read(gateway, luis, "Warehouses/01")
        assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
        assert (await gateway.http.get("/api/sl/Warehouses/01")).status_code == 401


@pytest.mark.asyncio
async def test_a_read_with_expand_is_not_cached(
    open_gateway: "OpenGateway", sim: "Simulator", installed: dict[str, str]
) -> None:
    async with open_gateway(sim, **installed) as gateway:
        ana = await gateway.signed_in()
        for _ in range(2):
            answer = await read(gateway, ana, "Warehouses/01?$expand=WarehouseLocation")
            assert "Age" not in answer.headers
        assert calls(sim) == 2
