"""Exports of a real process: what a client sees when one breaks, and how much memory a large one takes."""

import asyncio
import csv
import io
import json
import socket
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import psutil
import pytest

if TYPE_CHECKING:
    from tests.conftest import Sheets
    from tests.process.conftest import Server, StartServer

    from erpsim.simulator import Simulator

ROWS = 100_000
MB = 1024 * 1024
EXTENSION = """
from erp_gateway.extensions import Extension, Query, QueryParameter

EXTENSION = Extension(queries=(
    Query(name="ledger", title="Libro mayor",
          sql={"sqlite": 'SELECT * FROM LEDGER WHERE "N" <= :n ORDER BY "N"'},
          parameters=(QueryParameter(name="n", type="number"),)),
    Query(name="breaks", title="Se rompe", sql={"sqlite":
          "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 400000) "
          "SELECT i, CASE WHEN i = 400000 THEN ABS(-9223372036854775807 - 1) END AS x FROM r"}),
))
"""
SCRIPT = f"""
CREATE TABLE LEDGER ("N" INTEGER, "Fecha" TEXT, "Glosa" TEXT, "Debe" REAL, "Haber" REAL, "Saldo" REAL,
    "Cuenta" TEXT, "Centro" TEXT, "Documento" INTEGER, "Proyecto" TEXT, "Moneda" TEXT, "Usuario" TEXT);
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < {ROWS})
INSERT INTO LEDGER SELECT i, '2026-01-' || printf('%02d', 1 + i % 28), 'Asiento de prueba número ' || i,
    i / 8.0, -i / 4.0, i * 1.5, '1-1-' || i % 50, 'CC' || i % 9, 100000 + i, NULL, 'CLP', 'usuario' || i % 7
    FROM r;
"""


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "process_exports.py").write_text(EXTENSION, encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "company.sqlite")) as connection:
        connection.executescript(SCRIPT)
    return {
        "EXTENSIONS": "process_exports",
        "PYTHONPATH": str(tmp_path),
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": str(tmp_path / "company.sqlite"),
        "EXPORT_MAX_ROWS": "1000000",
        "ERPDB_TIMEOUT": "300",
    }


def memory_of(server: "Server") -> int:
    """Return the resident bytes of the service and of what it started."""
    total = 0
    process = psutil.Process(server.process.pid)
    for each in (process, *process.children(recursive=True)):
        try:
            total += each.memory_info().rss
        except psutil.NoSuchProcess:  # it has just ended
            continue
    return total


@pytest.mark.asyncio
async def test_an_interrupted_csv_closes_the_connection_early(
    start_server: "StartServer", sim: "Simulator", settings: dict[str, str]
) -> None:
    async with start_server(sim.url, **settings) as server, server.client() as client:
        await server.sign_in(client)
        received: list[bytes] = []

        async def receive() -> None:
            address = "/api/erpdb/queries/breaks?formato=csv"
            async with client.stream("POST", address, json={"params": {}}) as answer:
                assert answer.status_code == 200
                async for chunk in answer.aiter_bytes():
                    received.append(chunk)  # noqa: PERF401 - what came before the failure is kept

        with pytest.raises(httpx2.RemoteProtocolError):
            await receive()
        assert received[0].startswith(b"\xef\xbb\xbfi;x\r\n1;\r\n")
        items = (await client.get("/api/audit?accion=db_query")).json()["items"]
        assert [(item["result"], item["reason"]) for item in items] == [("error", "database_failed")]


async def read_at(
    server: "Server", bytes_s: int, *, for_s: float, room: int = 16_384, user: str = "ana"
) -> int | None:
    """Have the whole ledger as CSV, and take it at a rate.

    Returns:
        how much came within the time; None where the service has given the client up.
    """
    async with server.client() as client:
        await server.sign_in(client, user)
        body = json.dumps({"params": {"n": ROWS}})
        head = (
            "POST /api/erpdb/queries/ledger?formato=csv HTTP/1.1",
            *("Host: x", "Content-Type: application/json", f"Content-Length: {len(body)}"),
            f"Authorization: {client.headers['Authorization']}",
        )
    loop = asyncio.get_running_loop()
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        reader.setblocking(False)
        await loop.sock_connect(reader, ("127.0.0.1", server.port))
        await loop.sock_sendall(reader, ("\r\n".join(head) + "\r\n\r\n" + body).encode())
        received = 0
        until = loop.time() + for_s
        while loop.time() < until:
            try:
                data = await loop.sock_recv(reader, 4096)
            except ConnectionResetError:
                return None
            if not data:
                return None
            received += len(data)
            await asyncio.sleep(len(data) / bytes_s)
    return received


@pytest.mark.asyncio
async def test_a_download_over_its_maximum_duration_is_dropped(
    start_server: "StartServer", sim: "Simulator", settings: dict[str, str]
) -> None:
    async with start_server(sim.url, **settings, EXPORT_MAX_SECONDS="1") as server:
        assert await read_at(server, 400_000, for_s=60) is None
        (line,) = (each for each in server.events("request_finished") if "export" in each)
        assert line["client_gone"] is True
        assert server.events("request_crashed") == []


@pytest.mark.proof
@pytest.mark.timeout(300)
@pytest.mark.asyncio
async def test_a_slow_download_finishes_and_a_too_slow_one_is_dropped(
    start_server: "StartServer", sim: "Simulator", settings: dict[str, str]
) -> None:
    async with start_server(sim.url, **settings) as server:
        small, usual, too_slow = await asyncio.gather(
            read_at(server, 24_000, for_s=130, room=8192),
            read_at(server, 24_000, for_s=130, room=131_072, user="luis"),
            read_at(server, 8_000, for_s=130, room=8192, user="carmen"),
        )
        assert small is not None
        assert usual is not None
        assert min(small, usual) > 2_000_000
        assert too_slow is None


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.asyncio
async def test_an_export_of_100000_rows_takes_little_memory_and_streams_csv(
    start_server: "StartServer",
    sim: "Simulator",
    settings: dict[str, str],
    sheets_of: "Callable[[bytes], Sheets]",
) -> None:
    async with start_server(sim.url, **settings) as server, server.client() as client:
        client.timeout = httpx2.Timeout(600)
        await server.sign_in(client)
        for kind in ("csv", "xlsx"):  # what is loaded once counts as idle
            await client.post(f"/api/erpdb/queries/ledger?formato={kind}", json={"params": {"n": 1}})
        idle = peak = memory_of(server)
        ended = asyncio.Event()

        async def watch() -> None:
            nonlocal peak
            while not ended.is_set():
                peak = max(peak, memory_of(server))
                await asyncio.sleep(0.05)

        watching = asyncio.create_task(watch())
        first_byte_s: dict[str, float] = {}
        content: dict[str, bytes] = {}
        for kind in ("csv", "xlsx"):
            started = time.perf_counter()
            address = f"/api/erpdb/queries/ledger?formato={kind}"
            async with client.stream("POST", address, json={"params": {"n": ROWS}}) as answer:
                parts = []
                async for chunk in answer.aiter_bytes():
                    first_byte_s.setdefault(kind, time.perf_counter() - started)
                    parts.append(chunk)
            content[kind] = b"".join(parts)
        ended.set()
        await watching
    head, *rows = csv.reader(io.StringIO(content["csv"].decode("utf-8-sig"), newline=""), delimiter=";")
    assert [int(row[0]) for row in rows] == list(range(1, ROWS + 1))
    assert [float(row[3].replace(",", ".")) for row in rows] == [n / 8 for n in range(1, ROWS + 1)]
    sheet = sheets_of(content["xlsx"])["Datos"]
    assert sheet[0] == head
    assert [(row[0], row[3], row[4], row[5]) for row in sheet[1:]] == [
        (n, n / 8, -n / 4, n * 1.5) for n in range(1, ROWS + 1)
    ]
    assert peak - idle < 60 * MB
    assert first_byte_s["csv"] < 10  # a second on a machine that has nothing else to do
