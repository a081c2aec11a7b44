"""One session for questions to the ERP: one login, one call at a time, any reply accepted."""

from http import HTTPStatus
from types import TracebackType
from typing import Self

from attrs import define, field

from erpclient.clock import Clock, SystemClock
from erpclient.erp_session import ErpSession
from erpclient.errors import SessionEnded
from erpclient.http.aiohttp_transport import create_transport
from erpclient.http.calls import Call
from erpclient.http.messages import HttpReply, HttpRequest
from erpclient.http.replies import Ping
from erpclient.http.requests import build_request
from erpclient.http.transport import Transport
from erpclient.http.upstream import Upstream
from erpclient.observer import NullObserver
from erpclient.odata import Dialect
from erpclient.settings import Credentials, ErpSettings


class _IgnoredAnswers:
    """Ignores whether calls were answered: no health is kept for this session."""

    def answered(self) -> None:
        """As :meth:`erpclient.http.upstream.Listener.answered`."""

    def unanswered(self) -> None:
        """As :meth:`erpclient.http.upstream.Listener.unanswered`."""


@define
class _Witness:
    """Transport that records the first reply, which is the login's.

    Attributes:
        first: that reply, once received.
        first_s: its duration.
        calls: number of requests.
    """

    _inner: Transport
    _clock: Clock
    first: HttpReply | None = None
    first_s: float = 0.0
    calls: int = field(default=0)

    async def send(self, request: HttpRequest) -> HttpReply:
        """As :meth:`Transport.send`."""
        self.calls += 1
        started = self._clock.monotonic()
        reply = await self._inner.send(request)
        if self.first is None:
            self.first, self.first_s = reply, self._clock.monotonic() - started
        return reply

    async def probe(self, url: str, timeout_s: float) -> None:
        """As :meth:`Transport.probe`."""
        await self._inner.probe(url, timeout_s)

    async def aclose(self) -> None:
        """As :meth:`Transport.aclose`."""
        await self._inner.aclose()


class ProbeSession:
    """A session that sends one call at a time and returns every reply unchanged.

    Entering it logs in once; a lost session is not renewed. Leaving it logs out.

    Args:
        settings: settings of the Service Layer.
        credentials: the ERP user.
        clock: time.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is not a PEM file.
    """

    def __init__(
        self, settings: ErpSettings, credentials: Credentials, *, clock: Clock | None = None
    ) -> None:
        self._settings = settings
        self._transport = create_transport(settings)
        self._clock = clock or SystemClock()
        self._witness = _Witness(self._transport, self._clock)
        self._upstream = Upstream(
            settings,
            self._witness,
            root=settings.url,
            clock=self._clock,
            observer=NullObserver(),
            listener=_IgnoredAnswers(),
        )
        self._session = ErpSession(
            self._upstream,
            credentials,
            renewable=False,
            login_timeout_s=settings.login_timeout_s,
            clock=self._clock,
            observer=NullObserver(),
        )

    async def __aenter__(self) -> Self:
        await self._transport.open()
        try:
            await self._session.get_ticket()
        except BaseException:
            await self._witness.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._session.aclose()
        finally:
            await self._witness.aclose()

    @property
    def dialect(self) -> Dialect:
        """OData version of the service."""
        return self._settings.dialect

    @property
    def root_path(self) -> str:
        """The service root without its origin."""
        return self._settings.root_path

    @property
    def login(self) -> HttpReply:
        """The reply to the login."""
        if self._witness.first is None:
            raise RuntimeError("the line is not open")
        return self._witness.first

    @property
    def login_s(self) -> float:
        """Duration of the login in seconds."""
        return self._witness.first_s

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self._clock

    @property
    def calls(self) -> int:
        """Number of requests sent so far, including the login."""
        return self._witness.calls

    async def send(self, call: Call) -> HttpReply:
        """Send a call in the session and return the reply, whatever its status except 401.

        Raises:
            SessionEnded: the ERP no longer knows the session; it is not opened again.
            ErpError: no answer.
        """
        ticket = await self._session.get_ticket()
        reply = await self._upstream.send(call, timeout_s=self._settings.timeout_s, cookie=ticket.cookie)
        if reply.status == HTTPStatus.UNAUTHORIZED:
            raise SessionEnded
        self._session.record_answer(ticket, reply)
        return reply

    async def send_with(self, call: Call, cookie: str | None) -> HttpReply:
        """Send a call with another ``Cookie`` header, or without one.

        Raises:
            ErpError: no answer.
        """
        return await self._upstream.send(call, timeout_s=self._settings.timeout_s, cookie=cookie)

    async def send_to(self, root_path: str, call: Call) -> HttpReply:
        """Send a call in the session to another service root of the same server.

        Raises:
            SessionEnded: the session is lost.
            ErpError: no answer.
        """
        ticket = await self._session.get_ticket()
        request = build_request(
            call,
            root=self._settings.origin + root_path,
            cookie=ticket.cookie,
            caller=None,
            timeout_s=self._settings.timeout_s,
            fresh=True,
        )
        return await self._witness.send(request)

    async def ping(self) -> Ping:
        """Ping the balancer.

        Raises:
            ErpError: no answer.
        """
        return await self._upstream.ping(self._settings.probe_timeout_s)
