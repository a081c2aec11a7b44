"""One ERP session with what it needs, put together, and the way of every request through it."""

from collections.abc import Hashable
from typing import Final

from erpclient.caller import CallContext, Caller
from erpclient.clock import Clock
from erpclient.errors import ErpKeyUnsupported
from erpclient.health import Condition, HealthMonitor
from erpclient.health.session_probe import SessionProbe
from erpclient.http.replies import ErpList, ErpRecord
from erpclient.http.transport import AiohttpTransport, HttpReply, Transport, create_tls_context
from erpclient.http.upstream import Upstream
from erpclient.http.wire import PING_CALL, Call, key_is_unsupported, raise_for
from erpclient.observer import Observer
from erpclient.request_queue import RequestQueue
from erpclient.session import ErpSession
from erpclient.settings import Credentials, ErpSettings
from erpclient.turns import ListRead, RecordRead, Turns

LOGIN_LANE: Final = "erpclient:login"
"""Lane of the queue in which :meth:`Channel.log_in` waits."""


class Channel:
    """The queue, the session and what sends; opened and closed together.

    Every request is refused at once when it is known that nothing can be sent, waits for its turn, is sent in
    the session, and raises what its answer means. Arguments as of :class:`erpclient.ErpClient`.

    Attributes:
        queue: lets users take turns.
        session: gives the tickets.
        health: knows whether the ERP gives answers.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is no PEM file.
    """

    def __init__(
        self,
        settings: ErpSettings,
        credentials: Credentials,
        *,
        renewable: bool,
        transport: Transport | None,
        health: HealthMonitor | None,
        clock: Clock,
        observer: Observer,
    ) -> None:
        self._own_transport: AiohttpTransport | None = None
        if transport is None:
            transport = self._own_transport = create_transport(settings)
        self._own_health: HealthMonitor | None = None
        if health is None:
            health = self._own_health = HealthMonitor(settings, transport, clock=clock, observer=observer)
        self.health = health
        self._origin = settings.origin
        self.queue = RequestQueue(
            max_concurrency=settings.max_concurrency,
            limit=settings.queue_limit,
            limit_per_user=settings.queue_limit_per_user,
            timeout_s=settings.queue_timeout_s,
            clock=clock,
            observer=observer,
        )
        self._upstream = Upstream(
            root=settings.url,
            transport=transport,
            connect_timeout_s=settings.connect_timeout_s,
            slow_call_s=settings.slow_call_s,
            clock=clock,
            observer=observer,
            listener=health,
        )
        self.session = ErpSession(
            self._upstream,
            credentials,
            renewable=renewable,
            login_timeout_s=settings.login_timeout_s,
            clock=clock,
            observer=observer,
        )
        self._turns = Turns(
            self._upstream,
            self.session,
            dialect=settings.dialect,
            timeout_s=settings.timeout_s,
            observer=observer,
        )
        self._prober = SessionProbe(self._upstream, self.session, self.queue)
        health.join(self._prober)

    async def open(self) -> None:
        """Open what is its own; nothing is sent."""
        if self._own_transport is not None:
            await self._own_transport.open()

    async def aclose(self) -> None:
        """Refuse what waits, let what runs finish, log out, close what is its own; no ERP error comes out.

        An ERP that gives no answers is not told: its session ends there by itself.
        """
        self.queue.drain()
        self.health.leave(self._prober)
        try:
            await self.queue.wait_until_idle()
            if self.health.condition is not Condition.UNWELL:
                await self.session.aclose()
        finally:
            await self.queue.abort()
            await self.session.abort()
            if self._own_health is not None:
                await self._own_health.aclose()
            if self._own_transport is not None:
                await self._own_transport.aclose()

    async def log_in(self) -> None:
        """Log in now; raises what the login failed with."""
        self._check()
        await self.queue.run(Caller(LOGIN_LANE), lambda _: self.session.get_ticket())

    async def ping(self, *, timeout_s: float) -> HttpReply:
        """Ask the balancer whether it lives: no session, no queue."""
        return await self._upstream.ping(PING_CALL, timeout_s=timeout_s, root=self._origin)

    async def read_list(self, read: ListRead, caller: Caller) -> ErpList:
        """Read a page, or share the call of an equal one that waits."""
        self._check()
        return await self.queue.run(caller, lambda context: self._turns.read_list(context, read), share=read)

    async def read_record(self, read: RecordRead, caller: Caller) -> ErpRecord:
        """Read a record, or share the call of an equal one that waits."""
        self._check()
        return await self.queue.run(
            caller, lambda context: self._turns.read_record(context, read), share=read
        )

    async def ask(self, call: Call, caller: Caller, *, share: Hashable) -> HttpReply:
        """Send a call that changes nothing, or share an equal one that waits; raise its refusal."""
        self._check()
        reply = await self.queue.run(caller, lambda context: self._turns.send(context, call), share=share)
        raise_for(reply)
        return reply

    async def write(
        self, call: Call, caller: Caller, *, key_predicate: str = "", timeout_s: float | None = None
    ) -> HttpReply:
        """Send a call that may change something, shared with nobody; raise its refusal.

        Args:
            call: what to do.
            caller: for whom.
            key_predicate: the key in its path, if any.
            timeout_s: longest time, where it is not the usual one.
        """
        self._check()

        async def send(context: CallContext) -> HttpReply:
            if caller.ready is not None:
                await caller.ready()
            return await self._turns.send(context, call, timeout_s=timeout_s)

        reply = await self.queue.run(caller, send)
        if key_is_unsupported(key_predicate, reply):
            raise ErpKeyUnsupported(reply.status, None, "")
        raise_for(reply)
        return reply

    def _check(self) -> None:
        """Fail at once, without a wait for a turn, when it is known that nothing can be sent."""
        self.queue.check()
        self.health.check()
        self._upstream.check()
        self.session.check()


def create_transport(settings: ErpSettings) -> AiohttpTransport:
    """Make the transport that the settings ask for, not yet open.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is no PEM file.
    """
    tls = None
    if settings.url.startswith("https:"):
        tls = create_tls_context(ca_file=settings.ca_file, verify=settings.verify_tls)
    return AiohttpTransport(
        tls=tls, connect_timeout_s=settings.connect_timeout_s, max_reply_bytes=settings.max_reply_bytes
    )
