"""Checks of the ERP's version and of the API's other version."""

from http import HTTPStatus
from typing import Final

from erpclient import ErpError
from erpclient.odata import Dialect
from erpdoctor.checks import Checks, Finding, Group, declares_check, ok, warn
from erpdoctor.inspection.answers import ReadTrouble, read_trouble
from erpdoctor.service_layer.context import CheckContext

FIRST_TAGGED: Final = "1000200"
"""Lowest version seen with entity tags; FP 2102 introduced them."""

VERSION_UNKNOWN: Final = warn(
    "version_unknown",
    "El Service Layer no dice su versión.",
    english="The login does not give it.",
    remedy="Revise si un intermediario cambia sus respuestas.",
    english_remedy="Check whether a proxy changes its responses.",
)
VERSION_OLD: Final = warn(
    "version_old",
    "El ERP es anterior a FP 2102: no da etiquetas, y los cambios simultáneos no se detectan.",
    english="It is before FP 2102: no entity tags.",
    remedy="Actualice SAP Business One a FP 2102 o posterior.",
    english_remedy="Upgrade SAP Business One to FP 2102 or newer.",
    page="docs/resources.md",
)
OTHER_VERSION_AWAY: Final = warn(
    "other_version_away",
    "La otra versión de la API no responde en la misma sesión.",
    english="The version that is not configured does not respond.",
    remedy="Permita las rutas /b1s/v1 y /b1s/v2, o no cambie de versión en ERP_SL_URL.",
    english_remedy="Allow the paths /b1s/v1 and /b1s/v2, or don't change the version in ERP_SL_URL.",
)


class VersionChecks(Checks):
    """Checks of the ERP's version and of the API's other version.

    Args:
        context: of the run.
        group: to which the checks belong.
    """

    def __init__(self, context: CheckContext, group: Group) -> None:
        self._context = context
        self.group = group

    @declares_check(
        "version",
        "Versión del ERP",
        VERSION_UNKNOWN,
        VERSION_OLD,
        needs=("login",),
        english="Version, from the login.",
    )
    async def _version(self) -> Finding:
        login = self._context.login
        version = "" if login is None else login.version
        if not version.isdigit():
            return VERSION_UNKNOWN.found()
        if len(version) < len(FIRST_TAGGED) or version < FIRST_TAGGED:
            return VERSION_OLD.found(version=version)
        return ok(version=version)

    @declares_check(
        "other-version",
        "La otra versión de la API",
        OTHER_VERSION_AWAY,
        needs=("login",),
        limit_s=6,
        english="v1 and v2 both respond in one session.",
    )
    async def _other_version(self) -> Finding:
        own = self._context.inspection.dialect
        other = Dialect.V2 if own is Dialect.V1 else Dialect.V1
        try:
            answer = await self._context.inspection.read(
                "/Warehouses?$select=WarehouseCode&$top=1", dialect=other
            )
        except ErpError:
            return OTHER_VERSION_AWAY.found(version=other.value)
        # A user without the right gets a reply as well; another check reports the missing right.
        if answer.status != HTTPStatus.FORBIDDEN and read_trouble(answer) in (
            ReadTrouble.GATEWAY,
            ReadTrouble.SESSION_LOST,
            ReadTrouble.MISSING,
        ):
            return OTHER_VERSION_AWAY.found(version=other.value, status=answer.status)
        return ok(own=own.value, other=other.value)
