"""Metrics of calls to the ERP and to similar upstream systems."""

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from erpclient import LOGIN_OUTCOMES, Condition, QueueStats
from servicekit.metrics import Labelled

CALL_BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_WAIT_BUCKETS_S: Final = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class UpstreamMetrics:
    """Metrics of one upstream system, as an `erpclient.Observer`.

    Labels come from closed sets: resources are registered ones, never keys or texts of a client.

    Args:
        registry: registry of the metrics.
        prefix: prefix of their names.
        system: the system's name in a sentence.
    """

    def __init__(self, registry: CollectorRegistry, prefix: str, system: str) -> None:
        self._registry = registry
        self._prefix = prefix
        self._system = system
        self._calls = Labelled(
            Counter(
                f"{prefix}_calls", f"Calls to {system}.", ["method", "resource", "outcome"], registry=registry
            )
        )
        self._call_seconds = Labelled(
            Histogram(
                f"{prefix}_call_duration_seconds",
                "Time from sending a call to the last byte of its answer.",
                ["method"],
                buckets=CALL_BUCKETS_S,
                registry=registry,
            )
        )
        self._repeats = Counter(
            f"{prefix}_calls_repeated", "Calls sent a second time.", ["reason"], registry=registry
        )
        self._logins = Counter(f"{prefix}_logins", f"Logins to {system}.", ["outcome"], registry=registry)
        for outcome in LOGIN_OUTCOMES:  # 0 before it happens, or its first time counts as no increase
            self._logins.labels(outcome)
        self._login_seconds = Histogram(
            f"{prefix}_login_duration_seconds", "Time of a login.", buckets=CALL_BUCKETS_S, registry=registry
        )
        self._waits = Labelled(
            Histogram(
                f"{prefix}_queue_wait_seconds",
                "Time that requests waited for their turn.",
                ["outcome"],
                buckets=_WAIT_BUCKETS_S,
                registry=registry,
            )
        )

    def watch_queue(self, queue: Callable[[], QueueStats]) -> None:
        """Publish the length of the queue, read at each scrape."""
        waiting = Gauge(
            f"{self._prefix}_queue_waiting", "Requests that wait for their turn.", registry=self._registry
        )
        waiting.set_function(lambda: queue().waiting)
        in_flight = Gauge(
            f"{self._prefix}_calls_in_flight", f"Calls that are with {self._system}.", registry=self._registry
        )
        in_flight.set_function(lambda: queue().in_flight)

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        """Count one call."""
        self._calls.labels(method, resource, outcome).inc()
        self._call_seconds.labels(method).observe(duration_s)

    def call_repeated(self, *, reason: str) -> None:
        """Count a call that is sent a second time."""
        self._repeats.labels(reason).inc()

    def login_finished(self, *, outcome: str, duration_s: float) -> None:
        """Count one login."""
        self._logins.labels(outcome).inc()
        self._login_seconds.observe(duration_s)

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        """Count one wait for a turn."""
        self._waits.labels(outcome).observe(duration_s)


class ErpMetrics(UpstreamMetrics):
    """Metrics of the ERP, and the number of signed-in users."""

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__(registry, "erp", "the ERP")

    def watch_erp(
        self,
        queue: Callable[[], QueueStats],
        condition: Callable[[], Condition],
        web_sessions: Callable[[], int],
    ) -> None:
        """Publish metrics that are read at each scrape.

        Args:
            queue: total load of the queues to the ERP.
            condition: condition of the ERP.
            web_sessions: number of signed-in users.
        """
        self.watch_queue(queue)
        unwell = Gauge(
            "erp_unwell", "1 while the ERP gives no answers and nothing is sent.", registry=self._registry
        )
        unwell.set_function(lambda: condition() is Condition.UNWELL)
        sessions = Gauge("web_sessions", "People who are signed in.", registry=self._registry)
        sessions.set_function(web_sessions)
