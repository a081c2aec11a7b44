"""The containers of a typical installation, one of each."""

from pathlib import Path

from tools.images_check.containers import (
    FILES,
    NEW,
    OLD,
    OURS,
    Containers,
    Place,
    StepFailed,
    asking,
    demand,
)
from tools.images_check.installation import prepare

__all__ = ["NEW", "OLD", "OURS", "Runbook", "StepFailed", "asking", "demand"]


class Runbook(Containers):
    """The containers of an installation with HTTPS on every connection.

    Args:
        folder: for the files of the installation; see `tools.images_check.installation`.
    """

    def __init__(self, folder: Path) -> None:
        self.site = prepare(folder)
        super().__init__(
            Place(
                project="erp-images-check",
                files=(*FILES, str(self.site.compose_file)),
                subnet="172.31.251.0/24",
                origin=self.site.origin,
                returns_origin=self.site.returns_origin,
                control=self.site.control,
            )
        )
