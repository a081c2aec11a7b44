from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from erp_gateway.files.jobs.job import JobKind
from erp_gateway.metrics import CacheMetrics, GatewayMetrics, JobMetrics, LongExportMetrics
from erp_gateway.values.audit_event import AuditAction
from erpclient import Condition, QueueStats


def test_observations_are_published() -> None:
    registry = CollectorRegistry()
    metrics = GatewayMetrics(registry)
    condition = Condition.SUSPECTED
    metrics.watch(lambda: QueueStats(waiting=3, in_flight=1), lambda: condition, lambda: 7, lambda: 2)
    metrics.call_finished(method="GET", resource="Items", outcome="200", duration_s=0.02)
    metrics.call_repeated(reason="expired_session")
    metrics.login_finished(outcome="ok", duration_s=1.0)
    metrics.wait_finished(outcome="sent", duration_s=0.0)
    metrics.audit_recorded(AuditAction.SL_CREATE)
    metrics.audit_failed(AuditAction.LOGIN)
    assert "erp_unwell 0.0" in generate_latest(registry).decode()
    condition = Condition.UNWELL
    page = generate_latest(registry).decode()
    for line in (
        'erp_calls_total{method="GET",outcome="200",resource="Items"} 1.0',
        'erp_call_duration_seconds_count{method="GET"} 1.0',
        'erp_calls_repeated_total{reason="expired_session"} 1.0',
        'erp_logins_total{outcome="ok"} 1.0',
        "erp_login_duration_seconds_count 1.0",
        'erp_queue_wait_seconds_count{outcome="sent"} 1.0',
        "erp_queue_waiting 3.0",
        "erp_calls_in_flight 1.0",
        "erp_unwell 1.0",
        "web_sessions 7.0",
        "audit_records_owed 2.0",
        'audit_records_total{action="sl_create"} 1.0',
        'audit_failures_total{action="login"} 1.0',
    ):
        assert line in page


def test_work_that_waits_for_a_place_is_published() -> None:
    registry = CollectorRegistry()
    metrics = JobMetrics(registry, "erpdb_reads", "Reads of the ERP's database")
    metrics.watch(lambda: 4, lambda: 2)
    metrics.ended(name="query stock", outcome="database_timeout", duration_s=1.0)
    page = generate_latest(registry).decode()
    for line in (
        'erpdb_reads_total{outcome="database_timeout",queue="query stock"} 1.0',
        'erpdb_reads_duration_seconds_count{queue="query stock"} 1.0',
        "erpdb_reads_waiting 4.0",
        "erpdb_reads_running 2.0",
    ):
        assert line in page


def test_long_exports_are_published_before_the_first_one_too() -> None:
    registry = CollectorRegistry()
    metrics = LongExportMetrics(registry)
    metrics.watch(lambda: 2)
    page = generate_latest(registry).decode()
    for kind in ("report", "document", "html_report"):
        assert f'jobs_started_total{{kind="{kind}"}} 0.0' in page
        assert f'jobs_ended_total{{kind="{kind}",outcome="ok"}} 0.0' in page
    metrics.job_started(JobKind.DOCUMENT)
    metrics.job_ended(JobKind.DOCUMENT, "document_failed")
    page = generate_latest(registry).decode()
    for line in (
        'jobs_started_total{kind="document"} 1.0',
        'jobs_ended_total{kind="document",outcome="document_failed"} 1.0',
        "jobs_running 2.0",
    ):
        assert line in page


def test_cached_answers_are_published_if_there_is_a_cache() -> None:
    registry, without = CollectorRegistry(), CollectorRegistry()
    metrics = CacheMetrics(registry, is_enabled=True)
    CacheMetrics(without, is_enabled=False).answered_from_cache(stale=False)
    assert 'erp_cached_answers_total{kind="stale"} 0.0' in generate_latest(registry).decode()
    metrics.answered_from_cache(stale=False)
    metrics.answered_from_cache(stale=True)
    page = generate_latest(registry).decode()
    assert 'erp_cached_answers_total{kind="fresh"} 1.0' in page
    assert 'erp_cached_answers_total{kind="stale"} 1.0' in page
    assert generate_latest(without) == b""
