"""An unknown create is looked up by the number that its record carries; without it nothing is guessed."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from structlog.testing import capture_logs

from erpclient import Caller
from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, Drop, Fault, Refuse, When
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

FIELD = "U_GW_Clave"
ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
LOST = Drop(when=When.AFTER_WORK)
NEVER_ARRIVED = Drop(when=When.BEFORE_WORK)


@asynccontextmanager
async def traced(
    open_gateway: "OpenGateway", sim: "Simulator", **further: str
) -> AsyncIterator[tuple["Gateway", dict[str, str]]]:
    """Open the gateway on a company whose documents have the field, with an administrator signed in."""
    async with open_gateway(sim, WRITE_TRACE_FIELD=FIELD, **further) as gateway:
        field = {"Name": FIELD[2:], "TableName": "ORDR", "Type": "db_Alpha", "Size": 32, "Description": "x"}
        if not any(call.status == 201 for call in sim.calls.of("POST", "UserFieldsMD")):
            await gateway.components.client.create(
                "UserFieldsMD", json.dumps(field).encode(), caller=Caller("test")
            )
        yield gateway, await gateway.signed_in()


async def create(
    gateway: "Gateway", headers: dict[str, str], body: object = ORDER, **more: str
) -> dict[str, Any]:
    answer = await gateway.http.post("/api/sl/Orders", json=body, headers={**headers, **more})
    return {"status": answer.status_code, **(answer.json() if answer.content else {})}


async def only_write(gateway: "Gateway", headers: dict[str, str]) -> dict[str, Any]:
    (item,) = (await gateway.http.get("/api/writes", headers=headers)).json()["items"]
    write: dict[str, Any] = item
    return write


async def look_after(gateway: "Gateway", clock: "ManualClock", seconds: float) -> int:
    lookups = gateway.components.writes.lookups
    assert lookups is not None
    clock.advance(seconds)
    return await lookups.run_due()


@pytest.mark.asyncio
async def test_a_new_document_carries_its_write_number_which_clients_cannot_set(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with traced(open_gateway, sim) as (gateway, ana):
        created = await create(gateway, ana)
        assert created[FIELD] == (await only_write(gateway, ana))["id"]
        refused = await create(gateway, ana, {**ORDER, FIELD.upper(): "x"})
        assert (refused["status"], refused["code"]) == (400, "invalid_body")
        changed = await gateway.http.patch("/api/sl/Orders/1", json={FIELD: "x"}, headers=ana)
        assert changed.status_code == 400
        item = await gateway.http.post(
            "/api/sl/Items", json={"ItemCode": "new", "ItemName": "x"}, headers=ana
        )
        assert item.status_code == 201
        assert FIELD.encode() not in sim.calls.of("POST", "Items")[0].body


@pytest.mark.asyncio
async def test_a_lost_document_found_once_is_done(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim) as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        assert (await create(gateway, ana, **{"Idempotency-Key": "k"}))["code"] == "outcome_unknown"
        waiting = await only_write(gateway, ana)
        assert (waiting["result"], waiting["nextLookAt"]) == ("unknown", "2026-03-02T14:05:39.120Z")
        stopped = await create(gateway, ana, **{"Idempotency-Key": "k"})
        assert (stopped["code"], stopped["nextStep"], stopped["nextLookAt"]) == (
            "first_outcome_unknown",
            "wait",
            waiting["nextLookAt"],
        )
        assert await look_after(gateway, clock, 29.9) == 0
        assert await look_after(gateway, clock, 0.1) == 1
        found = await only_write(gateway, ana)
        assert (found["result"], found["endedBy"], found["foundIn"], found["nextLookAt"]) == (
            "done",
            "lookup",
            None,
            None,
        )
        stored = (await gateway.http.get(f"/api/sl/Orders/{found['key']}", headers=ana)).json()
        assert stored[FIELD] == found["id"]
        (record,) = (await gateway.http.get("/api/audit?accion=write_settled", headers=ana)).json()["items"]
        assert (record["webUser"], record["resource"], record["key"], record["reason"]) == (
            "lookup",
            "Orders",
            found["key"],
            "done",
        )
        assert record["requestId"] == found["requestId"]
        again = await gateway.http.post("/api/sl/Orders", json=ORDER, headers={**ana, "Idempotency-Key": "k"})
        assert (again.status_code, again.headers["Location"]) == (201, f"/api/sl/Orders/{found['key']}")
        assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_a_write_not_found_by_the_last_lookup_becomes_not_done(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="1,2.5") as (gateway, ana):
        sim.faults.add(Fault(action=NEVER_ARRIVED, method="POST", path="Orders"))
        await create(gateway, ana, **{"Idempotency-Key": "k"})
        assert await look_after(gateway, clock, 1) == 1
        still = await only_write(gateway, ana)
        assert (still["result"], still["nextLookAt"]) == ("unknown", "2026-03-02T14:05:11.620Z")
        assert await look_after(gateway, clock, 1.5) == 1
        assert (await only_write(gateway, ana))["result"] == "not_done"
        assert (await create(gateway, ana, **{"Idempotency-Key": "k"}))["status"] == 201


@pytest.mark.asyncio
async def test_a_document_that_approval_caught_is_found_among_the_drafts(
    open_gateway: "OpenGateway", clock: "ManualClock"
) -> None:
    switches = Switches(approval_procedure=frozenset({"Orders"}))
    async with run_sim(switches=switches) as sim:
        async with traced(open_gateway, sim):
            pass  # the superuser adds the field; whom approval catches is another
        async with traced(open_gateway, sim, ERP_SL_USER="bodega") as (gateway, ana):
            sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
            await create(gateway, ana, **{"Idempotency-Key": "k"})
            await look_after(gateway, clock, 30)
            found = await only_write(gateway, ana)
            assert (found["result"], found["foundIn"]) == ("done", "Drafts")
            settled = {
                resource: [each["action"] for each in await history(gateway, ana, resource, found["key"])]
                for resource in ("Drafts", "Orders")
            }
            assert settled == {"Drafts": ["write_settled"], "Orders": []}
            again = await create(gateway, ana, **{"Idempotency-Key": "k"})
            assert (again["status"], again["code"], again["draft"]) == (
                400,
                "maybe_in_approval",
                found["key"],
            )
        assert len(sim.calls.of("POST", "Orders")) == 1


async def history(gateway: "Gateway", ana: dict[str, str], resource: str, key: str) -> list[dict[str, Any]]:
    """Return what the audit knows of a record."""
    answer = await gateway.http.get(f"/api/audit?recurso={resource}&clave={key}", headers=ana)
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


@pytest.mark.asyncio
async def test_two_matches_or_refused_lookups_leave_the_write_unknown(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    for copied in (True, False):
        async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="1,2") as (gateway, ana):
            sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
            lost = await create(gateway, ana)
            rows = [{"DocEntry": entry, FIELD: lost["write"]["id"]} for entry in (1, 2)]
            two = Answer(status=200, body=json.dumps({"odata.count": "2", "value": rows}))
            action = two if copied else Refuse(status=403, code=-1, text="no right")
            sim.faults.add(Fault(action=action, method="GET", path="Orders", times=2))
            with capture_logs() as logs:
                assert await look_after(gateway, clock, 1) == 1
                assert await look_after(gateway, clock, 1) == 1
            lines = [each for each in logs if each["event"] == "write_look_refused"]
            assert [each["write_id"] for each in lines] == ([] if copied else 2 * [lost["write"]["id"]])
            assert all("no right" in each["reason"] for each in lines)
            items = (await gateway.http.get("/api/writes", headers=ana)).json()["items"]
            assert lost["code"] == "outcome_unknown"
            assert (items[0]["result"], items[0]["nextLookAt"]) == ("unknown", None)
            assert await look_after(gateway, clock, 86_400) == 0


@pytest.mark.asyncio
async def test_an_unreachable_erp_is_queried_again_for_a_day(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="1,100") as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        await create(gateway, ana)
        sim.faults.add(Fault(action=BadGateway(), method="GET", path="Orders", times=2))
        with capture_logs() as logs:
            assert await look_after(gateway, clock, 1) == 1
        (result,) = (each for each in logs if each["event"] == "write_look_failed")
        waiting = await only_write(gateway, ana)
        assert (result["write_id"], result["reason"]) == (waiting["id"], "ErpServerError")
        assert waiting["nextLookAt"] == "2026-03-02T14:06:50.120Z"
        assert await look_after(gateway, clock, 100) == 1
        assert (await only_write(gateway, ana))["result"] == "unknown"
        assert await look_after(gateway, clock, 100) == 1
        assert (await only_write(gateway, ana))["result"] == "done"


@pytest.mark.asyncio
async def test_a_single_lookup_is_repeated_after_an_erp_outage(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="5") as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        await create(gateway, ana)
        sim.faults.add(Fault(action=BadGateway(), method="GET", path="Orders"))
        assert await look_after(gateway, clock, 5) == 1
        assert await look_after(gateway, clock, 5) == 1
        assert (await only_write(gateway, ana))["result"] == "done"


@pytest.mark.asyncio
async def test_lookups_follow_the_delays_of_the_current_settings(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="1,2") as (gateway, ana):
        sim.faults.add(Fault(action=NEVER_ARRIVED, method="POST", path="Orders"))
        await create(gateway, ana)
    clock.advance(1)
    async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="10,60") as (gateway, _):
        await look_after(gateway, clock, 0)  # or the service has made it as it started
        assert await look_after(gateway, clock, 58) == 0
        assert await look_after(gateway, clock, 1) == 1


@pytest.mark.asyncio
async def test_a_lookup_after_a_late_one_or_an_outage_is_not_the_last(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim, WRITE_TRACE_LOOKS="1,10,20") as (gateway, ana):
        sim.faults.add(Fault(action=NEVER_ARRIVED, method="POST", path="Orders"))
        await create(gateway, ana)
        assert await look_after(gateway, clock, 25) == 1  # late, as after an outage of the service itself
        assert await look_after(gateway, clock, 8.9) == 0
        assert await look_after(gateway, clock, 0.1) == 1
        sim.faults.add(Fault(action=BadGateway(), method="GET", path="Orders"))
        assert await look_after(gateway, clock, 10) == 1
        for seconds in (10, 9):  # the ERP is back and may still do what waited in its sockets
            assert await look_after(gateway, clock, seconds) == 1
            assert (await only_write(gateway, await gateway.signed_in()))["result"] == "unknown"
        assert await look_after(gateway, clock, 10) == 1
        assert (await only_write(gateway, await gateway.signed_in()))["result"] == "not_done"


@pytest.mark.asyncio
async def test_lost_documents_are_looked_up_together(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim) as (gateway, ana):
        for action in (LOST, NEVER_ARRIVED, LOST):
            sim.faults.add(Fault(action=action, method="POST", path="Orders"))
            await create(gateway, ana)
        before = len(sim.calls)
        assert await look_after(gateway, clock, 30) == 3
        assert len(sim.calls) == before + 2  # the orders and the drafts
        for call in list(sim.calls)[before:]:
            assert f"$select=DocEntry,{FIELD}" in unquote(call.query).split("&")
        items = (await gateway.http.get("/api/writes", headers=ana)).json()["items"]
        assert [(item["result"], item["key"] is None) for item in items] == [
            ("done", False),
            ("unknown", True),
            ("done", False),
        ]
        assert items[0]["key"] != items[2]["key"]


@pytest.mark.asyncio
async def test_lookups_stop_after_a_day_and_leave_the_write_unknown(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim) as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        await create(gateway, ana)
        sim.faults.add(Fault(action=BadGateway(), method="GET", path="Orders", times=2))
        assert await look_after(gateway, clock, 86_401) == 1
        write = await only_write(gateway, await gateway.signed_in())
        assert (write["result"], write["nextLookAt"]) == ("unknown", None)


@pytest.mark.asyncio
async def test_writes_without_trace_field_and_updates_are_not_looked_up(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        assert gateway.components.writes.lookups is None
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        await create(gateway, ana)
        assert (await only_write(gateway, ana))["nextLookAt"] is None
    async with traced(open_gateway, sim) as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="PATCH", path="Orders(1)"))
        await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
        assert await look_after(gateway, clock, 86_400) == 0
        anew = await gateway.signed_in()
        items = (await gateway.http.get("/api/writes", headers=anew)).json()["items"]
        assert {(item["result"], item["nextLookAt"]) for item in items} == {("unknown", None)}


@pytest.mark.asyncio
async def test_a_lost_create_reports_the_next_lookup_and_places_to_check(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim) as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        lost = await create(gateway, ana, **{"Idempotency-Key": "k"})
        write = await only_write(gateway, ana)
        assert lost["write"] == {
            "id": write["id"],
            "url": f"/api/writes/{write['id']}",
            "kind": "create",
            "resource": "Orders",
        } | {"key": None}
        assert (lost["outcome"], lost["nextStep"], lost["nextLookAt"], lost["sameKeyIsSafe"]) == (
            "unknown",
            "wait",
            "2026-03-02T14:05:39.120Z",
            True,
        )
        assert "El servicio lo buscará" in lost["message"]
        assert write["id"] in lost["message"]
        found = [await gateway.http.get(place, headers=ana) for place in lost["lookAt"]]
        assert [(one.status_code, one.json()["odata.count"]) for one in found] == [(200, 1), (200, 0)]


@pytest.mark.asyncio
async def test_scheduled_lookups_survive_a_restart(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with traced(open_gateway, sim) as (gateway, ana):
        sim.faults.add(Fault(action=LOST, method="POST", path="Orders"))
        await create(gateway, ana)
    clock.advance(29)
    async with traced(open_gateway, sim) as (gateway, ana):
        assert await look_after(gateway, clock, 1) == 1
        assert (await only_write(gateway, ana))["result"] == "done"
