"""What a proxy makes of a request's address and of what it says of its origin."""

from ipaddress import ip_address
from typing import Final

from erp_gateway.doctor.origin import causes
from erp_gateway.doctor.origin.context import ORIGIN, OriginContext, Seen, seen_in
from erp_gateway.doctor.origin.paths import judge_paths
from erp_gateway.doctor.origin.token import OpenToOthersError, read_token
from erpdoctor import STEP_LIMIT_S, Check, Finding, ok
from erpdoctor.origin import answered
from erpdoctor.origin.causes import BROKEN_OFF, NO_TOKEN
from servicekit.config.secret import Secret

FORGED_IP: Final = "192.0.2.66"  # of no network: RFC 5737
FORGED_HOST: Final = "forged.invalid"
FORGED_PREFIX: Final = "/forged"

_UNAUTHORISED: Final = 401
_FORBIDDEN: Final = 403


class RequestChecks:
    """Looks at what reaches the service of a request."""

    def __init__(self, context: OriginContext) -> None:
        self._context = context

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        check = ORIGIN.check
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
        )

    async def _token(self) -> Finding:
        file = self._context.token_file
        if file is None:
            return NO_TOKEN.found()
        try:
            return await self._use(read_token(file))
        except OpenToOthersError:
            return causes.TOKEN_OPEN.found(str(file))
        except (OSError, ValueError):
            return causes.TOKEN_UNREADABLE.found(str(file))

    async def _use(self, token: Secret) -> Finding:
        context = self._context
        context.asker = context.target.asker(token)
        reply = await context.probe()
        if reply.status == _UNAUTHORISED:
            return causes.TOKEN_REFUSED.found()
        if reply.status == _FORBIDDEN and reply.is_of_service:
            return causes.TOKEN_PLAIN.found()
        context.plain = seen_in(reply)
        if context.plain is None:
            return causes.NO_PROBE.found(status=reply.status)
        return ok(f"el servicio ve a {context.plain.client} por {context.plain.peer}")

    async def _path(self) -> Finding:
        return await judge_paths(self._context)

    async def _forwarded(self) -> Finding:
        plain, site = self._context.plain, self._context.target.site
        other = "http" if site.address.tls else "https"
        forged = (
            ("X-Forwarded-For", FORGED_IP),
            ("X-Real-IP", FORGED_IP),
            ("Forwarded", f"for={FORGED_IP};host={FORGED_HOST};proto={other}"),
            ("X-Forwarded-Proto", other),
            ("X-Forwarded-Host", FORGED_HOST),
            ("X-Forwarded-Prefix", FORGED_PREFIX),
        )
        seen = seen_in(await self._context.probe(headers=forged))
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
        return any(peer in network for network in self._context.web.trusted_proxies)
