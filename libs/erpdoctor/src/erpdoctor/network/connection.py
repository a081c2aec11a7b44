"""Checks of the connection to an HTTP service, up to the days until its certificate expires."""

import ssl
from datetime import datetime
from pathlib import Path
from typing import Final

from attrs import define, field

from erpclient.http.tls import create_tls_context
from erpdoctor.checks import STEP_LIMIT_S, Checks, Finding, Group, declares_check, ok
from erpdoctor.network import causes
from erpdoctor.network.certificates import Trouble, trouble_of
from erpdoctor.network.presented import (
    PRESENTED_S,
    authorities_in,
    describe_presented,
    is_named,
    names_shown,
    read_presented,
)
from erpdoctor.network.reaching import Address, connect, resolve_host, shake_hands
from servicekit.clock import Clock
from servicekit.config import is_readable

EXPIRES_SOON_DAYS: Final = 30
_OF_DAYS: Final = (Trouble.EXPIRED, Trouble.NOT_YET_VALID)


@define(eq=False, repr=False)
class ConnectionChecks(Checks):
    """Checks the connection to a service: name, port, TLS and certificate.

    Args:
        url: its address.
        authorities: file of authorities trusted besides the system's.
        verify: whether its certificate is checked.
        production: whether plain http is a warning.
        clock: time.
        group: to which they belong.
    """

    _url: str
    _authorities: Path | None = field(kw_only=True)
    _verify: bool = field(kw_only=True)
    _production: bool = field(kw_only=True)
    _clock: Clock = field(kw_only=True)
    group: Group = field(kw_only=True)
    _until: datetime | None = field(init=False, default=None)

    @property
    def _address(self) -> Address:
        return Address.of(self._url)

    @declares_check("name", "Nombre del servidor", causes.NAME_UNKNOWN, english="The name has an address.")
    async def _name(self) -> Finding:
        try:
            addresses = await resolve_host(self._address)
        except OSError:
            return causes.NAME_UNKNOWN.found(self._address.host)
        return ok(f"{self._address.host} es {', '.join(addresses)}", addresses=len(addresses))

    @declares_check(
        "port",
        "Puerto",
        causes.CONNECTION_REFUSED,
        causes.NO_CONNECTION,
        needs=("name",),
        english="The port accepts connections.",
    )
    async def _port(self) -> Finding:
        try:
            await connect(self._address)
        except ConnectionRefusedError:
            return causes.CONNECTION_REFUSED.found(self._address.shown)
        except OSError:
            return causes.NO_CONNECTION.found(self._address.shown)
        return ok(self._address.shown)

    @declares_check(
        "authorities",
        "Autoridades de confianza",
        causes.AUTHORITIES_EXPIRED,
        english="The trusted authorities (file, or folder `ERP_CA_FOLDER`) are still valid.",
    )
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

    @declares_check(
        "tls",
        "Conexión cifrada",
        *causes.TROUBLES.values(),
        causes.CHAIN_EXPIRED,
        causes.PLAIN_HTTP,
        causes.NOT_VERIFIED,
        causes.NO_CONNECTION,
        needs=("port",),
        limit_s=STEP_LIMIT_S + PRESENTED_S,
        english="TLS 1.2 or newer, a trusted chain, the right name.",
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
        is_inspected = unknown or trouble in (*_OF_DAYS, Trouble.OTHER_NAME)
        presented = await read_presented(self._address) if is_inspected else None
        if presented is not None and trouble is Trouble.OTHER_NAME:
            return cause.found(f"{self._address.shown} presenta un certificado de {names_shown(presented)}")
        # OpenSSL's number does not show whether the server's certificate has expired or that of its issuer.
        in_chain = not unknown and presented is not None and presented.is_valid(self._clock.now())
        if presented is None or not (unknown or in_chain):
            return cause.found(self._address.shown)
        trusted = () if self._authorities is None else authorities_in(self._authorities)
        summary = f"{self._address.shown} {describe_presented(presented, trusted, unknown=unknown)}"
        if in_chain:
            return causes.CHAIN_EXPIRED.found(summary, authorities=len(trusted))
        return cause.found(summary, authorities=len(trusted), same_name=is_named(presented, trusted))

    @declares_check(
        "certificate",
        "Vigencia del certificado",
        causes.EXPIRES_SOON,
        needs=("tls",),
        english="The certificate is valid for another 30 days.",
    )
    async def _certificate(self) -> Finding:
        if self._until is None:
            return ok("ninguno comprobado", verified=False)
        days = (self._until - self._clock.now()).total_seconds() / 86_400
        summary = f"vence el {self._until:%Y-%m-%d}"
        if days < EXPIRES_SOON_DAYS:
            return causes.EXPIRES_SOON.found(summary, days=int(days))
        return ok(summary, verified=True, days=int(days))
