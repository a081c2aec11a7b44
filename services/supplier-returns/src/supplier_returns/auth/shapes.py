"""Request and response bodies of the sign-in routes."""

from datetime import datetime

from attrs import field, frozen

from servicekit.erp.sign_in_fields import check_password, check_user_name
from supplier_returns.shape_fields import attribute


@frozen(kw_only=True)
class LoginBody:
    """User and password of the ERP."""

    usuario: str = field(validator=check_user_name)
    clave: str = field(validator=check_password, repr=False)


@frozen(kw_only=True)
class UserAnswer:
    """Signed-in ERP user. `superusuario` is null if the ERP does not show it."""

    codigo: str = attribute("code")
    nombre: str = attribute("name")
    superusuario: bool | None = attribute("is_superuser")


@frozen(kw_only=True)
class SessionAnswer:
    """Signed-in user, company database, and the session's end without a further request.

    All dates of the service are in `zona_horaria`.
    """

    usuario: UserAnswer
    empresa: str
    zona_horaria: str
    expira: datetime


@frozen(kw_only=True)
class InstallationAnswer:
    """Data for a login page."""

    empresa: str
    cookie_segura: bool
    version: str
