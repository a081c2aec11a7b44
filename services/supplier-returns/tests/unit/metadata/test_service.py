"""Listeners of a rebuild get all events from the start, and signs of life in between."""

import asyncio
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs
from typing_extensions import override

from erpclient import AiohttpTransport, Caller, Credentials, ErpClient, ErpSettings
from servicekit.clock import ManualClock
from supplier_returns.execution.fence import Fence, FenceMode
from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.metadata.rebuild import Progress, Rebuild, RebuildResult, Report
from supplier_returns.metadata.service import MetadataService
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.web.session import WebSession
from supplier_returns.web.session_store import WebSessionStore
from supplier_returns.web.user import ErpUser


class ScriptedRebuild(Rebuild):
    """A rebuild that reports one step, waits, reports another, and succeeds or fails."""

    def __init__(self, installer: QueryInstaller, failure: Exception | None = None) -> None:
        super().__init__(load_definitions(), installer, Fence(FenceMode.OFF).prove, timeout_s=1)
        self.go = asyncio.Event()
        self._failure = failure

    @override
    async def run(self, erp: ErpClient, caller: Caller, report: Report, *, simulate: bool) -> RebuildResult:
        report(Progress(done=1, total=2, name="a", outcome="creado"))
        await self.go.wait()
        if self._failure is not None:
            raise self._failure
        report(Progress(done=2, total=2, name="b", outcome="creado"))
        return RebuildResult(created=["a", "b"])


def session() -> WebSession:
    transport = AiohttpTransport(connect_timeout_s=1, max_reply_bytes=1024)
    settings = ErpSettings("http://127.0.0.1:1/b1s/v1")
    erp = ErpClient(settings, Credentials("C", "u", "p"), renewable=False, transport=transport)
    return WebSession(ErpUser("u", "U"), erp, datetime(2026, 1, 1, tzinfo=UTC), b"digest")


def make(clock: ManualClock, failure: Exception | None = None) -> tuple[MetadataService, ScriptedRebuild]:
    installer = QueryInstaller("HANA", clock)
    rebuild = ScriptedRebuild(installer, failure)
    sessions = WebSessionStore(timeout_s=60, capacity=1, per_user=1, grace_s=1, clock=clock)
    return MetadataService(load_definitions(), rebuild, installer, sessions), rebuild


@pytest.mark.asyncio
async def test_a_late_listener_gets_all_events_and_signs_of_life(clock: ManualClock) -> None:
    service, rebuild = make(clock)
    run = service.start(session(), Caller("u"), simulate=False)
    heard: list[str | None] = []
    async with asyncio.timeout(30):
        async for progress in run.progress(quiet_s=0.02):
            heard.append(None if progress is None else progress.name)
            if len(heard) == 3:
                rebuild.go.set()
    assert heard[0] == "a"
    assert heard[1:3] == [None, None]
    assert heard[-1] == "b"
    assert [progress.name async for progress in run.progress(quiet_s=1) if progress is not None] == ["a", "b"]
    assert (await run.result()).created == ["a", "b"]


@pytest.mark.asyncio
async def test_an_unexpected_failure_is_logged_without_a_listener(clock: ManualClock) -> None:
    service, rebuild = make(clock, RuntimeError("boom"))
    with capture_logs() as logs:
        run = service.start(session(), Caller("u"), simulate=False)
        rebuild.go.set()
        with pytest.raises(RuntimeError):
            await run.result()
        await asyncio.sleep(0)
    assert [(line["event"], line["reason"]) for line in logs] == [("metadata_rebuild_failed", "boom")]
