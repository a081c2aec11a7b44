"""The service as a real process, started from the environment, with its log."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from erpsim.simulator import Simulator

START_S = 60.0


def environment(url: str, **further: str) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "HOME") or name.startswith("COVERAGE")
    }
    return {
        **inherited,
        "LANG": "en_US.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "PORT": "0",
        "SL_URL": url,
        "SL_COMPANY_DB": "SBO_DEMO",
        "DB_TYPE": "HANA",
        **further,
    }


class Server:
    """A running process and its log. With `PYTHONPROFILEIMPORTTIME`, also the modules that it loaded."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self.loaded: set[str] = set()
        self.listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            if line.startswith(b"import time:"):
                self.loaded.add(line.decode().rpartition("|")[2].strip())
                continue
            entry = json.loads(line)
            self.lines.append(entry)
            if entry["event"] == "listening":
                self.listening.set_result(entry["port"])

    async def ended(self) -> int:
        async with asyncio.timeout(START_S):
            code = await self.process.wait()
            await self._reading
        return code


@asynccontextmanager
async def started(url: str, folder: Path, **further: str) -> AsyncIterator[tuple[Server, httpx2.AsyncClient]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "supplier_returns", "serve",
        env=environment(url, **further), cwd=folder,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    server = Server(process)
    try:
        async with asyncio.timeout(START_S):
            port = await server.listening
        base = f"http://127.0.0.1:{port}"
        async with httpx2.AsyncClient(base_url=base, timeout=30, trust_env=False) as client:
            yield server, client
    finally:
        if process.returncode is None:
            process.terminate()
            await server.ended()


async def arrived(sim: Simulator, method: str, path: str, count: int = 1) -> None:
    async with asyncio.timeout(30):
        while len(sim.calls.of(method, path)) < count:  # noqa: ASYNC110 - the simulator signals nothing
            await asyncio.sleep(0.01)
