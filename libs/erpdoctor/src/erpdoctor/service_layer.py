"""The Service Layer: who answers there, the login, what it tells; each service names its own settings."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final

from attrs import define, evolve

from erpclient import Credentials, ErpError, ErpSettings, ErpTimeout, ErpUnreachable
from erpclient.http.wire import is_gateway_page
from erpdoctor.checks import NO_ANSWER_IN_TIME, STEP_LIMIT_S, Cause, Check, Finding, Group, fail, ok, warn
from erpdoctor.inspection import Answer, Inspection, LoginFacts, LoginTrouble, login_trouble
from erpdoctor.network import Peer, ServerAnswer

MOST_LOGIN_S: Final = 20.0
"""How long the login waits: a good one takes 3 to 8 s, a refused one about 10 s."""

SLOW_LOGIN_S: Final = 10.0

UNEXPECTED: Final = fail(
    "unexpected_answer",
    "El Service Layer respondió algo que no se esperaba.",
    remedy="Revise si un intermediario cambia sus respuestas; si no, pruebe esa lectura en el ERP.",
)
NO_PING: Final = warn(
    "no_ping",
    "El balanceador no contesta a /ping/: la salud del ERP se mide solo por sus respuestas.",
    remedy="Permita en el intermediario (proxy) la ruta /ping/ hacia el Service Layer.",
)
NO_ROUTE: Final = warn(
    "no_route",
    "El balanceador no nombra el nodo (ROUTEID): con varios nodos pueden fallar las escrituras.",
    remedy="Revise si un intermediario quita la cookie ROUTEID de las respuestas.",
)


def login_troubles(
    *, refused: Cause, company: str, no_licence: str, silent: str, url: str
) -> Mapping[LoginTrouble, Cause]:
    """Return why a login may give no session.

    Args:
        refused: user or password are wrong.
        company: name of the setting of the company.
        no_licence: what is wrong where a licence is missing, in Spanish.
        silent: what to do where nothing answers in time, in Spanish.
        url: name of the setting of the address.
    """
    return {
        LoginTrouble.REFUSED: refused,
        LoginTrouble.UNKNOWN_COMPANY: fail(
            LoginTrouble.UNKNOWN_COMPANY.value,
            "El ERP no tiene una sociedad con ese nombre.",
            remedy=f"Corrija {company}: el nombre de la base de datos, con sus mayúsculas.",
        ),
        LoginTrouble.NO_LICENCE: fail(
            LoginTrouble.NO_LICENCE.value,
            no_licence,
            remedy="Asigne una licencia al usuario en el ERP, o libere una.",
        ),
        LoginTrouble.COMPANY_CLOSED: fail(
            LoginTrouble.COMPANY_CLOSED.value,
            "El ERP no pudo abrir la sociedad.",
            remedy="Espere unos minutos si el Service Layer se acaba de reiniciar; si sigue, reinícielo.",
        ),
        LoginTrouble.SILENT: fail(
            LoginTrouble.SILENT.value, "El inicio de sesión no tuvo respuesta a tiempo.", remedy=silent
        ),
        LoginTrouble.UNREADABLE: fail(
            LoginTrouble.UNREADABLE.value,
            "La respuesta al inicio de sesión no es la de un Service Layer.",
            remedy=f"Corrija {url}, o el intermediario (proxy) que atiende esa dirección.",
        ),
    }


def login_slow(remedy: str) -> Cause:
    """Return that a login takes longer than `SLOW_LOGIN_S`, with what to do, in Spanish."""
    return warn("login_slow", "El inicio de sesión tarda más de 10 segundos.", remedy=remedy)


def login_refused(code: object) -> str:
    """Return, in Spanish, that the login was refused, with the other side's own code."""
    return (
        f"El ERP rechazó el inicio de sesión (código {code}). No se intenta de nuevo: los rechazos "
        "repetidos bloquean al usuario."
    )


@define(kw_only=True)
class CheckContext:
    """What is known of one run so far; each check adds to it.

    Attributes:
        inspection: looks.
        login: what the login told.
        refused: whether the ERP refused user or password.
    """

    inspection: Inspection
    login: LoginFacts | None = None
    refused: bool = False

    async def read(self, path: str, **headers: str) -> Answer:
        """Read something; names of headers have underscores for hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.inspection.read(path, headers=named)


class SessionChecks:
    """Logs in, once, and looks at what that tells.

    Args:
        context: of the run.
        group: to which the checks belong.
        troubles: why a login may give no session, as `login_troubles` returns them.
        slow: as `login_slow` returns it.
        short: the session ends too early.
        least_minutes: a session that ends earlier is short.
    """

    def __init__(
        self,
        context: CheckContext,
        group: Group,
        *,
        troubles: Mapping[LoginTrouble, Cause],
        slow: Cause,
        short: Cause,
        least_minutes: int,
    ) -> None:
        self._context = context
        self._group = group
        self._troubles = troubles
        self._slow = slow
        self._short = short
        self._least_minutes = least_minutes

    def login(self, look: Callable[[], Awaitable[Finding]], *needs: str) -> Check:
        """Return the check of the login; what looks calls `log_in`."""
        causes = (*self._troubles.values(), self._slow)
        limit_s = MOST_LOGIN_S + 1
        return self._group.check("login", "Inicio de sesión", look, *causes, needs=needs, limit_s=limit_s)

    def session(self, look: Callable[[], Awaitable[Finding]]) -> Check:
        """Return the check of the session's end; what looks calls `look_at_session`."""
        return self._group.check("session", "Fin de la sesión sin uso", look, self._short, needs=("login",))

    def balancer(self) -> Check:
        """Return the check of the balancer."""
        look = self._look_at_balancer
        return self._group.check(
            "balancer", "Balanceador", look, NO_PING, NO_ROUTE, needs=("login",), limit_s=6
        )

    async def log_in(self, who: Credentials) -> Finding:
        """Log in; the context has what that told."""
        seen = f"usuario {who.user}, sociedad {who.company_db}"
        try:
            login = await self._context.inspection.log_in(who)
        except ErpError as error:
            trouble = login_trouble(error)
            self._context.refused = trouble is LoginTrouble.REFUSED
            return self._troubles[trouble].found(seen)
        self._context.login = login
        return (self._slow.found if login.duration_s > SLOW_LOGIN_S else ok)(seen, took_s=login.duration_s)

    async def look_at_session(self) -> Finding:
        """Compare after how many minutes the ERP ends an unused session."""
        minutes = None if self._context.login is None else self._context.login.timeout_minutes
        if minutes is None:
            return ok("no lo dice")
        return (self._short.found if minutes < self._least_minutes else ok)(minutes=minutes)

    async def _look_at_balancer(self) -> Finding:
        if self._context.login is not None and not self._context.login.route:
            return NO_ROUTE.found()
        try:
            answer = await self._context.inspection.ping()
        except ErpError:
            return NO_PING.found()
        return ok(status=answer.status) if answer.pong else NO_PING.found(status=answer.status)


def answered(look: Callable[[], Awaitable[Finding]]) -> Callable[[], Awaitable[Finding]]:
    """Return what looks, too, and finds what no answer, or one of no use, makes the other raise."""

    async def looking() -> Finding:
        try:
            return await look()
        except (ErpTimeout, ErpUnreachable):
            return NO_ANSWER_IN_TIME.found()
        except ErpError:
            return UNEXPECTED.found()

    return looking


def patient(settings: ErpSettings) -> ErpSettings:
    """Return the same Service Layer with the times that a doctor waits for each answer."""
    return evolve(
        settings,
        timeout_s=min(STEP_LIMIT_S, settings.timeout_s),
        connect_timeout_s=STEP_LIMIT_S,
        login_timeout_s=min(MOST_LOGIN_S, settings.login_timeout_s),
    )


async def probe_server(inspection: Inspection) -> ServerAnswer:
    """Ask the service root without a session, and tell who answered."""
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
