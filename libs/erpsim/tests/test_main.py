"""`erpsim serve` as a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from erpsim.__main__ import main

pytestmark = pytest.mark.check  # processes of its own

LOGIN = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}


@asynccontextmanager
async def serving(*arguments: str, **environ: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """Run `erpsim serve`, yield it and its first line; make sure it is gone afterwards."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "erpsim", "serve", "--port", "0", "--seed", "small", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={k: v for k, v in os.environ.items() if not k.startswith("ERPSIM_")} | environ,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            line = (await process.stdout.readline()).decode()
        assert line, (await process.communicate())[1].decode()
        yield process, line
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def stop(process: asyncio.subprocess.Process, number: int = signal.SIGTERM) -> int:
    process.send_signal(number)
    async with asyncio.timeout(30):
        return await process.wait()


def url_in(line: str) -> str:
    match = re.search(r"https?://[^/]+/b1s/v1", line)
    assert match is not None
    return match[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_process_prints_its_address_serves_and_stops_cleanly(number: int) -> None:
    async with serving("--control-port", "0") as (process, line), aiohttp.ClientSession() as client:
        assert re.fullmatch(
            r"erpsim ready: http://127\.0\.0\.1:\d+/b1s/v1, control port http://127\.0\.0\.1:\d+\n", line
        )
        assert process.stdout is not None
        result = [(await process.stdout.readline()).decode() for _ in range(2)]
        assert result[0] == "company SBO_DEMO, seed small; ERP users: manager / erpsim, bodega / erpsim\n"
        assert "ana / ana-demo" in result[1]
        assert (await client.post(f"{url_in(line)}/Login", json=LOGIN)).status == 200
        assert (await client.get(line.split()[-1] + "/calls")).status == 200
        assert await stop(process, number) == 0


@pytest.mark.asyncio
async def test_the_environment_configures_the_simulator_and_its_store(tmp_path: Path) -> None:
    environ = {"ERPSIM_STORE": str(tmp_path / "s.db"), "ERPSIM_COMPANY": "OWN", "ERPSIM_PENALTY": "0"}
    for status in (404, 200):
        async with serving(**environ) as (process, line), aiohttp.ClientSession() as client:
            url = url_in(line)
            answer = await client.post(f"{url}/Login", json=LOGIN | {"CompanyDB": "OWN"})
            session = (await answer.json(content_type=None))["SessionId"]
            headers = {"Cookie": f"B1SESSION={session}; ROUTEID=.node1"}
            assert (await client.get(f"{url}/Items('T1')", headers=headers)).status == status
            await client.post(f"{url}/Items", json={"ItemCode": "T1", "ItemName": "x"}, headers=headers)
            assert await stop(process) == 0


@pytest.mark.asyncio
async def test_the_certificate_can_be_written_for_clients(tmp_path: Path) -> None:
    certificate = tmp_path / "erpsim.pem"
    async with serving("--tls", "--certificate-file", str(certificate)) as (process, line):
        trusting = ssl.create_default_context(cafile=str(certificate))
        connector = aiohttp.TCPConnector(ssl=trusting)
        async with aiohttp.ClientSession(connector=connector) as client:
            assert (await client.post(f"{url_in(line)}/Login", json=LOGIN)).status == 200
        assert await stop(process) == 0


@pytest.mark.asyncio
async def test_shutdown_waits_for_a_running_call() -> None:
    options = ("--switch", "login_delay_s=0.5", "--shutdown", "20", "--control-port", "0")
    async with serving(*options) as (process, line), aiohttp.ClientSession() as client:
        login = asyncio.create_task(client.post(f"{url_in(line)}/Login", json=LOGIN))
        in_flight = 0
        while not in_flight:
            answer = await client.get(line.split()[-1] + "/calls")
            in_flight = (await answer.json())["in_flight"]
        stopped = asyncio.create_task(stop(process))
        assert (await login).status == 200
        assert await stopped == 0


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "erpsim", *arguments],
        env=dict(os.environ) | environ,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_taken_port_is_named_with_exit_code_1() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port), "--seed", "empty")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == f"erpsim: port {port} on 127.0.0.1 is taken by another program\n"


def test_every_invalid_setting_is_named_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "x"], {"ERPSIM_PAGES": "1"}) == 1
    assert capsys.readouterr().err.splitlines() == [
        "erpsim: --port: 'x' is not a port (0 to 65535; 0 is any free one)",
        "erpsim: ERPSIM_PAGES is no setting; did you mean ERPSIM_PAGE_SIZE?",
    ]


@pytest.mark.parametrize("option", ["--metadata", "--store"])
def test_an_unusable_file_is_named_with_exit_code_1(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    path.write_text("this is neither XML nor a store, whatever one looks at" * 100)
    assert main(["serve", "--port", "0", option, str(path)], {}) == 1
    assert capsys.readouterr().err.startswith("erpsim: ")


@pytest.mark.parametrize(("words", "code"), [([], 2), (["run"], 2), (["--help"], 0)])
def test_without_serve_the_usage_is_shown(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words, {}) == code
    assert "usage: erpsim serve" in capsys.readouterr().err
