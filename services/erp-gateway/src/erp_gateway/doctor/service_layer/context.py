"""A look at the Service Layer: what its checks share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import define, field

from erp_gateway.proxy.registry import Registry
from erp_gateway.settings.root import Settings
from erpclient import Credentials, ErpSettings
from erpdoctor import STEP_LIMIT_S, Group
from erpdoctor.inspection import EntityFacts, Metadata, ReadTrouble
from erpdoctor.service_layer import CheckContext, patient

STEP_S: Final = STEP_LIMIT_S
"""How long each call waits for its answer."""

ERP_TLS: Final = "network.tls"
"""The check that first needs the file of authorities."""

SERVICE_LAYER: Final = Group("service-layer", "docs/doctor.md#service-layer")


@define(kw_only=True)
class GatewayContext(CheckContext):
    """What is known so far; each check adds to it.

    Attributes:
        settings: of the installation.
        registry: what clients may use.
        metadata: what the Service Layer says of itself.
        tags: whether the records of a tagged resource carry tags, by its name; only where there was a record.
        troubles: why a resource could not be read, by its name.
        measures: whether several calls may be sent at once, as nobody waits behind them.
    """

    settings: Settings
    registry: Registry
    metadata: Metadata = field(factory=lambda: Metadata({}))
    tags: dict[str, bool] = field(factory=dict)
    troubles: dict[str, ReadTrouble] = field(factory=dict)
    measures: bool = True

    @property
    def sets(self) -> Mapping[str, EntityFacts]:
        """What the metadata says of each entity set."""
        return self.metadata.sets


def inspection_settings(settings: Settings) -> ErpSettings:
    """Return where the Service Layer is, with the doctor's patience."""
    erp, deadlines = settings.erp, settings.deadlines
    return patient(
        ErpSettings(
            erp.url,
            timeout_s=deadlines.timeout_s,
            login_timeout_s=deadlines.login_timeout_s,
            ca_file=erp.ca_file,
            verify_tls=settings.installation.verify_ssl,
        )
    )


def erp_credentials(settings: Settings) -> Credentials:
    """Return who logs in."""
    erp = settings.erp
    return Credentials(erp.company_db, erp.user, erp.password.reveal())


def shares_authorities(settings: Settings, file: Path | None) -> bool:
    """Tell whether somebody else is trusted by the same file of authorities as the Service Layer."""
    return file is not None and file == settings.erp.ca_file
