"""Executions that take longer than the response may: 202, and their progress until the end."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import httpx2
import pytest
import pytest_asyncio
from executions import PLANNINGS, execute, items_of_different_suppliers, plan, returns_of, states

from erpsim.faults import Delay, Fault, Refuse
from servicekit.clock import ManualClock
from supplier_returns.app import create_app

if TYPE_CHECKING:
    from tests.api.conftest import Service

pytestmark = pytest.mark.asyncio

COUNT: Final = 3
SOON_S: Final = 0.5
"""Instead of 25 s; the ERP below takes four times as long for one call."""
SLOW_S: Final = 2.0


@pytest_asyncio.fixture
async def hurried(stocked: "Service") -> AsyncIterator["Service"]:
    """The same application with a shorter response limit."""
    app = create_app(stocked.components, answer_within_s=SOON_S)
    yield type(stocked)(app, stocked.components, stocked.sim, stocked.described)


@pytest_asyncio.fixture
async def bodega(hurried: "Service") -> AsyncIterator[httpx2.AsyncClient]:
    async with hurried.signed_in("bodega") as client:
        yield client


async def follow(client: httpx2.AsyncClient, planning_id: int) -> Sequence[dict[str, Any]]:
    """Poll a planning until its run ends. Return the observed states."""
    observed: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while not observed or observed[-1]["estado"] == "en_proceso":
            answer = await client.get(f"{PLANNINGS}/{planning_id}")
            assert answer.status_code == 200, answer.text
            observed.append(answer.json())
            await asyncio.sleep(0.05)
    return observed


async def test_a_long_execution_is_answered_with_202_and_can_be_polled(
    hurried: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(hurried.sim, COUNT))
    hurried.sim.faults.add(Fault(action=Delay(seconds=SLOW_S), path="$batch", nth=2))
    answer = await execute(bodega, detail)
    assert answer.status_code == 202, answer.text
    so_far = answer.json()
    assert (so_far["id"], so_far["estado"], so_far["acciones"]) == (detail["id"], "en_proceso", [])
    assert set(states(so_far)) <= {"creado", "en_proceso", "pendiente"}
    again = await execute(bodega, detail)
    assert (again.status_code, again.json()["code"]) == (409, "in_progress")
    observed = await follow(bodega, detail["id"])
    made = [states(each).count("creado") for each in observed]
    assert made == sorted(made), "nothing that was made is ever shown as waiting again"
    assert (observed[-1]["estado"], made[-1]) == ("ejecutada", COUNT)
    assert len(returns_of(hurried.sim, detail["id"])) == COUNT


@pytest.mark.check
async def test_the_202_response_does_not_wait_for_the_busy_session(
    hurried: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(hurried.sim, COUNT))
    async with hurried.signed_in("manager", ip="10.0.0.8") as other:
        hurried.sim.faults.add(Fault(action=Delay(seconds=4 * SLOW_S), path="SQLQueries*"))
        hurried.sim.calls.clear()
        answer = await execute(bodega, detail)
        assert answer.status_code == 202, answer.text
        (busy,) = (call for call in hurried.sim.calls if call.path.startswith("SQLQueries"))
        assert busy.ended_at is None, "it is still reading the stock"
        assert (answer.json()["estado"], states(answer.json())) == ("en_proceso", ["pendiente"] * COUNT)
        listed = await other.get(PLANNINGS)
        assert [row["estado"] for row in listed.json()["datos"]] == ["en_proceso"]
    assert (await follow(bodega, detail["id"]))[-1]["estado"] == "ejecutada"


async def test_a_long_reprocessing_is_answered_with_202(
    hurried: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(hurried.sim, COUNT))
    locked = Refuse(status=400, code=-4013, text="Posting period locked; specify an alternative date")
    hurried.sim.faults.add(Fault(action=locked, path="$batch", times=COUNT))
    await execute(bodega, detail)
    failed = (await follow(bodega, detail["id"]))[-1]
    assert states(failed) == ["error"] * COUNT
    hurried.sim.faults.add(Fault(action=Delay(seconds=SLOW_S), path="$batch"))
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar")
    assert (answer.status_code, answer.json()["estado"]) == (202, "en_proceso")
    assert states((await follow(bodega, detail["id"]))[-1]) == ["creado"] * COUNT


async def test_a_failure_after_the_202_response_is_shown_on_the_planning(
    hurried: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(hurried.sim, COUNT))
    hurried.sim.faults.add(Fault(action=Delay(seconds=SLOW_S), path="$batch"))
    rule = Refuse(status=400, code=-1116, text="(7) Falta el motivo")
    hurried.sim.faults.add(Fault(action=rule, path="$batch", times=COUNT))
    assert (await execute(bodega, detail)).status_code == 202
    failed = (await follow(bodega, detail["id"]))[-1]
    assert (failed["estado"], states(failed)) == ("con_errores", ["error"] * COUNT)
    assert {each["mensaje"] for each in failed["documentos"]} == {"(7) Falta el motivo"}
    assert "reprocesar" in failed["acciones"]


@pytest.mark.parametrize("loss", ["logout", "expiry"])
async def test_the_stream_ends_with_the_session_while_the_execution_continues(
    hurried: "Service", bodega: httpx2.AsyncClient, clock: ManualClock, loss: str
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(hurried.sim, COUNT))
    hurried.sim.calls.clear()
    hurried.sim.faults.add(Fault(action=Delay(seconds=SLOW_S), path="$batch", times=None))
    listening = asyncio.create_task(
        bodega.post(
            f"{PLANNINGS}/{detail['id']}/devoluciones",
            json={"version": detail["version"]},
            headers={"Accept": "text/event-stream"},
        )
    )
    await hurried.arrived("POST", "$batch")
    if loss == "logout":
        assert (await bodega.post("/api/auth/logout")).status_code == 204
    else:
        clock.advance(3 * 3600)
    events = (await listening).text.strip().split("\n\n")
    name, data = events[-1].split("\ndata: ")
    assert (name, json.loads(data)["code"]) == ("event: error", "session_expired")
    assert "event: resultado" not in "".join(events)
    assert len([each for each in events if each.startswith("event: progreso")]) < COUNT
    async with hurried.signed_in("manager", ip="10.0.0.8") as other:
        assert (await follow(other, detail["id"]))[-1]["estado"] == "ejecutada"
    assert len(returns_of(hurried.sim, detail["id"])) == COUNT
