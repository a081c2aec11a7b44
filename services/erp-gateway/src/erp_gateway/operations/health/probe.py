"""Health of the ERP, from the shared client's state and a ping of the balancer at most once in 5 s."""

from enum import Enum
from typing import Final, Protocol

from attrs import frozen

from erpclient import Balancer, BalancerWatch, Condition, ErpError, ErpLoginRejected, Ping, SessionState
from erpclient.login_trouble import LoginTrouble, login_trouble
from servicekit.clock import Clock


class Reason(Enum):
    """Reason why the ERP can't be used."""

    UNWELL = "unwell"
    """Several calls and a probe got no answer."""
    UNREACHABLE = "unreachable"
    """There is no connection, its balancer says that it is down, or a login failed a second ago."""
    LOGIN_REFUSED = "login_refused"
    """The ERP does not take the service account."""
    USER_LOCKED = "user_locked"
    """The service account is locked in the ERP."""
    COMPANY_DIRECTORY = "company_directory"
    """The System Landscape Directory does not give the company's database."""
    COMPANY_UNKNOWN = "company_unknown"
    """The ERP has no such company database."""
    NO_LICENCE = "no_licence"
    """The service account has no licence, or none is free."""


_LOGIN_REASONS: Final = {
    LoginTrouble.USER_LOCKED: Reason.USER_LOCKED,
    LoginTrouble.NO_DIRECTORY: Reason.COMPANY_DIRECTORY,
    LoginTrouble.UNKNOWN_COMPANY: Reason.COMPANY_UNKNOWN,
    LoginTrouble.NO_LICENCE: Reason.NO_LICENCE,
}


class ErpStatus(Protocol):
    """The part of `erpclient.ErpClient` that the probe reads."""

    @property
    def condition(self) -> Condition:
        """True if the ERP replies to calls."""
        ...

    @property
    def session_state(self) -> SessionState:
        """State of the shared session."""
        ...

    @property
    def login_failure(self) -> ErpError | None:
        """Error of the last login, until a reply proves that the session works."""
        ...

    async def ping(self, *, timeout_s: float = 5.0) -> Ping:
        """Ping the balancer, outside the queue."""
        ...


@frozen(kw_only=True)
class ErpHealth:
    """Health of the ERP.

    Attributes:
        reason: why it can't be used; None if it can.
        ping: `pong` from the balancer, `other` from a server without that page, `failed`, `timeout`,
            `unreachable`; `not_asked` if the state was clear without a ping.
        session: state of the shared session.
    """

    reason: Reason | None
    ping: str
    session: SessionState


class ErpProbe:
    """Combines the shared client's state with a ping, which callers within a few seconds share.

    Args:
        client: the shared client.
        clock: time.
    """

    def __init__(self, client: ErpStatus, clock: Clock) -> None:
        self._client = client
        self._balancer = BalancerWatch(lambda timeout_s: client.ping(timeout_s=timeout_s), clock.monotonic)

    async def health(self) -> ErpHealth:
        """Return the health; at once, without a ping, if the ERP is known not to reply."""
        if self._client.condition is Condition.UNWELL:
            return self._describe(Reason.UNWELL, "not_asked")
        balancer = await self._balancer.check()
        return self._describe(self._find_reason(balancer), balancer.value)

    async def aclose(self) -> None:
        """Cancel a ping in flight."""
        await self._balancer.aclose()

    def _find_reason(self, balancer: Balancer) -> Reason | None:
        client = self._client
        if client.condition is Condition.UNWELL:
            return Reason.UNWELL
        if (failure := client.login_failure) is not None:
            if (own := _LOGIN_REASONS.get(login_trouble(failure))) is not None:
                return own
            if isinstance(failure, ErpLoginRejected):
                return Reason.LOGIN_REFUSED
        usable = balancer.is_alive and client.session_state is not SessionState.FAILING
        return None if usable else Reason.UNREACHABLE

    def _describe(self, reason: Reason | None, ping: str) -> ErpHealth:
        return ErpHealth(reason=reason, ping=ping, session=self._client.session_state)
