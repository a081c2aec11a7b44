"""One visit to the Service Layer: what its checks share."""

from collections.abc import Awaitable, Callable
from typing import Final

from attrs import define

from erpclient import Credentials, ErpError, ErpSettings, ErpTimeout, ErpUnreachable
from erpdoctor import NO_ANSWER_IN_TIME, STEP_LIMIT_S, Finding, Group, fail
from erpdoctor.inspection import Answer, Inspection, LoginFacts
from supplier_returns.settings import Settings

MOST_LOGIN_S: Final = 20.0
"""How long the login waits: a good one takes 3 to 8 s, a refused one about 10 s."""

SERVICE_LAYER: Final = Group("service-layer", "docs/doctor-returns.md#service-layer")
RETURNS: Final = Group("returns", "docs/doctor-returns.md#returns")

UNEXPECTED: Final = fail(
    "unexpected_answer",
    "El Service Layer respondió algo que no se esperaba.",
    mend="Revise si un intermediario cambia sus respuestas; si no, pruebe esa lectura en el ERP.",
)


@define
class Visit:
    """What is known so far; each check adds to it.

    Attributes:
        settings: of the installation.
        inspection: looks.
        credentials: who looks; None where nobody said.
        login: what the login told.
    """

    settings: Settings
    inspection: Inspection
    credentials: Credentials | None
    login: LoginFacts | None = None

    async def read(self, path: str) -> Answer:
        """Read something."""
        return await self.inspection.read(path)


def answered(look: Callable[[], Awaitable[Finding]]) -> Callable[[], Awaitable[Finding]]:
    """Return what looks, too, and finds what no answer, or one of no use, makes the other raise."""

    async def looking() -> Finding:
        try:
            return await look()
        except (ErpTimeout, ErpUnreachable):
            return NO_ANSWER_IN_TIME.found()
        except ErpError:
            return UNEXPECTED.found()

    return looking


def inspection_settings(settings: Settings) -> ErpSettings:
    """Return where the Service Layer is, with the doctor's patience."""
    service_layer = settings.service_layer
    return ErpSettings(
        url=service_layer.url,
        timeout_s=min(STEP_LIMIT_S, service_layer.timeout_s),
        connect_timeout_s=STEP_LIMIT_S,
        login_timeout_s=min(MOST_LOGIN_S, service_layer.timeout_s),
        ca_file=service_layer.ca_file,
        verify_tls=service_layer.reject_unauthorized,
    )
