"""Causes of failed and slow logins; each service names its own settings."""

from collections.abc import Mapping
from typing import Final

from erpclient.login_trouble import LoginTrouble
from erpdoctor.checks import Cause, fail, warn

SLOW_LOGIN_S: Final = 10.0


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
