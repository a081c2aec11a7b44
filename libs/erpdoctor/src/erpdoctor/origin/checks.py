"""The checks of group `origin` that need no session."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from erpdoctor.checks import STEP_LIMIT_S, Cause, Check, Checks, Finding, Group, looks_at, ok
from erpdoctor.network.checks import NetworkChecks, Peer, ServerAnswer
from erpdoctor.origin import causes
from erpdoctor.origin.asking import Asker, NoAnswerError, Site
from servicekit.clock import Clock
from servicekit.config.secret import Secret
from servicekit.tls import trusting

HEALTH: Final = "/api/health"
FAR_TOO_LONG: Final = 1 << 30
"""Bytes that no service takes; they are announced and never sent."""

FAULTS: Final[Mapping[type[Exception], Cause]] = {NoAnswerError: causes.BROKEN_OFF}
"""What a broken connection makes a check find."""

_GATEWAYS_OWN: Final = (502, 503, 504)
_GOOD: Final = 200
_TOO_LARGE: Final = 413


@frozen(kw_only=True)
class OriginTarget:
    """What the person who calls a doctor says of the origin.

    Attributes:
        site: where people reach the service.
        authorities: file of authorities trusted besides the system's.
    """

    site: Site
    authorities: Path | None = None

    @staticmethod
    def of(url: str | None, authorities: Path | None) -> "OriginTarget | None":
        """Read the arguments of a doctor; None where no origin is named.

        Raises:
            ValueError: the address is none, or the file holds no certificate; the text names the argument.
        """
        if url is None:
            return None
        try:
            trusting(authorities)
        except OSError:  # an ssl.SSLError is one
            raise ValueError(f"--origin-ca-file: {authorities} is no file with certificates") from None
        return OriginTarget(site=Site.of(url), authorities=authorities)

    def asker(self, token: Secret | None = None) -> Asker:
        """Return what asks it, as nobody or as a token's person."""
        return Asker(self.site, trusting(self.authorities), token)


def origin_checks(
    target: OriginTarget | None,
    *,
    group: Group,
    health_member: str,
    takes_most: tuple[str, int],
    production: bool,
    clock: Clock,
    suspects: tuple[str, ...] = (),
) -> tuple[Check, ...]:
    """Return the checks of what stands before a service, as far as everybody sees it.

    Args:
        target: the origin; None: a single check says that none was named.
        group: to which they belong.
        health_member: a member of the service's own answer to `GET /api/health` that no other service has.
        takes_most: the path that takes the largest body, and how many bytes.
        production: whether plain http is a warning.
        clock: time.
        suspects: names of earlier checks; where one failed, the service is likely not to run.
    """
    if target is None:
        return (group.found("address", "Dirección pública", causes.NO_ORIGIN.found(), causes.NO_ORIGIN),)
    visible = _Visible(target, group, health_member, takes_most)
    ways = NetworkChecks(
        target.site.url,
        authorities=target.authorities,
        verify=True,
        production=production,
        probe=visible.probe,
        clock=clock,
        group=group,
        suspects=suspects,
    ).checks()
    address = group.found("address", "Dirección pública", ok(target.site.url), causes.NO_ORIGIN)
    return (address, *ways, *visible.checks())


def token_check(group: Group) -> Check:
    """Return what a doctor without a session says of the rest."""

    found = causes.NO_TOKEN.found()
    return group.found("token", "Sesión de un administrador", found, causes.NO_TOKEN, needs=("answer",))


class _Visible(Checks):
    """Looks at what everybody sees."""

    faults = FAULTS

    def __init__(
        self, target: OriginTarget, group: Group, health_member: str, takes_most: tuple[str, int]
    ) -> None:
        self.group = group
        self._target = target
        self._asker = target.asker()
        self._root = evolve(target, site=target.site.root).asker()
        self._health_member = health_member
        self._path, self._most_bytes = takes_most

    async def probe(self) -> ServerAnswer:
        """Ask for the service's own health."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(STEP_LIMIT_S):
                reply = await self._asker.ask(HEALTH)
        except (NoAnswerError, TimeoutError):
            return ServerAnswer(Peer.NOBODY, {}, 0.0)
        headers = {name.title(): value for name, value in reply.headers.items()}
        took_s = time.monotonic() - started
        if reply.status in _GATEWAYS_OWN and not reply.is_of_service:
            return ServerAnswer(Peer.GATEWAY, headers, took_s)
        is_own = reply.status == _GOOD and reply.member(self._health_member) is not None
        return ServerAnswer(Peer.EXPECTED if is_own else Peer.OTHER, headers, took_s)

    @looks_at(
        "headers",
        "Cabeceras de seguridad",
        causes.HEADERS_MISSING,
        causes.VERSION_TOLD,
        needs=("answer",),
        limit_s=2 * STEP_LIMIT_S,
    )
    async def headers(self) -> Finding:
        missing: dict[str, None] = {}
        versions = []
        for asker, path in ((self._asker, HEALTH), (self._root, "/")):
            reply = await asker.ask(path)
            missing |= dict.fromkeys(self._missing(reply.headers, of_service=path == HEALTH))
            versions.append(reply.headers.get("server", ""))
        if missing:
            return causes.HEADERS_MISSING.found(", ".join(missing), missing=tuple(missing))
        told = [server for server in versions if any(letter.isdigit() for letter in server)]
        return causes.VERSION_TOLD.found(told[0]) if told else ok()

    @looks_at(
        "metrics",
        "Métricas desde fuera",
        causes.METRICS_REACHABLE,
        needs=("answer",),
        limit_s=4 * STEP_LIMIT_S,
    )
    async def metrics(self) -> Finding:
        askers = {each.site.prefix: each for each in (self._asker, self._root)}
        for prefix, asker in askers.items():
            for path in ("/metrics", "/api/metrics"):
                reply = await asker.ask(path)
                if reply.status == _GOOD and (b"# HELP " in reply.body or b"# TYPE " in reply.body):
                    return causes.METRICS_REACHABLE.found(f"{prefix}{path}")
        return ok()

    @looks_at(
        "body-limit",
        "Límite de los cuerpos",
        causes.BODY_LIMIT_LOW,
        causes.BODY_UNBOUNDED,
        needs=("answer",),
        limit_s=2 * STEP_LIMIT_S,
    )
    async def body_limit(self) -> Finding:
        said = await self._asker.announce(self._path, self._most_bytes)
        if said.status == _TOO_LARGE and not said.is_of_service:
            return causes.BODY_LIMIT_LOW.found(needed=self._most_bytes)
        said = await self._asker.announce(self._path, FAR_TOO_LONG)
        if said.status != _TOO_LARGE:
            return causes.BODY_UNBOUNDED.found()
        return ok(needed=self._most_bytes)

    def _missing(self, headers: Mapping[str, str], *, of_service: bool) -> list[str]:
        """Name what a browser should have been told; whether HTTPS is for good, the service says alone."""
        policy = headers.get("content-security-policy", "")
        there = {
            "X-Content-Type-Options": "nosniff" in headers.get("x-content-type-options", "").lower(),
            "Referrer-Policy": "referrer-policy" in headers,
            "Content-Security-Policy": "frame-ancestors" in policy or "x-frame-options" in headers,
        }
        if of_service:
            there["Cache-Control"] = "no-store" in headers.get("cache-control", "")
            if self._target.site.address.tls:
                there["Strict-Transport-Security"] = "strict-transport-security" in headers
        return [name for name, is_there in there.items() if not is_there]
