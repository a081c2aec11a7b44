"""Gathers what the parts of the service know of themselves."""

import asyncio
from collections.abc import Sized
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

from attrs import Factory, asdict, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.metrics import JobMetrics
from erp_gateway.operations.health.probe import ErpProbe
from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.html.service import can_print
from erp_gateway.settings.root import Settings
from erpclient import ErpClient, QueueStats, QueueWait, lane_name
from servicekit.clock import Clock
from servicekit.last_run import Outcome, read_last_run
from servicekit.logs import DroppedLines, LogOutput
from servicekit.request_log import RecentFailures

VERSION: Final = version("erp-gateway")


@frozen(kw_only=True)
class ErpState:
    """Whether the ERP can be used, as `GET /api/health/erp` tells it."""

    status: Literal["ok", "unavailable"]
    reason: str | None
    ping: str
    session: str


@frozen(kw_only=True)
class WaitingUser:
    """One user's waiting requests; `anonymous` are all who are signing in."""

    user: str
    waiting: int
    longest_s: float


@frozen(kw_only=True)
class QueueState:
    """The queue before the ERP; the user with the least recent use of the ERP comes first."""

    waiting: int
    running: int
    users: tuple[WaitingUser, ...]


@frozen(kw_only=True)
class SessionsState:
    """How many people are signed in."""

    live: int


@frozen(kw_only=True)
class ReportGatewayState:
    """The report gateway and its queue."""

    configured: bool
    waiting: int
    running: int


@frozen(kw_only=True)
class DatabaseState:
    """Reads of the ERP's database; `engine` is None where it is not configured."""

    engine: str | None
    waiting: int
    running: int


@frozen(kw_only=True)
class PrintingState:
    """Printing of HTML reports; `available` tells whether there is something to print with."""

    engine: str
    available: bool
    waiting: int
    running: int


@frozen(kw_only=True)
class StoreState:
    """What keeps permissions, audit and ledger: `sqlite` or `postgresql`."""

    engine: str


@frozen(kw_only=True)
class AuditState:
    """Audit records that the store has not taken yet."""

    owed: int


@frozen(kw_only=True)
class LogState:
    """Log lines that nobody took, since the start."""

    dropped_audit: int
    dropped_other: int


@frozen(kw_only=True)
class FailedRequest:
    """One request that failed; its line in the log has the same `request_id`."""

    at: datetime
    method: str
    route: str | None
    status: int
    code: str | None
    request_id: str


@frozen(kw_only=True)
class DoctorState:
    """The last run of the doctor; `failed` names the checks that failed, at most 50."""

    at: datetime
    ok: int
    warnings: int
    failures: int
    skipped: int
    failed: tuple[str, ...]


@frozen(kw_only=True)
class SystemAnswer:
    """How the service is at this moment."""

    version: str
    started_at: datetime
    uptime_s: int
    erp: ErpState
    queue: QueueState
    sessions: SessionsState
    report_gateway: ReportGatewayState
    database: DatabaseState
    printing: PrintingState
    store: StoreState
    audit: AuditState
    log: LogState
    doctor: DoctorState | None
    errors: tuple[FailedRequest, ...]


@frozen(kw_only=True)
class SystemService:
    """Tells how the service is; each part is asked when it is told of.

    Attributes:
        probe: whether the ERP can be used.
        erp: the queue before it.
        sessions: who is signed in.
        reports: the report gateway; None where it is not configured.
        database: reads of the ERP's database.
        printing: documents to print.
        recorder: writes the audit records.
        store_engine: what keeps permissions, audit and ledger.
        log: what log lines go through; None where nobody counts those that were dropped.
        failures: the last requests that failed.
        clock: time; the service has been up since this was made.
        settings: which modules there are, and where the doctor's last run is written.
    """

    probe: ErpProbe
    erp: ErpClient
    sessions: Sized
    reports: ReportGatewayClient | None
    database: JobMetrics
    printing: JobMetrics
    recorder: AuditRecorder
    store_engine: str
    log: LogOutput | None
    failures: RecentFailures
    clock: Clock
    settings: Settings
    _started_at: datetime = field(init=False, default=Factory(lambda it: it.clock.now(), takes_self=True))
    _started: float = field(init=False, default=Factory(lambda it: it.clock.monotonic(), takes_self=True))

    async def look(self) -> SystemAnswer:
        """Return the state at this moment. Asks the ERP's balancer at most once in 5 s, nobody else."""
        erp = await self._erp()
        doctor = await asyncio.to_thread(_last_run, self.settings.installation.doctor_report)
        stats = self.erp.queue_stats
        reports = QueueStats(0, 0) if self.reports is None else self.reports.queue_stats
        dropped = DroppedLines() if self.log is None else self.log.dropped
        return SystemAnswer(
            version=VERSION,
            started_at=self._started_at,
            uptime_s=int(self.clock.monotonic() - self._started),
            erp=erp,
            queue=QueueState(
                waiting=stats.waiting,
                running=stats.in_flight,
                users=tuple(_waiting(wait) for wait in self.erp.queue_waits),
            ),
            sessions=SessionsState(live=len(self.sessions)),
            report_gateway=ReportGatewayState(
                configured=self.reports is not None, waiting=reports.waiting, running=reports.in_flight
            ),
            database=DatabaseState(
                engine=self.settings.database_engine,
                waiting=self.database.waiting,
                running=self.database.running,
            ),
            printing=PrintingState(
                engine=self.settings.html_pdf.engine,
                available=can_print(self.settings.html_pdf),
                waiting=self.printing.waiting,
                running=self.printing.running,
            ),
            store=StoreState(engine=self.store_engine),
            audit=AuditState(owed=self.recorder.owed),
            log=LogState(dropped_audit=dropped.audit, dropped_other=dropped.other),
            doctor=doctor,
            errors=tuple(FailedRequest(**asdict(failure)) for failure in self.failures.latest()),
        )

    async def _erp(self) -> ErpState:
        health = await self.probe.health()
        return ErpState(
            status="ok" if health.reason is None else "unavailable",
            reason=None if health.reason is None else health.reason.value,
            ping=health.ping,
            session=health.session.value,
        )


def _last_run(file: Path | None) -> DoctorState | None:
    run = None if file is None else read_last_run(file)
    if run is None:
        return None
    return DoctorState(
        at=run.at,
        ok=run.counts[Outcome.OK],
        warnings=run.counts[Outcome.WARN],
        failures=run.counts[Outcome.FAIL],
        skipped=run.counts[Outcome.SKIPPED],
        failed=run.failures,
    )


def _waiting(wait: QueueWait) -> WaitingUser:
    return WaitingUser(user=lane_name(wait.user), waiting=wait.waiting, longest_s=round(wait.longest_s, 3))
