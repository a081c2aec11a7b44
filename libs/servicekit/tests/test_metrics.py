"""The process's figures and the port that tells them."""

import asyncio
import os
import socket
import threading
import time

import httpx2
import pytest
from prometheus_client import CollectorRegistry, Gauge

from servicekit.logs import LogOutput
from servicekit.metrics import HttpMetrics, LogMetrics, create_registry, serve_metrics


def test_methods_and_routes_come_from_closed_sets() -> None:
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


@pytest.mark.asyncio
async def test_the_figures_are_told_on_their_own_port_and_the_port_closes() -> None:
    async with httpx2.AsyncClient() as client:
        async with serve_metrics(create_registry(), host="127.0.0.1", port=0) as port:
            assert port is not None
            answer = await client.get(f"http://127.0.0.1:{port}/metrics")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/plain")
            assert "process_resident_memory_bytes" in answer.text
            assert "python_info" in answer.text
        with pytest.raises(httpx2.ConnectError):
            await client.get(f"http://127.0.0.1:{port}/metrics")
    assert not [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith("Thread-") and "serve" in thread.name
    ]


@pytest.mark.asyncio
async def test_without_a_port_nothing_is_opened() -> None:
    before = threading.active_count()
    async with serve_metrics(create_registry(), host="127.0.0.1", port=None) as port:
        assert port is None
        assert threading.active_count() == before


@pytest.mark.asyncio
async def test_a_taken_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError):
        async with serve_metrics(create_registry(), host="127.0.0.1", port=taken.getsockname()[1]):
            raise AssertionError


@pytest.mark.asyncio
async def test_a_slow_gauge_does_not_hold_up_the_event_loop() -> None:
    registry = CollectorRegistry()

    def slow() -> float:
        time.sleep(0.3)
        return 7

    Gauge("slow", "A slow figure.", registry=registry).set_function(slow)
    async with serve_metrics(registry, host="127.0.0.1", port=0) as port, httpx2.AsyncClient() as client:
        asking = asyncio.create_task(client.get(f"http://127.0.0.1:{port}/metrics"))
        longest, last = 0.0, time.perf_counter()
        while not asking.done():
            await asyncio.sleep(0.005)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        assert "slow 7.0" in asking.result().text
    assert longest < 0.2


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
