"""A look at the Service Layer: what its checks share."""

from typing import Final

from attrs import define

from erpclient import Credentials
from erpdoctor.checks import Group
from erpdoctor.service_layer.session import CheckContext
from supplier_returns.settings import Settings

SERVICE_LAYER: Final = Group("service-layer", "docs/doctor-returns.md#service-layer")
RETURNS: Final = Group("returns", "docs/doctor-returns.md#returns")


@define(kw_only=True)
class ReturnsContext(CheckContext):
    """What is known so far; each check adds to it.

    Attributes:
        settings: of the installation.
        credentials: who looks; None where nobody said.
    """

    settings: Settings
    credentials: Credentials | None
