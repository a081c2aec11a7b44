"""The checks of group `origin` that need an administrator's session."""

import asyncio
import time
from ipaddress import ip_address
from typing import Final

from erp_gateway.doctor.origin import causes
from erp_gateway.doctor.origin.paths import judge_paths
from erp_gateway.doctor.origin.token import OpenToOthersError, read_token
from erp_gateway.doctor.origin.visit import ORIGIN, PROBE, OriginVisit, Seen, seen_in
from servicekit.config.secret import Secret
from servicekit.doctor import STEP_LIMIT_S, Check, Finding, ok
from servicekit.doctor.origin import NoAnswerError, answered
from servicekit.doctor.origin.causes import BROKEN_OFF, NO_TOKEN

MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""No longer body is sent, however much the service would take."""

FORGED_IP: Final = "192.0.2.66"  # of no network: RFC 5737
FORGED_HOST: Final = "forged.invalid"
FORGED_PREFIX: Final = "/forged"

_UNAUTHORISED: Final = 401
_FORBIDDEN: Final = 403
_STREAM_S: Final = 20.0
_BODY_S: Final = 60.0
_TRIES: Final = 2
_SPREAD_S: Final = 0.3
"""Events that are sent within 0.75 s come so far apart at least, unless somebody collects them."""


class OriginChecks:
    """Looks at what a proxy makes of requests and answers."""

    def __init__(self, visit: OriginVisit) -> None:
        self._visit = visit

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        check = ORIGIN.check
        wait_s = self._visit.wait_s
        return (
            check(
                "token",
                "Sesión de un administrador",
                answered(self._token),
                NO_TOKEN,
                causes.TOKEN_UNREADABLE,
                causes.TOKEN_OPEN,
                causes.TOKEN_REFUSED,
                causes.TOKEN_PLAIN,
                causes.NO_PROBE,
                BROKEN_OFF,
                needs=("answer",),
            ),
            check(
                "path",
                "Claves con %2F, comillas y %00",
                answered(self._path),
                causes.PATH_DECODED,
                causes.PATH_CHANGED,
                causes.PATH_REFUSED,
                causes.ZERO_CHANGED,
                BROKEN_OFF,
                needs=("token",),
                limit_s=6 * STEP_LIMIT_S,
            ),
            check(
                "forwarded",
                "Quién dice de dónde viene una petición",
                answered(self._forwarded),
                causes.FORWARDED_BELIEVED,
                causes.PROXY_NOT_TRUSTED,
                causes.ORIGIN_NOT_TOLD,
                causes.NO_PROBE,
                BROKEN_OFF,
                needs=("token",),
            ),
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

    async def _token(self) -> Finding:
        file = self._visit.token_file
        if file is None:
            return NO_TOKEN.found()
        try:
            return await self._use(read_token(file))
        except OpenToOthersError:
            return causes.TOKEN_OPEN.found(str(file))
        except (OSError, ValueError):
            return causes.TOKEN_UNREADABLE.found(str(file))

    async def _use(self, token: Secret) -> Finding:
        visit = self._visit
        visit.asker = visit.asked.asker(token)
        reply = await visit.probe()
        if reply.status == _UNAUTHORISED:
            return causes.TOKEN_REFUSED.found()
        if reply.status == _FORBIDDEN and reply.is_of_service:
            return causes.TOKEN_PLAIN.found()
        visit.plain = seen_in(reply)
        if visit.plain is None:
            return causes.NO_PROBE.found(status=reply.status)
        return ok(f"el servicio ve a {visit.plain.client} por {visit.plain.peer}")

    async def _path(self) -> Finding:
        return await judge_paths(self._visit)

    async def _forwarded(self) -> Finding:
        plain, site = self._visit.plain, self._visit.asked.site
        other = "http" if site.address.tls else "https"
        forged = (
            ("X-Forwarded-For", FORGED_IP),
            ("X-Real-IP", FORGED_IP),
            ("Forwarded", f"for={FORGED_IP};host={FORGED_HOST};proto={other}"),
            ("X-Forwarded-Proto", other),
            ("X-Forwarded-Host", FORGED_HOST),
            ("X-Forwarded-Prefix", FORGED_PREFIX),
        )
        seen = seen_in(await self._visit.probe(headers=forged))
        if seen is None or plain is None:
            return causes.NO_PROBE.found()
        believed = {
            "X-Forwarded-For": seen.client == FORGED_IP,
            "X-Forwarded-Proto": seen.scheme == other != plain.scheme,
            "X-Forwarded-Host": seen.host == FORGED_HOST,
            "X-Forwarded-Prefix": seen.prefix == FORGED_PREFIX,
        }
        names = tuple(name for name, is_believed in believed.items() if is_believed)
        if names:
            return causes.FORWARDED_BELIEVED.found(", ".join(names), headers=names)
        if plain.forwarded and not self._trusts(plain):
            return causes.PROXY_NOT_TRUSTED.found(plain.peer)
        if (plain.scheme, plain.host.lower()) != (site.scheme, site.authority.lower()):
            return causes.ORIGIN_NOT_TOLD.found(f"{plain.scheme}://{plain.host}")
        return ok(f"cliente {plain.client}")

    async def _body(self) -> Finding:
        most = min(self._visit.web.max_body_bytes, MOST_BODY_BYTES)
        body = b'"' + b"x" * (most - 2) + b'"'
        reply = await self._visit.probe(body=body)
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
        async for at, piece in self._visit.person.listen(PROBE):
            text += piece
            came += [at] * (text.count(b"\n\n") - len(came))
        return came

    async def _patience(self) -> Finding:
        wait_s = self._visit.wait_s
        if not wait_s:
            return causes.WAIT_NOT_ASKED.found()
        started = time.monotonic()
        try:
            waited = seen_in(await self._visit.probe(f"?espera={wait_s}")) is not None
        except NoAnswerError:
            waited = False
        took_s = time.monotonic() - started
        judged = ok if waited else causes.GIVES_UP_EARLY.found
        return judged(asked_s=wait_s, after_s=round(took_s, 1))

    def _trusts(self, plain: Seen) -> bool:
        try:
            peer = ip_address(plain.peer)
        except ValueError:
            return False
        return any(peer in network for network in self._visit.web.trusted_proxies)
