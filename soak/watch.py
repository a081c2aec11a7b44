"""Observes processes, their health, and afterwards their logs."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import psutil
from stack.processes import LOOPBACK

from soak.people import Person
from soak.values import Recovery, Sample

FORESEEN = frozenset(
    {"request_finished", "erp_unwell", "report_gateway_refused", "audit_write_failed", "write_row_failed"}
)
"""Expected errors in a log, each a line without a trace: the ERP is unavailable, or the store needed more
than a second for a row that comes later.
"""

RECOVERY_PATIENCE_S = 90.0


def unexpected(name: str, log: Path) -> Iterator[str]:
    """Yield unexpected lines of a log: not JSON, a trace, or an unexpected error."""
    for line in log.read_text("utf-8", "replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            entry = {}
        odd = not isinstance(entry, dict) or entry.get("level") in {None, "error", "critical"}
        if (odd and entry.get("event") not in FORESEEN) or "exception" in entry or "stack" in entry:
            yield f"{name}: {line[:1500]}"


def sample(name: str, life: int, pid: int, born: float) -> Sample | None:
    """Measure a process now; None if it has just ended."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        with process.oneshot():
            return Sample(
                name,
                life,
                time.monotonic() - born,
                process.memory_info().rss,
                process.num_fds(),
                process.num_threads(),
            )
    return None


class Health:
    """Polls a service's health while it should run."""

    def __init__(self, port: int) -> None:
        self.worst_s = 0.0
        self.asked = 0
        self.is_meant_to = True
        self._port = port

    async def watch(self) -> None:
        """Poll until cancelled; requests while the process was down do not count."""
        async with httpx2.AsyncClient(base_url=f"http://{LOOPBACK}:{self._port}", trust_env=False) as client:
            while True:
                began, meant = time.monotonic(), self.is_meant_to
                try:
                    answer = await client.get("/api/health", timeout=30)
                    good = answer.status_code == 200
                except httpx2.TransportError:
                    good = False
                took = time.monotonic() - began
                if meant and self.is_meant_to:
                    self.asked += 1
                    self.worst_s = max(self.worst_s, took if good else 30.0)
                await asyncio.sleep(0.2)


async def recovery(what: str, name: str, person: Person, path: str) -> Recovery:
    """Measure the time until a user can sign in again and read from the ERP."""
    began = time.monotonic()
    while time.monotonic() - began < RECOVERY_PATIENCE_S:
        if (await person.ask("GET", path)).ok:
            return Recovery(what, name, time.monotonic() - began)
        await asyncio.sleep(0.1)
    return Recovery(what, name, None)
