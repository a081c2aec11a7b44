"""Warnings of documents as codes in the ERP's record, with and without the field for them."""

import asyncio
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from executions import (
    PLANNINGS,
    execute,
    items_of_different_suppliers,
    plan,
    reprocess,
    returns_of,
)
from ready_company import company
from returns_company import administrator_of

from erpsim.desk import Desk
from erpsim.faults import CommitLate, Delay, Fault
from erpsim.simulator import Simulator

if TYPE_CHECKING:
    from tests.api.conftest import OpenService

pytestmark = pytest.mark.asyncio

OTHER_CONTENT = "El plan cambió mientras se hacía esta devolución: compárela con lo planificado."


def remove_field(sim: Simulator) -> None:
    """Give the company the metadata of version 0.1.0."""
    fields: Any = sim.world.company.rows("UserFieldsMD")
    field = next(row for row in fields if (row["TableName"], row["Name"]) == ("@LIB_DEV3", "CodAviso"))
    Desk(sim.world).delete("UserFieldsMD", ("@LIB_DEV3", field["FieldID"]))


async def record(sim: Simulator, planning_id: int) -> list[dict[str, Any]]:
    """Return the rows of the planning's documents."""
    async with administrator_of(sim) as layer:
        found = await layer.get(f"LIB_ODEV({planning_id})")
        rows: list[dict[str, Any]] = sorted(found.json()["LIB_DEV3Collection"], key=itemgetter("LineId"))
        return rows


async def write_message(sim: Simulator, planning_id: int, doc_id: int, text: str, **more: object) -> None:
    """Change the message of a document in the ERP."""
    async with administrator_of(sim) as layer:
        rows = [{"LineId": doc_id, "U_Mensaje": text, **more}]
        changed = await layer.patch(f"LIB_ODEV({planning_id})", json={"LIB_DEV3Collection": rows})
        assert changed.status_code == 204, changed.text


async def read_planning(client: httpx2.AsyncClient, detail: dict[str, Any]) -> dict[str, Any]:
    """Read the planning."""
    found: dict[str, Any] = (await client.get(f"{PLANNINGS}/{detail['id']}")).json()
    return found


async def with_a_late_plan(sim: Simulator, client: httpx2.AsyncClient) -> dict[str, Any]:
    """Execute the first of two documents while a change that excludes its line arrives late.

    The first document then has other content than recorded, and the second is on hold.
    """
    detail = await plan(client, *items_of_different_suppliers(sim, 2))
    sim.faults.add(Fault(action=CommitLate(seconds=600), method="PATCH", path="LIB_ODEV(*)"))
    late = await client.patch(f"{PLANNINGS}/{detail['id']}/lineas/1", json={"version": 1, "excluida": True})
    assert late.status_code in (502, 504), late.text
    sim.faults.clear()
    sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="LIB_ODEV(*)", nth=2))
    running = asyncio.create_task(execute(client, detail, documentos=[1]))
    async with asyncio.timeout(60):
        while not returns_of(sim, detail["id"]):  # noqa: ASYNC110 - the ERP signals nothing
            await asyncio.sleep(0.01)
    await sim.late_commits()
    done: dict[str, Any] = (await running).json()
    assert done["documentos"][0]["mensaje"] == OTHER_CONTENT
    assert "Compárelas antes de ejecutarla" in done["documentos"][1]["mensaje"]
    return done


async def test_the_rules_read_the_code_and_not_the_sentence(open_service: "OpenService") -> None:
    async with company() as sim, open_service(sim) as service, service.signed_in() as client:
        done = await with_a_late_plan(sim, client)
        first, second = await record(sim, done["id"])
        assert (first["U_CodAviso"], second["U_CodAviso"]) == ("otro_contenido", "plan_cambiado")
        await write_message(sim, done["id"], 1, "Otro texto.")
        await write_message(sim, done["id"], 2, "Revise primero.", U_Clave="ODEV-1-2-00000000", U_Intentos=1)
        again = await reprocess(client, await read_planning(client, done))
        assert [each["mensaje"] for each in again["documentos"]] == ["Otro texto.", "Revise primero."]
        assert [each["estado"] for each in again["documentos"]] == ["creado", "pendiente"]


async def test_without_the_field_the_rules_read_the_sentence(open_service: "OpenService") -> None:
    async with company() as sim:
        remove_field(sim)
        async with open_service(sim) as service, service.signed_in() as client:
            done = await with_a_late_plan(sim, client)
            assert all("U_CodAviso" not in row for row in await record(sim, done["id"]))
            assert await reprocess(client, done) == done
            text = f"Antes. {done['documentos'][1]['mensaje']} Después."
            started = {"U_Clave": "ODEV-1-2-00000000", "U_Intentos": 1}
            await write_message(sim, done["id"], 2, text, **started)
            again = await reprocess(client, await read_planning(client, done))
            assert (again["documentos"][1]["estado"], again["documentos"][1]["mensaje"]) == (
                "pendiente",
                text,
            )
            assert len(returns_of(sim, done["id"])) == 1


async def test_a_record_of_0_1_0_gets_its_codes_with_the_next_write(
    open_service: "OpenService",
) -> None:
    async with company() as sim, open_service(sim) as service, service.signed_in() as client:
        done = await with_a_late_plan(sim, client)
        for doc_id in (1, 2):
            message = done["documentos"][doc_id - 1]["mensaje"]
            await write_message(sim, done["id"], doc_id, message, U_CodAviso=None)
        assert await read_planning(client, done) == done
        assert await reprocess(client, done) == done, "reprocessing leaves documents on hold alone"
        sent = await execute(client, done)
        assert [each["estado"] for each in sent.json()["documentos"]] == ["creado", "creado"]
        first, second = await record(sim, done["id"])
        assert (first["U_CodAviso"], second["U_CodAviso"]) == ("otro_contenido", None)
