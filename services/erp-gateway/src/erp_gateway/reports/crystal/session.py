"""The shared session with the report gateway."""

from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from attrs import field, frozen

from erp_gateway.reports.crystal.disclosure import Disclosure
from erp_gateway.reports.crystal.wire import LOGIN, LOGOUT, GatewayLogin, read_login
from erpclient import (
    ErpLoginRejected,
    ErpRefused,
    HttpReply,
    Observer,
    Session,
)
from servicekit.clock import Clock

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger(__name__)

LOGIN_TIMEOUT_S: Final = 30.0
LOGOUT_TIMEOUT_S: Final = 5.0


@frozen
class Ticket:
    """Permission to send a call in the session.

    Attributes:
        generation: number of its login, from 1.
        cookie: the `Cookie` header.
    """

    generation: int
    cookie: str = field(repr=False)


Send = Callable[[str, bytes | None, str | None, float], Awaitable[HttpReply]]
"""POSTs to an address below the gateway's with a body, a `Cookie` header and a time limit in seconds."""


class GatewaySession(Session[Ticket]):
    """One session, shared by all calls.

    The lifetime in a login's reply is ignored: real sessions live longer.

    Args:
        send: sends calls to the gateway.
        login: the credentials.
        disclosure: decides which texts may be logged.
        clock: time.
        observer: receives every login.
    """

    def __init__(
        self, send: Send, login: GatewayLogin, disclosure: Disclosure, *, clock: Clock, observer: Observer
    ) -> None:
        super().__init__(
            "report_gateway",
            prepare_login=lambda: self._open,
            log_out=self._send_logout,
            log_refusal=_log_refusal,
            monotonic=clock.monotonic,
            observer=observer,
        )
        self._send = send
        self._credentials = login
        self._disclosure = disclosure

    async def _open(self, generation: int) -> Ticket:
        reply = await self._send(LOGIN, self._credentials.body(), None, LOGIN_TIMEOUT_S)
        try:
            return Ticket(generation, read_login(reply))
        except ErpLoginRejected as refused:
            code, text = self._disclosure.for_log(str(refused.code)), self._disclosure.for_log(refused.text)
        raise ErpLoginRejected(code, text)  # without the gateway's own as its context

    async def _send_logout(self, ticket: Ticket) -> None:
        """Log out. A real gateway may answer 400 although it ends the session."""
        await self._send(LOGOUT, b"", ticket.cookie, LOGOUT_TIMEOUT_S)


def _log_refusal(error: ErpLoginRejected | ErpRefused, pause_s: float) -> None:
    _log.error("report_gateway_refused", reason=str(error), pause_s=pause_s)
