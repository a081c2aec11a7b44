"""Printing in a real server process: clients that leave, a stop in the middle, and a process with no init."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import psutil
import pytest

from erp_gateway.reports.html.printing.browser import find_browser

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
ENDLESS_TABLE = "<table>\n% for n in range(150_000):\n<tr><td>planted</td></tr>\n% endfor\n</table>"
PDF = "/api/html-reports/hola/pdf"
PRINTS = 'for each; do case $each in --print-to-pdf=*) printf %%PDF-1.7 > "${each#*=}";; esac; done\n'
HANGS = "sleep 600 &\nsleep 600 &\nsleep 600\n"


@pytest.fixture
def settings(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Return what gives the settings of a gateway with a report, and a script in the place of the browser."""
    (tmp_path / "customer_hola.py").write_text(MODULE)
    (tmp_path / "hola.html").write_text("<h1>Hola</h1>")
    (tmp_path / "tmp").mkdir()
    browser = tmp_path / "browser"

    def with_browser(script: str) -> dict[str, str]:
        browser.write_text(f"#!/bin/sh\n{script}")
        browser.chmod(0o755)
        return {
            "PYTHONPATH": str(tmp_path),
            "EXTENSIONS": "customer_hola",
            "BROWSER_BIN": str(browser),
            "HTML_PDF_SANDBOX": "false",
            "TMPDIR": str(tmp_path / "tmp"),
        }

    return with_browser


def below(server: "Server") -> list[psutil.Process]:
    """Return the processes below the server's, zombies included."""
    return psutil.Process(server.process.pid).children(recursive=True)


def cpu_s(process: psutil.Process) -> float:
    """Return the processor time of a process; none when it has ended, as short helpers of a library do."""
    try:
        return float(process.cpu_times().user)
    except psutil.NoSuchProcess:
        return 0.0


def runs(process: psutil.Process) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(0.02)


def left_in(folder: Path) -> list[str]:
    return [path.name for path in (folder / "tmp").iterdir()]


@pytest.mark.asyncio
async def test_a_client_disconnect_ends_its_print_job(
    start_server: "StartServer",
    sim: "Simulator",
    settings: Callable[[str], dict[str, str]],
    tmp_path: Path,
) -> None:
    async with start_server(sim.url, **settings(HANGS)) as server, server.client() as client:
        await server.sign_in(client)
        async with server.client() as leaving:
            leaving.headers["Authorization"] = client.headers["Authorization"]
            task = asyncio.create_task(leaving.post(PDF, json={"values": {}}))
            await until(lambda: len(below(server)) >= 3)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await until(lambda: below(server) == [] and left_in(tmp_path) == [])
        async with asyncio.timeout(60):
            while not (  # noqa: ASYNC110 - it happens in another process
                items := (await client.get("/api/audit?accion=html_report")).json()["items"]
            ):
                await asyncio.sleep(0.02)
        assert [(item["result"], item["reason"]) for item in items] == [("error", "client_gone")]


@pytest.mark.asyncio
async def test_shutdown_finishes_the_running_print_job_and_rejects_queued_ones(
    start_server: "StartServer",
    sim: "Simulator",
    settings: Callable[[str], dict[str, str]],
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    slow = settings(f"while ! test -e {gate}; do sleep 0.05; done\n" + PRINTS)
    async with start_server(sim.url, **slow) as server, server.client() as client:
        await server.sign_in(client)
        running = asyncio.create_task(client.post(PDF, json={"values": {}}))
        await until(lambda: below(server) != [])
        waiting = [asyncio.create_task(client.post(PDF, json={"values": {}})) for _ in range(3)]
        await asyncio.sleep(2)  # nothing tells that they have arrived
        server.process.send_signal(signal.SIGTERM)
        for answer in await asyncio.gather(*waiting):
            assert (answer.status_code, answer.json()["code"]) == (503, "shutting_down")
        assert not running.done()
        gate.touch()
        answer = await running
        assert (answer.status_code, answer.content) == (200, b"%PDF-1.7")
        assert await server.ended() == 0
    assert left_in(tmp_path) == []


@pytest.mark.asyncio
async def test_a_second_signal_ends_the_print_job_with_the_service(
    start_server: "StartServer",
    sim: "Simulator",
    settings: Callable[[str], dict[str, str]],
    tmp_path: Path,
) -> None:
    async with start_server(sim.url, **settings(HANGS)) as server, server.client() as client:
        await server.sign_in(client)
        running = asyncio.create_task(client.post(PDF, json={"values": {}}))
        await until(lambda: len(below(server)) >= 3)
        jobs = below(server)
        for _ in range(2):
            server.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.2)
        await server.ended()
        with pytest.raises(httpx2.HTTPError):
            (await running).raise_for_status()
        await until(lambda: not any(runs(job) for job in jobs))
    assert left_in(tmp_path) == []


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells a process that its parent died")
async def test_weasyprint_ends_with_a_service_that_is_killed(
    start_server: "StartServer",
    sim: "Simulator",
    settings: Callable[[str], dict[str, str]],
    tmp_path: Path,
) -> None:
    endless = {**settings(""), "HTML_PDF_ENGINE": "weasyprint"}
    (tmp_path / "hola.html").write_text("<table>" + "<tr><td>x</td></tr>" * 100_000 + "</table>")
    async with start_server(sim.url, **endless) as server, server.client() as client:
        await server.sign_in(client)
        running = asyncio.create_task(client.post(PDF, json={"values": {}}))
        await until(lambda: any(cpu_s(each) > 1 for each in below(server)))
        jobs = below(server)
        server.process.kill()
        await asyncio.gather(running, return_exceptions=True)
        await until(lambda: not any(runs(job) for job in jobs))


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux only")
async def test_no_zombie_stays_below_a_process_without_an_init(
    start_server: "StartServer", sim: "Simulator", settings: Callable[[str], dict[str, str]]
) -> None:
    orphans = settings("sleep 600 &\nsleep 600 &\n" + PRINTS)
    async with start_server(sim.url, **orphans) as server, server.client() as client:
        await server.sign_in(client)
        for _ in range(5):
            assert (await client.post(PDF, json={"values": {}})).status_code == 200
            assert below(server) == []


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when processes started")
@pytest.mark.parametrize("real", [True, False], ids=["a browser", "a browser that hangs"])
async def test_leftovers_of_a_killed_service_are_removed_at_the_next_start(
    start_server: "StartServer",
    sim: "Simulator",
    settings: Callable[[str], dict[str, str]],
    tmp_path: Path,
    real: bool,
) -> None:
    printing = settings(HANGS)
    if real:
        browser = find_browser(None, os.environ)
        if browser is None:
            pytest.skip("no headless browser on this machine")
        printing["BROWSER_BIN"] = str(browser)
        (tmp_path / "hola.html").write_text(ENDLESS_TABLE)
    async with start_server(sim.url, **printing) as server, server.client() as client:
        await server.sign_in(client)
        running = asyncio.create_task(client.post(PDF, json={"values": {}}))
        await until(lambda: len(below(server)) >= 3 and has_record(tmp_path))
        jobs = below(server)
        server.process.kill()
        await asyncio.gather(running, return_exceptions=True)
        await server.ended()
    (folder,) = (tmp_path / "tmp").iterdir()
    assert any(runs(job) for job in jobs)
    bystander = await asyncio.create_subprocess_exec("sleep", "600", cwd=folder, start_new_session=True)
    try:
        async with start_server(sim.url, **printing) as again:
            assert left_in(tmp_path) == []
            assert not any(runs(job) for job in jobs)
            assert [each["folder"] for each in again.events("pdf_job_left_by_a_killed_service")] == [
                str(folder)
            ]
            assert bystander.returncode is None
    finally:
        bystander.kill()
        await bystander.wait()


@pytest.mark.asyncio
async def test_a_second_service_keeps_the_print_jobs_of_the_first(
    start_server: "StartServer",
    sim: "Simulator",
    settings: Callable[[str], dict[str, str]],
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    waits = settings(f"while ! test -e {gate}; do sleep 0.02; done\n" + PRINTS)
    async with start_server(sim.url, **waits) as first, first.client() as client:
        await first.sign_in(client)
        running = asyncio.create_task(client.post(PDF, json={"values": {}}))
        await until(lambda: below(first) != [])
        async with start_server(sim.url, **waits, SQLITE_PATH=str(tmp_path / "other.sqlite")):
            assert len(left_in(tmp_path)) == 1
        gate.touch()
        assert (await running).content == b"%PDF-1.7"


def has_record(folder: Path) -> bool:
    """Return whether a job has recorded the process that prints it."""
    return any((folder / "tmp").glob("*/process.json"))
