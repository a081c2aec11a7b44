"""Prometheus metrics of the process; `server.metrics_port` serves them."""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar, final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector
from typing_extensions import override

from servicekit.logs import LogOutput

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


M = TypeVar("M", Counter, Histogram)


class Labelled(Generic[M]):
    """A metric that caches its children by labels: finding a child costs more than counting."""

    def __init__(self, metric: M) -> None:
        self._metric: M = metric
        self._children: dict[tuple[str, ...], M] = {}

    def labels(self, *values: str) -> M:
        """Return the child with these label values."""
        child = self._children.get(values)
        if child is None:
            child = self._children[values] = self._metric.labels(*values)
        return child


@final
class HttpMetrics:
    """Requests by method, route template and status, their duration, and the number in flight.

    Labels come from closed sets: a route is a template (`unmatched` without one), a method is a common one or
    `OTHER`.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Labelled(
            Counter("http_requests", "Requests answered.", ["method", "route", "status"], registry=registry)
        )
        self._durations = Labelled(
            Histogram(
                "http_request_duration_seconds",
                "Time from the first byte of a request to the end of its answer.",
                ["method", "route"],
                buckets=_BUCKETS_S,
                registry=registry,
            )
        )
        self._running = Gauge("http_requests_running", "Requests being answered.", registry=registry)

    def started(self) -> None:
        """Count a request as running."""
        self._running.inc()

    def finished(self, method: str, route: str | None, status: int, duration_s: float) -> None:
        """Count a finished request. `route` is the template, None without an endpoint."""
        self._running.dec()
        method = method if method in _METHODS else "OTHER"
        label = route or "unmatched"
        self._requests.labels(method, label, str(status)).inc()
        self._durations.labels(method, label).observe(duration_s)


@final
class LogMetrics(Collector):
    """Dropped log lines, with audit lines counted separately.

    Args:
        registry: registry of the metric.
        output: output of the lines (see `logs.configure_logging`).
    """

    def __init__(self, registry: CollectorRegistry, output: LogOutput) -> None:
        self._output = output
        registry.register(self)

    @override
    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the current counts."""
        lines = CounterMetricFamily("log_lines_dropped", "Log lines that nobody took.", labels=["kind"])
        dropped = self._output.dropped
        lines.add_metric(["audit"], dropped.audit)
        lines.add_metric(["other"], dropped.other)
        yield lines


def create_registry() -> CollectorRegistry:
    """Create a registry with the process's own figures: memory, processor time, open files, Python."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry
