"""Metrics of the gateway: calls to other systems, queues and logins, sessions, audit records."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from erp_gateway.files.jobs.job import JobKind
from erp_gateway.values.audit_event import AuditAction
from erp_gateway.writes.rules import WriteState
from erpclient import Condition, QueueStats
from servicekit.erp.metrics import CALL_BUCKETS_S, ErpMetrics
from servicekit.last_run import LastRun, Outcome, read_last_run
from servicekit.metrics import Labelled

# Doctor checks of the ERP's certificate and of the public one.
_CERTIFICATES: Final = ("network.certificate", "origin.certificate")


class JobMetrics:
    """Count work that waits in a queue. Implements `servicekit.erp.observed_queue.QueueObserver`.

    Args:
        registry: where the figures are published.
        prefix: of the metric names.
        jobs: help text of the counter.
    """

    def __init__(self, registry: CollectorRegistry, prefix: str, jobs: str) -> None:
        self._registry = registry
        self._prefix = prefix
        self._jobs = jobs
        self._waiting: Callable[[], int] = lambda: 0
        self._running: Callable[[], int] = lambda: 0
        self._ended = Labelled(Counter(prefix, f"{jobs}.", ["queue", "outcome"], registry=registry))
        self._seconds = Labelled(
            Histogram(
                f"{prefix}_duration_seconds",
                "Time from asking for a place to the end, its wait included.",
                ["queue"],
                buckets=CALL_BUCKETS_S,
                registry=registry,
            )
        )

    @property
    def waiting(self) -> int:
        """Number of waiting jobs; 0 before `watch`."""
        return self._waiting()

    @property
    def running(self) -> int:
        """Number of running jobs; 0 before `watch`."""
        return self._running()

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Publish the numbers of waiting and running jobs, read at scrape time."""
        self._waiting, self._running = waiting, running
        for word, sentence, count in (
            ("waiting", "that wait for a place", waiting),
            ("running", "that hold a place", running),
        ):
            gauge = Gauge(f"{self._prefix}_{word}", f"{self._jobs} {sentence}.", registry=self._registry)
            gauge.set_function(count)

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Count a finished job; `name` is a registered query or one of a few fixed words."""
        self._ended.labels(name, outcome).inc()
        self._seconds.labels(name).observe(duration_s)


class LongExportMetrics:
    """Count long exports. Implements `files.jobs.jobs.JobsObserver`.

    Args:
        registry: where the figures are published.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._started = Counter("jobs_started", "Long exports that were begun.", ["kind"], registry=registry)
        self._ended = Counter(
            "jobs_ended",
            "Long exports that ended; outcome: ok, or the code of what they ended with.",
            ["kind", "outcome"],
            registry=registry,
        )
        for kind in JobKind:
            self._started.labels(kind.value)
            self._ended.labels(kind.value, "ok")

    def watch(self, running: Callable[[], int]) -> None:
        """Publish the number of running exports, read at scrape time."""
        gauge = Gauge("jobs_running", "Long exports that are being made.", registry=self._registry)
        gauge.set_function(running)

    def job_started(self, kind: JobKind) -> None:
        self._started.labels(kind.value).inc()

    def job_ended(self, kind: JobKind, outcome: str) -> None:
        """Count a finished export."""
        self._ended.labels(kind.value, outcome).inc()


class GatewayMetrics(ErpMetrics):
    """Metrics of the ERP and of the gateway.

    Args:
        registry: where the figures are published.
        doctor_report: file with the doctor's last run; None publishes no metrics of the doctor.
    """

    def __init__(self, registry: CollectorRegistry, *, doctor_report: Path | None = None) -> None:
        super().__init__(registry)
        self._audited = Counter("audit_records", "Audit records committed.", ["action"], registry=registry)
        self._unaudited = Counter(
            "audit_failures",
            "Audit records that could not be written in time.",
            ["action"],
            registry=registry,
        )
        self._writes = Counter(
            "ledger_writes", "Writes by what was known at their end.", ["state"], registry=registry
        )
        self._without_row = Counter(
            "ledger_failures",
            "Writes whose row could not be committed before their turn.",
            registry=registry,
        )
        for action in AuditAction:
            self._unaudited.labels(action.value)
        for state in WriteState:
            self._writes.labels(state.value)
        if doctor_report is not None:
            self._watch_doctor(partial(read_last_run, doctor_report))

    def watch(
        self,
        queue: Callable[[], QueueStats],
        condition: Callable[[], Condition],
        web_sessions: Callable[[], int],
        audit_records_owed: Callable[[], int],
    ) -> None:
        """Publish gauges, read at scrape time.

        Args:
            queue: state of the queue to the ERP.
            condition: whether the ERP replies.
            web_sessions: number of live sessions.
            audit_records_owed: number of audit records that are not stored yet.
        """
        self.watch_erp(queue, condition, web_sessions)
        owed = Gauge(
            "audit_records_owed", "Audit records that the store has not taken yet.", registry=self._registry
        )
        owed.set_function(audit_records_owed)

    def _watch_doctor(self, last_run: Callable[[], LastRun | None]) -> None:
        """Publish the doctor's last run, read at scrape time; 0 without a run."""
        at = Gauge(
            "doctor_last_run_timestamp_seconds",
            "When the doctor last looked, in seconds since 1970; 0 where no run is known.",
            registry=self._registry,
        )
        at.set_function(lambda: 0.0 if (run := last_run()) is None else run.at.timestamp())
        checks = Gauge(
            "doctor_checks", "How the checks of that run ended.", ["outcome"], registry=self._registry
        )
        for outcome in Outcome:
            checks.labels(outcome.value).set_function(partial(_count, last_run, outcome))

        expiry = Gauge(
            "certificate_expiry_timestamp_seconds",
            "When a certificate that the doctor saw expires, in seconds since 1970; 0 where it saw none.",
            ["check"],
            registry=self._registry,
        )
        for check in _CERTIFICATES:
            expiry.labels(check).set_function(partial(_expiry, last_run, check))

    def audit_recorded(self, action: AuditAction) -> None:
        """Count a committed record."""
        self._audited.labels(action.value).inc()

    def audit_failed(self, action: AuditAction) -> None:
        """Count a record that was not written in time."""
        self._unaudited.labels(action.value).inc()

    def write_ended(self, state: WriteState) -> None:
        """Count a finished write by its state."""
        self._writes.labels(state.value).inc()

    def write_without_row(self) -> None:
        """Count a write that was sent without a row in the ledger."""
        self._without_row.inc()


class CacheMetrics:
    """Count responses from the cache. Implements `records.proxy.cache.read.CacheObserver`.

    Args:
        registry: where the figures are published.
        is_enabled: whether reference data is cached; without a cache the metric is not published.
    """

    def __init__(self, registry: CollectorRegistry, *, is_enabled: bool) -> None:
        self._cached = Counter(
            "erp_cached_answers",
            "Reads of reference data answered from memory; stale: because the ERP gave none.",
            ["kind"],
            registry=registry if is_enabled else None,
        )
        for kind in ("fresh", "stale"):
            self._cached.labels(kind)

    def answered_from_cache(self, *, stale: bool) -> None:
        self._cached.labels("stale" if stale else "fresh").inc()


def _expiry(last_run: Callable[[], LastRun | None], check: str) -> float:
    run = last_run()
    until = None if run is None else run.certificates.get(check)
    return 0.0 if until is None else until.timestamp()


def _count(last_run: Callable[[], LastRun | None], outcome: Outcome) -> float:
    run = last_run()
    return 0.0 if run is None else run.counts[outcome]
