"""The login of whoever calls the doctor, and what it tells."""

from typing import Final

from erpdoctor import Check, Finding, fail, ok, skipped, warn
from erpdoctor.inspection import LoginTrouble
from erpdoctor.service_layer import SessionChecks, login_slow, login_troubles
from supplier_returns.doctor.context import SERVICE_LAYER, ReturnsContext

NO_CREDENTIALS: Final = skipped(
    "no_credentials",
    "No se indicó con qué usuario mirar el ERP: cada persona entra con el suyo.",
    remedy="Repita con --user (y --password-file, o la clave por teclado) para revisar también el ERP.",
)
LOGIN_TROUBLES: Final = login_troubles(
    refused=fail(
        LoginTrouble.REFUSED.value,
        "El ERP rechaza a este usuario o su clave; no se intentó otra vez, porque el ERP bloquea usuarios.",
        remedy="Pruebe ese usuario en el cliente del ERP, y revise allí si está bloqueado.",
    ),
    company="SL_COMPANY_DB",
    no_licence="El usuario no tiene licencia, o no quedan licencias libres: cada persona ocupa la suya.",
    silent="Revise la carga del ERP; si siempre tarda tanto, aumente SL_TIMEOUT y UNCERTAIN_WAIT.",
    url="SL_URL",
)
LOGIN_SLOW: Final = login_slow("Revise la carga del servidor del ERP: cada persona espera eso al entrar.")
SESSION_SHORT: Final = warn(
    "session_shorter_than_ours",
    "La sesión del ERP termina antes que la de este servicio: la gente perderá la suya sin aviso.",
    remedy="Aumente SessionTimeout en b1s.conf, o baje SESSION_TIMEOUT_MINUTES a lo que el ERP da.",
)


class LoginChecks:
    """Logs in, once, where somebody said as whom."""

    def __init__(self, context: ReturnsContext) -> None:
        self._context = context
        self._session = SessionChecks(
            context,
            SERVICE_LAYER,
            troubles=LOGIN_TROUBLES,
            slow=LOGIN_SLOW,
            short=SESSION_SHORT,
            least_minutes=context.settings.sessions.timeout_minutes,
        )

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        account = "Usuario del ERP con que se mira"
        return (
            SERVICE_LAYER.check("account", account, self._account, NO_CREDENTIALS),
            self._session.login(self._login, "network.answer", "account"),
            self._session.session(self._look_at_session),
            self._session.balancer(),
        )

    async def _account(self) -> Finding:
        who = self._context.credentials
        return NO_CREDENTIALS.found() if who is None else ok(who.user)

    async def _login(self) -> Finding:
        if self._context.credentials is None:
            return NO_CREDENTIALS.found()
        finding = await self._session.log_in(self._context.credentials)
        if self._context.login is None:
            return finding
        version = self._context.login.version
        return finding.with_figures(version=version if version.isdigit() else "")

    async def _look_at_session(self) -> Finding:
        finding = await self._session.look_at_session()
        return (
            finding.with_figures(own=self._context.settings.sessions.timeout_minutes)
            if finding.figures
            else finding
        )
