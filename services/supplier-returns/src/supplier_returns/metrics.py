"""The service's own figures: calls to the ERP, waits, logins, sessions."""

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from erpclient import Condition, QueueStats

_CALL_BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_WAIT_BUCKETS_S: Final = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class ReturnsMetrics:
    """Counts what `erpclient.Observer` is told by the clients of all sessions.

    Labels come from closed sets: resources are those that the code names, never keys or texts of a client.

    Args:
        registry: where the figures are published.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._calls = Counter(
            "erp_calls", "Calls to the ERP.", ["method", "resource", "outcome"], registry=registry
        )
        self._call_seconds = Histogram(
            "erp_call_duration_seconds",
            "Time from sending a call to the last byte of its answer.",
            ["method"],
            buckets=_CALL_BUCKETS_S,
            registry=registry,
        )
        self._repeats = Counter(
            "erp_calls_repeated", "Calls sent a second time.", ["reason"], registry=registry
        )
        self._logins = Counter("erp_logins", "Logins to the ERP.", ["outcome"], registry=registry)
        self._login_seconds = Histogram(
            "erp_login_duration_seconds", "Time of a login.", buckets=_CALL_BUCKETS_S, registry=registry
        )
        self._waits = Histogram(
            "erp_queue_wait_seconds",
            "Time that requests waited for their turn.",
            ["outcome"],
            buckets=_WAIT_BUCKETS_S,
            registry=registry,
        )

    def watch(
        self,
        queue: Callable[[], QueueStats],
        condition: Callable[[], Condition],
        web_sessions: Callable[[], int],
    ) -> None:
        """Publish figures that are read when asked for.

        Args:
            queue: how full the queues to the ERP are together.
            condition: whether the ERP gives answers.
            web_sessions: how many people are signed in.
        """
        waiting = Gauge("erp_queue_waiting", "Requests that wait for their turn.", registry=self._registry)
        waiting.set_function(lambda: queue().waiting)
        in_flight = Gauge("erp_calls_in_flight", "Calls that are with the ERP.", registry=self._registry)
        in_flight.set_function(lambda: queue().in_flight)
        unwell = Gauge(
            "erp_unwell", "1 while the ERP gives no answers and nothing is sent.", registry=self._registry
        )
        unwell.set_function(lambda: condition() is Condition.UNWELL)
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
