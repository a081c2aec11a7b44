"""Sessions over restarts of a real process, stopped in order or killed at once."""

import asyncio
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

    from erpsim.simulator import Simulator

KEPT = {"SESSIONS_IN_STORE": "true"}
ENDINGS = [signal.SIGTERM, signal.SIGKILL]


@pytest.mark.asyncio
@pytest.mark.parametrize("ending", ENDINGS)
async def test_stored_sessions_survive_a_restart_and_ended_ones_stay_ended(
    start_server: "StartServer", sim: "Simulator", tmp_path: Path, ending: signal.Signals
) -> None:
    async with start_server(sim.url, **KEPT) as server:
        async with server.client() as ana, server.client() as luis, server.client() as again:
            for _ in range(5):
                wrong = {"username": "pedro", "password": "wrong"}
                assert (await ana.post("/api/auth/login", json=wrong)).status_code == 401
            await server.sign_in(ana)
            await server.sign_in(luis, "luis")
            assert (await luis.post("/api/auth/logout")).status_code == 204
            await server.sign_in(again, "carmen")
            replaced = again.headers["Authorization"]
            await server.sign_in(again, "carmen")
            kept = {name: each.headers["Authorization"] for name, each in [("ana", ana), ("carmen", again)]}
            over = [luis.headers["Authorization"], replaced]
        server.process.send_signal(ending)
        assert await server.ended() == (0 if ending is signal.SIGTERM else -signal.SIGKILL)
    async with start_server(sim.url, **KEPT) as server, server.client() as client:
        for name, proof in kept.items():
            answer = await client.get("/api/auth/me", headers={"Authorization": proof})
            assert (answer.status_code, answer.json().get("webUser")) == (200, name)
            read = await client.get("/api/sl/Items?$top=1", headers={"Authorization": proof})
            assert read.status_code == 200
        for proof in over:
            answer = await client.get("/api/auth/me", headers={"Authorization": proof})
            assert (answer.status_code, answer.json()["code"]) == (401, "session_expired")
        blocked = {"username": "pedro", "password": "pedro-demo"}
        assert (await client.post("/api/auth/login", json=blocked)).status_code == 429
        async with asyncio.timeout(10):  # the first use has the employees looked at again
            while len(sim.calls.of("GET", "EmployeesInfo")) < 5 + 4 + 2:  # noqa: ASYNC110 - the log signals nothing
                await asyncio.sleep(0.02)
    files = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir())
    for proof in (*kept.values(), *over):
        assert proof.removeprefix("Bearer ").encode() not in files


@pytest.mark.asyncio
async def test_a_restart_without_the_setting_deletes_all_sessions(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url, **KEPT) as server, server.client() as client:
        await server.sign_in(client)
        proof = {"Authorization": client.headers["Authorization"]}
    for settings in ({}, KEPT):
        async with start_server(sim.url, **settings) as server, server.client() as client:
            assert (await client.get("/api/auth/me", headers=proof)).status_code == 401


@pytest.mark.asyncio
async def test_reads_do_not_wait_for_a_store_that_is_stuck(
    start_server: "StartServer", sim: "Simulator", tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with start_server(sim.url, **KEPT) as server, server.client() as client:
        await server.sign_in(client)
        with closing(sqlite3.connect(tmp_path / "data" / "app.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            for _ in range(20):
                assert (await client.get("/api/sl/Warehouses?$top=1")).status_code == 200
            took_s = time.monotonic() - began
            refused = await client.post("/api/auth/logout")
            assert (refused.status_code, refused.json()["code"]) == (503, "session_end_not_stored")
            assert (await client.get("/api/auth/me")).status_code == 401
    with capsys.disabled():
        sys.stdout.write(f"\n20 reads while the store is locked: {took_s:.3f} s\n")
    assert took_s < 7.5  # one wait for the store is 0.75 s
