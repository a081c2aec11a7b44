"""State that the checks of one run share."""

from collections.abc import Mapping

from attrs import define, field

from erpclient.metadata import EntityFacts, Metadata
from erpdoctor.inspection.answers import Answer, LoginFacts
from erpdoctor.inspection.inspection import Inspection


@define(kw_only=True)
class CheckContext:
    """Shared state of one run; each check adds to it.

    Attributes:
        inspection: the inspection.
        login: facts of the login.
        refused: whether the ERP refused user or password, or the user is locked.
        metadata: the Service Layer's metadata.
    """

    inspection: Inspection
    login: LoginFacts | None = None
    refused: bool = False
    metadata: Metadata = field(factory=lambda: Metadata({}))

    @property
    def sets(self) -> Mapping[str, EntityFacts]:
        """Facts of each entity set in the metadata."""
        return self.metadata.sets

    async def read(self, path: str, **headers: str) -> Answer:
        """Send a read; header names have underscores for hyphens."""
        header_fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.inspection.read(path, headers=header_fields)
