"""The login of whoever calls the doctor, and what it tells."""

from collections.abc import Mapping
from typing import Final

from erpclient import ErpError
from erpdoctor import Cause, Check, Finding, fail, ok, skipped, warn
from erpdoctor.inspection import LoginTrouble, login_trouble
from supplier_returns.doctor.visit import MOST_LOGIN_S, SERVICE_LAYER, Visit

SLOW_LOGIN_S: Final = 10.0

NO_CREDENTIALS: Final = skipped(
    "no_credentials",
    "No se indicó con qué usuario mirar el ERP: cada persona entra con el suyo.",
    mend="Repita con --user (y --password-file, o la clave por teclado) para revisar también el ERP.",
)
LOGIN_TROUBLES: Final[Mapping[LoginTrouble, Cause]] = {
    LoginTrouble.REFUSED: fail(
        LoginTrouble.REFUSED.value,
        "El ERP rechaza a este usuario o su clave; no se intentó otra vez, porque el ERP bloquea usuarios.",
        mend="Pruebe ese usuario en el cliente del ERP, y revise allí si está bloqueado.",
    ),
    LoginTrouble.UNKNOWN_COMPANY: fail(
        LoginTrouble.UNKNOWN_COMPANY.value,
        "El ERP no tiene una sociedad con ese nombre.",
        mend="Corrija SL_COMPANY_DB: el nombre de la base de datos, con sus mayúsculas.",
    ),
    LoginTrouble.NO_LICENCE: fail(
        LoginTrouble.NO_LICENCE.value,
        "El usuario no tiene licencia, o no quedan licencias libres: cada persona ocupa la suya.",
        mend="Asigne una licencia al usuario en el ERP, o libere una.",
    ),
    LoginTrouble.COMPANY_CLOSED: fail(
        LoginTrouble.COMPANY_CLOSED.value,
        "El ERP no pudo abrir la sociedad.",
        mend="Espere unos minutos si el Service Layer se acaba de reiniciar; si sigue, reinícielo.",
    ),
    LoginTrouble.SILENT: fail(
        LoginTrouble.SILENT.value,
        "El inicio de sesión no tuvo respuesta a tiempo.",
        mend="Revise la carga del ERP; si siempre tarda tanto, aumente SL_TIMEOUT y UNCERTAIN_WAIT.",
    ),
    LoginTrouble.UNREADABLE: fail(
        LoginTrouble.UNREADABLE.value,
        "La respuesta al inicio de sesión no es la de un Service Layer.",
        mend="Corrija SL_URL, o el intermediario (proxy) que atiende esa dirección.",
    ),
}
LOGIN_SLOW: Final = warn(
    "login_slow",
    "El inicio de sesión tarda más de 10 segundos.",
    mend="Revise la carga del servidor del ERP: cada persona espera eso al entrar.",
)
SESSION_SHORT: Final = warn(
    "session_shorter_than_ours",
    "La sesión del ERP termina antes que la de este servicio: la gente perderá la suya sin aviso.",
    mend="Aumente SessionTimeout en b1s.conf, o baje SESSION_TIMEOUT_MINUTES a lo que el ERP da.",
)
NO_PING: Final = warn(
    "no_ping",
    "El balanceador no contesta a /ping/: la salud del ERP se mide solo por sus respuestas.",
    mend="Permita en el intermediario (proxy) la ruta /ping/ hacia el Service Layer.",
)
NO_ROUTE: Final = warn(
    "no_route",
    "El balanceador no nombra el nodo (ROUTEID): con varios nodos pueden fallar las escrituras.",
    mend="Revise si un intermediario quita la cookie ROUTEID de las respuestas.",
)


class SessionChecks:
    """Logs in, once, where somebody said as whom."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        check = SERVICE_LAYER.check
        return (
            check("account", "Usuario del ERP con que se mira", self._account, NO_CREDENTIALS),
            check(
                "login",
                "Inicio de sesión",
                self._login,
                *LOGIN_TROUBLES.values(),
                LOGIN_SLOW,
                needs=("network.answer", "account"),
                limit_s=MOST_LOGIN_S + 1,
            ),
            check("session", "Fin de la sesión sin uso", self._session, SESSION_SHORT, needs=("login",)),
            check("balancer", "Balanceador", self._balancer, NO_PING, NO_ROUTE, needs=("login",), limit_s=6),
        )

    async def _account(self) -> Finding:
        who = self._visit.credentials
        return NO_CREDENTIALS.found() if who is None else ok(who.user)

    async def _login(self) -> Finding:
        who = self._visit.credentials
        if who is None:
            return NO_CREDENTIALS.found()
        seen = f"usuario {who.user}, sociedad {who.company_db}"
        try:
            told = await self._visit.inspection.log_in(who)
        except ErpError as error:
            return LOGIN_TROUBLES[login_trouble(error)].found(seen)
        self._visit.login = told
        judged = LOGIN_SLOW.found if told.duration_s > SLOW_LOGIN_S else ok
        version = told.version if told.version.isdigit() else ""
        return judged(seen, took_s=told.duration_s, version=version)

    async def _session(self) -> Finding:
        minutes = None if self._visit.login is None else self._visit.login.timeout_minutes
        if minutes is None:
            return ok("no lo dice")
        own = self._visit.settings.sessions.timeout_minutes
        return (SESSION_SHORT.found if minutes < own else ok)(minutes=minutes, own=own)

    async def _balancer(self) -> Finding:
        if self._visit.login is not None and not self._visit.login.route:
            return NO_ROUTE.found()
        try:
            answer = await self._visit.inspection.ping()
        except ErpError:
            return NO_PING.found()
        return ok(status=answer.status) if answer.pong else NO_PING.found(status=answer.status)
