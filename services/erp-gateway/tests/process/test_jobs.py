"""Long exports in a real server process that is told to stop."""

import asyncio
import json
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import psutil
import pytest

from servicekit.testing.ports import free_port

if TYPE_CHECKING:
    from tests.process.conftest import Server, StartServer

    from erpsim.simulator import Simulator

MODULE = """
from pathlib import Path
from erp_gateway.extensions import Extension, HtmlReport

async def data(run_query, values):
    return {}

EXTENSION = Extension(html_reports=(
    HtmlReport(code="hola", title="Hola", folder=Path(__file__).parent, template="hola.html", data=data),
))
"""
PDF = "/api/html-reports/hola/pdf"
ASYNC = {"Prefer": "respond-async"}
BROWSER = """#!/bin/sh
if [ -e "$0.hangs" ]; then sleep 600 & sleep 600 & sleep 600; fi
for each; do case $each in --print-to-pdf=*) printf %%PDF-1.7 > "${each#*=}";; esac; done
"""
"""Prints at once; or hangs, with two children, where a file beside it says so."""


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "customer_hola.py").write_text(MODULE)
    (tmp_path / "hola.html").write_text("<h1>Hola</h1>")
    (tmp_path / "tmp").mkdir()
    browser = tmp_path / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    return {
        "PYTHONPATH": str(tmp_path),
        "EXTENSIONS": "customer_hola",
        "BROWSER_BIN": str(browser),
        "HTML_PDF_SANDBOX": "false",
        "TMPDIR": str(tmp_path / "tmp"),
    }


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(0.02)


def below(server: "Server") -> list[psutil.Process]:
    """Return the processes below the server's, zombies included."""
    return psutil.Process(server.process.pid).children(recursive=True)


def runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def figures(port: int) -> dict[str, float]:
    """Return the series of jobs, by name with labels."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        page = (await client.get(f"http://127.0.0.1:{port}/metrics")).text
    pairs = (line.rsplit(" ", 1) for line in page.splitlines() if line.startswith("jobs_"))
    return {name: float(value) for name, value in pairs}


@pytest.mark.asyncio
async def test_shutdown_ends_the_running_job_reports_it_and_leaves_no_file(
    start_server: "StartServer",
    sim: "Simulator",
    settings: dict[str, str],
    tmp_path: Path,
) -> None:
    metrics_port = free_port()
    settings = {**settings, "METRICS_PORT": str(metrics_port)}
    async with start_server(sim.url, **settings) as server, server.client() as client:
        await server.sign_in(client)
        kept = await client.post(PDF, json={"values": {}}, headers=ASYNC)
        assert kept.status_code == 202, kept.text
        events = {"Accept": "text/event-stream"}
        assert "event: resultado" in (await client.get(kept.headers["location"], headers=events)).text
        (tmp_path / "browser.hangs").touch()
        hanging = await client.post(PDF, json={"values": {}}, headers=ASYNC)
        assert (hanging.status_code, hanging.json()["state"]) == (202, "running")
        await until(lambda: len(below(server)) >= 3)
        started, ended = 'jobs_started_total{kind="html_report"}', 'jobs_ended_total{kind="html_report"'
        now = await figures(metrics_port)
        assert (now[started], now[f'{ended},outcome="ok"}}'], now["jobs_running"]) == (2, 1, 1)

        listening = asyncio.Event()

        async def listen() -> str:
            text = ""
            async with client.stream("GET", hanging.headers["location"], headers=events) as answer:
                async for chunk in answer.aiter_text():
                    text += chunk
                    listening.set()
            return text

        listener = asyncio.create_task(listen())
        await asyncio.wait_for(listening.wait(), 60)
        printing = below(server)
        server.process.send_signal(signal.SIGTERM)
        result = await asyncio.wait_for(listener, 60)
        assert await server.ended() == 0

    name, _, data = result.strip().rpartition("event: ")[2].partition("\ndata: ")
    assert (name, json.loads(data)["code"]) == ("error", "shutting_down")
    outcomes = [line["outcome"] for line in server.events("job_ended")]
    assert outcomes == ["ok", "shutting_down"]
    await until(lambda: not any(runs(each) for each in printing))
    assert list((tmp_path / "tmp").iterdir()) == [], "neither the kept result nor the browser's folder"
    with closing(sqlite3.connect(tmp_path / "data" / "app.sqlite")) as store:
        rows = store.execute("SELECT result, reason FROM audit_log WHERE action = 'html_report' ORDER BY id")
        assert rows.fetchall() == [("ok", None), ("error", "interrupted")]
