"""Kill executions at every moment, lose replies and delay commits: the ERP gets each return once.

The test kills the executing process with SIGKILL, and another process reprocesses until every document is
resolved. The simulated ERP then has exactly the planned documents, and the record matches.
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from attrs import define

from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.faults import Action, BadGateway, CommitLate, Drop, Fault, When
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import SystemClock
from servicekit.testing.killing import KilledProcesses
from supplier_returns.app import create_app
from supplier_returns.components import open_components
from supplier_returns.settings.root import load_settings

pytestmark = pytest.mark.asyncio

CHILD: Final = Path(__file__).with_name("child.py")
GRANTED: Final = frozenset(
    f"bodega:{code}" for code in ("DP_Stock", "DP_EntradasAbiertas", "DP_Lotes", "DP_Series")
)
UNCERTAIN_WAIT_S: Final = 180
MOST_REPROCESSES: Final = 8
SUPPLIERS: Final = 2
PLENTY: Final = 10_000


@define
class Scene:
    """A company, a browser that plans in it, and processes that execute."""

    sim: Simulator
    browser: httpx2.AsyncClient
    processes: KilledProcesses
    items: list[str]
    counts: dict[str, int]

    async def plan(self) -> dict[str, Any]:
        """Plan one unit of a few items of different suppliers."""
        lines = [{"itemCode": item, "cantidad": 1} for item in self.items]
        answer = await self.browser.post(
            "/api/planificaciones",
            json={"cabecera": {"whsCode": "01"}, "lineas": lines, "permitirOtra": True},
        )
        assert answer.status_code == 201, answer.text
        detail: dict[str, Any] = answer.json()
        assert detail["documentos"], "there is nothing left to plan"
        return detail

    async def read(self, planning_id: int) -> dict[str, Any]:
        answer = await self.browser.get(f"/api/planificaciones/{planning_id}")
        assert answer.status_code == 200, answer.text
        detail: dict[str, Any] = answer.json()
        return detail

    async def resolve(self, planning_id: int, *, patient: bool) -> None:
        """Reprocess until every document is resolved, each time a little later.

        Args:
            planning_id: number of the planning.
            patient: whether to wait for late commits, as the waiting time does.
        """
        for attempt in range(MOST_REPROCESSES):
            if patient and attempt:
                await self.sim.late_commits()
            self.counts["reprocesses"] += 1
            ahead_s = attempt * (UNCERTAIN_WAIT_S + 20)
            answer = await self.processes.run("reprocess", planning=planning_id, ahead_s=ahead_s)
            if answer.get("state") == "ejecutada":
                break
            detail = await self.read(planning_id)
            if detail["estado"] == "planificada" and "reprocesar" not in detail["acciones"]:
                self.counts["begun anew"] += 1
                version = detail["version"]
                await self.processes.run("execute", planning=planning_id, version=version, ahead_s=ahead_s)
        await self.sim.late_commits()

    async def check(self, plan: dict[str, Any]) -> None:
        """Compare the returns in the ERP with the plan and with the record."""
        detail = await self.read(plan["id"])
        assert detail["estado"] == "ejecutada", detail["documentos"]
        rows: Any = self.sim.world.company.rows("PurchaseReturns")
        made = [row for row in rows if row.get("U_LIB_Odev") == plan["id"]]
        self.counts["returns"] += len(made)
        assert len(made) == len(plan["documentos"]), "a return too many or too few"
        assert {row["DocEntry"] for row in made} == {each["docEntry"] for each in detail["documentos"]}
        assert {each["estado"] for each in detail["documentos"]} == {"creado"}
        assert len({row["U_LIB_Clave"] for row in made}) == len(made)
        planned = sorted(
            (part["baseEntry"], part["baseLine"], Decimal(str(part["cantidadDocumento"])))
            for line in plan["lineas"]
            for part in line["asignaciones"]
        )
        returned = sorted(
            (line["BaseEntry"], line["BaseLine"], Decimal(str(line["Quantity"])))
            for row in made
            for line in row["DocumentLines"]
        )
        assert returned == planned


@asynccontextmanager
async def scene(fence: str) -> AsyncIterator[Scene]:
    """Start the simulated company, a browser and the forking process."""
    switches = Switches(sql_grants=GRANTED)
    async with run_sim(seed="returns", switches=switches) as sim:
        environment = {
            "SL_URL": sim.url,
            "SL_COMPANY_DB": "SBO_DEMO",
            "DB_TYPE": "HANA",
            "EXECUTION_FENCE": fence,
            "UNCERTAIN_WAIT": str(UNCERTAIN_WAIT_S),
            "SL_TIMEOUT": "10",
        }
        settings = load_settings({"CONFIG_FILE": "/dev/null", "ENVIRONMENT": "test", **environment})
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(CHILD), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        try:
            async with (
                open_components(settings, clock=SystemClock()) as components,
                httpx2.AsyncClient(
                    transport=httpx2.ASGITransport(app=create_app(components)),
                    base_url="http://returns",
                    timeout=30,
                ) as browser,
            ):
                for user in ("manager", "bodega"):
                    signed_in = await browser.post(
                        "/api/auth/login", json={"usuario": user, "clave": "erpsim"}
                    )
                    assert signed_in.status_code == 200
                    if user == "manager":
                        assert (await browser.post("/api/metadata/rebuild")).status_code == 200
                counts = {"killed": 0, "faults": 0, "reprocesses": 0, "begun anew": 0, "returns": 0}
                processes = KilledProcesses(process, environment)
                yield Scene(sim, browser, processes, receive_plenty(sim), counts)
                print(f"fence {fence}: {counts}")  # noqa: T201 - what was tried
        finally:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()


def receive_plenty(sim: Simulator) -> list[str]:
    """Receive enough of a few items of different suppliers for all runs. Return their codes."""
    chosen = items_of_suppliers(sim)
    # The execution's time zone may still be on the previous day, where later receipts don't count.
    received = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
    for supplier, item in chosen.items():
        line = {"ItemCode": item, "Quantity": PLENTY, "UnitPrice": 100, "WarehouseCode": "01"}
        receipt = {"CardCode": supplier, "DocDate": received, "DocumentLines": [line]}
        Desk(sim.world).create("PurchaseDeliveryNotes", receipt)
    return list(chosen.values())


def items_of_suppliers(sim: Simulator) -> dict[str, str]:
    """Return plain items by the supplier of their oldest receipt."""
    items: Any = sim.world.company.rows("Items")
    plain = {
        row["ItemCode"]
        for row in items
        if "tYES" not in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
    }
    oldest: dict[str, tuple[str, str]] = {}
    receipts: Any = sim.world.company.rows("PurchaseDeliveryNotes")
    for receipt in sorted(receipts, key=lambda row: (row["DocDate"], row["DocEntry"])):
        for line in receipt["DocumentLines"] if receipt.get("DocumentStatus") == "bost_Open" else ():
            if line.get("WarehouseCode") == "01" and line.get("LineStatus") == "bost_Open":
                oldest.setdefault(line["ItemCode"], (receipt["CardCode"], line["ItemCode"]))
    chosen: dict[str, str] = {}
    for code, (supplier, _) in sorted(oldest.items()):
        if code in plain:
            chosen.setdefault(supplier, code)
    return dict(list(chosen.items())[:SUPPLIERS])


TROUBLE: Final[tuple[Action, ...]] = (
    Drop(when=When.AFTER_WORK),
    Drop(when=When.BEFORE_WORK),
    BadGateway(when=When.AFTER_WORK),
    BadGateway(when=When.BEFORE_WORK),
    CommitLate(seconds=0.1),
    CommitLate(seconds=0.6),
)
WRITES: Final = (("POST", "$batch"), ("POST", "PurchaseReturns"), ("PATCH", "LIB_ODEV(*)"))


def trouble(dice: random.Random) -> list[Fault]:
    """Create a few faults for writing calls."""
    faults = []
    for _ in range(dice.randint(0, 2)):
        method, path = dice.choice(WRITES)
        faults.append(Fault(action=dice.choice(TROUBLE), method=method, path=path, nth=dice.randint(1, 4)))
    return faults


async def crash_once(at: Scene, *, patient: bool, faults: list[Fault], **kill: Any) -> dict[str, Any]:
    """Plan, execute in a process that is killed, reprocess in others until all is resolved, and compare."""
    plan = await at.plan()
    for fault in faults:
        at.sim.faults.add(fault)
    at.counts["faults"] += len(faults)
    answer = await at.processes.run("execute", planning=plan["id"], version=plan["version"], **kill)
    at.counts["killed"] += "killed" in answer
    await at.resolve(plan["id"], patient=patient)
    at.sim.faults.clear()
    if (await at.read(plan["id"]))["estado"] != "ejecutada":
        await at.resolve(plan["id"], patient=patient)  # without the remaining faults
    await at.check(plan)
    return answer


async def steps_of_an_execution(at: Scene) -> int:
    answer = await crash_once(at, patient=True, faults=[])
    assert answer["state"] == "ejecutada", answer
    steps: int = answer["steps"]
    return steps


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fence", ["auto", "off"])
async def test_each_return_is_created_once_when_killed_at_some_moments(fence: str) -> None:
    dice = random.Random(7)
    async with scene(fence) as at:
        steps = await steps_of_an_execution(at)
        for kill_at in sorted(dice.sample(range(steps), 6)):
            await crash_once(at, patient=fence == "off", faults=[], kill_at=kill_at)
        for _ in range(4):
            await crash_once(at, patient=fence == "off", faults=trouble(dice), kill_at=dice.randrange(steps))
        assert at.counts["killed"] >= 6


@pytest.mark.proof
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("fence", ["auto", "off"])
async def test_each_return_is_created_once_when_killed_at_every_await(fence: str) -> None:
    async with scene(fence) as at:
        steps = await steps_of_an_execution(at)
        for kill_at in range(steps):
            await crash_once(at, patient=fence == "off", faults=[], kill_at=kill_at)
        assert at.counts["killed"] >= steps - 10, "the last steps of a run are its own end"


@pytest.mark.proof
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("fence", ["auto", "off"])
async def test_each_return_is_created_once_with_500_kills_lost_replies_and_late_commits(fence: str) -> None:
    dice = random.Random(11)
    async with scene(fence) as at:
        for _ in range(500):
            await crash_once(
                at,
                patient=fence == "off",
                faults=trouble(dice),
                kill_after_s=dice.uniform(0.0, 0.3),
            )
