"""What the record says of returns, whatever happened between it and the ERP."""

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import (
    PLANNINGS,
    execute,
    executed,
    items_of_different_suppliers,
    plan,
    reprocess,
    returns_of,
    states,
)

from erpsim.faults import BadGateway, Delay, Fault, Refuse

if TYPE_CHECKING:
    from tests.api.conftest import Service

pytestmark = pytest.mark.asyncio

NO_STOCK = Refuse(status=400, code=-10, text="Quantity falls into negative inventory")
LOCKED = Refuse(status=400, code=-4013, text="Posting period locked; specify an alternative date")


async def seen(client: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    answer = await client.get(f"{PLANNINGS}/{detail['id']}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# --- what is given up is planned anew in the same write


async def test_what_failed_is_not_given_up_where_it_could_not_be_planned_anew(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    failed = await executed(bodega, detail)
    assert states(failed) == ["error", "creado"]
    stocked.sim.faults.add(Fault(action=BadGateway(), path="SQLQueries('DP_Stock')/List", nth=2))
    answer = await bodega.post(f"{PLANNINGS}/{detail['id']}/reprocesar")
    assert answer.status_code == 502, answer.text
    stocked.sim.faults.clear()
    after = await seen(bodega, detail)
    assert (after["estado"], states(after)) == ("con_errores", ["error", "creado"])
    done = await reprocess(bodega, after)
    assert states(done) == ["omitido", "creado", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 2


async def test_a_run_that_stops_before_it_plans_anew_says_of_each_document_what_is_on_record(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 2))
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    stocked.sim.faults.add(Fault(action=LOCKED, path="$batch", nth=2))
    failed = await executed(bodega, detail)
    assert [each["clase"] for each in failed["documentos"]] == ["stock", "periodo"], failed
    stocked.sim.faults.clear()
    stocked.sim.calls.clear()
    stocked.sim.faults.add(Fault(action=Delay(seconds=0.5), path="LIB_ODEV(*)", method="PATCH"))
    running = asyncio.create_task(reprocess(bodega, failed))
    await stocked.arrived("PATCH", f"LIB_ODEV({detail['id']})")
    stocked.components.execution.stop()
    answered = await running
    assert answered == await seen(bodega, detail)
    assert (answered["estado"], states(answered)[0]) == ("con_errores", "error")


# --- nobody's documents are made unasked


async def test_reprocessing_makes_no_document_that_nobody_asked_for(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *items_of_different_suppliers(stocked.sim, 3))
    stocked.sim.faults.add(Fault(action=NO_STOCK, path="$batch"))
    failed = (await execute(bodega, detail, documentos=[1])).json()
    assert states(failed) == ["error", "pendiente", "pendiente"]
    again = await reprocess(bodega, failed)
    assert states(again) == ["omitido", "pendiente", "pendiente", "creado"]
    assert len(returns_of(stocked.sim, detail["id"])) == 1
