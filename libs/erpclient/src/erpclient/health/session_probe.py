"""Probes that a client sends in its own session."""

import asyncio

from erpclient.erp_session import ErpSession
from erpclient.errors import ErpTimeout, Phase
from erpclient.http.calls import PROBE_CALL
from erpclient.http.upstream import Upstream
from erpclient.request_queue import RequestQueue


class SessionProbe:
    """A client as a :class:`erpclient.health.monitor.Prober`.

    Args:
        upstream: sends the probe.
        session: session of the probe.
        queue: queue that is paused during a probe.
    """

    def __init__(self, upstream: Upstream, session: ErpSession, queue: RequestQueue) -> None:
        self._upstream = upstream
        self._session = session
        self._queue = queue

    @property
    def suitability(self) -> tuple[bool, int] | None:
        """As :attr:`Prober.suitability`. An idle session whose last call got a reply is best.

        The Service Layer may still work on a call that timed out here, and a probe would wait behind it.
        """
        if not self._session.can_probe:
            return None
        return not self._queue.busy, -self._upstream.unanswered_calls

    def pause(self) -> None:
        """As :meth:`Prober.pause`."""
        self._queue.pause()

    def resume(self) -> None:
        """As :meth:`Prober.resume`."""
        self._queue.resume()

    def refuse_waiting(self) -> None:
        """As :meth:`Prober.refuse_waiting`."""
        self._queue.refuse_waiting()

    async def probe(self, timeout_s: float) -> None:
        """As :meth:`Prober.probe`: read one record. Without a session, the read is refused and a login
        follows.

        A login that takes longer than the probe continues, and its reply counts.
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
