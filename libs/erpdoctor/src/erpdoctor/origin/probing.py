"""What a proxy makes of requests and answers, by what the service's own probe tells an administrator."""

import asyncio
import os
import stat
import time
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Final

import msgspec
from attrs import define, evolve, field
from typing_extensions import override

from erpdoctor.checks import STEP_LIMIT_S, Cause, Check, Checks, Finding, Group, looks_at, ok
from erpdoctor.origin import causes
from erpdoctor.origin.asking import Asker, NoAnswerError, Reply
from erpdoctor.origin.causes import NO_TOKEN
from erpdoctor.origin.checks import FAULTS, OriginTarget
from servicekit.config.secret import Secret

PROBE: Final = "/api/system/probe"
KEYS: Final = {
    "slash": "A%2F1",
    "slashes": "A%2F%2F1",
    "percent": "50%252F",
    "quote": "D%27Angelo",
    "quotes": "O''Brien",
    "double-quote": "%22A%22",
}
"""By the words that the JSON tells: keys as clients write them, the gravest first."""

ZERO_KEY: Final = "A%00B"
FORGED_IP: Final = "192.0.2.66"  # of no network: RFC 5737
FORGED_HOST: Final = "forged.invalid"
FORGED_PREFIX: Final = "/forged"
MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""No longer body is sent, however much the service would take."""

_GOOD: Final = 200
_UNAUTHORISED: Final = 401
_FORBIDDEN: Final = 403
_NOT_FOUND: Final = 404
_MOST_TOKEN_CHARS: Final = 512
_STREAM_S: Final = 20.0
_BODY_S: Final = 60.0
_TRIES: Final = 2
_SPREAD_S: Final = 0.3
"""Events that are sent within 0.75 s come so far apart at least, unless somebody collects them."""


class OpenToOthersError(Exception):
    """Somebody else could have read the token."""


class Seen(msgspec.Struct, rename="camel"):
    """What the probe tells: see the description of `GET /api/system/probe`."""

    target: str
    client: str
    peer: str
    scheme: str
    host: str
    prefix: str
    forwarded: tuple[str, ...]
    body_bytes: int


def seen_in(reply: Reply) -> Seen | None:
    """Return what the probe told; None where the answer is none of its."""
    if reply.status != _GOOD:
        return None
    try:
        return msgspec.json.decode(reply.body, type=Seen)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def read_token(file: Path) -> Secret:
    """Read an administrator's token; what is told of a failure never holds any of it.

    Raises:
        OpenToOthersError: its mode lets others read or write it.
        OSError: it can't be read.
        ValueError: it holds no token.
    """
    with file.open("rb") as opened:
        if stat.S_IMODE(os.fstat(opened.fileno()).st_mode) & 0o077:
            raise OpenToOthersError
        text = opened.read(_MOST_TOKEN_CHARS + 1).decode("latin-1").strip()
    if (
        not text
        or len(text) > _MOST_TOKEN_CHARS
        or not text.isascii()
        or not text.isprintable()
        or " " in text
    ):
        raise ValueError
    return Secret(text)


@define(eq=False, repr=False)
class ProbeChecks(Checks):
    """Looks at what reaches the service of a request, and what comes back of its answers.

    Args:
        target: the origin.
        group: to which the checks belong.
        token_file: with an administrator's token; None where nobody named one.
        trusted_proxies: whom the service believes.
        max_body_bytes: how large a body it takes.
        wait_s: for how long it is asked to keep silent.
    """

    faults = FAULTS

    _target: OriginTarget
    group: Group
    _token_file: Path | None = field(kw_only=True)
    _trusted_proxies: Iterable[IPv4Network | IPv6Network] = field(kw_only=True)
    _max_body_bytes: int = field(kw_only=True)
    _wait_s: int = field(kw_only=True)
    _asker: Asker | None = field(init=False, default=None)
    _plain: Seen | None = field(init=False, default=None)

    @override
    def checks(self) -> tuple[Check, ...]:
        *others, patience = super().checks()
        return (*others, evolve(patience, limit_s=self._wait_s + 2 * STEP_LIMIT_S))

    @looks_at(
        "token",
        "Sesión de un administrador",
        NO_TOKEN,
        causes.TOKEN_UNREADABLE,
        causes.TOKEN_OPEN,
        causes.TOKEN_REFUSED,
        causes.TOKEN_PLAIN,
        causes.NO_PROBE,
        needs=("answer",),
    )
    async def _token(self) -> Finding:
        file = self._token_file
        if file is None:
            return NO_TOKEN.found()
        try:
            return await self._use(read_token(file))
        except OpenToOthersError:
            return causes.TOKEN_OPEN.found(str(file))
        except (OSError, ValueError):
            return causes.TOKEN_UNREADABLE.found(str(file))

    async def _use(self, token: Secret) -> Finding:
        self._asker = self._target.asker(token)
        reply = await self._probe()
        if reply.status == _UNAUTHORISED:
            return causes.TOKEN_REFUSED.found()
        if reply.status == _FORBIDDEN and reply.is_of_service:
            return causes.TOKEN_PLAIN.found()
        self._plain = seen_in(reply)
        if self._plain is None:
            return causes.NO_PROBE.found(status=reply.status)
        return ok(f"el servicio ve a {self._plain.client} por {self._plain.peer}")

    @looks_at(
        "path",
        "Claves con %2F, comillas y %00",
        causes.PATH_DECODED,
        causes.PATH_CHANGED,
        causes.PATH_REFUSED,
        causes.ZERO_CHANGED,
        needs=("token",),
        limit_s=6 * STEP_LIMIT_S,
    )
    async def _path(self) -> Finding:
        for name, key in KEYS.items():
            cause = await self._changed(key)
            if cause is not None:
                return cause.found(key, key=name)
        # Neither nginx nor the service takes a zero byte; a proxy that hides it has another record read.
        reply = await self._probe(f"/{ZERO_KEY}")
        seen = seen_in(reply)
        passed = seen is not None and seen.target == f"{PROBE}/{ZERO_KEY}"
        refused = reply.is_refusal and not (reply.status == _NOT_FOUND and reply.is_of_service)
        if not passed and not refused:
            return causes.ZERO_CHANGED.found(ZERO_KEY, status=reply.status)
        return ok(keys=len(KEYS) + 1, zero="passed" if passed else "refused")

    async def _changed(self, key: str) -> Cause | None:
        reply = await self._probe(f"/{key}")
        seen = seen_in(reply)
        if seen is not None:
            return None if seen.target == f"{PROBE}/{key}" else causes.PATH_CHANGED
        return (
            causes.PATH_DECODED if reply.status == _NOT_FOUND and reply.is_of_service else causes.PATH_REFUSED
        )

    @looks_at(
        "forwarded",
        "Quién dice de dónde viene una petición",
        causes.FORWARDED_BELIEVED,
        causes.PROXY_NOT_TRUSTED,
        causes.ORIGIN_NOT_TOLD,
        causes.NO_PROBE,
        needs=("token",),
    )
    async def _forwarded(self) -> Finding:
        plain, site = self._plain, self._target.site
        other = "http" if site.address.tls else "https"
        forged = (
            ("X-Forwarded-For", FORGED_IP),
            ("X-Real-IP", FORGED_IP),
            ("Forwarded", f"for={FORGED_IP};host={FORGED_HOST};proto={other}"),
            ("X-Forwarded-Proto", other),
            ("X-Forwarded-Host", FORGED_HOST),
            ("X-Forwarded-Prefix", FORGED_PREFIX),
        )
        seen = seen_in(await self._probe(headers=forged))
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

    def _trusts(self, plain: Seen) -> bool:
        try:
            peer = ip_address(plain.peer)
        except ValueError:
            return False
        return any(peer in network for network in self._trusted_proxies)

    @looks_at(
        "body",
        "Un cuerpo del tamaño máximo",
        causes.BODY_LOST,
        needs=("token", "body-limit"),
        limit_s=_BODY_S,
    )
    async def _body(self) -> Finding:
        most = min(self._max_body_bytes, MOST_BODY_BYTES)
        body = b'"' + b"x" * (most - 2) + b'"'
        reply = await self._probe(body=body)
        seen = seen_in(reply)
        arrived = 0 if seen is None else seen.body_bytes
        judged = ok if arrived == most else causes.BODY_LOST.found
        return judged(status=reply.status, sent=most, arrived=arrived)

    @looks_at(
        "stream",
        "Avisos de avance sin demora",
        causes.STREAM_BUFFERED,
        causes.STREAM_BROKEN,
        needs=("token",),
        limit_s=_TRIES * _STREAM_S,
    )
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
        async for at, piece in self._person().listen(PROBE):
            text += piece
            came += [at] * (text.count(b"\n\n") - len(came))
        return came

    @looks_at(
        "patience",
        "Paciencia del intermediario",
        causes.GIVES_UP_EARLY,
        causes.WAIT_NOT_ASKED,
        needs=("token",),
        limit_s=None,
    )
    async def _patience(self) -> Finding:
        wait_s = self._wait_s
        if not wait_s:
            return causes.WAIT_NOT_ASKED.found()
        started = time.monotonic()
        try:
            waited = seen_in(await self._probe(f"?espera={wait_s}")) is not None
        except NoAnswerError:
            waited = False
        took_s = time.monotonic() - started
        judged = ok if waited else causes.GIVES_UP_EARLY.found
        return judged(asked_s=wait_s, after_s=round(took_s, 1))

    async def _probe(
        self, further: str = "", *, body: bytes | None = None, headers: Iterable[tuple[str, str]] = ()
    ) -> Reply:
        return await self._person().ask(f"{PROBE}{further}", body=body, headers=headers, as_person=True)

    def _person(self) -> Asker:
        """Return what asks as the token's person."""
        if self._asker is None:
            raise NoAnswerError("no token")
        return self._asker
