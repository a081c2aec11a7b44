"""Bodies of the sign-in routes."""

from datetime import datetime

from attrs import field, frozen

from servicekit.erp.sign_in_fields import check_password, check_user_name
from supplier_returns.shape_fields import attribute


@frozen(kw_only=True)
class LoginBody:
    """What login takes: user and password of the ERP."""

    usuario: str = field(validator=check_user_name)
    clave: str = field(validator=check_password, repr=False)


@frozen(kw_only=True)
class UserAnswer:
    """The signed-in ERP user; `superusuario` is null where the ERP does not tell."""

    codigo: str = attribute("code")
    nombre: str = attribute("name")
    superusuario: bool | None = attribute("is_superuser")


@frozen(kw_only=True)
class SessionAnswer:
    """Who is signed in, in which company database, and until when without a further request.

    What the service means by a day is one of `zona_horaria`.
    """

    usuario: UserAnswer
    empresa: str
    zona_horaria: str
    expira: datetime


@frozen(kw_only=True)
class InstallationAnswer:
    """What a login page needs to know."""

    empresa: str
    cookie_segura: bool
    version: str
