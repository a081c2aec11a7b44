"""Behaviour that needs a real server process: raw addresses, signals, exit codes, its log."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx2
import pytest

from erpsim.faults import BadGateway, Delay, Drop, Fault, When
from erpsim.seeds import ODD_ITEM_CODES
from erpsim.simulator import Listening, run_sim
from servicekit.testing.ports import free_port

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

    from erpsim.simulator import Simulator

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
NEW_CODES = (
    "A/1/2",
    "it's",
    "100%",
    "¿?",
    "#1",
    "a+b",
    "ñandú",
    "/ ' % ? # + ñ",
    "%2F",
    "a&b=c",
    "`~!@$^*()[]{}|;:,<>",
)


@pytest.mark.asyncio
async def test_keys_of_every_kind_of_character_survive_a_real_server(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        for code in ODD_ITEM_CODES:
            answer = await client.get(f"/api/sl/Items/{quote(code, safe='')}?$select=ItemCode")
            assert (answer.status_code, answer.json().get("ItemCode")) == (200, code)
        for code in NEW_CODES:
            created = await client.post("/api/sl/Items", json={"ItemCode": code, "ItemName": "uno"})
            assert created.status_code == 201, created.text
            location = created.headers["Location"]
            assert location == f"/api/sl/Items/{quote(code, safe='')}"
            changed = await client.patch(location, json={"ItemName": "dos"})
            assert changed.status_code == 204, changed.text
            read = await client.get(location, params={"$select": "ItemCode,ItemName"})
            assert (read.json()["ItemCode"], read.json()["ItemName"]) == (code, "dos")


@pytest.mark.asyncio
async def test_an_encoded_slash_makes_a_key_and_no_action(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        before = sim.calls.total
        read = await client.get("/api/sl/IncomingPayments/12%2FCancel")
        assert (read.status_code, read.json()["code"]) == (400, "key_bad_value")
        for address in ("/api/sl/IncomingPayments/12%2FCancel", "/api/sl/IncomingPayments%2F12%2FCancel"):
            posted = await client.post(address)
            assert posted.status_code in (404, 405)
        item = await client.get("/api/sl/Items/12%2FCancel?$select=ItemCode")
        assert item.json()["ItemCode"] == "12/Cancel"
        assert sim.calls.total == before + 1


@pytest.mark.asyncio
async def test_the_service_is_healthy_without_the_erp_and_recovers_by_itself(
    start_server: "StartServer",
) -> None:
    async with run_sim() as first:
        port = first.port
    async with start_server(f"http://127.0.0.1:{port}/b1s/v1") as server, server.client() as client:
        assert (await client.get("/api/health")).json()["status"] == "ok"
        assert (await client.get("/api/health/erp")).status_code == 503
        login = {"username": "ana", "password": "ana-demo"}
        answer = await client.post("/api/auth/login", json=login)
        assert (answer.status_code, answer.json()["code"]) == (502, "upstream_unreachable")
        async with run_sim(listening=Listening(port=port)):
            await asyncio.sleep(1.1)  # an unreachable ERP is tried at most once a second
            assert (await client.post("/api/auth/login", json=login)).status_code == 200


@pytest.mark.asyncio
async def test_a_write_in_flight_finishes_during_an_orderly_shutdown(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client, server.client() as late:
        await server.sign_in(client)
        late.headers.update(client.headers)
        assert (await late.get("/api/health")).status_code == 200  # so that a connection is there already
        sim.faults.add(Fault(action=Delay(seconds=1.0), method="POST", path="Orders"))
        writing = asyncio.create_task(client.post("/api/sl/Orders", json=ORDER))
        while not sim.calls.of("POST", "Orders"):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.01)
        waiting = asyncio.create_task(late.get("/api/sl/Warehouses"))
        await asyncio.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        refused = await waiting
        assert (refused.status_code, refused.json()["code"]) == (503, "shutting_down")
        assert not writing.done()
        with pytest.raises(httpx2.TransportError):
            async with server.client() as new:
                await new.get("/api/health")
        written = await writing
        assert written.status_code == 201
        assert await server.ended() == 0
    assert len(sim.calls.of("POST", "Logout")) == 1
    assert sim.calls.of("GET", "Warehouses") == []
    assert [(line["action"], line["result"]) for line in server.events("AUDIT")][-1] == ("sl_create", "ok")
    assert server.events("shutdown_finished")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "upstream", "action"),
    [("POST", "Orders", "Orders", "sl_create"), ("PATCH", "Orders/1", "Orders(1)", "sl_update")],
)
async def test_a_write_cut_off_by_a_second_signal_has_an_unknown_outcome(
    start_server: "StartServer", sim: "Simulator", method: str, path: str, upstream: str, action: str
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=3.0), method=method, path=upstream))
        body = ORDER if method == "POST" else {"Comments": "x"}
        writing = asyncio.create_task(client.request(method, f"/api/sl/{path}", json=body))
        while not sim.calls.of(method, upstream):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.01)
        for _ in range(2):
            server.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.2)
        answer = await writing
        assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
        assert await server.ended() == 0
    audited = [(line["action"], line["result"], line.get("reason")) for line in server.events("AUDIT")]
    assert audited[-1] == (action, "unknown", "outcome_unknown")


@pytest.mark.asyncio
async def test_a_process_killed_during_shutdown_leaves_the_write_unknown(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=2.0), method="PATCH", path="Orders(1)"))
        writing = asyncio.create_task(client.patch("/api/sl/Orders/1", json={"Comments": "x"}))
        while not sim.calls.of("PATCH", "Orders(1)"):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.01)
        server.process.terminate()
        while not server.events("shutdown_begun"):  # noqa: ASYNC110 - nor has the log
            await asyncio.sleep(0.01)
        server.process.kill()
        with pytest.raises(httpx2.TransportError):
            await writing
        assert await server.ended() == -signal.SIGKILL
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        (write,) = (await client.get("/api/writes")).json()["items"]
        audit = (await client.get("/api/audit", params={"accion": "sl_update"})).json()["items"]
    assert (write["result"], write["reason"]) == ("unknown", "interrupted")
    assert [(each["result"], each["reason"]) for each in audit] == [("unknown", "interrupted")]
    assert len(sim.calls.of("PATCH", "Orders(1)")) == 1


@pytest.mark.asyncio
async def test_a_process_stops_at_once_while_the_erp_is_down(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=BadGateway(), times=None))
        async with asyncio.timeout(20):
            while (await client.get("/api/sl/Items")).status_code != 503:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)
        sim.faults.clear()
        sim.faults.add(Fault(action=Delay(seconds=60), times=None))
        async with asyncio.timeout(50):
            while len(sim.calls.of("GET", "Warehouses")) < 2:  # noqa: ASYNC110 - the simulator signals nothing
                await asyncio.sleep(0.05)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert await server.ended() == 0
        assert time.monotonic() - began < 10
    assert sim.calls.of("POST", "Logout") == []
    assert len(server.events("erp_unwell")) == 1


@pytest.mark.asyncio
async def test_a_connection_dropped_after_the_work_leaves_one_document_and_unknown_outcome(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        count = (await client.get("/api/sl/Orders?$top=1")).json()["odata.count"]
        sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
        answer = await client.post("/api/sl/Orders", json=ORDER)
        assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
        assert (await client.get("/api/sl/Orders?$top=1")).json()["odata.count"] == count + 1
        assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_a_second_process_on_the_same_store_stops_and_names_the_holder(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as first, start_server(sim.url, wait=False) as second:
        assert await second.ended() == 1
        (failure,) = second.events("start_failed")
        assert f"process {first.process.pid} " in failure["reason"]


@pytest.mark.asyncio
async def test_metrics_are_on_their_own_port_only(start_server: "StartServer", sim: "Simulator") -> None:
    metrics_port = free_port()
    async with start_server(sim.url, METRICS_PORT=str(metrics_port)) as server, server.client() as client:
        await server.sign_in(client)
        await client.get("/api/sl/Items/A%2F1")
        assert (await client.get("/metrics")).status_code == 404
        page = (await client.get(f"http://127.0.0.1:{metrics_port}/metrics")).text
    for line in (
        'http_requests_total{method="GET",route="/api/sl/{resource}/{key}",status="200"} 1.0',
        'erp_calls_total{method="GET",outcome="200",resource="Items"} 1.0',
        'erp_logins_total{outcome="ok"} 1.0',
        "web_sessions 1.0",
        'audit_records_total{action="login"} 1.0',
        "erp_queue_waiting 0.0",
    ):
        assert line in page
    assert "A/1" not in page


@pytest.mark.asyncio
async def test_the_log_has_one_line_per_request_and_is_complete_at_exit(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        answer = await client.get("/api/sl/Orders/999999", headers={"X-Request-ID": "mine-1"})
        assert answer.headers["X-Request-ID"] == "mine-1"
        server.process.terminate()
        await server.ended()
    (line,) = [line for line in server.events("request_finished") if line["request_id"] == "mine-1"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/api/sl/{resource}/{key}", 404)
    assert (line["user"], line["code"], line["upstream_calls"]) == ("ana", "record_not_found", 1)
    assert line["resource"] == "Orders"
    assert [json.loads(text) for text in server.raw.splitlines()]


@pytest.mark.asyncio
async def test_check_config_starts_nothing_and_prints_no_secret(tmp_path: Path) -> None:
    environ = {
        "ERP_SL_URL": "https://erp:50000/b1s/v1",
        "ERP_SL_COMPANY_DB": "X",
        "ADMIN_WEB_USERS": "ana",
        "ERP_SL_USER": "u",
        "ERP_SL_PASSWORD": "canary-77",
        "CONFIG_FILE": "/dev/null",
    }

    async def check(**further: str) -> tuple[int | None, str, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "erp_gateway", "check-config"),
            env=environ | further,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return process.returncode, out.decode(), err.decode()

    code, out, err = await check()
    assert (code, err) == (0, "")
    assert "ERP_SL_PASSWORD=***\n" in out
    assert "SHUTDOWN_GRACE=260\n" in out
    code, out, err = await check(PORT="x", VERIFY_SSL="false", ERP_SL_PASSWRD="y")
    assert (code, out) == (2, "")
    assert [line.split(":")[0] for line in err.splitlines()] == ["PORT", "VERIFY_SSL", "ERP_SL_PASSWRD"]
    assert "canary-77" not in out + err
    assert not holds_anything(tmp_path)


@pytest.mark.parametrize("command", ["check-config", "permissions list"])
def test_a_closed_output_pipe_causes_no_traceback(command: str, tmp_path: Path) -> None:
    environ = {
        "ERP_SL_URL": "https://erp:50000/b1s/v1",
        "ERP_SL_COMPANY_DB": "X",
        "ERP_SL_USER": "u",
        "ERP_SL_PASSWORD": "p",
        "CONFIG_FILE": "/dev/null",
        "SQLITE_PATH": str(tmp_path / "app.sqlite"),
    }
    program = [sys.executable, "-m", "erp_gateway"]
    granted = [*program, "permissions", "grant", "ana", "*"]
    subprocess.run(granted, env=environ, cwd=tmp_path, check=True, capture_output=True)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*program, *command.split()],
            env=environ,
            cwd=tmp_path,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def holds_anything(folder: Path) -> bool:
    """Return whether a folder contains any file."""
    return any(folder.iterdir())


def read_store(folder: Path) -> tuple[str, str]:
    """Return all bytes of the store's files, and its rows as text."""
    raw = b"".join(path.read_bytes() for path in folder.iterdir()).decode("latin-1")
    with closing(sqlite3.connect(folder / "app.sqlite")) as connection:
        return raw, "\n".join(connection.iterdump())


@pytest.mark.asyncio
async def test_planted_secrets_appear_in_no_log_row_or_metric(
    start_server: "StartServer", sim: "Simulator", tmp_path: Path
) -> None:
    """In no log line, audit row, metric or error body: passwords, tokens, cookies, values of fields."""
    typed, planted = "canary-typed-1", "canary-planted-2"
    shown = ""
    metrics_port = free_port()
    async with start_server(sim.url, METRICS_PORT=str(metrics_port)) as server, server.client() as client:
        for user in ("ana", "nobody", planted):
            shown += (await client.post("/api/auth/login", json={"username": user, "password": typed})).text
        shown += (await client.post("/api/auth/login", json={"username": "ana", "password": [typed]})).text
        shown += (await client.post("/api/auth/login", json={"username": "ana", "clave": typed})).text
        shown += (await client.post("/api/auth/login", content=f'{{"password": "{typed}", '.encode())).text
        await server.sign_in(client)
        token = client.headers["Authorization"].removeprefix("Bearer ")
        secret_headers = {"Cookie": f"B1SESSION={typed}", "X-Api-Key": typed}
        for method, path, body in (
            ("PATCH", "/api/sl/Orders/1", {"Comments": planted}),
            ("POST", "/api/sl/Orders", {"U_WEB_PASS": typed, "Comments": planted}),
            ("POST", "/api/sl/Orders", {"CardCode": planted, "Password": typed}),
            ("POST", "/api/sl/BusinessPartners", {"CardCode": "X9", "Password": typed, "CardName": "x"}),
            ("PUT", "/api/permissions/luis", {"paths": [planted], "password": typed}),
        ):
            answer = await client.request(
                method, path, json=body, headers=secret_headers if method == "PATCH" else {}
            )
            shown += answer.text if answer.status_code >= 400 else ""
        for query in (f"$filter=U_WEB_PASS eq '{typed}'", f"$select={planted}", "$expand=EmployeeInfo"):
            shown += (await client.get(f"/api/sl/BusinessPartners?{query}")).text.replace(planted, "", 1)
        shown += (await client.get("/api/sl/Items", headers={"Authorization": f"Bearer {typed}"})).text
        cookies = list(sim.sessions._sessions)
        sim.sessions.end_all()
        await client.get("/api/sl/Items?$top=1")
        cookies += sim.sessions._sessions
        audit = (await client.get("/api/audit?pageSize=200")).text
        metrics = (await client.get(f"http://127.0.0.1:{metrics_port}/metrics")).text
        server.process.terminate()
        assert await server.ended() == 0
    store, dump = read_store(tmp_path / "data")
    secrets = [typed, token, "ana-demo", *cookies]
    assert len(cookies) == 2
    for place in (server.raw, metrics, dump, store, audit, shown):
        for secret in secrets:
            assert secret not in place, place[max(0, place.find(secret) - 400) : place.find(secret) + 40]
    assert "erpsim" not in server.raw + metrics + dump + audit + shown
    for place in (server.raw, metrics):
        assert planted not in place.replace(f'"user":"{planted}"', "").replace(f"user={planted}", "")
