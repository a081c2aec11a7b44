"""Inspects a Service Layer without changes: one login, reads, a logout."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import structlog

from erpclient.clock import Clock, SystemClock
from erpclient.erp_session import LOGOUT_TIMEOUT_S, Ticket
from erpclient.errors import ErpError
from erpclient.http.aiohttp_transport import create_transport
from erpclient.http.calls import Call
from erpclient.http.login import LOGOUT_CALL, login_call, read_login
from erpclient.http.ping import PING_CALL
from erpclient.http.requests import build_request
from erpclient.odata import Dialect
from erpclient.settings import Credentials, ErpSettings
from erpdoctor.inspection.answers import Answer, LoginFacts

READING_SERVICES: Final = frozenset(
    {
        "CompanyService_GetCompanyInfo",
        "CompanyService_GetPathAdmin",
        "SeriesService_GetDefaultSeries",
        "SeriesService_GetDocumentSeries",
    }
)
"""Read-only service actions. No other POST is sent, except login, logout and stored queries."""

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class _LoginBody(msgspec.Struct):
    version: str = msgspec.field(name="Version", default="")
    timeout_minutes: int | None = msgspec.field(name="SessionTimeout", default=None)


class Inspection:
    """Inspection of a Service Layer in a separate session.

    Use it as an async context manager; leaving it logs out. It never repeats a call: repeated failed logins
    would lock ERP users. A lost session is not renewed.

    Args:
        settings: settings of the Service Layer. `timeout_s` is the longest time of each call,
            `login_timeout_s`
            that of the login.
        clock: time.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is not a PEM file.
    """

    def __init__(self, settings: ErpSettings, *, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._transport = create_transport(settings)
        self._ticket: Ticket | None = None
        self._login_attempted = False
        self.calls = 0
        """Number of calls so far."""

    async def __aenter__(self) -> Self:
        await self._transport.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._log_out()
        finally:
            await self._transport.aclose()

    @property
    def dialect(self) -> Dialect:
        """The version of the settings' address."""
        return self._settings.dialect

    async def log_in(self, credentials: Credentials) -> LoginFacts:
        """Log in, once.

        Raises:
            ErpLoginRejected: the ERP refuses the credentials.
            ErpError: any other failure of the login.
            RuntimeError: it was tried already.
        """
        if self._login_attempted:
            raise RuntimeError("an inspection logs in once")
        self._login_attempted = True
        answer = await self._send(
            login_call(credentials), self._settings.url, timeout_s=self._settings.login_timeout_s
        )
        grant = read_login(answer.reply)
        self._ticket = Ticket(1, grant.session, grant.route)
        try:
            login_body = msgspec.json.decode(answer.body, type=_LoginBody)
        except msgspec.DecodeError:
            login_body = _LoginBody()
        return LoginFacts(
            login_body.version, login_body.timeout_minutes, grant.route is not None, answer.duration_s
        )

    async def read(
        self,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        dialect: Dialect | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        """Send a ``GET`` in the session and return the reply, whatever its status.

        Args:
            path: path and query below the service root, percent-encoded.
            headers: those of this call.
            dialect: version to use, by default that of the settings; the session is valid for both.
            timeout_s: timeout instead of the default.

        Raises:
            ErpError: no answer came.
        """
        call = Call("GET", "inspection", path, dict(headers or {}))
        return await self._send(call, self._root(dialect), timeout_s=timeout_s)

    async def ask(self, service: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Run a read-only action of a service.

        Raises:
            ErpError: no answer came.
            ValueError: it is not among `READING_SERVICES`.
        """
        if service not in READING_SERVICES:
            raise ValueError(f"{service} is not known to read only")
        content = msgspec.json.encode(dict(body)) if body is not None else None
        return await self._send(Call("POST", service, f"/{service}", body=content), self._settings.url)

    async def run(self, call: Call) -> Answer:
        """Run a stored query, as :func:`erpclient.http.calls.query_call` writes it.

        Raises:
            ErpError: no answer came.
            ValueError: it is another call.
        """
        if call.write or call.resource != "SQLQueries":
            raise ValueError(f"{call.method} {call.resource} is no stored query")
        return await self._send(call, self._settings.url)

    async def ping(self) -> Answer:
        """Ping the balancer without a session and return the reply, whatever its status.

        Raises:
            ErpError: no answer came.
        """
        return await self._send(PING_CALL, self._settings.origin)

    async def probe(self) -> Answer:
        """Read the service root without a session; a Service Layer answers 401.

        Raises:
            ErpError: no answer came.
        """
        return await self._send(Call("GET", "inspection", "/"), self._settings.url)

    def _root(self, dialect: Dialect | None) -> str:
        base, _, own = self._settings.url.rpartition("/")
        return f"{base}/{own if dialect is None else dialect.value}"

    async def _send(self, call: Call, root: str, *, timeout_s: float | None = None) -> Answer:
        request = build_request(
            call,
            root=root,
            cookie=None if self._ticket is None else self._ticket.cookie,
            caller=None,
            timeout_s=timeout_s or self._settings.timeout_s,
            fresh=True,
        )
        self.calls += 1
        started = self._clock.monotonic()
        reply = await self._transport.send(request)
        return Answer(reply.status, reply.headers, reply.body, self._clock.monotonic() - started, reply)

    async def _log_out(self) -> None:
        if self._ticket is None:
            return
        try:
            await self._send(LOGOUT_CALL, self._settings.url, timeout_s=LOGOUT_TIMEOUT_S)
        except ErpError as error:
            _log.warning("erp_logout_failed", reason=str(error))
