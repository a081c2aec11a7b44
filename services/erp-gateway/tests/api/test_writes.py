"""Outcomes of writes: visible to their user and to administrators, and settled if unknown."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from erpsim.faults import Drop, Fault, When

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}


async def lose_an_order(gateway: "Gateway", sim: "Simulator", headers: dict[str, str]) -> str:
    """Create an order whose answer is lost, and return the number of the write."""
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
    lost = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=headers)
    assert lost.json()["code"] == "outcome_unknown"
    return (await writes(gateway, headers))[0]["id"]  # type: ignore[no-any-return] # newest first


async def writes(gateway: "Gateway", headers: dict[str, str], **query: str) -> list[dict[str, Any]]:
    answer = await gateway.http.get("/api/writes", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def resolve(
    gateway: "Gateway", number: str, body: object, headers: dict[str, str]
) -> "httpx2.Response":
    return await gateway.http.post(f"/api/writes/{number}/settle", json=body, headers=headers)


async def let_in(gateway: "Gateway", ana: dict[str, str], user: str) -> dict[str, str]:
    """Let a user write orders and sign them in."""
    paths = {"paths": ["/ventas/pedidos/*"]}
    assert (await gateway.http.put(f"/api/permissions/{user}", json=paths, headers=ana)).status_code == 200
    return await gateway.signed_in(user)


@pytest.mark.asyncio
async def test_users_see_their_own_writes_and_administrators_all(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    luis, carmen = await let_in(gateway, ana, "luis"), await let_in(gateway, ana, "carmen")
    number = await lose_an_order(gateway, sim, {**luis, "X-Request-ID": "r-lost"})
    await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)

    (item,) = await writes(gateway, luis)
    assert item == {
        "id": number,
        "at": "2026-03-02T14:05:09.120Z",
        "webUser": "luis",
        "requestId": "r-lost",
        "kind": "create",
        "resource": "Orders",
        "key": None,
        "fields": ["CardCode", "DocDueDate", "DocumentLines[].ItemCode", "DocumentLines[].Quantity"],
        "fieldsOmitted": 0,
        "result": "unknown",
        "reason": "outcome_unknown",
        "endedAt": "2026-03-02T14:05:09.120Z",
        "endedBy": None,
        "foundIn": None,
        "nextLookAt": None,
        "changeSet": None,
        "position": None,
    }
    assert await writes(gateway, carmen) == []
    assert [(one["webUser"], one["result"]) for one in await writes(gateway, ana)] == [
        ("ana", "done"),
        ("luis", "unknown"),
    ]
    assert await writes(gateway, ana, resultado="unknown") == [item]
    assert await writes(gateway, ana, usuario="luis", recurso="Orders") == [item]
    assert await writes(gateway, ana, recurso="Items") == []
    assert await writes(gateway, luis, usuario="luis", resultado="done") == []

    one = await gateway.http.get(f"/api/writes/{number}", headers=luis)
    assert (one.status_code, one.json()) == (200, item)
    assert (await gateway.http.get(f"/api/writes/{number}", headers=ana)).json() == item
    hidden = await gateway.http.get(f"/api/writes/{number}", headers=carmen)
    assert (hidden.status_code, hidden.json()["code"]) == (404, "write_not_found")


@pytest.mark.asyncio
async def test_pages_are_bounded_and_invalid_queries_are_named(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    luis = await let_in(gateway, ana, "luis")
    for number in range(3):
        await gateway.http.patch("/api/sl/Orders/1", json={"Comments": str(number)}, headers=ana)
    answer = (await gateway.http.get("/api/writes?page=2&pageSize=2", headers=ana)).json()
    assert (len(answer["items"]), answer["page"], answer["pageSize"], answer["total"]) == (1, 2, 2, 3)
    query = {"resultado": "lost", "page": "0", "pageSize": "201", "recurso": "x" * 255, "usuario": "ana"}
    bad = await gateway.http.get("/api/writes", params=query, headers=luis)
    assert (bad.status_code, bad.json()["code"]) == (400, "invalid_query")
    assert {problem["path"] for problem in bad.json()["errors"]} == set(query)


@pytest.mark.asyncio
async def test_an_unknown_write_is_resolved_once_by_its_user_and_audited(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    luis, carmen = await let_in(gateway, ana, "luis"), await let_in(gateway, ana, "carmen")
    number = await lose_an_order(gateway, sim, luis)
    done = {"result": "done", "key": "118"}
    assert (await resolve(gateway, number, done, carmen)).status_code == 404
    settled = await resolve(gateway, number, done, {**luis, "X-Request-ID": "r-settle"})
    assert settled.status_code == 200, settled.text
    assert (settled.json()["result"], settled.json()["key"], settled.json()["endedBy"]) == (
        "done",
        "118",
        "luis",
    )
    again = await resolve(gateway, number, {"result": "not_done"}, ana)
    assert (again.status_code, again.json()["code"]) == (409, "write_not_unknown")
    (record,) = (await gateway.http.get("/api/audit?accion=write_settled", headers=ana)).json()["items"]
    assert (record["webUser"], record["resource"], record["key"], record["requestId"]) == (
        "luis",
        "Orders",
        "118",
        "r-settle",
    )
    assert (record["result"], record["reason"], record["detail"]) == ("ok", "done", {"write": number})


@pytest.mark.asyncio
async def test_an_administrator_resolves_another_users_write_as_not_done(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    luis = await let_in(gateway, ana, "luis")
    number = await lose_an_order(gateway, sim, luis)
    settled = await resolve(gateway, number, {"result": "not_done"}, ana)
    assert (settled.json()["result"], settled.json()["key"], settled.json()["endedBy"]) == (
        "not_done",
        None,
        "ana",
    )


@pytest.mark.asyncio
async def test_an_invalid_resolution_of_a_write_is_refused(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    number = await lose_an_order(gateway, sim, ana)
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="PATCH", path="Orders(1)"))
    await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
    change = (await writes(gateway, ana))[0]["id"]
    for which, body, code in (
        (number, {"result": "refused"}, "invalid_body"),
        (number, {"result": "done", "key": "A/1"}, "key_bad_value"),
        (number, {"result": "done", "key": ""}, "invalid_body"),
    ):
        answer = await resolve(gateway, which, body, ana)
        assert (answer.status_code, answer.json()["code"]) == (400, code), body
    for which, result, why in (
        (number, "not_done", "Lo que no se realizó no tiene clave."),
        (change, "done", "La operación fue sobre otro registro."),
    ):
        answer = await resolve(gateway, which, {"result": result, "key": "118"}, ana)
        assert answer.status_code == 400
        assert [(each["path"], each["message"]) for each in answer.json()["errors"]] == [("key", why)]
    assert {one["result"] for one in await writes(gateway, ana)} == {"unknown"}
    assert (await resolve(gateway, change, {"result": "done", "key": "1"}, ana)).status_code == 200


@pytest.mark.asyncio
async def test_a_failing_store_resolves_no_write(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    number = await lose_an_order(gateway, sim, ana)
    with closing(sqlite3.connect(store_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = await resolve(gateway, number, {"result": "done"}, ana)
        other.execute("ROLLBACK")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    assert [one["result"] for one in await writes(gateway, ana)] == ["unknown"]


@pytest.mark.asyncio
async def test_finished_writes_are_deleted_with_their_audit_record_and_unknown_ones_stay(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with open_gateway(sim, AUDIT_RETENTION_DAYS="30") as gateway:
        ana = await gateway.signed_in()
        await lose_an_order(gateway, sim, ana)
        await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
        clock.advance(29 * 86_400)
        await gateway.components.writes.ledger.tidy()
        assert len(await writes(gateway, await gateway.signed_in())) == 2
        clock.advance(2 * 86_400)
        await gateway.components.writes.ledger.tidy()
        left = await writes(gateway, await gateway.signed_in())
        assert [one["result"] for one in left] == ["unknown"]
