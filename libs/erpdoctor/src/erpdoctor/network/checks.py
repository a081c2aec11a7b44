"""The checks of group `network`: from the name of a service to the speed of its answers.

What a server presents that is not trusted is held against the authorities of a file, in words.
"""

import asyncio
import hashlib
import ssl
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from pathlib import Path
from statistics import median
from typing import Any, Final

from attrs import define, field, frozen

from erpclient.http.transport import create_tls_context
from erpdoctor.checks import STEP_LIMIT_S, Checks, Finding, Group, looks_at, ok
from erpdoctor.network import causes
from erpdoctor.network.certificates import Trouble, moment_of, trouble_of
from erpdoctor.network.reaching import Address, connect, look_up, open_stream, shake_hands
from servicekit.clock import Clock
from servicekit.config import is_readable
from servicekit.tls import trusting_alone

PRESENTED_S: Final = 3.0
"""How long looking at it may take: two connections to a server that has just answered."""

_NAME_LETTERS: Final = 60
_DAY: Final = "%Y-%m-%d"
_NAMED_BY: Final = ("commonName", "organizationName")
_WHATEVER_ITS_DAYS: Final = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME, which `ssl` does not name."""

Name = tuple[tuple[tuple[str, str], ...], ...]
"""Of a person or authority, as `ssl` tells it."""


@frozen
class Certificate:
    """What a certificate tells; only its fingerprint where `ssl` would not read the rest.

    Attributes:
        fingerprint: its SHA-256, as openssl writes it.
        subject: whose it is.
        issuer: who signed it.
        since: its first moment.
        until: its last moment.
    """

    fingerprint: str
    subject: Name = ()
    issuer: Name = ()
    since: datetime | None = None
    until: datetime | None = None

    def is_valid(self, at: datetime) -> bool:
        """Tell whether a moment is known to lie within its days."""
        return self.since is not None and self.until is not None and self.since <= at <= self.until

    @staticmethod
    def of(der: bytes, told: Mapping[str, Any] | None) -> "Certificate":
        """Read a certificate; `told` is what `ssl` tells of it, if it does."""
        fingerprint = hashlib.sha256(der).digest().hex(":").upper()
        if not told:
            return Certificate(fingerprint)
        since, until = (moment_of(told[name]) for name in ("notBefore", "notAfter"))
        return Certificate(fingerprint, told["subject"], told["issuer"], since, until)


def authorities_in(file: Path) -> tuple[Certificate, ...]:
    """Return the authorities of a file."""
    context = trusting_alone(file)
    pairs = zip(context.get_ca_certs(binary_form=True), context.get_ca_certs(), strict=True)
    return tuple(Certificate.of(der, told) for der, told in pairs)


def is_named(presented: Certificate, authorities: tuple[Certificate, ...]) -> bool:
    """Tell whether one of the authorities has the name of who signed a certificate."""
    return bool(presented.issuer) and any(each.subject == presented.issuer for each in authorities)


def told_of(presented: Certificate, authorities: tuple[Certificate, ...], *, unknown: bool) -> str:
    """Say in Spanish what was presented and what would have been trusted besides the system's authorities.

    Args:
        presented: the server's.
        authorities: those of the file.
        unknown: whether none of them has signed it.
    """
    said = f"presenta un certificado SHA-256 {presented.fingerprint}"
    if presented.issuer:
        said += (
            f" de «{shown(presented.subject)}», emitido por «{shown(presented.issuer)}»,"
            f" válido del {presented.since:{_DAY}} al {presented.until:{_DAY}}"
        )
    held = ", ".join(
        f"«{shown(each.subject)}» hasta {each.until:{_DAY}}, SHA-256 {each.fingerprint}"
        for each in authorities
    )
    another = unknown and is_named(presented, authorities)
    same = "; mismo nombre y otra clave: es otro certificado" if another else ""
    return f"{said}; {f'el archivo tiene {held}' if held else 'no se indicó ninguna autoridad propia'}{same}"


def shown(name: Name) -> str:
    """Return what people call somebody."""
    words = {key: value for part in name for key, value in part}
    called = next((words[key] for key in _NAMED_BY if key in words), "sin nombre")
    return called if len(called) <= _NAME_LETTERS else f"{called[:_NAME_LETTERS]}…"


async def look_at_presented(address: Address) -> Certificate | None:
    """Return the certificate that a server presents, whoever signed it; None where it can't be had.

    The second connection trusts that certificate alone, whatever its days are, since `ssl` reads only what
    it has verified.
    """
    try:
        async with asyncio.timeout(PRESENTED_S):
            der, _ = await _greet(address, _believing(None))
            if der is None:
                return None
            try:
                return Certificate.of(der, (await _greet(address, _believing(der)))[1])
            except ssl.SSLError:  # not meant for servers, say
                return Certificate.of(der, None)
    except OSError:  # an ssl.SSLError and a timeout are ones
        return None


def _believing(der: bytes | None) -> ssl.SSLContext:
    context = trusting_alone(None)
    context.check_hostname = False
    if der is None:
        context.verify_mode = ssl.CERT_NONE
    else:
        context.load_verify_locations(cadata=der)
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _WHATEVER_ITS_DAYS
    return context


async def _greet(address: Address, context: ssl.SSLContext) -> tuple[bytes | None, Mapping[str, Any] | None]:
    _, writer = await open_stream(address, context)
    try:
        spoken: ssl.SSLObject = writer.get_extra_info("ssl_object")
        return spoken.getpeercert(binary_form=True), spoken.getpeercert()
    finally:
        writer.transport.abort()


EXPIRES_SOON_DAYS: Final = 30
CLOCK_DIFFERENCE_S: Final = 60.0
SLOW_S: Final = 0.5
_PROBES: Final = 3


class Peer(Enum):
    """Who answered a probe."""

    EXPECTED = "expected"
    OTHER = "other"
    GATEWAY = "gateway"
    NOBODY = "nobody"
    """The connection ended, or nothing came in time."""


@frozen
class ServerAnswer:
    """What came back of the cheapest thing that can be asked.

    Attributes:
        peer: whose answer it was.
        headers: of the answer, by name without regard to letter case.
        duration_s: how long it took.
    """

    peer: Peer
    headers: Mapping[str, str]
    duration_s: float


_WRONG_PEERS: Final = {
    Peer.OTHER: causes.OTHER_SERVICE,
    Peer.GATEWAY: causes.GATEWAY_PAGE,
    Peer.NOBODY: causes.NO_ANSWER,
}
_OF_DAYS: Final = (Trouble.EXPIRED, Trouble.NOT_YET_VALID)


@define(eq=False, repr=False)
class NetworkChecks(Checks):
    """Looks at the way to a service, and remembers what its answers told.

    Args:
        url: its address.
        authorities: file of authorities trusted besides the system's.
        verify: whether its certificate is checked.
        production: whether plain http is a warning.
        probe: asks the cheapest thing.
        clock: time.
        group: to which they belong.
        suspects: names of earlier checks; where one failed, it is likely to be why the wrong one answers.
    """

    _url: str
    _authorities: Path | None = field(kw_only=True)
    _verify: bool = field(kw_only=True)
    _production: bool = field(kw_only=True)
    _probe: Callable[[], Awaitable[ServerAnswer]] = field(kw_only=True)
    _clock: Clock = field(kw_only=True)
    group: Group = field(kw_only=True)
    _suspects: tuple[str, ...] = field(default=(), kw_only=True)
    _until: datetime | None = field(init=False, default=None)
    _answer: ServerAnswer | None = field(init=False, default=None)

    @property
    def _address(self) -> Address:
        return Address.of(self._url)

    @looks_at("name", "Nombre del servidor", causes.NAME_UNKNOWN)
    async def _name(self) -> Finding:
        try:
            found = await look_up(self._address)
        except OSError:
            return causes.NAME_UNKNOWN.found(self._address.host)
        return ok(f"{self._address.host} es {', '.join(found)}", addresses=len(found))

    @looks_at("port", "Puerto", causes.CONNECTION_REFUSED, causes.NO_CONNECTION, needs=("name",))
    async def _port(self) -> Finding:
        try:
            await connect(self._address)
        except ConnectionRefusedError:
            return causes.CONNECTION_REFUSED.found(self._address.shown)
        except OSError:
            return causes.NO_CONNECTION.found(self._address.shown)
        return ok(self._address.shown)

    @looks_at("authorities", "Autoridades de confianza", causes.AUTHORITIES_EXPIRED)
    async def _trust(self) -> Finding:
        if self._authorities is None:
            return ok("solo las del sistema", own=False)
        now = self._clock.now()
        expired = sum(
            each.until is not None and each.until < now for each in authorities_in(self._authorities)
        )
        if expired:
            return causes.AUTHORITIES_EXPIRED.found(str(self._authorities), expired=expired)
        return ok(str(self._authorities), own=True)

    @looks_at(
        "tls",
        "Conexión cifrada",
        *causes.TROUBLES.values(),
        causes.CHAIN_EXPIRED,
        causes.PLAIN_HTTP,
        causes.NOT_VERIFIED,
        causes.NO_CONNECTION,
        needs=("port",),
        limit_s=STEP_LIMIT_S + PRESENTED_S,
    )
    async def _tls(self) -> Finding:
        if not self._address.tls:
            if self._production and is_readable(self._url):
                return causes.PLAIN_HTTP.found(self._address.shown)
            return ok("http, sin cifrar", tls=False)
        try:
            trusted = create_tls_context(ca_file=self._authorities, verify=self._verify)
            facts = await shake_hands(self._address, trusted)
        except (ssl.SSLError, ConnectionResetError) as error:
            return await self._refused(trouble_of(error))
        except OSError:
            return causes.NO_CONNECTION.found(self._address.shown)
        if facts is None:
            return causes.NOT_VERIFIED.found(self._address.shown)
        self._until = facts.until
        return ok(f"{self._address.shown}, {facts.version}", tls=True, version=facts.version)

    async def _refused(self, trouble: Trouble) -> Finding:
        cause = causes.TROUBLES[trouble]
        unknown = trouble is Trouble.UNKNOWN_AUTHORITY
        presented = await look_at_presented(self._address) if unknown or trouble in _OF_DAYS else None
        # OpenSSL's number does not say whether the days are the server's or those of who signed.
        in_chain = not unknown and presented is not None and presented.is_valid(self._clock.now())
        if presented is None or not (unknown or in_chain):
            return cause.found(self._address.shown)
        trusted = () if self._authorities is None else authorities_in(self._authorities)
        seen = f"{self._address.shown} {told_of(presented, trusted, unknown=unknown)}"
        if in_chain:
            return causes.CHAIN_EXPIRED.found(seen, authorities=len(trusted))
        return cause.found(seen, authorities=len(trusted), same_name=is_named(presented, trusted))

    @looks_at("certificate", "Vigencia del certificado", causes.EXPIRES_SOON, needs=("tls",))
    async def _certificate(self) -> Finding:
        if self._until is None:
            return ok("ninguno comprobado", verified=False)
        days = (self._until - self._clock.now()).total_seconds() / 86_400
        seen = f"vence el {self._until:%Y-%m-%d}"
        if days < EXPIRES_SOON_DAYS:
            return causes.EXPIRES_SOON.found(seen, days=int(days))
        return ok(seen, verified=True, days=int(days))

    @looks_at("answer", "Quién responde", *_WRONG_PEERS.values(), needs=("tls",), limit_s=STEP_LIMIT_S + 1)
    async def _who_answers(self) -> Finding:
        self._answer = await self._probe()
        cause = _WRONG_PEERS.get(self._answer.peer)
        return ok() if cause is None else cause.found().suspecting(*self._suspects)

    @looks_at("clock", "Diferencia de los relojes", causes.CLOCKS_DIFFER, causes.NO_CLOCK, needs=("answer",))
    async def _clocks(self) -> Finding:
        told = None if self._answer is None else self._answer.headers.get("Date")
        if told is None:
            return causes.NO_CLOCK.found()
        try:
            difference_s = abs((parsedate_to_datetime(told) - self._clock.now()).total_seconds())
        except (ValueError, TypeError):
            return causes.NO_CLOCK.found()
        if difference_s > CLOCK_DIFFERENCE_S:
            return causes.CLOCKS_DIFFER.found(difference_s=round(difference_s))
        return ok(difference_s=round(difference_s))

    @looks_at(
        "latency",
        "Tiempo de respuesta",
        *_WRONG_PEERS.values(),
        causes.SLOW,
        needs=("answer",),
        limit_s=_PROBES * STEP_LIMIT_S,
    )
    async def _latency(self) -> Finding:
        durations = []
        for _ in range(_PROBES):
            probe = await self._probe()
            if probe.peer in _WRONG_PEERS:  # the right one answered a moment ago
                return _WRONG_PEERS[probe.peer].found()
            durations.append(probe.duration_s)
        usual_s = median(durations)
        return causes.SLOW.found(usual_s=usual_s) if usual_s > SLOW_S else ok(usual_s=usual_s)
