# ruff: noqa: N818 - refusals are plain nouns
"""What the ledger refuses.

ServiceError
├── WriteNotFound          404: no such write, or somebody else's
├── WriteNotUnknown        409: what became of the write is known already
└── LedgerUnavailable      503: the row of a write could not be committed, so it was not sent
"""

from servicekit.errors import NotFound, ServiceError


class WriteNotFound(NotFound):
    """The ledger has no write of this number, or it is somebody else's."""

    code = "write_not_found"
    detail = "No existe una operación con este número entre las suyas."


class WriteNotUnknown(ServiceError):
    """Only a write of which nobody knows what became of it can be settled."""

    status = 409
    code = "write_not_unknown"
    detail = "Ya se sabe qué pasó con esta operación; no se puede declarar otra cosa."


class LedgerUnavailable(ServiceError):
    """The row of a write could not be committed, and without it nothing is sent."""

    status = 503
    code = "ledger_unavailable"
    detail = (
        "El registro interno de operaciones no está disponible. La operación no se envió al ERP; "
        "inténtelo de nuevo en unos segundos."
    )
