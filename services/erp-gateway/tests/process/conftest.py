"""The gateway as a real process, configured by the environment alone, on a simulated ERP."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from erpsim.simulator import Simulator, run_sim

START_S = 60.0


class Server:
    """One running process: its port, its log so far, and short calls to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self.raw = ""
        self.port = 0
        self._listening = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.raw += line.decode()
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            self.lines.append(entry)
            if entry.get("event") == "listening":
                self.port = entry["port"]
                self._listening.set()
        self._listening.set()

    async def started(self) -> None:
        """Wait until connections are accepted."""
        async with asyncio.timeout(START_S):
            await self._listening.wait()
        assert self.port, f"the process did not start:\n{self.raw}"

    async def ended(self, timeout_s: float = 60.0) -> int:
        """Wait for the end and return the exit code; the log is complete then."""
        async with asyncio.timeout(timeout_s):
            code = await self.process.wait()
            await self._reading
        return code

    def client(self) -> httpx2.AsyncClient:
        """Return a client of this server."""
        return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=30, trust_env=False)

    async def sign_in(
        self, client: httpx2.AsyncClient, user: str = "ana", password: str | None = None
    ) -> None:
        """Sign somebody in; the client proves it from then on."""
        body = {"username": user, "password": password or f"{user}-demo"}
        answer = await client.post("/api/auth/login", json=body)
        assert answer.status_code == 200, answer.text
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the log lines of one event."""
        return [line for line in self.lines if line["event"] == name]


def environment(folder: Path, url: str, **further: str) -> dict[str, str]:
    """Return a whole environment of the process."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    coverage = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE")}
    return {
        **kept,
        **coverage,
        "LANG": "en_US.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "PORT": "0",
        "ERP_SL_URL": url,
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "erpsim",
        "SQLITE_PATH": str(folder / "data" / "app.sqlite"),
        "ADMIN_WEB_USERS": "ana",
        **further,
    }


StartServer = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def start_server(tmp_path: Path) -> StartServer:
    """Return what starts the process and stops it at the end of the block if it still runs."""

    @asynccontextmanager
    async def starting(url: str, *, wait: bool = True, **further: str) -> AsyncIterator[Server]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "erp_gateway",
            "serve",
            env=environment(tmp_path, url, **further),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        server = Server(process)
        try:
            if wait:
                await server.started()
            yield server
        finally:
            if process.returncode is None:
                process.terminate()
                try:
                    await server.ended()
                except TimeoutError:
                    process.kill()
                    await server.ended()

    return starting


@pytest_asyncio.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with run_sim() as simulator:
        yield simulator
