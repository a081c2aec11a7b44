# ruff: noqa: N818 - refusals are plain nouns
"""What the ledger refuses.

ServiceError
└── LedgerUnavailable      503: the row of a write could not be committed, so it was not sent
"""

from servicekit.errors import ServiceError


class LedgerUnavailable(ServiceError):
    """The row of a write could not be committed, and without it nothing is sent."""

    status = 503
    code = "ledger_unavailable"
    detail = (
        "El registro interno de operaciones no está disponible. La operación no se envió al ERP; "
        "inténtelo de nuevo en unos segundos."
    )
