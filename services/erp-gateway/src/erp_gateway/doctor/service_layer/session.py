"""The login and what it tells: version, end of the session, balancer, the other version of the API."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from erp_gateway.doctor.service_layer.visit import MOST_LOGIN_S, SERVICE_LAYER, Visit, erp_credentials
from erpclient import ErpError
from erpclient.odata import Dialect
from erpdoctor import Cause, Check, Finding, fail, ok, warn
from erpdoctor.inspection import LoginTrouble, ReadTrouble, login_trouble, read_trouble

SLOW_LOGIN_S: Final = 10.0
LEAST_SESSION_MINUTES: Final = 5
FIRST_TAGGED: Final = "1000200"
"""Of the versions seen with entity tags the least is 1000340; FP 2102 brought them."""

LOGIN_TROUBLES: Final[Mapping[LoginTrouble, Cause]] = {
    LoginTrouble.REFUSED: fail(
        LoginTrouble.REFUSED.value,
        "El ERP rechaza al usuario o su contraseña; no se intentó otra vez, porque el ERP bloquea usuarios.",
        mend="Corrija ERP_SL_USER y ERP_SL_PASSWORD, y revise en el ERP si el usuario está bloqueado.",
    ),
    LoginTrouble.UNKNOWN_COMPANY: fail(
        LoginTrouble.UNKNOWN_COMPANY.value,
        "El ERP no tiene una sociedad con ese nombre.",
        mend="Corrija ERP_SL_COMPANY_DB: el nombre de la base de datos, con sus mayúsculas.",
    ),
    LoginTrouble.NO_LICENCE: fail(
        LoginTrouble.NO_LICENCE.value,
        "El usuario del ERP no tiene licencia, o no quedan licencias libres.",
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
        mend="Revise la carga del servidor del ERP y aumente ERP_SL_LOGIN_TIMEOUT si siempre tarda tanto.",
    ),
    LoginTrouble.UNREADABLE: fail(
        LoginTrouble.UNREADABLE.value,
        "La respuesta al inicio de sesión no es la de un Service Layer.",
        mend="Corrija ERP_SL_URL, o el intermediario (proxy) que atiende esa dirección.",
    ),
}
LOGIN_SLOW: Final = warn(
    "login_slow",
    "El inicio de sesión tarda más de 10 segundos.",
    mend="Revise la carga del servidor del ERP; nadie puede trabajar mientras dura.",
)
VERSION_UNKNOWN: Final = warn(
    "version_unknown",
    "El Service Layer no dice su versión.",
    mend="Revise si un intermediario cambia sus respuestas.",
)
VERSION_OLD: Final = warn(
    "version_old",
    "El ERP es anterior a FP 2102: no da etiquetas, y los cambios simultáneos no se detectan.",
    mend="Actualice SAP Business One a FP 2102 o posterior.",
    page="docs/resources.md",
)
SESSION_SHORT: Final = warn(
    "session_short",
    "La sesión del ERP termina en menos de 5 minutos sin uso: habrá muchos inicios de sesión.",
    mend="Aumente SessionTimeout en b1s.conf (30 es lo habitual).",
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
OTHER_VERSION_AWAY: Final = warn(
    "other_version_away",
    "La otra versión de la API no responde en la misma sesión.",
    mend="Permita las rutas /b1s/v1 y /b1s/v2, o no cambie de versión en ERP_SL_URL.",
)


class SessionChecks:
    """Logs in, once, and looks at what that tells."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        check = SERVICE_LAYER.check
        return (
            check(
                "login",
                "Inicio de sesión",
                self._login,
                *LOGIN_TROUBLES.values(),
                LOGIN_SLOW,
                needs=("network.answer",),
                limit_s=MOST_LOGIN_S + 1,
            ),
            check(
                "version", "Versión del ERP", self._version, VERSION_UNKNOWN, VERSION_OLD, needs=("login",)
            ),
            check("session", "Fin de la sesión sin uso", self._session, SESSION_SHORT, needs=("login",)),
            check("balancer", "Balanceador", self._balancer, NO_PING, NO_ROUTE, needs=("login",), limit_s=6),
            check(
                "other-version",
                "La otra versión de la API",
                self._other_version,
                OTHER_VERSION_AWAY,
                needs=("login",),
                limit_s=6,
            ),
        )

    async def _login(self) -> Finding:
        settings = self._visit.settings
        seen = f"usuario {settings.erp.user}, sociedad {settings.erp.company_db}"
        try:
            told = await self._visit.inspection.log_in(erp_credentials(settings))
        except ErpError as error:
            trouble = login_trouble(error)
            self._visit.refused = trouble is LoginTrouble.REFUSED
            return LOGIN_TROUBLES[trouble].found(seen)
        self._visit.login = told
        if told.duration_s > SLOW_LOGIN_S:
            return LOGIN_SLOW.found(seen, took_s=told.duration_s)
        return ok(seen, took_s=told.duration_s)

    async def _version(self) -> Finding:
        told = self._visit.login
        version = "" if told is None else told.version
        if not version.isdigit():
            return VERSION_UNKNOWN.found()
        if len(version) < len(FIRST_TAGGED) or version < FIRST_TAGGED:
            return VERSION_OLD.found(version=version)
        return ok(version=version)

    async def _session(self) -> Finding:
        minutes = None if self._visit.login is None else self._visit.login.timeout_minutes
        if minutes is None:
            return ok("no lo dice")
        return (SESSION_SHORT.found if minutes < LEAST_SESSION_MINUTES else ok)(minutes=minutes)

    async def _balancer(self) -> Finding:
        if self._visit.login is not None and not self._visit.login.route:
            return NO_ROUTE.found()
        try:
            answer = await self._visit.inspection.ping()
        except ErpError:
            return NO_PING.found()
        return ok(status=answer.status) if answer.pong else NO_PING.found(status=answer.status)

    async def _other_version(self) -> Finding:
        own = self._visit.inspection.dialect
        other = Dialect.V2 if own is Dialect.V1 else Dialect.V1
        try:
            answer = await self._visit.inspection.read(
                "/Warehouses?$select=WarehouseCode&$top=1", dialect=other
            )
        except ErpError:
            return OTHER_VERSION_AWAY.found(version=other.value)
        # A user without the right is answered, too; whether the right is missing is another check.
        if answer.status != HTTPStatus.FORBIDDEN and read_trouble(answer) in (
            ReadTrouble.GATEWAY,
            ReadTrouble.SESSION_LOST,
            ReadTrouble.MISSING,
        ):
            return OTHER_VERSION_AWAY.found(version=other.value, status=answer.status)
        return ok(own=own.value, other=other.value)
