"""The real process with its store on a real PostgreSQL, which goes away and comes back."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
from postgresql_server import PASSWORD, PostgresServer, find_binaries, run_postgresql

from erpsim.simulator import Simulator

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

MOST_S = 60.0
PATHS = {"paths": ["/ventas/*"]}


@pytest.fixture
def own_server(postgresql: PostgresServer) -> Iterator[PostgresServer]:
    """Run a server that the test may stop; the other one only tells that there are programs for it."""
    binaries = find_binaries()
    assert binaries is not None
    with run_postgresql(binaries) as server:
        yield server


def command(folder: Path, url: str, *words: str) -> "subprocess.CompletedProcess[str]":
    environ = {
        "CONFIG_FILE": "/dev/null",
        "ENVIRONMENT": "test",
        "ERP_SL_URL": "http://127.0.0.1:9/b1s/v1",
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "erpsim",
        "STORE_URL": url,
    }
    done = subprocess.run(
        [sys.executable, "-m", "erp_gateway", *words],
        env=environ,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=MOST_S,
        check=False,
    )
    assert PASSWORD not in done.stdout + done.stderr
    return done


async def wait_for(client: httpx2.AsyncClient, path: str, status: int) -> httpx2.Response:
    until = time.monotonic() + MOST_S
    while True:
        answer = await client.get(path)
        if answer.status_code == status:
            return answer
        assert time.monotonic() < until, answer.text
        await asyncio.sleep(0.1)


@pytest.mark.asyncio
async def test_during_a_database_outage_reads_work_and_no_write_is_lost(
    start_server: "StartServer", sim: Simulator, own_server: PostgresServer, tmp_path: Path
) -> None:
    url = own_server.url(own_server.new_database())
    async with start_server(sim.url, STORE_URL=url) as server, server.client() as client:
        await server.sign_in(client)
        assert (await client.put("/api/permissions/luis", json=PATHS)).status_code == 200
        assert (await client.get("/api/system")).json()["store"] == {"engine": "postgresql"}

        second = await asyncio.to_thread(command, tmp_path, url, "serve")
        assert second.returncode == 1
        assert f"in use by erp-gateway lock, process {server.process.pid} on" in second.stdout
        granted = await asyncio.to_thread(command, tmp_path, url, "permissions", "grant", "bea", "/x")
        assert granted.returncode == 0
        async with asyncio.timeout(MOST_S):
            while (await client.get("/api/permissions/bea")).status_code == 404:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.1)

        own_server.stop()
        assert (await client.get("/api/sl/Items?$top=1")).status_code == 200
        refused = await client.put("/api/permissions/luis", json={"paths": []})
        assert (refused.status_code, refused.json()["code"]) == (503, "store_unavailable")
        assert (await client.get("/api/permissions/luis")).json()["paths"] == PATHS["paths"]
        assert (await client.get("/api/audit")).status_code == 503
        written = await client.patch("/api/sl/Items/A%2F1", json={"ItemName": "Away"})
        assert written.status_code == 204, written.text
        keyed = await client.patch(
            "/api/sl/Items/A%2F1", json={"ItemName": "Keyed"}, headers={"Idempotency-Key": "k1"}
        )
        assert (keyed.status_code, keyed.json()["code"]) == (503, "ledger_unavailable")

        own_server.start()
        await wait_for(client, "/api/audit", 200)
        async with asyncio.timeout(MOST_S):
            while (await client.get("/api/system")).json()["audit"]["owed"]:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.1)
        found = (await client.get("/api/audit?accion=sl_update")).json()["items"]
        # The rejected request with a key is recorded, too.
        assert [(item["key"], item["result"]) for item in found] == [("A/1", "error"), ("A/1", "ok")]
        assert found[0]["reason"] == "ledger_unavailable"
        assert (await client.put("/api/permissions/luis", json={"paths": []})).status_code == 200
        writes = (await client.get("/api/writes")).json()["items"]
        assert [write["result"] for write in writes] == ["not_sent", "done"]
    assert server.process.returncode == 0
    assert PASSWORD not in server.raw
    verified = command(tmp_path, url, "audit", "verify")
    assert verified.returncode == 0, verified.stdout
    assert not server.events("start_failed")


@pytest.mark.asyncio
async def test_an_outage_of_three_seconds_is_a_few_lines_without_a_trace(
    start_server: "StartServer", sim: Simulator, own_server: PostgresServer
) -> None:
    url = own_server.url(own_server.new_database())
    async with start_server(sim.url, STORE_URL=url) as server, server.client() as client:
        await server.sign_in(client)
        own_server.stop()
        end = time.monotonic() + 3.0
        while time.monotonic() < end:
            await client.get("/api/audit")
            await asyncio.sleep(0.1)
        own_server.start()
        await wait_for(client, "/api/audit", 200)
        lines = list(server.lines)
    assert [line["event"] for line in lines if "exception" in line] == []
    result = Counter(
        (line["event"], line.get("work")) for line in lines if line["event"].endswith(("_failed", "_again"))
    )
    assert ("store_read_failed", None) in result
    assert max(result.values()) == 1, result


def test_a_configuration_with_a_database_is_shown_without_password(tmp_path: Path) -> None:
    url = f"postgresql://app:{PASSWORD}@db:5432/gateway?sslpassword={PASSWORD}"
    shown = command(tmp_path, url, "check-config")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "STORE_URL=postgresql://app@db:5432/gateway\n" in shown.stdout
    faulty = command(tmp_path, f"mysql://app:{PASSWORD}@db/gateway", "check-config")
    assert faulty.returncode == 2
    assert "STORE_URL: no es la URL de una base de datos; se admite: postgresql://" in faulty.stderr


def test_the_backup_command_prints_pg_dump_and_copies_nothing(tmp_path: Path) -> None:
    output = command(tmp_path, f"postgresql://app:{PASSWORD}@db:5432/gateway", "backup", "copy.dump")
    assert output.returncode == 1
    assert output.stdout.startswith("pg_dump --format=custom --no-owner --no-acl --file=copy.dump 'user=app ")
    assert "nothing was copied" in output.stderr
