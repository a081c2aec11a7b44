"""Killed at any moment while people write and answers are lost: documents and rows agree one to one."""

import asyncio
import json
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from erpclient import Caller, Credentials, ErpClient, ErpSettings
from erpsim.faults import Drop, Fault, When
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.process.conftest import Server, StartServer

    from erpsim.simulator import Simulator

FIELD = "U_GW_Clave"
PAGE = 50
USERS = tuple(f"w{number}" for number in range(8))
NOTE = "written until the kill"
ORDER = {
    "CardCode": "C00001",
    "Comments": NOTE,
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
SETTINGS = {
    "ADMIN_WEB_USERS": ",".join(USERS),
    "WRITE_TRACE_FIELD": FIELD,
    "WRITE_TRACE_LOOKS": "0.2,0.5,1.5",
}


async def prepare(sim: "Simulator") -> None:
    """Add the field to the company's documents, and the people who write."""
    settings, credentials = ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")
    field = {"Name": FIELD[2:], "TableName": "ORDR", "Type": "db_Alpha", "Size": 32, "Description": "Clave"}
    people = [
        {"FirstName": user, "LastName": "W", "Active": "tYES", "U_WEB_USER": user, "U_WEB_PASS": user}
        for user in USERS
    ]
    async with ErpClient(settings, credentials) as erp:
        for resource, body in [("UserFieldsMD", field), *(("EmployeesInfo", one) for one in people)]:
            await erp.create(resource, json.dumps(body).encode(), caller=Caller("test"))


async def write_on(
    server: "Server", user: str, chance: random.Random, made: asyncio.Event, *, keyed: bool
) -> None:
    """Sign in and create orders until the process is gone; tell when one was made."""
    try:
        async with server.client() as client:
            await server.sign_in(client, user, user)
            while True:
                key = {"Idempotency-Key": f"{chance.random()}"} if keyed else {}
                for _ in range(chance.choice((1, 1, 2))):  # some ask again, whatever they were told
                    answer = await client.post("/api/sl/Orders", json=ORDER, headers=key)
                    if answer.status_code == 201:
                        made.set()
    except httpx2.TransportError:
        pass


async def write_until_killed(
    server: "Server", sim: "Simulator", chance: random.Random, *, keyed: bool = True
) -> None:
    sim.faults.clear()
    for nth in chance.sample(range(1, 40), 3):
        lost = Drop(when=chance.choice((When.BEFORE_WORK, When.AFTER_WORK)))
        sim.faults.add(Fault(action=lost, method="POST", path="Orders", nth=nth))
    made = asyncio.Event()
    writing = [asyncio.create_task(write_on(server, user, chance, made, keyed=keyed)) for user in USERS]
    async with asyncio.timeout(60):
        await made.wait()
    await asyncio.sleep(chance.uniform(0.0, 0.5))
    server.process.kill()
    await asyncio.gather(*writing)
    await server.ended()
    sim.faults.clear()


async def documents(client: httpx2.AsyncClient) -> list[tuple[str | None, str]]:
    """Return number and key of every order that was written here."""
    found: list[tuple[str | None, str]] = []
    read = 0
    while True:
        options = {"$select": f"DocEntry,Comments,{FIELD}", "$orderby": "DocEntry", "$top": str(PAGE)}
        answer = await client.get("/api/sl/Orders", params={**options, "$skip": str(read)})
        page = answer.json()["value"]
        found += [(row[FIELD], str(row["DocEntry"])) for row in page if row["Comments"] == NOTE]
        read += len(page)
        if len(page) < PAGE:
            return found


async def nothing_unknown(client: httpx2.AsyncClient, within_s: float) -> None:
    """Wait until all were looked up: one after the other, each in all orders of the simulated company."""
    async with asyncio.timeout(within_s):
        while (await client.get("/api/writes?resultado=unknown")).json()["total"]:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.2)


def stored(folder: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(folder / "data" / "app.sqlite")) as store:
        return store.execute(sql).fetchall()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "kills", [10, pytest.param(300, marks=[pytest.mark.proof, pytest.mark.timeout(3600)])]
)
async def test_documents_and_ledger_rows_match_after_random_kills(
    start_server: "StartServer", tmp_path: Path, capsys: pytest.CaptureFixture[str], kills: int
) -> None:
    chance = random.Random(kills)
    async with run_sim() as sim:
        await prepare(sim)
        for _ in range(kills):
            async with start_server(sim.url, **SETTINGS) as server:
                await write_until_killed(server, sim, chance)
        left = stored(tmp_path, "SELECT state, COUNT(*) FROM ledger_write GROUP BY state")
        async with start_server(sim.url, **SETTINGS) as server, server.client() as client:
            await server.sign_in(client, USERS[0], USERS[0])
            await nothing_unknown(client, within_s=90 + 5 * kills)
            made = await documents(client)
    rows = dict(stored(tmp_path, "SELECT id, key FROM ledger_write WHERE state = 'done'"))
    states = dict(stored(tmp_path, "SELECT state, COUNT(*) FROM ledger_write GROUP BY state"))
    audited = {key for (key,) in stored(tmp_path, "SELECT key FROM audit_log WHERE resource = 'Orders'")}
    counts = (
        f"{kills} kills: {len(made)} documents; rows after the last kill {dict(left)}, at the end {states}"
    )
    with capsys.disabled():
        sys.stdout.write(f"\n{counts}\n")
    assert len(made) >= kills
    assert len(dict(made)) == len(made), "made twice"
    assert rows == dict(made)
    assert set(states) <= {"done", "not_done", "not_sent"}
    assert {key for _, key in made} <= audited


@pytest.mark.asyncio
async def test_without_keys_and_trace_every_document_has_a_done_or_unknown_row(
    start_server: "StartServer", tmp_path: Path
) -> None:
    chance, settings = random.Random(5), {"ADMIN_WEB_USERS": SETTINGS["ADMIN_WEB_USERS"]}
    async with run_sim() as sim:
        await prepare(sim)
        for _ in range(5):
            async with start_server(sim.url, **settings) as server:
                await write_until_killed(server, sim, chance, keyed=False)
        async with start_server(sim.url, **settings) as server, server.client() as client:
            await server.sign_in(client, USERS[0], USERS[0])
            made = {key for _, key in await documents(client)}
    states = dict(stored(tmp_path, "SELECT state, COUNT(*) FROM ledger_write GROUP BY state"))
    done = [key for (key,) in stored(tmp_path, "SELECT key FROM ledger_write WHERE state = 'done'")]
    audited = stored(tmp_path, "SELECT result, key FROM audit_log WHERE resource = 'Orders'")

    assert len(made) >= 5
    assert len(set(done)) == len(done)
    assert set(done) <= made
    assert len(made) - len(done) <= states.get("unknown", 0)
    assert set(states) <= {"done", "unknown", "not_sent"}
    assert sorted(key for result, key in audited if result == "ok") == sorted(done)
    assert sum(result == "unknown" for result, _ in audited) == states.get("unknown", 0)
