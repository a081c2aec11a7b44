"""Gathers what the parts of the service know of themselves."""

import asyncio
from collections.abc import Sized
from pathlib import Path
from typing import Protocol

from attrs import frozen

from erp_gateway.health.probe import ErpProbe
from erp_gateway.html_reports.opening import can_print
from erp_gateway.settings.modules import HtmlPdf
from erp_gateway.system.shapes import (
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
from erpclient import QueueStats, QueueWait
from servicekit.clock import Clock
from servicekit.last_run import Outcome, read_last_run
from servicekit.logs import DroppedLines, LogOutput
from servicekit.request_log import RecentFailures


class Jobs(Protocol):
    """Work that waits for a place of its own; `metrics.JobMetrics` knows it."""

    @property
    def waiting(self) -> int:
        """How many wait."""
        ...

    @property
    def running(self) -> int:
        """How many hold a place."""
        ...


class Queue(Protocol):
    """A queue before a system behind us; `report_gateway.client.ReportGatewayClient` has one."""

    @property
    def queue_stats(self) -> QueueStats:
        """How full it is."""
        ...


class ErpQueue(Queue, Protocol):
    """The queue before the ERP; `erpclient.ErpClient` has it."""

    @property
    def queue_waits(self) -> tuple[QueueWait, ...]:
        """Who waits."""
        ...


class Owing(Protocol):
    """Who writes the audit records; `audit.recorder.AuditRecorder` does."""

    @property
    def owed(self) -> int:
        """How many the store has not taken."""
        ...


@frozen(kw_only=True)
class Parts:
    """What is told of, each asked when it is told.

    Attributes:
        probe: whether the ERP can be used.
        erp: the queue before it.
        sessions: who is signed in.
        reports: the report gateway; None where it is not configured.
        database_engine: the configured one, None without.
        database: reads of the ERP's database.
        printing: documents to print.
        recorder: writes the audit records.
        store_engine: what keeps permissions, audit and ledger.
        log: what log lines go through; None where nobody counts those that were dropped.
        failures: the last requests that failed.
    """

    probe: ErpProbe
    erp: ErpQueue
    sessions: Sized
    reports: Queue | None
    database_engine: str | None
    database: Jobs
    printing: Jobs
    recorder: Owing
    store_engine: str
    log: LogOutput | None
    failures: RecentFailures


class SystemService:
    """Tells how the service is.

    Args:
        parts: what to ask.
        pdf: what prints HTML reports.
        clock: time; the service has been up since this was made.
        version: of the service.
        doctor_report: file with the doctor's last run; None where none is written.
    """

    def __init__(
        self, parts: Parts, pdf: HtmlPdf, clock: Clock, *, version: str, doctor_report: Path | None
    ) -> None:
        self._doctor_report = doctor_report
        self._parts = parts
        self._pdf = pdf
        self._clock = clock
        self._version = version
        self._started_at = clock.now()
        self._started = clock.monotonic()

    async def look(self) -> SystemAnswer:
        """Return the state at this moment. Asks the ERP's balancer at most once in 5 s, nobody else."""
        parts = self._parts
        erp = await self._erp()
        doctor = await asyncio.to_thread(_last_run, self._doctor_report)
        stats = parts.erp.queue_stats
        reports = QueueStats(0, 0) if parts.reports is None else parts.reports.queue_stats
        dropped = DroppedLines() if parts.log is None else parts.log.dropped
        return SystemAnswer(
            version=self._version,
            started_at=self._started_at,
            uptime_s=int(self._clock.monotonic() - self._started),
            erp=erp,
            queue=QueueState(
                waiting=stats.waiting,
                running=stats.in_flight,
                users=tuple(_waiting(wait) for wait in parts.erp.queue_waits),
            ),
            sessions=SessionsState(live=len(parts.sessions)),
            report_gateway=ReportGatewayState(
                configured=parts.reports is not None, waiting=reports.waiting, running=reports.in_flight
            ),
            database=DatabaseState(
                engine=parts.database_engine, waiting=parts.database.waiting, running=parts.database.running
            ),
            printing=PrintingState(
                engine=self._pdf.engine,
                available=can_print(self._pdf),
                waiting=parts.printing.waiting,
                running=parts.printing.running,
            ),
            store=StoreState(engine=parts.store_engine),
            audit=AuditState(owed=parts.recorder.owed),
            log=LogState(dropped_audit=dropped.audit, dropped_other=dropped.other),
            doctor=doctor,
            errors=tuple(
                FailedRequest(
                    at=failure.at,
                    method=failure.method,
                    route=failure.route,
                    status=failure.status,
                    code=failure.code,
                    request_id=failure.request_id,
                )
                for failure in parts.failures.latest()
            ),
        )

    async def _erp(self) -> ErpState:
        health = await self._parts.probe.health()
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
    return WaitingUser(user=wait.user, waiting=wait.waiting, longest_s=round(wait.longest_s, 3))
