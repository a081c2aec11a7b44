"""Sends every request to the ERP: measured, logged when slow, refused while the ERP can't be reached.

A read whose connection was lost is repeated here on a new connection. `sender.py` does all other repeats.
"""

from collections.abc import Awaitable
from typing import Final, Protocol

import structlog
from attrs import define, evolve, field

from erpclient.caller import Caller, CallTrace
from erpclient.clock import Clock
from erpclient.errors import ErpReplyUnreadable, ErpServerError, ErpTimeout, ErpUnreachable, Phase
from erpclient.http.calls import Call
from erpclient.http.error_replies import is_gateway_page
from erpclient.http.messages import HttpReply, HttpRequest
from erpclient.http.ping import PING_CALL, is_pong
from erpclient.http.reachability import Reachability
from erpclient.http.replies import Ping
from erpclient.http.requests import build_request
from erpclient.http.transport import Transport
from erpclient.observer import Observer
from erpclient.settings import ErpSettings

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class Listener(Protocol):
    """Receives for every call whether the ERP answered. Its methods must be fast and must not raise."""

    def answered(self) -> None:
        """The ERP answered, possibly with a refusal."""
        ...

    def unanswered(self) -> None:
        """The ERP did not reply in time, or only the web server in front of it replied."""
        ...


@define(eq=False, repr=False)
class Upstream:
    """Sends calls: measures each one, logs slow ones, and fails fast while the ERP is unreachable.

    Args:
        settings: address of the ERP, connect timeout, and the duration of a slow call.
        transport: sends the requests.
        root: URL of the service, without a slash at the end.
        clock: time.
        observer: receives every finished call.
        listener: receives whether the ERP answered.
    """

    _settings: ErpSettings
    _transport: Transport
    _root: str = field(kw_only=True)
    _clock: Clock = field(kw_only=True)
    _observer: Observer = field(kw_only=True)
    _listener: Listener = field(kw_only=True)
    _unanswered_calls: int = field(init=False, default=0)
    _reachability: Reachability = field(init=False)

    @_reachability.default
    def _create_reachability(self) -> Reachability:
        return Reachability(self._try_connection, self._clock)

    def _try_connection(self) -> Awaitable[None]:
        return self._transport.probe(self._root, self._settings.connect_timeout_s)

    @property
    def unanswered_calls(self) -> int:
        """Unanswered calls in a row, probes included."""
        return self._unanswered_calls

    def check(self) -> None:
        """Raise at once what :meth:`send` would raise without sending anything."""
        self._reachability.check()

    async def send(
        self,
        call: Call,
        *,
        timeout_s: float,
        cookie: str | None = None,
        caller: Caller | None = None,
        trace: CallTrace | None = None,
    ) -> HttpReply:
        """Send a call and return the reply, whatever its status.

        A read whose connection ends before the reply is sent once more on a new connection: the server may
        just have closed a kept one. A write always gets a new connection, so that losing it is meaningful,
        and is never repeated here.

        Args:
            call: the call.
            timeout_s: longest time for each sending.
            cookie: the session's ``Cookie`` header.
            caller: request id and trace parent are taken from it.
            trace: counts the requests sent.

        Raises:
            ErpUnreachable: no connection, or it was lost.
            ErpTimeout: not in time.
            ErpReplyUnreadable: the reply is not HTTP.
        """
        await self._reachability.admit()
        request = build_request(
            call, root=self._root, cookie=cookie, caller=caller, timeout_s=timeout_s, fresh=call.write
        )
        while True:
            try:
                reply = await self._send_once(call, request, trace)
            except ErpTimeout as error:
                if error.phase is Phase.ANSWER:
                    self._record(is_answered=False)
                raise
            except ErpReplyUnreadable:
                self._record(is_answered=True)
                raise
            except ErpUnreachable as error:
                if request.fresh or error.phase is Phase.CONNECT:
                    raise
            else:
                self._record(is_answered=not is_gateway_page(reply))
                return reply
            self._observer.call_repeated(reason="stale_connection")
            request = evolve(request, fresh=True)

    async def ping(self, timeout_s: float) -> Ping:
        """Ping the balancer, without session and queue. Its answer says nothing about the ERP behind it.

        Raises:
            ErpUnreachable: no connection, or it was lost.
            ErpTimeout: not in time.
            ErpReplyUnreadable: what came back is not HTTP.
        """
        await self._reachability.admit()
        reply = await self._send_apart(
            PING_CALL, timeout_s=timeout_s, cookie=None, root=self._settings.origin
        )
        return Ping(reply.status, is_pong(reply))

    async def probe(self, call: Call, *, timeout_s: float, cookie: str | None = None) -> None:
        """Check whether the ERP answers, even if it was unreachable before; the listener is not called.

        Raises:
            ErpServerError: only a page of the web server before the ERP.
            ErpUnreachable: no connection, or it was lost.
            ErpTimeout: not in time.
            ErpReplyUnreadable: what came back is not HTTP.
        """
        self._unanswered_calls += 1
        reply = await self._send_apart(call, timeout_s=timeout_s, cookie=cookie, root=self._root)
        if is_gateway_page(reply):
            raise ErpServerError(reply.status, None, "")
        self._unanswered_calls = 0

    async def _send_apart(self, call: Call, *, timeout_s: float, cookie: str | None, root: str) -> HttpReply:
        request = build_request(call, root=root, cookie=cookie, caller=None, timeout_s=timeout_s, fresh=True)
        return await self._send_once(call, request, None)

    def _record(self, *, is_answered: bool) -> None:
        if is_answered:
            self._unanswered_calls = 0
            self._listener.answered()
        else:
            self._unanswered_calls += 1
            self._listener.unanswered()

    async def _send_once(self, call: Call, request: HttpRequest, trace: CallTrace | None) -> HttpReply:
        if trace is not None:
            trace.calls += 1
        started = self._clock.monotonic()
        outcome = "cancelled"
        try:
            reply = await self._transport.send(request)
            outcome = str(reply.status)
        except (ErpUnreachable, ErpTimeout) as error:
            self._reachability.record(error)
            outcome = "timeout" if isinstance(error, ErpTimeout) else "unreachable"
            raise
        except ErpReplyUnreadable:
            outcome = "unreadable"
            raise
        finally:
            self._report(call, outcome, self._clock.monotonic() - started)
        return reply

    def _report(self, call: Call, outcome: str, duration_s: float) -> None:
        self._observer.call_finished(
            method=call.method, resource=call.resource, outcome=outcome, duration_s=duration_s
        )
        if duration_s > self._settings.slow_call_s:
            _log.warning(
                "upstream_call_slow",
                method=call.method,
                resource=call.resource,
                outcome=outcome,
                duration_s=round(duration_s, 3),
            )
