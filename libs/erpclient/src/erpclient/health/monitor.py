"""The ERP's health over time: counts unanswered calls, sends probes, refuses calls while the ERP is down.

A probe uses the session of one client and takes the place of its next call. Without a session it goes to the
balancer.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from erpclient.clock import Clock, SystemClock, Timer
from erpclient.errors import ErpError, ErpUnwell
from erpclient.health.states import Condition, Health
from erpclient.http.error_replies import is_unanswered
from erpclient.http.ping import PING_CALL
from erpclient.http.replies import Ping
from erpclient.http.transport import Transport
from erpclient.http.upstream import Upstream
from erpclient.observer import NullObserver, Observer
from erpclient.settings import ErpSettings

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class Prober(Protocol):
    """A client, as the monitor sees it: it can send a probe, and its waiting requests can be refused."""

    @property
    def suitability(self) -> tuple[bool, int] | None:
        """Rank for sending a probe now, larger is better; ``None`` if it can't send one."""
        ...

    def pause(self) -> None:
        """Start no further call: the probe takes the next turn."""
        ...

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        ...

    def refuse_waiting(self) -> None:
        """Refuse every waiting request with ``ErpUnwell``."""
        ...

    async def probe(self, timeout_s: float) -> None:
        """Send a small request to the ERP.

        Raises:
            ErpError: no answer, or a refusal.
        """
        ...


class HealthMonitor:
    """Health of one Service Layer, shared by all its clients.

    Several unanswered calls in a row cause a probe. While that gets no answer either, every request fails
    at once instead of waiting for its timeout. The Service Layer serves the calls of one session one after
    another, so the probe takes the next turn in the queue of the most suitable client. If no client has a
    session, the probe pings the balancer.

    Failed connections don't count: they fail at once, and each client retries them once a second.

    Args:
        settings: address of the ERP and timeout of a probe.
        transport: sends the requests; must stay open until :meth:`aclose`.
        clock: time.
        observer: receives the probes, like any call.
    """

    def __init__(
        self,
        settings: ErpSettings,
        transport: Transport,
        *,
        clock: Clock | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._timeout_s = settings.probe_timeout_s
        self._upstream = Upstream(
            settings,
            transport,
            root=settings.origin,
            clock=self._clock,
            observer=observer or NullObserver(),
            listener=self,
        )
        self._health = Health()
        self._probers: dict[Prober, None] = {}
        self._timer: Timer | None = None
        self._probe: asyncio.Task[None] | None = None
        self._unwell_since = 0.0
        self._closed = False

    @property
    def condition(self) -> Condition:
        """Current condition of the ERP."""
        return self._health.condition

    def check(self) -> None:
        """Raise ``ErpUnwell`` while the ERP does not answer."""
        if self._health.condition is Condition.UNWELL:
            raise ErpUnwell

    async def ping(self, timeout_s: float) -> Ping:
        """Ping the balancer, without session and queue. Its answer says nothing about the ERP behind it.

        Raises:
            ErpUnreachable: no connection.
            ErpTimeout: not in time.
        """
        return await self._upstream.ping(timeout_s)

    def join(self, prober: Prober) -> None:
        """Add a client."""
        self._probers[prober] = None

    def leave(self, prober: Prober) -> None:
        """Remove a client; a probe that it has sent continues."""
        self._probers.pop(prober, None)

    def answered(self) -> None:
        """Record an answered call."""
        self._apply(self._health.after_answer())

    def unanswered(self) -> None:
        """Record an unanswered call."""
        self._apply(self._health.after_unanswered(self._clock.monotonic()))

    async def aclose(self) -> None:
        """Cancel the running probe and send no more."""
        self._closed = True
        self._cancel_probe()
        if self._probe is not None:
            await asyncio.wait({self._probe})

    def _apply(self, health: Health, reason: str = "") -> None:
        if health == self._health:
            return
        before, self._health = self._health.condition, health
        if health.condition is Condition.WELL:
            self._cancel_probe()
        if health.condition is not before:
            self._log_change(before, reason)
        if health.probe_at is not None and not self._closed:
            self._schedule(health.probe_at)

    def _log_change(self, before: Condition, reason: str) -> None:
        now = self._clock.monotonic()
        if self._health.condition is Condition.UNWELL:
            self._unwell_since = now
            _log.error("erp_unwell", silences=self._health.unanswered, reason=reason)
            for prober in self._probers:
                prober.refuse_waiting()
        elif before is Condition.UNWELL:
            _log.warning("erp_well_again", after_s=round(now - self._unwell_since, 3))

    def _schedule(self, probe_at: float) -> None:
        delay_s = probe_at - self._clock.monotonic()
        if delay_s <= 0:
            self._begin_probe()
        else:
            self._timer = self._clock.call_later(delay_s, self._begin_probe)

    def _begin_probe(self) -> None:
        self._timer = None
        self._health = self._health.after_probe_began(self._clock.monotonic())
        self._probe = asyncio.create_task(self._run_probe(), name="erp-probe")

    def _choose_prober(self) -> Prober | None:
        ranked = [(rank, prober) for prober in self._probers if (rank := prober.suitability) is not None]
        return max(ranked, key=lambda pair: pair[0])[1] if ranked else None

    async def _run_probe(self) -> None:
        # The call that caused the probe has ended, but its permit is not released yet.
        prober = self._choose_prober()
        if prober is not None:
            prober.pause()
        try:
            failure = await self._find_failure(self._probe_balancer if prober is None else prober.probe)
            self._probe = None
            if failure is None:
                self._apply(self._health.after_answer())
            else:
                self._apply(self._health.after_failed_probe(self._clock.monotonic()), failure)
        finally:
            if prober is not None:
                prober.resume()

    async def _probe_balancer(self, timeout_s: float) -> None:
        await self._upstream.probe(PING_CALL, timeout_s=timeout_s)

    async def _find_failure(self, probe: Callable[[float], Awaitable[None]]) -> str | None:
        """Return why the probe got no answer, or ``None``; a refusal is an answer."""
        try:
            await probe(self._timeout_s)
        except ErpError as error:
            return str(error) if is_unanswered(error) else None
        except Exception as error:  # noqa: BLE001  # without a result there would be no further probe
            _log.exception("erp_probe_failed")
            return type(error).__name__
        return None

    def _cancel_probe(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._probe is not None:
            self._probe.cancel()
