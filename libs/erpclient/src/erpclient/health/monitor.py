"""The ERP's health over time: listens to every call, sends the probes, shuts and opens the door.

A probe goes in a client's session, in the place of that client's next call, or to the balancer.
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
    """A client's part in the ERP's health: it may send the probe, and its requests are sent away."""

    @property
    def suitability(self) -> tuple[bool, int] | None:
        """How well it can send a probe just now, the larger the better; ``None`` when it can't."""
        ...

    def pause(self) -> None:
        """Begin no further call: the probe takes its turn."""
        ...

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        ...

    def refuse_waiting(self) -> None:
        """Refuse with ``ErpUnwell`` whoever waits for a turn."""
        ...

    async def probe(self, timeout_s: float) -> None:
        """Ask the ERP for something small.

        Raises:
            ErpError: no answer, or a refusal.
        """
        ...


class HealthMonitor:
    """What is known of one Service Layer, shared by all clients of it.

    Several calls in a row without an answer cause a probe; while that gets no answer either, every request
    is refused at once instead of waiting its whole time. The probe goes in the session of the client that is
    fittest, in whose queue it takes the next turn, since the Service Layer serves the calls of one session
    one after another. Where nobody has a session, the balancer is asked.

    Failed connections count neither way: they are told at once, and tried once a second, by each client.

    Args:
        settings: where the ERP is, and how long a probe may take.
        transport: brings the bytes; has to stay open until :meth:`aclose`.
        clock: time.
        observer: told of the probes, as of any call.
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
        """What is known of the ERP."""
        return self._health.condition

    def check(self) -> None:
        """Raise ``ErpUnwell`` while the ERP is known to give no answers."""
        if self._health.condition is Condition.UNWELL:
            raise ErpUnwell

    async def ping(self, timeout_s: float) -> Ping:
        """Ask the balancer whether it lives: no session, no queue. It says nothing of the ERP behind it.

        Raises:
            ErpUnreachable: no connection.
            ErpTimeout: not in time.
        """
        return await self._upstream.ping(timeout_s)

    def join(self, prober: Prober) -> None:
        """Take in a client."""
        self._probers[prober] = None

    def leave(self, prober: Prober) -> None:
        """Forget a client; a probe that it has sent goes on."""
        self._probers.pop(prober, None)

    def answered(self) -> None:
        """Take note of an answer to a call."""
        self._apply(self._health.after_answer())

    def unanswered(self) -> None:
        """Take note of a call without an answer."""
        self._apply(self._health.after_unanswered(self._clock.monotonic()))

    async def aclose(self) -> None:
        """Give up the probe that runs, and send none any more."""
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
        # The call that caused it has ended by now, and has not made room for the next one yet.
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
        """Ask what needs no session; nobody's turn is taken for it."""
        await self._upstream.probe(PING_CALL, timeout_s=timeout_s)

    async def _find_failure(self, probe: Callable[[float], Awaitable[None]]) -> str | None:
        """Say why the probe got no answer; a refusal is an answer."""
        try:
            await probe(self._timeout_s)
        except ErpError as error:
            return str(error) if is_unanswered(error) else None
        except Exception as error:  # noqa: BLE001  # without a verdict nobody would probe again
            _log.exception("erp_probe_failed")
            return type(error).__name__
        return None

    def _cancel_probe(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._probe is not None:
            self._probe.cancel()
