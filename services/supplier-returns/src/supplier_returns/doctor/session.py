"""Checks of the doctor's login and of its session."""

from typing import Final

from erpclient import Credentials
from erpclient.login_trouble import LoginTrouble
from erpdoctor.checks import Check, Group, fail, ok, skipped, warn
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.login import login_slow, login_troubles
from erpdoctor.service_layer.session import SessionChecks

SERVICE_LAYER: Final = Group("service-layer", "docs/doctor-returns.md#service-layer")
NO_CREDENTIALS: Final = skipped(
    "no_credentials",
    "No se indicó con qué usuario mirar el ERP: cada persona entra con el suyo.",
    english="You gave no user, so checks that need a session are skipped.",
    remedy="Repita con --user (y --password-file, o la clave por teclado) para revisar también el ERP.",
    english_remedy="Repeat with --user (and --password-file, or type the password) to check the ERP too.",
)
LOGIN_TROUBLES: Final = login_troubles(
    refused=fail(
        LoginTrouble.REFUSED.value,
        "El ERP rechaza a este usuario o su clave; no se intentó otra vez, porque el ERP bloquea usuarios.",
        english="User or password is wrong, or in older builds the user is locked. The doctor tries once.",
        remedy="Pruebe ese usuario en el cliente del ERP, y revise allí si está bloqueado.",
        english_remedy="Try that user in the ERP's client, and check there whether it is locked.",
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
    english="It ends sooner than `SESSION_TIMEOUT_MINUTES`, so users lose their session without a warning.",
    remedy="Aumente SessionTimeout en b1s.conf, o baje SESSION_TIMEOUT_MINUTES a lo que el ERP da.",
    english_remedy="Raise SessionTimeout in b1s.conf, or lower SESSION_TIMEOUT_MINUTES to what the "
    "ERP gives.",
)


def login_checks(
    context: CheckContext, credentials: Credentials | None, least_minutes: int
) -> tuple[Check, ...]:
    """Return the checks of the login and of the session, in order."""
    account = NO_CREDENTIALS.found() if credentials is None else ok(credentials.user)
    session = SessionChecks(
        context,
        SERVICE_LAYER,
        credentials,
        troubles=LOGIN_TROUBLES,
        slow=LOGIN_SLOW,
        short=SESSION_SHORT,
        least_minutes=least_minutes,
        personal=True,
    )
    return (
        SERVICE_LAYER.found(
            "account",
            "Usuario del ERP con que se mira",
            account,
            NO_CREDENTIALS,
            english="Account that the doctor uses.",
        ),
        *session.checks("service-layer.account"),
    )
