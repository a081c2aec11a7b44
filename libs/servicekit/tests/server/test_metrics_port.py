"""The port that tells the process's figures."""

import asyncio
import socket
import time
from typing import Any

import httpx2
import pytest
from prometheus_client import CollectorRegistry, Gauge

from servicekit.metrics import create_registry
from servicekit.server.metrics_port import serve_metrics


@pytest.mark.asyncio
async def test_the_metrics_are_served_on_their_own_port_which_closes() -> None:
    async with httpx2.AsyncClient() as client:
        async with serve_metrics(create_registry(), host="127.0.0.1", port=0) as port:
            assert port is not None
            answer = await client.get(f"http://127.0.0.1:{port}/metrics")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/plain")
            assert "process_resident_memory_bytes" in answer.text
            assert "python_info" in answer.text
            assert "server" not in answer.headers
        with pytest.raises(httpx2.TransportError):
            await client.get(f"http://127.0.0.1:{port}/metrics")


@pytest.mark.asyncio
async def test_without_a_metrics_port_no_port_is_opened() -> None:
    async with serve_metrics(create_registry(), host="127.0.0.1", port=None) as port:
        assert port is None


@pytest.mark.asyncio
async def test_a_taken_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError):
        async with serve_metrics(create_registry(), host="127.0.0.1", port=taken.getsockname()[1]):
            raise AssertionError


@pytest.mark.asyncio
async def test_a_slow_gauge_does_not_block_the_event_loop() -> None:
    registry = CollectorRegistry()

    def slow() -> float:
        time.sleep(3)
        return 7

    Gauge("slow", "A slow figure.", registry=registry).set_function(slow)
    async with serve_metrics(registry, host="127.0.0.1", port=0) as port, httpx2.AsyncClient() as client:
        asking = asyncio.create_task(client.get(f"http://127.0.0.1:{port}/metrics"))
        longest, last = 0.0, time.perf_counter()
        while not asking.done():
            await asyncio.sleep(0.005)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        assert "slow 7.0" in asking.result().text
    assert longest < 2.5  # a loop that it held up would have waited 3


@pytest.mark.asyncio
async def test_single_metrics_can_be_selected_in_either_form() -> None:
    registry = CollectorRegistry()
    for name in ("wanted", "other"):
        Gauge(name, "A figure.", registry=registry).set(3)
    async with serve_metrics(registry, host="127.0.0.1", port=0) as port, httpx2.AsyncClient() as client:
        url = f"http://127.0.0.1:{port}/metrics"
        answer = await client.get(url, params={"name[]": "wanted"})
        open_metrics = await client.get(
            url, headers={"Accept": "application/openmetrics-text; version=1.0.0"}
        )
    assert "wanted 3.0" in answer.text
    assert "other" not in answer.text
    assert open_metrics.headers["content-type"].startswith("application/openmetrics-text")
    assert open_metrics.text.endswith("# EOF\n")


@pytest.mark.asyncio
async def test_any_other_metrics_request_is_refused_with_the_standard_body() -> None:
    async with (
        serve_metrics(create_registry(), host="127.0.0.1", port=0) as port,
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        assert (await client.get("/")).json()["code"] == "not_found"
        assert (await client.post("/metrics")).json()["code"] == "method_not_allowed"


@pytest.mark.asyncio
async def test_the_state_of_the_process_is_served_if_configured() -> None:
    said = ["standby"]
    async with (
        serve_metrics(create_registry(), host="127.0.0.1", port=0, state=lambda: said[0]) as port,
        httpx2.AsyncClient(trust_env=False) as client,
    ):
        for state in ("standby", "serving"):
            said[0] = state
            answer = await client.get(f"http://127.0.0.1:{port}/ready")
            assert (answer.status_code, answer.json()) == (200, {"state": state})
    async with (
        serve_metrics(create_registry(), host="127.0.0.1", port=0) as port,
        httpx2.AsyncClient(trust_env=False) as client,
    ):
        assert (await client.get(f"http://127.0.0.1:{port}/ready")).status_code == 404


@pytest.mark.asyncio
async def test_polling_requests_leave_no_log_line(log_lines: Any) -> None:
    async with (
        serve_metrics(create_registry(), host="127.0.0.1", port=0, state=lambda: "standby") as port,
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client,
    ):
        for path in ("/metrics", "/ready", "/elsewhere"):
            await client.get(path)
    assert [(line["route"], line["log_level"]) for line in log_lines if "route" in line] == [
        ("/metrics", "debug"),
        ("/ready", "debug"),
        (None, "info"),
    ]
