"""Collect the state of the service and its parts."""

import asyncio
from collections.abc import Sized
from datetime import datetime
from pathlib import Path

from attrs import Factory, asdict, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.metrics import JobMetrics
from erp_gateway.operations.health.probe import ErpProbe
from erp_gateway.operations.system.shapes import (
    VERSION,
    AuditState,
    DatabaseState,
    DoctorState,
    ErpState,
    FailedRequest,
    LogState,
    PrintingState,
    QueueState,
    ReportGatewayState,
    SessionsState,
    StoreState,
    SystemAnswer,
    WaitingUser,
)
from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.html.opening import can_print
from erp_gateway.settings.root import Settings
from erpclient import ErpClient, QueueStats, QueueWait, lane_name
from servicekit.clock import Clock
from servicekit.last_run import Outcome, read_last_run
from servicekit.logs import DroppedLines, LogOutput
from servicekit.request_log import RecentFailures


@frozen(kw_only=True)
class SystemService:
    """Collects the state of the service; each part is read at the time of the request.

    Attributes:
        probe: health of the ERP.
        erp: the shared client, with its queue.
        sessions: live sessions.
        reports: client of the report gateway; None if it is not configured.
        database: metrics of queries on the ERP's database.
        printing: metrics of printing.
        recorder: the audit.
        store_engine: engine of the store.
        log: output of log lines; None if dropped lines are not counted.
        failures: the last failed requests.
        clock: time; the service counts its uptime from the creation of this object.
        settings: configured modules, and the file with the doctor's last run.
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

    async def get_status(self) -> SystemAnswer:
        """Return the current state; the only request is a ping of the balancer, at most once in 5 s."""
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
            audit=AuditState(owed=self.recorder.pending),
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
