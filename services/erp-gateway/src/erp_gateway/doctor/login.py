"""What the gateway says of the login of its account, and what hangs on it."""

from typing import Final

from erp_gateway.components import erp_credentials
from erp_gateway.settings.erp import ErpUpstream
from erpclient.login_trouble import LoginTrouble
from erpdoctor.checks import Check, Group, fail, warn
from erpdoctor.service_layer.session import (
    CheckContext,
    SessionChecks,
    VersionChecks,
    login_slow,
    login_troubles,
)

LEAST_SESSION_MINUTES: Final = 5
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
SESSION_SHORT: Final = warn(
    "session_short",
    "La sesión del ERP termina en menos de 5 minutos sin uso: habrá muchos inicios de sesión.",
    remedy="Aumente SessionTimeout en b1s.conf (30 es lo habitual).",
)


def login_checks(context: CheckContext, group: Group, erp: ErpUpstream) -> tuple[Check, ...]:
    """Return the checks of the login and of what it tells, in order."""
    login, session, balancer = SessionChecks(
        context,
        group,
        erp_credentials(erp),
        troubles=LOGIN_TROUBLES,
        slow=LOGIN_SLOW,
        short=SESSION_SHORT,
        least_minutes=LEAST_SESSION_MINUTES,
    ).checks()
    version, other_version = VersionChecks(context, group).checks()
    return (login, version, session, balancer, other_version)
