"""The one middleware of every request.

It does the work of five in one pass, because every proxied request passes it: it binds the facts, converts
every failure to the one error body, adds the common headers, counts the request and writes its log line.
"""

import asyncio
import time
from collections.abc import MutableMapping
from typing import Any, Final, final

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.config.parsers import Network
from servicekit.errors import (
    BadRequest,
    InternalError,
    Interrupted,
    ServiceError,
    ShuttingDown,
    as_service_error,
    problem_response,
)
from servicekit.logs.request_context import current_request
from servicekit.metrics import HttpMetrics
from servicekit.request_log.body import RequestBody, set_request_body
from servicekit.request_log.facts import RequestFacts, set_request_facts
from servicekit.request_log.failures import RecentFailures
from servicekit.request_log.forwarded import OriginReader
from servicekit.request_log.rare_warning import RareWarning
from servicekit.request_log.request_id import accept_request_id, accept_traceparent
from servicekit.security_headers import SECURITY_HEADERS, STRICT_TRANSPORT

STOPPING: Final = "servicekit.stopping"
"""Key that the server sets in the scope of requests that arrive during the shutdown."""

CLIENT_LEFT: Final = "servicekit.client_left"
"""Key that the server sets in the scope of a request that it cancels after its client disconnected."""

CLIENT_GONE: Final = 499
"""Logged and counted status of a request whose client disconnected before the response (nginx's number for
it).
"""

_BAD_REQUEST: Final = 400
_INTERNAL: Final = 500


@final
class RequestMiddleware:
    """Request id, facts, limits, error bodies, common headers, metrics and the canonical log line.

    Args:
        app: the application inside.
        trusted_proxies: proxies whose `X-Forwarded-*` headers are used.
        max_body_bytes: the limit of a request's body unless its endpoint has its own.
        cookies_are_plain: whether cookies are set without `Secure`: a request over HTTPS then logs a warning.
        metrics: counts the requests.
        failures: receives the failures.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        trusted_proxies: tuple[Network, ...] = (),
        max_body_bytes: int = 1024 * 1024,
        cookies_are_plain: bool = False,
        metrics: HttpMetrics | None = None,
        failures: RecentFailures | None = None,
    ) -> None:
        self._app = app
        self._warn_of_cookies = RareWarning("cookie_not_secure") if cookies_are_plain else None
        self._origins = OriginReader(trusted_proxies)
        self._max_body_bytes = max_body_bytes
        self._metrics = metrics
        self._failures = failures
        self._log = structlog.get_logger().bind()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        headers = dict(scope["headers"])
        origin = self._origins.read(scope, headers)
        if self._warn_of_cookies is not None and origin.scheme == "https":
            self._warn_of_cookies(setting="COOKIE_SECURE")
        facts = RequestFacts(
            accept_request_id(headers.get(b"x-request-id")),
            client_ip=origin.client_ip,
            scheme=origin.scheme,
            host=origin.host,
            prefix=origin.prefix,
            traceparent=accept_traceparent(headers.get(b"traceparent")),
            headers=headers,
        )
        body = RequestBody(receive, headers, self._max_body_bytes)
        set_request_facts(scope, facts)
        set_request_body(scope, body)
        response = _ResponseSender(send, facts, body)
        context = current_request.set(facts)
        if self._metrics is not None:
            self._metrics.started()
        try:
            await self._respond(scope, body, response)
        finally:
            self._finish(scope["method"], facts, response)
            current_request.reset(context)

    async def _respond(self, scope: Scope, body: RequestBody, response: "_ResponseSender") -> None:
        try:
            if STOPPING in scope:
                raise ShuttingDown  # noqa: TRY301 - one handler for all failures
            if not scope.get("raw_path", b"/").startswith(b"/"):  # `*`, `host:443`, another scheme
                raise BadRequest  # noqa: TRY301 - as above
            if body.is_ambiguous:
                raise BadRequest(headers={"Connection": "close"})  # noqa: TRY301 - as above
            await self._app(scope, body, response)
            if not response.status:
                raise RuntimeError("the application ended without an answer")  # noqa: TRY301 - as above
            if not response.is_whole:  # on this message Starlette ends a stream silently
                response.client_left()
        except ClientDisconnect:
            response.client_left()
        except Exception as exc:  # noqa: BLE001 - the last place that can answer it
            await self._respond_with_failure(exc, scope, response)
        except asyncio.CancelledError:
            if CLIENT_LEFT in scope:
                response.facts.extra["client_gone"] = True
            elif not response.status:
                await self._send_problem(Interrupted(), scope, response)
            raise

    async def _respond_with_failure(self, exc: Exception, scope: Scope, response: "_ResponseSender") -> None:
        error = as_service_error(exc)
        if isinstance(error, InternalError):
            self._log.error("request_crashed", route=response.facts.route, exc_info=exc)
        elif error.status >= _INTERNAL and error.cause is not None:
            response.facts.extra["cause"] = error.cause
        if response.status:
            response.facts.extra["reason"] = error.code
            response.facts.error_code = (
                "answer_broken_off"  # the server closes the connection, as it was not finished
            )
            return
        await self._send_problem(error, scope, response)

    @staticmethod
    async def _send_problem(error: ServiceError, scope: Scope, answer: "_ResponseSender") -> None:
        answer.facts.error_code = error.code
        response = problem_response(error, answer.facts.request_id)
        try:
            await response(scope, answer.body, answer)
        except ClientDisconnect:
            answer.client_left()

    def _finish(self, method: str, facts: RequestFacts, response: "_ResponseSender") -> None:
        duration_s = time.perf_counter() - response.started
        status = response.status or CLIENT_GONE
        if self._metrics is not None:
            self._metrics.finished(method, facts.route, status, duration_s)
        if self._failures is not None:
            self._failures.record(
                method=method,
                route=facts.route,
                status=status,
                code=facts.error_code,
                request_id=facts.request_id,
            )
        line: dict[str, Any] = {
            "method": method,
            "route": facts.route,
            "status": status,
            "ms": round(duration_s * 1000, 1),
            "user": facts.user,
            "client_ip": facts.client_ip,
        }
        if facts.upstream_calls or facts.queue_s:  # the wait may have been in vain
            line["upstream_calls"] = facts.upstream_calls
            line["upstream_ms"] = round(facts.upstream_s * 1000, 1)
            line["queue_ms"] = round(facts.queue_s * 1000, 1)
        if facts.cached:
            line["cached"] = True
        if facts.error_code is not None:
            line["code"] = facts.error_code
        line.update(facts.extra)
        if facts.is_polled and status < _BAD_REQUEST:
            self._log.debug("request_finished", **line)
        elif status < _INTERNAL:
            self._log.info("request_finished", **line)
        elif status > _INTERNAL:
            self._log.warning("request_finished", **line)
        else:
            self._log.error("request_finished", **line)


@final
class _ResponseSender:
    """An ASGI `send` that adds headers and records the status (0 before the response starts)."""

    __slots__ = ("_send", "body", "facts", "is_whole", "started", "status")

    def __init__(self, send: Send, facts: RequestFacts, body: RequestBody) -> None:
        self._send = send
        self.facts = facts
        self.body = body
        self.status = 0
        self.is_whole = False
        self.started = time.perf_counter()

    def client_left(self) -> None:
        """Record that the client disconnected."""
        self.status = self.status or CLIENT_GONE
        self.facts.extra["client_gone"] = True

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            await self.body.discard()
            self.status = message["status"]
            message = {**message, "headers": self._complete(message.get("headers", ()))}
        else:
            self.is_whole = not message.get("more_body", False)
        try:
            await self._send(message)
        except OSError as exc:
            raise ClientDisconnect from exc

    def _complete(self, own: Any) -> list[tuple[bytes, bytes]]:
        facts = self.facts
        names = {name for name, _ in own}
        headers = [*own, *(header for header in SECURITY_HEADERS if header[0] not in names)]
        headers.append((b"x-request-id", facts.request_id.encode("ascii")))
        total = f"total;dur={(time.perf_counter() - self.started) * 1000:.1f}"
        if facts.upstream_calls or facts.queue_s:
            total = (
                f"queue;dur={facts.queue_s * 1000:.1f}, upstream;dur={facts.upstream_s * 1000:.1f}, {total}"
            )
        if facts.cached:
            total = f"cached, {total}"
        headers.append((b"server-timing", total.encode("ascii")))
        if facts.scheme == "https":
            headers.append(STRICT_TRANSPORT)
        return headers


async def _lifespan(receive: Receive, send: Send) -> None:
    """Acknowledge start and stop; components are opened and closed outside of the application."""
    for step in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{step}.complete"})
