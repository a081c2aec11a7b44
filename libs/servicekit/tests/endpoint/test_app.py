"""The application as a whole: one error body on every path, common headers, limits, the log line."""

import asyncio
import json
import re
from ipaddress import ip_network
from typing import Any

import httpx2
import pytest
from prometheus_client import CollectorRegistry
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from servicekit.endpoint import AppSettings, Body, client_gone, json_response, path_param, read_body
from servicekit.errors import NotFound, ServiceError
from servicekit.metrics import HttpMetrics
from servicekit.request_log import STOPPING, RequestFacts, request_facts
from servicekit.security_headers import SECURITY_HEADERS

ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
MEMBERS = {"type", "title", "status", "detail", "message", "code", "requestId"}


class UpstreamGone(ServiceError):  # noqa: N818 - a refusal, as in errors.py
    """An upstream that is away."""

    status = 502
    code = "upstream_gone"
    detail = "El sistema de detrás no responde."


async def crash(_request: Request) -> Response:
    token = "SENTINEL"  # a local variable, which no trace may show
    raise RuntimeError(f"no luck with {len(token)}")


async def fail_upstream(_request: Request) -> Response:
    try:
        raise ConnectionError("host unreachable")  # noqa: TRY301 - the cause is the point
    except ConnectionError as exc:
        raise UpstreamGone from exc


async def refuse_like_starlette(_request: Request) -> Response:
    raise HTTPException(404, "English words", headers={"X-Extra": "1"})


async def echo_key(request: Request) -> Response:
    return json_response({"key": path_param(request, "key")})


async def echo_body(request: Request) -> Response:
    return Response(await read_body(request), media_type="application/octet-stream")


async def say_little(_request: Request) -> Response:
    return PlainTextResponse("x", headers={"Cache-Control": "max-age=60", "Content-Security-Policy": "x"})


async def work_upstream(request: Request) -> Response:
    facts = request_facts(request.scope)
    facts.user = "ana"
    facts.upstream_calls, facts.upstream_s, facts.queue_s = 2, 0.25, 0.125
    facts.extra["rows"] = 20
    return json_response([])


async def answer_from_memory(request: Request) -> Response:
    request_facts(request.scope).cached = True
    return json_response([])


async def wait_in_vain(request: Request) -> Response:
    request_facts(request.scope).queue_s = 3.0
    raise UpstreamGone


@pytest.fixture
def app(make_endpoint: Any, make_app: Any) -> Any:
    return make_app(
        make_endpoint("GET", "/api/things"),
        make_endpoint("POST", "/api/things", echo_body, request=Body({}, example={})),
        make_endpoint("POST", "/api/big", echo_body, request=Body({}, example={}), max_body_bytes=1000),
        make_endpoint("GET", "/api/things/{key}", echo_key),
        make_endpoint("GET", "/api/crash", crash),
        make_endpoint("GET", "/api/upstream", work_upstream),
        make_endpoint("GET", "/api/upstream-gone", fail_upstream),
        make_endpoint("GET", "/api/cached", answer_from_memory),
        make_endpoint("GET", "/api/waited-in-vain", wait_in_vain),
        make_endpoint("GET", "/api/starlette", refuse_like_starlette),
        make_endpoint("GET", "/api/little", say_little),
        make_endpoint("GET", "/api/polled", is_polled=True),
        make_endpoint("GET", "/api/polled/in-vain", fail_upstream, is_polled=True),
        settings=AppSettings(max_body_bytes=100, trusted_proxies=(ip_network("10.0.0.0/8"),)),
    )


@pytest.fixture
def client(app: Any, open_client: Any) -> httpx2.AsyncClient:
    opened: httpx2.AsyncClient = open_client(app)
    return opened


JSON_TYPE = {"content-type": "application/json"}


async def chunks() -> Any:
    for _ in range(11):
        yield b"0123456789"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "more", "status", "code"),
    [
        ("GET", "/", {}, 404, "not_found"),
        ("GET", "/api/unknown", {}, 404, "not_found"),
        ("DELETE", "/api/things", {}, 405, "method_not_allowed"),
        ("OPTIONS", "/api/things", {}, 405, "method_not_allowed"),
        ("BREW", "/api/things", {}, 405, "method_not_allowed"),
        ("GET", "/api/things/%ff", {}, 400, "invalid_path"),
        ("POST", "/api/things", {"content": b"x" * 101, "headers": JSON_TYPE}, 413, "body_too_large"),
        ("POST", "/api/things", {"content": chunks, "headers": JSON_TYPE}, 413, "body_too_large"),
        ("POST", "/api/things", {"content": b"x"}, 415, "unsupported_media_type"),
        ("GET", "/api/crash", {}, 500, "internal_error"),
        ("GET", "/api/upstream-gone", {}, 502, "upstream_gone"),
        ("GET", "/api/starlette", {}, 404, "not_found"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_every_failure_has_the_standard_error_body(
    client: httpx2.AsyncClient, method: str, path: str, more: dict[str, Any], status: int, code: str
) -> None:
    if callable(more.get("content")):
        more = more | {"content": more["content"]()}
    answer = await client.request(method, path, **more)
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(body) == MEMBERS
    assert body["message"] == body["detail"]
    assert body["requestId"] == answer.headers["x-request-id"]
    assert "English" not in answer.text
    assert "no luck" not in answer.text


@pytest.mark.asyncio
async def test_a_405_lists_all_methods_of_the_path(client: httpx2.AsyncClient) -> None:
    answer = await client.delete("/api/things")
    assert answer.headers["allow"] == "GET, HEAD, POST"


@pytest.mark.asyncio
async def test_head_is_answered_like_get_without_body(client: httpx2.AsyncClient) -> None:
    answer = await client.head("/api/things")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(b'{"fine":true}'))


@pytest.mark.asyncio
async def test_a_key_with_an_encoded_slash_stays_one_segment(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/things/A%2F1%20%25%C3%B1")
    assert answer.json() == {"key": "A/1 %ñ"}


@pytest.mark.asyncio
async def test_an_endpoints_own_body_limit_applies(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/api/big", content=b"x" * 1000, headers=JSON_TYPE)).status_code == 200
    assert (await client.post("/api/big", content=b"x" * 1001, headers=JSON_TYPE)).status_code == 413


@pytest.mark.asyncio
async def test_an_endpoint_without_body_accepts_only_a_small_one(
    make_endpoint: Any, make_app: Any, open_client: Any
) -> None:
    client = open_client(make_app(make_endpoint("DELETE", "/api/things"), make_endpoint("*", "/api/things")))
    for method, size, status in (("DELETE", 1024, 200), ("DELETE", 1025, 413), ("PUT", 1025, 200)):
        answer = await client.request(method, "/api/things", content=b"x" * size)
        assert answer.status_code == status, (method, size)


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/api/things", "/api/unknown", "/api/crash", "/api/upstream-gone"])
async def test_every_answer_has_the_common_headers(client: httpx2.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers
    for name, value in SECURITY_HEADERS:
        assert headers.get_list(name.decode()) == [value.decode()]
    assert ULID.fullmatch(headers["x-request-id"])
    assert re.fullmatch(r"total;dur=\d+\.\d", headers["server-timing"])
    assert "strict-transport-security" not in headers
    assert "server" not in headers


@pytest.mark.asyncio
async def test_the_header_of_an_answer_overrides_the_default(client: httpx2.AsyncClient) -> None:
    headers = (await client.get("/api/little")).headers
    assert headers.get_list("cache-control") == ["max-age=60"]
    assert headers.get_list("content-security-policy") == ["x"]
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.asyncio
async def test_strict_transport_security_is_sent_over_https_only(app: Any, open_client: Any) -> None:
    behind_proxy = open_client(app, peer="10.0.0.1", headers={"X-Forwarded-Proto": "https"})
    forged = open_client(app, headers={"X-Forwarded-Proto": "https"})
    assert "strict-transport-security" in (await behind_proxy.get("/api/things")).headers
    assert "strict-transport-security" not in (await forged.get("/api/things")).headers


@pytest.mark.asyncio
async def test_a_well_formed_request_id_is_returned_and_a_malformed_one_replaced(
    client: httpx2.AsyncClient,
) -> None:
    kept = await client.get("/api/things", headers={"X-Request-ID": "from-client_1.2"})
    replaced = await client.get("/api/things", headers={"X-Request-ID": "a b"})
    assert kept.headers["x-request-id"] == "from-client_1.2"
    assert ULID.fullmatch(replaced.headers["x-request-id"])


@pytest.mark.asyncio
async def test_a_request_writes_one_canonical_line(client: httpx2.AsyncClient, log_lines: Any) -> None:
    await client.get("/api/upstream?password=SENTINEL")
    (line,) = log_lines
    assert line.pop("ms") >= 0
    assert line == {
        "event": "request_finished",
        "log_level": "info",
        "method": "GET",
        "route": "/api/upstream",
        "status": 200,
        "user": "ana",
        "client_ip": "203.0.113.9",
        "upstream_calls": 2,
        "upstream_ms": 250.0,
        "queue_ms": 125.0,
        "rows": 20,
    }


@pytest.mark.asyncio
async def test_a_polled_endpoint_is_logged_only_when_it_fails(
    client: httpx2.AsyncClient, log_lines: Any
) -> None:
    assert (await client.get("/api/polled")).status_code == 200
    assert (await client.get("/api/polled/in-vain")).status_code == 502
    assert [(line["route"], line["log_level"]) for line in log_lines] == [
        ("/api/polled", "debug"),
        ("/api/polled/in-vain", "warning"),
    ]


@pytest.mark.asyncio
async def test_the_line_names_the_template_and_not_the_key(
    client: httpx2.AsyncClient, log_lines: Any
) -> None:
    await client.get("/api/things/SENTINEL")
    assert log_lines[0]["route"] == "/api/things/{key}"
    assert "SENTINEL" not in str(log_lines)


@pytest.mark.asyncio
async def test_server_timing_contains_queue_and_upstream_time(client: httpx2.AsyncClient) -> None:
    timing = (await client.get("/api/upstream")).headers["server-timing"]
    assert re.fullmatch(r"queue;dur=125\.0, upstream;dur=250\.0, total;dur=\d+\.\d", timing)


@pytest.mark.asyncio
async def test_a_cached_response_is_marked_and_logged(client: httpx2.AsyncClient, log_lines: Any) -> None:
    timing = (await client.get("/api/cached")).headers["server-timing"]
    assert re.fullmatch(r"cached, total;dur=\d+\.\d", timing)
    assert log_lines[0]["cached"] is True


@pytest.mark.asyncio
async def test_a_wait_without_a_call_is_reported_and_logged(
    client: httpx2.AsyncClient, log_lines: Any
) -> None:
    timing = (await client.get("/api/waited-in-vain")).headers["server-timing"]
    assert timing.startswith("queue;dur=3000.0, upstream;dur=0.0, total;dur=")
    assert (log_lines[0]["upstream_calls"], log_lines[0]["queue_ms"]) == (0, 3000.0)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "level", "code"),
    [
        ("/api/unknown", "info", "not_found"),
        ("/api/things/%ff", "info", "invalid_path"),
        ("/api/upstream-gone", "warning", "upstream_gone"),
        ("/api/crash", "error", "internal_error"),
    ],
)
async def test_the_log_line_of_a_failure_has_code_and_level(
    client: httpx2.AsyncClient, log_lines: Any, path: str, level: str, code: str
) -> None:
    await client.get(path)
    line = log_lines[-1]
    assert (line["event"], line["log_level"], line["code"]) == ("request_finished", level, code)


@pytest.mark.asyncio
async def test_an_upstream_failure_is_logged_with_its_cause_and_no_traceback(
    client: httpx2.AsyncClient, log_lines: Any
) -> None:
    await client.get("/api/upstream-gone")
    (line,) = log_lines
    assert line["cause"] == "ConnectionError: host unreachable"


@pytest.mark.asyncio
async def test_a_crash_is_logged_with_traceback_before_the_request_line(
    client: httpx2.AsyncClient, log_lines: Any
) -> None:
    await client.get("/api/crash")
    trace, line = log_lines
    assert (trace["event"], trace["route"]) == ("request_crashed", "/api/crash")
    assert isinstance(trace["exc_info"], RuntimeError)
    assert line["status"] == 500


@pytest.mark.asyncio
async def test_the_guard_runs_before_every_handler(
    make_endpoint: Any, make_app: Any, open_client: Any
) -> None:
    observed = []

    def guard(endpoint: Any) -> Any:
        async def guarded(request: Request) -> Response:
            observed.append(endpoint.access)
            if endpoint.access == "closed":
                raise NotFound
            answer: Response = await endpoint.handler(request)
            return answer

        return guarded

    app = make_app(
        make_endpoint("GET", "/open"), make_endpoint("GET", "/closed", access="closed"), guard=guard
    )
    client = open_client(app)
    assert (await client.get("/open")).status_code == 200
    assert (await client.get("/closed")).status_code == 404
    assert observed == ["public", "closed"]


def test_two_endpoints_with_the_same_method_and_path_are_refused(make_endpoint: Any, make_app: Any) -> None:
    with pytest.raises(ValueError, match="declared twice"):
        make_app(make_endpoint("GET", "/a"), make_endpoint("GET", "/a"))


@pytest.mark.asyncio
async def test_the_fallback_answers_paths_without_an_endpoint(
    make_endpoint: Any, make_app: Any, open_client: Any, log_lines: Any
) -> None:
    async def files(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/gone":
            raise HTTPException(404)
        await PlainTextResponse(f"file {scope['path']}")(scope, receive, send)

    client = open_client(make_app(make_endpoint("GET", "/api/things"), fallback=files))
    assert (await client.get("/app/ñ.js")).text == "file /app/ñ.js"
    assert (await client.get("/gone")).json()["code"] == "not_found"
    assert (await client.get("/api/things")).json() == {"fine": True}
    assert [line["route"] for line in log_lines] == [None, None, "/api/things"]


@pytest.mark.asyncio
async def test_facts_contain_the_values_of_a_trusted_proxy(
    make_endpoint: Any, make_app: Any, open_client: Any
) -> None:
    observed: list[RequestFacts] = []

    async def look(request: Request) -> Response:
        observed.append(request_facts(request.scope))
        return Response()

    app = make_app(
        make_endpoint("GET", "/look", look), settings=AppSettings(trusted_proxies=(ip_network("10.0.0.0/8"),))
    )
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    headers = {
        "X-Forwarded-For": "198.51.100.7",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "shop.example.com",
        "X-Forwarded-Prefix": "/devoluciones",
        "traceparent": trace,
    }
    await open_client(app, peer="10.0.0.1").get("/look", headers=headers)
    facts = observed[0]
    assert (facts.client_ip, facts.scheme, facts.host) == ("198.51.100.7", "https", "shop.example.com")
    assert (facts.prefix, facts.traceparent) == ("/devoluciones", trace)
    assert (facts.user, facts.error_code, facts.route) == (None, None, "/look")


def test_the_secrets_of_a_request_are_its_token_cookies_and_noted_texts() -> None:
    facts = RequestFacts(
        "id", headers={b"authorization": b"Bearer abc", b"cookie": b"dp_sid=s1; other = s2; bare"}
    )
    facts.secrets.append("typed password")
    assert set(facts.secret_values()) == {"typed password", "abc", "s1", "s2", ""}


@pytest.mark.asyncio
async def test_requests_are_counted_by_template_and_status(
    make_endpoint: Any, make_app: Any, open_client: Any
) -> None:
    registry = CollectorRegistry()
    app = make_app(
        make_endpoint("GET", "/a/{x}"), make_endpoint("GET", "/crash", crash), metrics=HttpMetrics(registry)
    )
    client = open_client(app)
    for path in ("/a/1", "/a/2", "/crash", "/nowhere"):
        await client.get(path)

    def count(route: str, status: int) -> float | None:
        labels = {"method": "GET", "route": route, "status": str(status)}
        return registry.get_sample_value("http_requests_total", labels)

    assert count("/a/{x}", 200) == 2
    assert count("/crash", 500) == 1
    assert count("unmatched", 404) == 1
    assert registry.get_sample_value("http_requests_running") == 0


def scope_of(path: str, **more: Any) -> Scope:
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "scheme": "http",
        "client": ("203.0.113.9", 1),
        **more,
    }


class Recorder:
    """An ASGI `send` that keeps what was sent."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    async def __call__(self, message: Any) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        status: int = self.messages[0]["status"]
        return status

    @property
    def problem(self) -> dict[str, Any]:
        body = json.loads(b"".join(message.get("body", b"") for message in self.messages[1:]))
        assert isinstance(body, dict)
        return body


async def receive_nothing() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}


@pytest.mark.asyncio
async def test_a_request_during_shutdown_answers_shutting_down(app: Any) -> None:
    send = Recorder()
    await app(scope_of("/api/things", **{STOPPING: True}), receive_nothing, send)
    assert (send.status, send.problem["code"]) == (503, "shutting_down")
    assert (b"retry-after", b"5") in send.messages[0]["headers"]


@pytest.mark.asyncio
async def test_a_request_with_two_lengths_is_refused_and_its_connection_closed(app: Any) -> None:
    headers = [(b"content-length", b"3"), (b"transfer-encoding", b"chunked")]
    send = Recorder()
    await app(scope_of("/api/things", headers=headers), receive_nothing, send)
    assert (send.status, send.problem["code"]) == (400, "bad_request")
    assert (b"connection", b"close") in send.messages[0]["headers"]


@pytest.mark.asyncio
async def test_a_cancelled_request_gets_an_unknown_outcome(
    make_endpoint: Any, make_app: Any, log_lines: Any
) -> None:
    started = asyncio.Event()

    async def hang(_request: Request) -> Response:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    send = Recorder()
    task = asyncio.create_task(
        make_app(make_endpoint("GET", "/hang", hang))(scope_of("/hang"), receive_nothing, send)
    )
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (send.status, send.problem["code"]) == (500, "interrupted")
    assert (log_lines[-1]["status"], log_lines[-1]["code"]) == (500, "interrupted")


def broken_app(make_app: Any, exception: BaseException | None, *, started: bool) -> Any:
    async def fallback(scope: Scope, receive: Receive, send: Send) -> None:
        if started:
            await send({"type": "http.response.start", "status": 200})
        if exception is not None:
            raise exception

    return make_app(fallback=fallback)


@pytest.mark.asyncio
async def test_a_response_that_breaks_off_is_logged_and_not_restarted(make_app: Any, log_lines: Any) -> None:
    send = Recorder()
    await broken_app(make_app, RuntimeError("disk"), started=True)(scope_of("/"), receive_nothing, send)
    assert [message["type"] for message in send.messages] == ["http.response.start"]
    assert [line["event"] for line in log_lines] == ["request_crashed", "request_finished"]
    assert log_lines[-1]["code"] == "answer_broken_off"


@pytest.mark.asyncio
async def test_a_response_that_breaks_off_with_a_service_error_logs_one_line(
    make_app: Any, log_lines: Any
) -> None:
    await broken_app(make_app, NotFound(), started=True)(scope_of("/"), receive_nothing, Recorder())
    (line,) = log_lines
    assert (line["event"], line["code"], line["reason"]) == (
        "request_finished",
        "answer_broken_off",
        "not_found",
    )


@pytest.mark.asyncio
async def test_a_cancelled_response_is_not_restarted(make_app: Any, log_lines: Any) -> None:
    send = Recorder()
    with pytest.raises(asyncio.CancelledError):
        await broken_app(make_app, asyncio.CancelledError(), started=True)(
            scope_of("/"), receive_nothing, send
        )
    assert len(send.messages) == 1


@pytest.mark.asyncio
async def test_an_application_without_response_is_a_crash(make_app: Any, log_lines: Any) -> None:
    send = Recorder()
    await broken_app(make_app, None, started=False)(scope_of("/"), receive_nothing, send)
    assert (send.status, send.problem["code"]) == (500, "internal_error")


@pytest.mark.asyncio
@pytest.mark.parametrize(("started", "status"), [(False, 499), (True, 200)])
async def test_a_client_disconnect_is_not_a_failure(
    make_app: Any, log_lines: Any, started: bool, status: int
) -> None:
    send = Recorder()
    await broken_app(make_app, ClientDisconnect(), started=started)(scope_of("/"), receive_nothing, send)
    assert len(send.messages) == int(started)
    assert [(line["event"], line["status"]) for line in log_lines] == [("request_finished", status)]
    assert log_lines[0]["client_gone"] is True


@pytest.mark.asyncio
async def test_an_answer_that_finds_no_client_is_no_failure(app: Any, log_lines: Any) -> None:
    async def send(_message: Any) -> None:
        raise ConnectionResetError

    await app(scope_of("/api/things"), receive_nothing, send)
    (line,) = log_lines
    assert (line["event"], line["status"], line["client_gone"]) == ("request_finished", 200, True)


@pytest.mark.asyncio
async def test_a_disconnect_while_sending_the_body_is_not_a_failure(app: Any, log_lines: Any) -> None:
    async def leave() -> Any:
        return {"type": "http.disconnect"}

    headers = [(b"content-length", b"5"), (b"content-type", b"application/json")]
    send = Recorder()
    await app(scope_of("/api/things", method="POST", headers=headers), leave, send)
    assert send.messages == []
    assert log_lines[-1]["status"] == 499


@pytest.mark.asyncio
async def test_a_handler_may_watch_for_a_client_disconnect(make_endpoint: Any, make_app: Any) -> None:
    async def watch(request: Request) -> Response:
        await client_gone(request)
        return json_response("gone")

    messages = [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return messages.pop(0)

    send = Recorder()
    await make_app(make_endpoint("GET", "/watch", watch))(scope_of("/watch"), receive, send)
    assert send.messages[-1]["body"] == b'"gone"'


@pytest.mark.asyncio
@pytest.mark.parametrize("target", ["*", "host:443", "ftp://host/api/things"])
async def test_a_target_without_a_path_is_refused_with_the_standard_body(
    app: Any, log_lines: Any, target: str
) -> None:
    send = Recorder()
    await app(scope_of(target, raw_path=target.encode()), receive_nothing, send)
    assert (send.status, send.problem["code"]) == (400, "bad_request")
    assert (log_lines[0]["route"], log_lines[0]["status"]) == (None, 400)


@pytest.mark.asyncio
async def test_the_application_completes_startup_and_shutdown(app: Any) -> None:
    send = Recorder()
    await app({"type": "lifespan"}, receive_nothing, send)
    assert [message["type"] for message in send.messages] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
