"""The login and what it tells: version, end of the session, balancer, the other version of the API."""

from http import HTTPStatus
from typing import Final

from erp_gateway.doctor.service_layer.context import SERVICE_LAYER, GatewayContext, erp_credentials
from erpclient import ErpError
from erpclient.odata import Dialect
from erpdoctor import Check, Finding, fail, ok, warn
from erpdoctor.inspection import LoginTrouble, ReadTrouble, read_trouble
from erpdoctor.service_layer import SessionChecks, login_slow, login_troubles

LEAST_SESSION_MINUTES: Final = 5
FIRST_TAGGED: Final = "1000200"
"""Of the versions seen with entity tags the least is 1000340; FP 2102 brought them."""

LOGIN_TROUBLES: Final = login_troubles(
    refused=fail(
        LoginTrouble.REFUSED.value,
        "El ERP rechaza al usuario o su contraseña; no se intentó otra vez, porque el ERP bloquea usuarios.",
        remedy="Corrija ERP_SL_USER y ERP_SL_PASSWORD, y revise en el ERP si el usuario está bloqueado.",
    ),
    company="ERP_SL_COMPANY_DB",
    no_licence="El usuario del ERP no tiene licencia, o no quedan licencias libres.",
    silent="Revise la carga del servidor del ERP y aumente ERP_SL_LOGIN_TIMEOUT si siempre tarda tanto.",
    url="ERP_SL_URL",
)
LOGIN_SLOW: Final = login_slow("Revise la carga del servidor del ERP; nadie puede trabajar mientras dura.")
VERSION_UNKNOWN: Final = warn(
    "version_unknown",
    "El Service Layer no dice su versión.",
    remedy="Revise si un intermediario cambia sus respuestas.",
)
VERSION_OLD: Final = warn(
    "version_old",
    "El ERP es anterior a FP 2102: no da etiquetas, y los cambios simultáneos no se detectan.",
    remedy="Actualice SAP Business One a FP 2102 o posterior.",
    page="docs/resources.md",
)
SESSION_SHORT: Final = warn(
    "session_short",
    "La sesión del ERP termina en menos de 5 minutos sin uso: habrá muchos inicios de sesión.",
    remedy="Aumente SessionTimeout en b1s.conf (30 es lo habitual).",
)
OTHER_VERSION_AWAY: Final = warn(
    "other_version_away",
    "La otra versión de la API no responde en la misma sesión.",
    remedy="Permita las rutas /b1s/v1 y /b1s/v2, o no cambie de versión en ERP_SL_URL.",
)


class LoginChecks:
    """Logs in, once, and looks at what that tells."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._session = SessionChecks(
            context,
            SERVICE_LAYER,
            troubles=LOGIN_TROUBLES,
            slow=LOGIN_SLOW,
            short=SESSION_SHORT,
            least_minutes=LEAST_SESSION_MINUTES,
        )

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        check = SERVICE_LAYER.check
        return (
            self._session.login(self._login, "network.answer"),
            check(
                "version", "Versión del ERP", self._version, VERSION_UNKNOWN, VERSION_OLD, needs=("login",)
            ),
            self._session.session(self._session.look_at_session),
            self._session.balancer(),
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
        return await self._session.log_in(erp_credentials(self._context.settings))

    async def _version(self) -> Finding:
        told = self._context.login
        version = "" if told is None else told.version
        if not version.isdigit():
            return VERSION_UNKNOWN.found()
        if len(version) < len(FIRST_TAGGED) or version < FIRST_TAGGED:
            return VERSION_OLD.found(version=version)
        return ok(version=version)

    async def _other_version(self) -> Finding:
        own = self._context.inspection.dialect
        other = Dialect.V2 if own is Dialect.V1 else Dialect.V1
        try:
            answer = await self._context.inspection.read(
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
