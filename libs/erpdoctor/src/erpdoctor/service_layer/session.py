"""Checks of the Service Layer's login; each service names its own settings."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from attrs import define, evolve, field

from erpclient import Credentials, ErpError, ErpSettings, ErpTimeout, ErpUnreachable
from erpclient.http.error_replies import is_gateway_page
from erpclient.login_trouble import LoginTrouble, login_trouble
from erpclient.metadata import EntityFacts, Metadata
from erpclient.odata import Dialect
from erpdoctor.checks import (
    NO_ANSWER_IN_TIME,
    STEP_LIMIT_S,
    Cause,
    Check,
    Checks,
    Figure,
    Finding,
    Group,
    declares_check,
    fail,
    ok,
    warn,
)
from erpdoctor.inspection.answers import Answer, LoginFacts, ReadTrouble, read_trouble
from erpdoctor.inspection.inspection import Inspection
from erpdoctor.network.checks import Peer, ServerAnswer

MOST_LOGIN_S: Final = 20.0
"""Login timeout: a successful login takes 3 to 8 s, a refused one about 10 s."""

SLOW_LOGIN_S: Final = 10.0
FIRST_TAGGED: Final = "1000200"
"""Lowest version seen with entity tags; FP 2102 introduced them."""

UNEXPECTED: Final = fail(
    "unexpected_answer",
    "El Service Layer respondió algo que no se esperaba.",
    english="A response that does not follow the protocol, in any check of this group.",
    remedy="Revise si un intermediario cambia sus respuestas; si no, pruebe esa lectura en el ERP.",
    english_remedy="Check whether a proxy changes its responses; if not, try that read in the ERP.",
)
NO_PING: Final = warn(
    "no_ping",
    "El balanceador no contesta a /ping/: la salud del ERP se mide solo por sus respuestas.",
    english="`/ping/` does not respond, or something else does: a page is not a pong.",
    remedy="Permita en el intermediario (proxy) la ruta /ping/ hacia el Service Layer.",
    english_remedy="Let the proxy pass /ping/ to the Service Layer.",
)
NO_ROUTE: Final = warn(
    "no_route",
    "El balanceador no nombra el nodo (ROUTEID): con varios nodos pueden fallar las escrituras.",
    english="No `ROUTEID`. With several nodes, writes may fail.",
    remedy="Revise si un intermediario quita la cookie ROUTEID de las respuestas.",
    english_remedy="Check whether a proxy removes the cookie ROUTEID from responses.",
)

VERSION_UNKNOWN: Final = warn(
    "version_unknown",
    "El Service Layer no dice su versión.",
    english="The login does not give it.",
    remedy="Revise si un intermediario cambia sus respuestas.",
    english_remedy="Check whether a proxy changes its responses.",
)
VERSION_OLD: Final = warn(
    "version_old",
    "El ERP es anterior a FP 2102: no da etiquetas, y los cambios simultáneos no se detectan.",
    english="It is before FP 2102: no entity tags.",
    remedy="Actualice SAP Business One a FP 2102 o posterior.",
    english_remedy="Upgrade SAP Business One to FP 2102 or newer.",
    page="docs/resources.md",
)
OTHER_VERSION_AWAY: Final = warn(
    "other_version_away",
    "La otra versión de la API no responde en la misma sesión.",
    english="The version that is not configured does not respond.",
    remedy="Permita las rutas /b1s/v1 y /b1s/v2, o no cambie de versión en ERP_SL_URL.",
    english_remedy="Allow the paths /b1s/v1 and /b1s/v2, or don't change the version in ERP_SL_URL.",
)
FAULTS: Final[Mapping[type[Exception], Cause]] = {
    ErpTimeout: NO_ANSWER_IN_TIME,
    ErpUnreachable: NO_ANSWER_IN_TIME,
    ErpError: UNEXPECTED,
}
"""Findings of checks without a usable reply."""


_USER_LOCKED: Final = fail(
    LoginTrouble.USER_LOCKED.value,
    "El usuario está bloqueado en el ERP; no se intentó otra vez.",
    english="The ERP has locked the user (`100000055`). It is tried once.",
    remedy="Desbloquéelo en el ERP (Gestión, Definiciones, General, Usuarios).",
    english_remedy="Unlock the user in the ERP (Administration, Setup, General, Users).",
)
_COMPANY_CLOSED: Final = fail(
    LoginTrouble.COMPANY_CLOSED.value,
    "El ERP no pudo abrir la sociedad.",
    english="The company could not be opened. This passes by itself right after a restart.",
    remedy="Espere unos minutos si el Service Layer se acaba de reiniciar; si sigue, reinícielo.",
    english_remedy="Wait some minutes if the Service Layer was just restarted; then restart it.",
)


def login_troubles(
    *, refused: Cause, company: str, no_licence: str, silent: str, url: str
) -> Mapping[LoginTrouble, Cause]:
    """Return the causes of failed logins.

    Args:
        refused: user or password are wrong.
        company: name of the setting of the company.
        no_licence: text for a missing licence, in Spanish.
        silent: remedy for a timeout, in Spanish.
        url: name of the setting of the address.
    """
    return {
        LoginTrouble.REFUSED: refused,
        LoginTrouble.USER_LOCKED: _USER_LOCKED,
        LoginTrouble.COMPANY_CLOSED: _COMPANY_CLOSED,
        LoginTrouble.NO_DIRECTORY: fail(
            LoginTrouble.NO_DIRECTORY.value,
            "El directorio del sistema (System Landscape Directory) no da la base de datos de la sociedad.",
            english="The System Landscape Directory does not give the company's database.",
            remedy=f"Revise en el servidor del ERP el servicio SLD y si {company} está registrada en él; "
            "la contraseña no tiene que ver.",
            english_remedy=f"Look at the SLD service on the ERP server, and whether {company} is registered "
            "in it; the password is not the cause.",
        ),
        LoginTrouble.UNKNOWN_COMPANY: fail(
            LoginTrouble.UNKNOWN_COMPANY.value,
            "El ERP no tiene una sociedad con ese nombre.",
            english="There is no such company database (`-5027`, `-132`).",
            remedy=f"Corrija {company}: el nombre de la base de datos, con sus mayúsculas.",
            english_remedy=f"Correct {company}: the database's name, in its letter case.",
        ),
        LoginTrouble.NO_LICENCE: fail(
            LoginTrouble.NO_LICENCE.value,
            no_licence,
            english="The user has no licence, or none is free. Each user of supplier-returns takes one.",
            remedy="Asigne una licencia al usuario en el ERP, o libere una.",
            english_remedy="Assign a licence to the user in the ERP, or free one.",
        ),
        LoginTrouble.SILENT: fail(
            LoginTrouble.SILENT.value,
            "El inicio de sesión no tuvo respuesta a tiempo.",
            english="No response in time.",
            remedy=silent,
            english_remedy="Check the load of the ERP's server; raise the time-out of logins if they always "
            "take so long.",
        ),
        LoginTrouble.UNREADABLE: fail(
            LoginTrouble.UNREADABLE.value,
            "La respuesta al inicio de sesión no es la de un Service Layer.",
            english="The response is not a Service Layer's, but a page of a proxy or firewall, including "
            "their 401 and 403. It says nothing about user and password.",
            remedy=f"Corrija {url}, o el intermediario (proxy) que atiende esa dirección.",
            english_remedy=f"Correct {url}, or the proxy that serves that address.",
        ),
    }


def login_slow(remedy: str) -> Cause:
    """Return the cause for a login slower than `SLOW_LOGIN_S`, in Spanish."""
    return warn(
        "login_slow",
        "El inicio de sesión tarda más de 10 segundos.",
        english="It took more than 10 s.",
        remedy=remedy,
        english_remedy="Check the load of the ERP's server; raise the time-out of logins if they always "
        "take so long.",
    )


def login_refused(code: object) -> str:
    """Return, in Spanish, that the login was refused, with the other side's own code."""
    return (
        f"El ERP rechazó el inicio de sesión (código {code}). No se intenta de nuevo: los rechazos "
        "repetidos bloquean al usuario."
    )


@define(kw_only=True)
class CheckContext:
    """Shared state of one run; each check adds to it.

    Attributes:
        inspection: the inspection.
        login: facts of the login.
        refused: whether the ERP refused user or password, or the user is locked.
        metadata: the Service Layer's metadata.
    """

    inspection: Inspection
    login: LoginFacts | None = None
    refused: bool = False
    metadata: Metadata = field(factory=lambda: Metadata({}))

    @property
    def sets(self) -> Mapping[str, EntityFacts]:
        """Facts of each entity set in the metadata."""
        return self.metadata.sets

    async def read(self, path: str, **headers: str) -> Answer:
        """Send a read; header names have underscores for hyphens."""
        header_fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.inspection.read(path, headers=header_fields)


@define(eq=False, repr=False)
class SessionChecks:
    """Checks of one login.

    Args:
        context: of the run.
        group: to which the checks belong.
        who: the ERP user; None if not given.
        troubles: causes of failed logins, from `login_troubles`.
        slow: as `login_slow` returns it.
        short: the session ends too early.
        least_minutes: a session that ends earlier is short.
        personal: whether users log in with their own accounts; then version and minutes are reported too.
    """

    _context: CheckContext
    _group: Group
    _who: Credentials | None
    _troubles: Mapping[LoginTrouble, Cause] = field(kw_only=True)
    _slow: Cause = field(kw_only=True)
    _short: Cause = field(kw_only=True)
    _least_minutes: int = field(kw_only=True)
    _personal: bool = field(default=False, kw_only=True)

    def checks(self, *needs: str) -> tuple[Check, Check, Check]:
        """Return the checks of the login, which needs the network and these, of its end, of the balancer."""
        check = self._group.check
        return (
            check(
                "login",
                "Inicio de sesión",
                self._log_in,
                *self._troubles.values(),
                self._slow,
                needs=("network.answer", *needs),
                limit_s=MOST_LOGIN_S + 1,
                english="The account can log in.",
            ),
            check(
                "session",
                "Fin de la sesión sin uso",
                self._session,
                self._short,
                needs=("login",),
                english="Idle time after which the ERP ends a session.",
            ),
            check(
                "balancer",
                "Balanceador",
                self._balancer,
                NO_PING,
                NO_ROUTE,
                needs=("login",),
                limit_s=6,
                english="The load balancer names a node and answers `/ping/`.",
            ),
        )

    async def _log_in(self) -> Finding:
        if self._who is None:
            raise RuntimeError("nobody logs in")
        summary = f"usuario {self._who.user}, sociedad {self._who.company_db}"
        try:
            login = await self._context.inspection.log_in(self._who)
        except ErpError as error:
            trouble = login_trouble(error)
            self._context.refused = trouble in (LoginTrouble.REFUSED, LoginTrouble.USER_LOCKED)
            return self._troubles[trouble].found(summary)
        self._context.login = login
        figures: dict[str, Figure] = {"took_s": login.duration_s}
        if self._personal:
            figures["version"] = login.version if login.version.isdigit() else ""
        return (self._slow.found if login.duration_s > SLOW_LOGIN_S else ok)(summary, **figures)

    async def _session(self) -> Finding:
        minutes = None if self._context.login is None else self._context.login.timeout_minutes
        if minutes is None:
            return ok("no lo dice")
        own = {"own": self._least_minutes} if self._personal else {}
        return (self._short.found if minutes < self._least_minutes else ok)(minutes=minutes, **own)

    async def _balancer(self) -> Finding:
        if self._context.login is not None and not self._context.login.route:
            return NO_ROUTE.found()
        try:
            answer = await self._context.inspection.ping()
        except ErpError:
            return NO_PING.found()
        return ok(status=answer.status) if answer.pong else NO_PING.found(status=answer.status)


class VersionChecks(Checks):
    """Checks of the ERP's version and of the API's other version.

    Args:
        context: of the run.
        group: to which the checks belong.
    """

    def __init__(self, context: CheckContext, group: Group) -> None:
        self._context = context
        self.group = group

    @declares_check(
        "version",
        "Versión del ERP",
        VERSION_UNKNOWN,
        VERSION_OLD,
        needs=("login",),
        english="Version, from the login.",
    )
    async def _version(self) -> Finding:
        login = self._context.login
        version = "" if login is None else login.version
        if not version.isdigit():
            return VERSION_UNKNOWN.found()
        if len(version) < len(FIRST_TAGGED) or version < FIRST_TAGGED:
            return VERSION_OLD.found(version=version)
        return ok(version=version)

    @declares_check(
        "other-version",
        "La otra versión de la API",
        OTHER_VERSION_AWAY,
        needs=("login",),
        limit_s=6,
        english="v1 and v2 both respond in one session.",
    )
    async def _other_version(self) -> Finding:
        own = self._context.inspection.dialect
        other = Dialect.V2 if own is Dialect.V1 else Dialect.V1
        try:
            answer = await self._context.inspection.read(
                "/Warehouses?$select=WarehouseCode&$top=1", dialect=other
            )
        except ErpError:
            return OTHER_VERSION_AWAY.found(version=other.value)
        # A user without the right gets a reply as well; another check reports the missing right.
        if answer.status != HTTPStatus.FORBIDDEN and read_trouble(answer) in (
            ReadTrouble.GATEWAY,
            ReadTrouble.SESSION_LOST,
            ReadTrouble.MISSING,
        ):
            return OTHER_VERSION_AWAY.found(version=other.value, status=answer.status)
        return ok(own=own.value, other=other.value)


def patient(settings: ErpSettings) -> ErpSettings:
    """Return the same settings with a doctor's timeouts."""
    return evolve(
        settings,
        timeout_s=min(STEP_LIMIT_S, settings.timeout_s),
        connect_timeout_s=STEP_LIMIT_S,
        login_timeout_s=min(MOST_LOGIN_S, settings.login_timeout_s),
    )


async def probe_server(inspection: Inspection) -> ServerAnswer:
    """Request the service root without a session and identify the server."""
    try:
        answer = await inspection.probe()
    except (ErpTimeout, ErpUnreachable):
        return ServerAnswer(Peer.NOBODY, {}, 0.0)
    except ErpError:
        return ServerAnswer(Peer.OTHER, {}, 0.0)
    code, text = answer.error
    peer = Peer.OTHER
    if is_gateway_page(answer.reply):
        peer = Peer.GATEWAY
    elif answer.status == HTTPStatus.UNAUTHORIZED and (code is not None or text):
        peer = Peer.EXPECTED
    return ServerAnswer(peer, answer.headers, answer.duration_s)
