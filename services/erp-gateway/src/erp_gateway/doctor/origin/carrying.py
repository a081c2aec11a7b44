"""What a proxy carries, and how: a large body, events, an answer that takes its time."""

import asyncio
import time
from typing import Final

from erp_gateway.doctor.origin import causes
from erp_gateway.doctor.origin.context import ORIGIN, PROBE, OriginContext, seen_in
from erpdoctor import STEP_LIMIT_S, Check, Finding, ok
from erpdoctor.origin import NoAnswerError, answered
from erpdoctor.origin.causes import BROKEN_OFF

MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""No longer body is sent, however much the service would take."""

_STREAM_S: Final = 20.0
_BODY_S: Final = 60.0
_TRIES: Final = 2
_SPREAD_S: Final = 0.3
"""Events that are sent within 0.75 s come so far apart at least, unless somebody collects them."""


class CarryingChecks:
    """Looks at what the proxy does to long bodies and slow answers."""

    def __init__(self, context: OriginContext) -> None:
        self._context = context

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        check = ORIGIN.check
        wait_s = self._context.wait_s
        return (
            check(
                "body",
                "Un cuerpo del tamaño máximo",
                answered(self._body),
                causes.BODY_LOST,
                BROKEN_OFF,
                needs=("token", "body-limit"),
                limit_s=_BODY_S,
            ),
            check(
                "stream",
                "Avisos de avance sin demora",
                self._stream,
                causes.STREAM_BUFFERED,
                causes.STREAM_BROKEN,
                needs=("token",),
                limit_s=_TRIES * _STREAM_S,
            ),
            check(
                "patience",
                "Paciencia del intermediario",
                self._patience,
                causes.GIVES_UP_EARLY,
                causes.WAIT_NOT_ASKED,
                needs=("token",),
                limit_s=wait_s + 2 * STEP_LIMIT_S,
            ),
        )

    async def _body(self) -> Finding:
        most = min(self._context.web.max_body_bytes, MOST_BODY_BYTES)
        body = b'"' + b"x" * (most - 2) + b'"'
        reply = await self._context.probe(body=body)
        seen = seen_in(reply)
        arrived = 0 if seen is None else seen.body_bytes
        judged = ok if arrived == most else causes.BODY_LOST.found
        return judged(status=reply.status, sent=most, arrived=arrived)

    async def _stream(self) -> Finding:
        spread_s = 0.0
        for _ in range(_TRIES):  # a busy machine may read late what came early
            try:
                async with asyncio.timeout(_STREAM_S):
                    came = await self._arrivals()
            except (NoAnswerError, TimeoutError):
                return causes.STREAM_BROKEN.found()
            # The first comes with the answer's head, also where the others are collected.
            spread_s = came[-1] - came[1] if came[1:] else 0.0
            if spread_s >= _SPREAD_S:
                return ok(spread_s=spread_s)
        return causes.STREAM_BUFFERED.found(spread_s=spread_s)

    async def _arrivals(self) -> list[float]:
        """Return the second at which each event was there as a whole."""
        text, came = b"", list[float]()
        async for at, piece in self._context.person.listen(PROBE):
            text += piece
            came += [at] * (text.count(b"\n\n") - len(came))
        return came

    async def _patience(self) -> Finding:
        wait_s = self._context.wait_s
        if not wait_s:
            return causes.WAIT_NOT_ASKED.found()
        started = time.monotonic()
        try:
            waited = seen_in(await self._context.probe(f"?espera={wait_s}")) is not None
        except NoAnswerError:
            waited = False
        took_s = time.monotonic() - started
        judged = ok if waited else causes.GIVES_UP_EARLY.found
        return judged(asked_s=wait_s, after_s=round(took_s, 1))
