"""A service whose output is not read still answers requests, and ends when it is stopped."""

import http.client
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from stack.addresses import Addresses, any_addresses
from stack.exchange import exchange
from stack.processes import LOOPBACK, Child
from stack.stack import gateway_process, returns_process

PIPE_BYTES = 64 * 1024
START_S, END_S = 60.0, 20.0
"""Longest seconds for start and end here; the service waits 2 s for a reader of its output."""

Start = Callable[[Path, Addresses], tuple[Child, int]]


def gateway(folder: Path, addresses: Addresses) -> tuple[Child, int]:
    return gateway_process(folder, addresses, {"ADMIN_WEB_USERS": "ana"}), addresses.gateway


def returns(folder: Path, addresses: Addresses) -> tuple[Child, int]:
    return returns_process(folder, addresses, {}), addresses.returns


def serve_unread(folder: Path, start: Start, requests: int) -> None:
    """Run a service whose standard output and error are one pipe that nobody reads."""
    child, port = start(folder, any_addresses())
    os.mkfifo(child.log)
    unread = os.open(child.log, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with child:
            child.wait_until_it_answers(port, "/api/health", timeout_s=START_S)
            begun = time.monotonic()
            assert ask_often(port, requests) == {404}
            asked_s = time.monotonic() - begun
            assert exchange(port, "GET", "/api/health").status == 200
            begun = time.monotonic()
            child.signal(signal.SIGTERM)
            assert child.wait(END_S) == 0
            print(f"\n{child.name}: {requests} in {asked_s:.1f} s, end {time.monotonic() - begun:.1f} s")
        assert len(os.read(unread, 2 * PIPE_BYTES)) > PIPE_BYTES // 2, "the pipe was full"
    finally:
        os.close(unread)


def ask_often(port: int, requests: int) -> set[int]:
    """Request a missing path repeatedly, one log line each; return every status."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=20)
    statuses = set()
    for _ in range(requests):
        connection.request("GET", "/api/nothing", headers={"X-Request-ID": "unread-log" * 6})
        answer = connection.getresponse()
        answer.read()
        statuses.add(answer.status)
    connection.close()
    return statuses


@pytest.mark.parametrize("start", [gateway, returns])
def test_a_service_with_unread_output_keeps_serving_and_stops(tmp_path: Path, start: Start) -> None:
    serve_unread(tmp_path, start, requests=600)


@pytest.mark.proof
@pytest.mark.parametrize("start", [gateway, returns])
def test_a_service_with_unread_output_survives_five_thousand_requests(tmp_path: Path, start: Start) -> None:
    serve_unread(tmp_path, start, requests=5000)
