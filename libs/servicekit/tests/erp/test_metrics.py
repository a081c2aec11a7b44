"""The figures of the ERP."""

from prometheus_client import CollectorRegistry, generate_latest

from erpclient import Condition, QueueStats
from servicekit.erp.metrics import ErpMetrics


def test_every_erp_metric_is_counted() -> None:
    registry = CollectorRegistry()
    metrics = ErpMetrics(registry)
    condition = Condition.SUSPECTED
    metrics.watch_erp(lambda: QueueStats(3, 2), lambda: condition, lambda: 5)
    metrics.call_finished(method="GET", resource="Warehouses", outcome="200", duration_s=0.2)
    metrics.call_repeated(reason="stale_connection")
    metrics.login_finished(outcome="ok", duration_s=1.0)
    metrics.wait_finished(outcome="sent", duration_s=0.1)
    assert "erp_unwell 0.0" in generate_latest(registry).decode()
    condition = Condition.UNWELL
    text = generate_latest(registry).decode()
    for line in (
        'erp_calls_total{method="GET",outcome="200",resource="Warehouses"} 1.0',
        'erp_calls_repeated_total{reason="stale_connection"} 1.0',
        'erp_logins_total{outcome="ok"} 1.0',
        'erp_queue_wait_seconds_count{outcome="sent"} 1.0',
        "erp_queue_waiting 3.0",
        "erp_calls_in_flight 2.0",
        "erp_unwell 1.0",
        "web_sessions 5.0",
    ):
        assert line in text, line
