"""Probes that one client sends in its session."""

import asyncio

from erpclient.erp_session import ErpSession
from erpclient.errors import ErpTimeout, Phase
from erpclient.http.calls import PROBE_CALL
from erpclient.http.upstream import Upstream
from erpclient.request_queue import RequestQueue


class SessionProbe:
    """One client as a :class:`erpclient.health.monitor.Prober`.

    Args:
        upstream: sends the probe.
        session: in which it is sent.
        queue: which waits meanwhile.
    """

    def __init__(self, upstream: Upstream, session: ErpSession, queue: RequestQueue) -> None:
        self._upstream = upstream
        self._session = session
        self._queue = queue

    @property
    def fitness(self) -> tuple[bool, int] | None:
        """As :attr:`Prober.fitness`: best is a session without a call under way whose last one was answered.

        The Service Layer may still be at work on a call that we gave up, and a probe would wait behind it.
        """
        if not self._session.can_ask:
            return None
        return not self._queue.busy, -self._upstream.silences

    def hold(self) -> None:
        """As :meth:`Prober.hold`."""
        self._queue.hold()

    def release(self) -> None:
        """As :meth:`Prober.release`."""
        self._queue.release()

    def dismiss(self) -> None:
        """As :meth:`Prober.dismiss`."""
        self._queue.dismiss()

    async def ask(self, timeout_s: float) -> None:
        """As :meth:`Prober.ask`: read one record. Without a session the read is refused, and a login follows.

        A login that takes longer than a probe may goes on; its answer will be heard.
        """
        ticket = self._session.ticket
        try:
            async with asyncio.timeout(timeout_s):
                cookie = None if ticket is None else ticket.cookie
                await self._upstream.probe(PROBE_CALL, timeout_s=timeout_s, cookie=cookie)
                if ticket is None:
                    await self._session.revive()
        except TimeoutError as error:
            raise ErpTimeout(Phase.ANSWER) from error
