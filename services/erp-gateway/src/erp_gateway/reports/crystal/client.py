"""Client of the report gateway: one shared session, a queue and three calls."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self, TypeVar

import structlog

from erp_gateway.reports.crystal.disclosure import Disclosure
from erp_gateway.reports.crystal.errors import ReportEmpty, ReportFailed, ReportUnknown, report_gateway_error
from erp_gateway.reports.crystal.export_answer import ExportText, read_export, refusal_of
from erp_gateway.reports.crystal.session import GatewaySession, Ticket
from erp_gateway.reports.crystal.wire import (
    AUTHORIZED,
    EXPORT,
    PARAMETERS,
    AuthorizedReport,
    DesignedParameter,
    GatewayLogin,
    code_query,
    is_session_lost,
    read_authorized,
    read_parameters,
)
from erp_gateway.settings.report_gateway import ReportGateway
from erpclient import (
    AiohttpTransport,
    CallContext,
    Caller,
    ErpError,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    HttpReply,
    HttpRequest,
    NullObserver,
    Observer,
    Phase,
    QueueStats,
    RequestQueue,
    create_tls_context,
)
from erpclient import SystemClock as LoopClock
from servicekit.clock import Clock
from servicekit.errors import Upstream

CONNECT_TIMEOUT_S: Final = 10.0

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger(__name__)


T = TypeVar("T")


MAX_REPLY_BYTES: Final = 48 * 1024 * 1024
"""Maximum reply size: the base64 text of a PDF of 36 MiB."""

QUEUE_LIMIT: Final = 64
QUEUE_LIMIT_PER_USER: Final = 16
QUEUE_TIMEOUT_S: Final = 60.0
"""Limits of the queue: waiting calls in total, waiting calls of one user, and the longest wait."""

# Longer texts are decoded in a thread.
_INLINE_BYTES: Final = 256 * 1024


class ReportGatewayClient:
    """Client of the report gateway with one session and its queue. Use it as an async context manager.

    It sends nothing before the first call. Exports only read, so a lost session, and a reply `(---)` or a
    truncated PDF, are each retried once.

    Args:
        settings: address, login and limits. With about five concurrent calls a real gateway drops some of
            them. `timeout_s` starts at a call's turn and covers login, call and retry.
        verify_tls: whether its certificate is checked.
        clock: time.
        observer: receives every call, login and wait.
        renews: whether a lost session is renewed. The doctor sets False, because it must log in only once.
    """

    def __init__(
        self,
        settings: ReportGateway,
        *,
        verify_tls: bool,
        clock: Clock,
        observer: Observer | None = None,
        renews: bool = True,
    ) -> None:
        self._renews = renews
        self._url = settings.url.rstrip("/")
        self._timeout_s = settings.timeout_s
        self._clock = clock
        self._observer: Observer = observer or NullObserver()
        # The ERP client's transport has no cookie jar, no redirects and no automatic retries.
        tls = create_tls_context(ca_file=settings.ca_file, verify=verify_tls)
        # Calls in flight only read, so it is safe to cancel them.
        connect_s = min(CONNECT_TIMEOUT_S, self._timeout_s / 2)
        self._transport = AiohttpTransport(
            tls=tls, connect_timeout_s=connect_s, max_reply_bytes=MAX_REPLY_BYTES
        )
        login = GatewayLogin(
            settings.company_db, settings.user, settings.password.reveal(), settings.instance
        )
        self._disclosure = Disclosure(self._url, login)
        self._session = GatewaySession(
            partial(self._send, "POST"), login, self._disclosure, clock=clock, observer=self._observer
        )
        self._queue = RequestQueue(
            max_concurrency=settings.max_concurrency,
            limit=QUEUE_LIMIT,
            limit_per_user=QUEUE_LIMIT_PER_USER,
            timeout_s=QUEUE_TIMEOUT_S,
            clock=LoopClock(),
            observer=self._observer,
        )

    async def __aenter__(self) -> Self:
        await self._transport.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._queue.abort()  # running calls only read, so they can be cancelled
        try:
            await self._session.abort()
            await self._session.aclose()
        finally:
            await self._transport.aclose()

    def drain(self) -> None:
        """Refuse waiting and new calls with 503. Running ones continue."""
        self._queue.drain()

    @property
    def queue_stats(self) -> QueueStats:
        """Number of waiting and running calls."""
        return self._queue.stats

    async def load_authorized(self, caller: Caller) -> tuple[AuthorizedReport, ...]:
        """Return the general catalogue (`LoadAuthorizedCRList`).

        Raises:
            ServiceError: one of `errors.UPSTREAM_ERRORS`.
        """
        with _translated():
            return read_authorized(await self._read(AUTHORIZED, caller))

    async def load_parameters(self, code: str, caller: Caller) -> tuple[DesignedParameter, ...]:
        """Return a report's parameters in its own order (`LoadCR`).

        Raises:
            ReportUnknown: the gateway has no such report.
            ServiceError: one of `errors.UPSTREAM_ERRORS`.
        """
        with _translated():
            parameters = read_parameters(await self._read(f"{PARAMETERS}?{code_query(code)}", caller))
        if parameters is None:
            raise ReportUnknown
        return parameters

    async def export_pdf(self, code: str, body: bytes, caller: Caller) -> bytes:
        """Return a report's PDF (`ExportPDFData`). A temporary failure is retried once within the same turn.

        Args:
            code: the report.
            body: result of `wire.export_body`.
            caller: the caller.

        Raises:
            ReportEmpty: the reply was `(---)` twice.
            ReportFailed: any other reply without a complete PDF.
            ServiceError: one of `errors.UPSTREAM_ERRORS`.
        """
        path = f"{EXPORT}?{code_query(code)}"
        with _translated():
            result = await self._in_turn(caller, lambda context: self._export(path, body, context))
        if isinstance(result, bytes):
            return result
        _log.warning("report_failed", report=code, answer=result.log_text)
        if result.is_empty:
            raise ReportEmpty
        raise ReportFailed(upstream=Upstream(None, result.text) if result.text else None)

    async def _export(self, path: str, body: bytes, context: CallContext) -> bytes | ExportText:
        result = await self._read_export(await self._call(path, body, context))
        if isinstance(result, ExportText) and result.is_retryable:
            self._observer.call_repeated(reason="nothing_printed" if result.is_empty else "cut_pdf")
            result = await self._read_export(await self._call(path, body, context))
        return result

    async def _read_export(self, reply: HttpReply) -> bytes | ExportText:
        if reply.status >= HTTPStatus.BAD_REQUEST:
            return refusal_of(reply.status, reply.body, self._disclosure)
        if len(reply.body) <= _INLINE_BYTES:
            return read_export(reply.body, self._disclosure)
        return await asyncio.to_thread(read_export, reply.body, self._disclosure)

    async def _read(self, path: str, caller: Caller) -> HttpReply:
        """Send a GET when its turn comes. Identical reads that have not started share one call."""
        reply = await self._in_turn(caller, lambda context: self._call(path, None, context), share=path)
        if reply.status >= HTTPStatus.BAD_REQUEST:
            raise ErpReplyUnreadable(f"status {reply.status}")
        return reply

    async def _in_turn(
        self, caller: Caller, work: Callable[[CallContext], Awaitable[T]], *, share: str | None = None
    ) -> T:
        self._queue.check()
        self._session.check()

        async def in_time(context: CallContext) -> T:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await work(context)
            except TimeoutError as error:
                raise ErpTimeout(Phase.ANSWER) from error

        return await self._queue.run(caller, in_time, share=share)

    async def _call(self, path: str, body: bytes | None, context: CallContext) -> HttpReply:
        pauses, resource = self._session.renewal_pauses, path.partition("?")[0]
        ticket = await self._session.get_ticket()
        reply = await self._ask(path, body, ticket, context)
        if self._renews and is_session_lost(reply) and pauses.may_renew(resource, path):
            self._observer.call_repeated(reason="expired_session")
            ticket = await self._session.renew(ticket)
            reply = await self._ask(path, body, ticket, context)
            if is_session_lost(reply):
                self._session.refuse_call(ticket, _refusal(reply), resource=resource, path=path)
        if is_session_lost(reply):
            raise _refusal(reply)
        pauses.forget(resource, path)
        self._session.record_success()
        if reply.fault is not None:
            raise ErpReplyUnreadable(reply.fault)
        return reply

    async def _ask(self, path: str, body: bytes | None, ticket: Ticket, context: CallContext) -> HttpReply:
        context.trace.calls += 1
        return await self._send("GET" if body is None else "POST", path, body, ticket.cookie)

    async def _send(
        self, method: str, path: str, body: bytes | None, cookie: str | None, timeout_s: float | None = None
    ) -> HttpReply:
        headers = {"Accept": "*/*"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if cookie is not None:
            headers["Cookie"] = cookie
        request = HttpRequest(
            method,
            f"{self._url}/{path}",
            headers,
            body,
            timeout_s=timeout_s or self._timeout_s,
            # Don't reuse a connection: it may be stale, and a retry would repeat a report that takes seconds.
            fresh=True,
        )
        started = self._clock.monotonic()
        outcome = "cancelled"
        try:
            reply = await self._transport.send(request)
            outcome = str(reply.status)
        except ErpError as error:
            outcome = _OUTCOMES.get(type(error), "unreadable")
            raise
        finally:
            self._observer.call_finished(
                method=method,
                resource=path.partition("?")[0],
                outcome=outcome,
                duration_s=self._clock.monotonic() - started,
            )
        if reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            refusal_text = refusal_of(reply.status, reply.body, self._disclosure).log_text
            _log.warning("report_gateway_failed", resource=path.partition("?")[0], answer=refusal_text)
            raise ErpServerError(reply.status, None, "")
        if reply.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise ErpRefused(reply.status, None, "")
        return reply


_OUTCOMES: Final[dict[type[ErpError], str]] = {ErpUnreachable: "unreachable", ErpTimeout: "timeout"}


def _refusal(reply: HttpReply) -> ErpLoginRejected | ErpRefused:
    """Return the error of a refusal in a new session: 403 is a missing right, anything else an unusable
    login.
    """
    if reply.status == HTTPStatus.FORBIDDEN:
        return ErpRefused(reply.status, None, "")
    return ErpLoginRejected(None, "")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ErpError as error:
        raise report_gateway_error(error) from error
