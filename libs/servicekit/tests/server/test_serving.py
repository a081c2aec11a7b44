"""`serve` inside the test's own process."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.endpoint import json_response
from servicekit.server import ServerSettings, serve


@asynccontextmanager
async def serving(
    app: ASGIApp, *, grace_s: float = 5.0, **more: Any
) -> AsyncIterator[tuple[asyncio.Task[None], str]]:
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    settings = ServerSettings(port=0, shutdown_grace_s=grace_s)
    task = asyncio.create_task(serve(app, settings, on_listening=listening.set_result, **more))
    try:
        yield task, f"http://127.0.0.1:{await asyncio.wait_for(listening, 30)}"
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=30)


@asynccontextmanager
async def raw_connection(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def hanging(started: asyncio.Event, answer_after: asyncio.Event) -> Callable[[Request], Awaitable[Response]]:
    async def hang(_request: Request) -> Response:
        started.set()
        await answer_after.wait()
        return json_response("done")

    return hang


@pytest.mark.asyncio
async def test_a_signal_stops_the_server(make_endpoint: Any, make_app: Any) -> None:
    async with serving(make_app(make_endpoint("GET", "/a"))) as (task, url), httpx2.AsyncClient() as client:
        assert (await client.get(f"{url}/a")).json() == {"fine": True}
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(task, 30)


@pytest.mark.asyncio
async def test_the_stop_event_stops_the_server_and_restores_signals(make_app: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    stop = asyncio.Event()
    async with serving(make_app(), stop=stop) as (task, _):
        stop.set()
        await asyncio.wait_for(task, 30)
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.asyncio
async def test_a_signal_does_not_set_the_callers_stop_event(make_app: Any) -> None:
    stop = asyncio.Event()
    async with serving(make_app(), stop=stop) as (task, _):
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(task, 30)
    assert not stop.is_set()


@pytest.mark.asyncio
@pytest.mark.parametrize("drain_after_s", [0.0, 30.0])
async def test_queued_work_has_the_drain_delay_to_start_before_rejection(
    make_endpoint: Any, make_app: Any, drain_after_s: float
) -> None:
    started, turn, stop, drained = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    app = make_app(make_endpoint("GET", "/slow", hanging(started, turn)))

    def drain() -> None:
        drained.set()
        turn.set()

    rules: dict[str, Any] = {"grace_s": 60, "drain": drain, "drain_after_s": drain_after_s}
    async with serving(app, stop=stop, **rules) as (task, url), httpx2.AsyncClient() as client:
        waiting = asyncio.create_task(client.get(f"{url}/slow"))
        await started.wait()
        stop.set()
        if drain_after_s:
            await asyncio.sleep(0.3)
            assert not drained.is_set()
            turn.set()
        assert (await waiting).json() == "done"
        await asyncio.wait_for(task, 20)  # it does not wait for the rest of the time
        assert drained.is_set()


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["function", "coroutine function"])
async def test_drain_runs_while_requests_still_do(make_endpoint: Any, make_app: Any, kind: str) -> None:
    started, finish, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def drain_later() -> None:
        await asyncio.sleep(0)
        finish.set()

    app = make_app(make_endpoint("GET", "/hang", hanging(started, finish)))
    drain = finish.set if kind == "function" else drain_later
    async with serving(app, stop=stop, drain=drain) as (task, url), httpx2.AsyncClient() as client:
        asking = asyncio.create_task(client.get(f"{url}/hang"))
        await started.wait()
        stop.set()
        assert (await asking).json() == "done"
        await asyncio.wait_for(task, 30)


@pytest.mark.asyncio
async def test_a_drain_that_fails_does_not_stop_the_shutdown(make_app: Any, log_lines: Any) -> None:
    stop = asyncio.Event()

    def drain() -> None:
        raise RuntimeError("queue broken")

    async with serving(make_app(), stop=stop, drain=drain) as (task, _):
        stop.set()
        await asyncio.wait_for(task, 30)
    assert "drain_failed" in [line["event"] for line in log_lines]


@pytest.mark.asyncio
async def test_a_pipelined_request_does_not_keep_the_process(make_endpoint: Any, make_app: Any) -> None:
    started, finish, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()
    app = make_app(make_endpoint("GET", "/hang", hanging(started, finish)), make_endpoint("GET", "/a"))
    async with serving(app, stop=stop, grace_s=60) as (task, url), raw_connection(url) as (reader, writer):
        writer.write(b"GET /hang HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        await started.wait()
        stop.set()
        await asyncio.sleep(0.05)
        finish.set()
        sent = await asyncio.wait_for(reader.read(), 30)
        await asyncio.wait_for(task, 30)
    assert sent.startswith(b"HTTP/1.1 200")
    assert sent.count(b"HTTP/1.1") == 1


@pytest.mark.asyncio
async def test_a_stop_set_before_the_start_ends_the_serving_at_once(make_app: Any, log_lines: Any) -> None:
    stop = asyncio.Event()
    stop.set()
    await asyncio.wait_for(serve(make_app(), ServerSettings(port=0), stop=stop), 30)
    assert [line["event"] for line in log_lines] == ["listening", "shutdown_begun", "shutdown_finished"]


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_handler_that_will_not_be_cancelled_does_not_keep_the_process(
    make_endpoint: Any, make_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, stop, release = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stubborn(_request: Request) -> Response:
        started.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return json_response("at last")

    app = make_app(make_endpoint("GET", "/stubborn", stubborn))
    async with serving(app, stop=stop, grace_s=0.1) as (task, url), httpx2.AsyncClient() as client:
        asking = asyncio.create_task(client.get(f"{url}/stubborn"))
        await started.wait()
        stop.set()
        await asyncio.wait({task}, timeout=30)
        assert task.done()
        release.set()
        await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.asyncio
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system can't do it")
async def test_a_client_that_does_not_read_its_response_is_dropped(
    make_endpoint: Any, make_app: Any, log_lines: Any
) -> None:
    ended, stop = asyncio.Event(), asyncio.Event()

    async def large(_request: Request) -> Response:
        return Response(b"x" * 50_000_000)

    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    settings = ServerSettings(port=0, send_timeout_s=0.5)
    app = make_app(make_endpoint("GET", "/large", large))

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, send)
        ended.set()

    task = asyncio.create_task(serve(watched, settings, on_listening=listening.set_result, stop=stop))
    with socket.create_connection(("127.0.0.1", await listening)) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.wait_for(ended.wait(), 60)
        stop.set()
        await asyncio.wait_for(task, 60)
    events = [line["event"] for line in log_lines]
    assert events == ["listening", "request_finished", "shutdown_begun", "shutdown_finished"]
    assert log_lines[1]["client_gone"] is True


@pytest.mark.asyncio
async def test_a_taken_port_is_reported(make_app: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"can't listen on 127.0.0.1 port {port}: Address already in use"):
            await serve(make_app(), ServerSettings(port=port))


@pytest.mark.asyncio
@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the machine has no IPv6")
async def test_an_ipv6_address_can_be_bound(make_endpoint: Any, make_app: Any) -> None:
    stop = asyncio.Event()
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    app = make_app(make_endpoint("GET", "/a"))
    task = asyncio.create_task(
        serve(app, ServerSettings(host="::1", port=0), on_listening=listening.set_result, stop=stop)
    )
    async with httpx2.AsyncClient() as client:
        assert (await client.get(f"http://[::1]:{await listening}/a")).status_code == 200
    stop.set()
    await asyncio.wait_for(task, 30)
