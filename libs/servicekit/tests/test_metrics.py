"""The process's figures."""

import os

from prometheus_client import CollectorRegistry

from servicekit.logs import LogOutput
from servicekit.metrics import HttpMetrics, LogMetrics


def test_metric_labels_come_from_closed_sets() -> None:
    registry = CollectorRegistry()
    metrics = HttpMetrics(registry)
    for method, route in (("GET", "/a/{x}"), ("GET", "/a/{x}"), ("BREW", None), ("<script>", None)):
        metrics.started()
        metrics.finished(method, route, 200, 0.02)

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, labels)

    assert value("http_requests_total", method="GET", route="/a/{x}", status="200") == 2
    assert value("http_requests_total", method="OTHER", route="unmatched", status="200") == 2
    assert value("http_request_duration_seconds_bucket", method="GET", route="/a/{x}", le="0.025") == 2
    assert value("http_request_duration_seconds_bucket", method="GET", route="/a/{x}", le="0.01") == 0
    assert value("http_requests_running") == 0


def test_running_requests_are_counted() -> None:
    registry = CollectorRegistry()
    metrics = HttpMetrics(registry)
    metrics.started()
    metrics.started()
    metrics.finished("GET", None, 404, 0.0)
    assert registry.get_sample_value("http_requests_running") == 1


def test_dropped_log_lines_are_counted_those_of_the_audit_apart() -> None:
    registry = CollectorRegistry()
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        output = LogOutput(stream)
    LogMetrics(registry, output)
    os.close(reading)
    output.write("lost")
    output.write("lost", is_audit=True)
    output.write("lost", is_audit=True)
    output.close()
    assert registry.get_sample_value("log_lines_dropped_total", {"kind": "audit"}) == 2
    assert registry.get_sample_value("log_lines_dropped_total", {"kind": "other"}) == 1
