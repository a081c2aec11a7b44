"""The gateway's own figures: calls to the ERP, its queue and logins, web sessions, audit records."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from erp_gateway.audit.event import AuditAction
from erpclient import QueueStats

_CALL_BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_WAIT_BUCKETS_S: Final = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class GatewayMetrics:
    """Counts what `erpclient.Observer` and `audit.recorder.AuditObserver` are told.

    Labels come from closed sets: resources are registered ones, never keys or texts of a client.

    Args:
        registry: where the figures are published.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._calls = _Labelled(
            Counter("erp_calls", "Calls to the ERP.", ["method", "resource", "outcome"], registry=registry)
        )
        self._call_seconds = _Labelled(
            Histogram(
                "erp_call_duration_seconds",
                "Time from sending a call to the last byte of its answer.",
                ["method"],
                buckets=_CALL_BUCKETS_S,
                registry=registry,
            )
        )
        self._repeats = Counter(
            "erp_calls_repeated", "Calls sent a second time.", ["reason"], registry=registry
        )
        self._logins = Counter("erp_logins", "Logins to the ERP.", ["outcome"], registry=registry)
        self._login_seconds = Histogram(
            "erp_login_duration_seconds", "Time of a login.", buckets=_CALL_BUCKETS_S, registry=registry
        )
        self._waits = _Labelled(
            Histogram(
                "erp_queue_wait_seconds",
                "Time that requests waited for their turn.",
                ["outcome"],
                buckets=_WAIT_BUCKETS_S,
                registry=registry,
            )
        )
        self._audited = Counter("audit_records", "Audit records committed.", ["action"], registry=registry)
        self._unaudited = Counter(
            "audit_failures",
            "Audit records that could not be written in time.",
            ["action"],
            registry=registry,
        )

    def watch(self, queue: Callable[[], QueueStats], web_sessions: Callable[[], int]) -> None:
        """Publish figures that are read when asked for.

        Args:
            queue: how full the queue to the ERP is.
            web_sessions: how many people are signed in.
        """
        waiting = Gauge("erp_queue_waiting", "Requests that wait for their turn.", registry=self._registry)
        waiting.set_function(lambda: queue().waiting)
        in_flight = Gauge("erp_calls_in_flight", "Calls that are with the ERP.", registry=self._registry)
        in_flight.set_function(lambda: queue().in_flight)
        sessions = Gauge("web_sessions", "People who are signed in.", registry=self._registry)
        sessions.set_function(web_sessions)

    def call_ended(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        """Count one call to the ERP."""
        self._calls.labels(method, resource, outcome).inc()
        self._call_seconds.labels(method).observe(duration_s)

    def call_repeated(self, *, reason: str) -> None:
        """Count a call that is sent a second time."""
        self._repeats.labels(reason).inc()

    def login_ended(self, *, outcome: str, duration_s: float) -> None:
        """Count one login to the ERP."""
        self._logins.labels(outcome).inc()
        self._login_seconds.observe(duration_s)

    def wait_ended(self, *, outcome: str, duration_s: float) -> None:
        """Count one wait for a turn."""
        self._waits.labels(outcome).observe(duration_s)

    def audit_recorded(self, action: AuditAction) -> None:
        """Count a record that was committed."""
        self._audited.labels(action.value).inc()

    def audit_failed(self, action: AuditAction) -> None:
        """Count a record that could not be written in time."""
        self._unaudited.labels(action.value).inc()


M = TypeVar("M", Counter, Histogram)


class _Labelled(Generic[M]):
    """A metric whose label sets are looked up once: finding one costs more than counting."""

    def __init__(self, metric: M) -> None:
        self._metric: M = metric
        self._known: dict[tuple[str, ...], M] = {}

    def labels(self, *values: str) -> M:
        """Return the child with these label values."""
        child = self._known.get(values)
        if child is None:
            child = self._known[values] = self._metric.labels(*values)
        return child
