"""One visit to the Service Layer: what its checks share."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from attrs import define, field

from erp_gateway.proxy.registry import Registry
from erp_gateway.settings.whole import Settings
from erpclient import Credentials, ErpError, ErpSettings, ErpTimeout, ErpUnreachable
from erpdoctor import NO_ANSWER_IN_TIME, STEP_LIMIT_S, Finding, Group, fail
from erpdoctor.inspection import Answer, EntityFacts, Inspection, LoginFacts, Metadata, ReadTrouble

STEP_S: Final = STEP_LIMIT_S
"""How long each call waits for its answer."""

MOST_LOGIN_S: Final = 20.0
"""How long the login waits: a good one takes 3 to 8 s, a refused one about 10 s."""

ERP_TLS: Final = "network.tls"
"""The check that first needs the file of authorities."""

SERVICE_LAYER: Final = Group("service-layer", "docs/doctor.md#service-layer")


UNEXPECTED: Final = fail(
    "unexpected_answer",
    "El Service Layer respondió algo que no se esperaba.",
    mend="Revise si un intermediario cambia sus respuestas; si no, pruebe esa lectura en el ERP.",
)


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


@define
class Visit:
    """What is known so far; each check adds to it.

    Attributes:
        settings: of the installation.
        registry: what clients may use.
        inspection: looks.
        login: what the login told.
        metadata: what the Service Layer says of itself.
        tags: whether the records of a tagged resource carry tags, by its name; only where there was a record.
        troubles: why a resource could not be read, by its name.
        measures: whether several calls may be sent at once, as nobody waits behind them.
    """

    settings: Settings
    registry: Registry
    inspection: Inspection
    login: LoginFacts | None = None
    refused: bool = False
    metadata: Metadata = field(factory=lambda: Metadata({}))
    tags: dict[str, bool] = field(factory=dict)
    troubles: dict[str, ReadTrouble] = field(factory=dict)
    measures: bool = True

    @property
    def sets(self) -> Mapping[str, EntityFacts]:
        """What the metadata says of each entity set."""
        return self.metadata.sets

    async def read(self, path: str, **headers: str) -> Answer:
        """Read something; names of headers have underscores for hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.inspection.read(path, headers=named)


def inspection_settings(settings: Settings) -> ErpSettings:
    """Return where the Service Layer is, with the doctor's patience."""
    return ErpSettings(
        url=settings.erp.url,
        timeout_s=min(STEP_S, settings.deadlines.timeout_s),
        connect_timeout_s=STEP_S,
        login_timeout_s=min(MOST_LOGIN_S, settings.deadlines.login_timeout_s),
        ca_file=settings.erp.ca_file,
        verify_tls=settings.installation.verify_ssl,
    )


def shares_authorities(settings: Settings, file: Path | None) -> bool:
    """Tell whether somebody else is trusted by the same file of authorities as the Service Layer."""
    return file is not None and file == settings.erp.ca_file


def erp_credentials(settings: Settings) -> Credentials:
    """Return who logs in."""
    erp = settings.erp
    return Credentials(erp.company_db, erp.user, erp.password.reveal())
