"""Executions in the real process: stopped by a signal, and killed while browsers wait."""

import asyncio
import random
import signal
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from service_process import arrived, started

from erpsim.company.switches import Switches
from erpsim.faults import Delay, Fault
from erpsim.simulator import Simulator, run_sim

pytestmark = pytest.mark.asyncio

PLANNINGS: Final = "/api/planificaciones"
MANAGER: Final = {"usuario": "manager", "clave": "erpsim"}
WAIT: Final = {"SL_TIMEOUT": "2", "UNCERTAIN_WAIT": "12"}
"""The shortest waiting time that goes with such calls."""
MOST_TRIES: Final = 200


def items(sim: Simulator) -> list[str]:
    """Plain items in stock whose oldest receipts belong to different suppliers."""
    rows: Any = sim.world.company.rows("Items")
    plain = {
        row["ItemCode"]
        for row in rows
        if "tYES" not in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
    }
    oldest: dict[str, str] = {}
    receipts: Any = sim.world.company.rows("PurchaseDeliveryNotes")
    for receipt in sorted(receipts, key=lambda row: (row["DocDate"], row["DocEntry"])):
        for line in receipt["DocumentLines"] if receipt.get("DocumentStatus") == "bost_Open" else ():
            if line.get("WarehouseCode") == "01" and line.get("LineStatus") == "bost_Open":
                oldest.setdefault(line["ItemCode"], receipt["CardCode"])
    chosen: dict[str, str] = {}
    for code, supplier in sorted(oldest.items()):
        if code in plain:
            chosen.setdefault(supplier, code)
    return list(chosen.values())[:3]


async def sign_in(client: httpx2.AsyncClient) -> None:
    client.cookies.clear()
    assert (await client.post("/api/auth/login", json=MANAGER)).status_code == 200


async def plan(client: httpx2.AsyncClient, sim: Simulator) -> dict[str, Any]:
    lines = [{"itemCode": item, "cantidad": 1} for item in items(sim)]
    new = {"cabecera": {"whsCode": "01"}, "lineas": lines, "permitirOtra": True}
    answer = await client.post(PLANNINGS, json=new)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def returns_of(sim: Simulator, planning_id: int) -> list[dict[str, Any]]:
    rows: Any = sim.world.company.rows("PurchaseReturns")
    return [row for row in rows if row.get("U_LIB_Odev") == planning_id]


async def test_a_signal_lets_the_current_document_finish(tmp_path: Path) -> None:
    async with run_sim(seed="returns", switches=Switches()) as sim:
        async with started(sim.url, tmp_path, **WAIT) as (server, client):
            await sign_in(client)
            assert (await client.post("/api/metadata/rebuild")).status_code == 200
            detail = await plan(client, sim)
            assert len(detail["documentos"]) == 3
            sim.calls.clear()
            sim.faults.add(Fault(action=Delay(seconds=0.5), path="$batch"))
            running = asyncio.create_task(
                client.post(f"{PLANNINGS}/{detail['id']}/devoluciones", json={"version": 1})
            )
            await arrived(sim, "POST", "$batch")
            server.process.send_signal(signal.SIGTERM)
            answer = await running
            assert answer.status_code == 200, answer.text
            assert await server.ended() == 0
        stopped = answer.json()
        assert [each["estado"] for each in stopped["documentos"]] == ["creado", "pendiente", "pendiente"]
        assert len(returns_of(sim, detail["id"])) == 1
        assert sim.calls.of("POST", "Logout"), "the session is closed after the execution"
        async with started(sim.url, tmp_path, **WAIT) as (_, client):
            await sign_in(client)
            path = f"{PLANNINGS}/{detail['id']}"
            shown = (await client.get(path)).json()
            assert shown["documentos"] == stopped["documentos"]
            done = (await client.post(f"{path}/devoluciones", json={"version": shown["version"]})).json()
        assert done["estado"] == "ejecutada"
        assert len(returns_of(sim, detail["id"])) == 3


async def kill_and_retry(sim: Simulator, folder: Path, dice: random.Random) -> None:
    """Execute, kill the service at a random moment while another browser retries, and finish in a new one."""
    async with started(sim.url, folder, **WAIT) as (server, client):
        await sign_in(client)
        detail = await plan(client, sim)
        path = f"{PLANNINGS}/{detail['id']}"
        async with httpx2.AsyncClient(base_url=client.base_url, timeout=30, trust_env=False) as other:
            await sign_in(other)
            requests = [
                asyncio.create_task(each.post(f"{path}/devoluciones", json={"version": 1}))
                for each in (client, other)
            ]
            await asyncio.sleep(dice.uniform(0.0, 0.4))
            server.process.kill()
            await asyncio.gather(*requests, return_exceptions=True)
    async with started(sim.url, folder, **WAIT) as (_, client):
        await sign_in(client)
        shown: dict[str, Any] = {}
        for _ in range(MOST_TRIES):
            shown = (await client.get(path)).json()
            if shown["estado"] == "ejecutada":
                break
            if "reprocesar" in shown["acciones"]:
                await client.post(f"{path}/reprocesar", json={})
            else:
                await client.post(f"{path}/devoluciones", json={"version": shown["version"]})
            await asyncio.sleep(0.3)
        assert shown["estado"] == "ejecutada", shown["documentos"]
    made = returns_of(sim, detail["id"])
    assert len(made) == len(detail["documentos"])
    assert {row["DocEntry"] for row in made} == {each["docEntry"] for each in shown["documentos"]}


async def prepare(sim: Simulator, folder: Path) -> None:
    async with started(sim.url, folder, **WAIT) as (_, client):
        await sign_in(client)
        assert (await client.post("/api/metadata/rebuild")).status_code == 200


async def test_each_return_is_created_once_if_the_service_is_killed_while_browsers_wait(
    tmp_path: Path,
) -> None:
    async with run_sim(seed="returns") as sim:
        await prepare(sim, tmp_path)
        for seed in range(2):
            await kill_and_retry(sim, tmp_path, random.Random(seed))


@pytest.mark.proof
@pytest.mark.timeout(1800)
async def test_each_return_is_created_once_if_the_service_is_killed_fifty_times(tmp_path: Path) -> None:
    async with run_sim(seed="returns") as sim:
        await prepare(sim, tmp_path)
        dice = random.Random(5)
        for _ in range(50):
            await kill_and_retry(sim, tmp_path, dice)
