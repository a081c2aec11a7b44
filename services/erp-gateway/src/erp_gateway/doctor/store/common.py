"""What is found wrong with a store of either engine."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from erp_gateway.audit.chain import AuditChain, ChainCheck, ChainedRecord
from erp_gateway.permissions.service import Permission
from erp_gateway.report_gateway.registry import RegisteredReport
from erp_gateway.storage.database import Database
from erp_gateway.storage.migrations import load_migrations
from erpdoctor import Check, Finding, Group, fail, ok, skipped, warn

STORE: Final = Group("store", "docs/doctor.md#store")
BACKUP_PAGE: Final = "docs/operations.md#backup"
CHAIN_S: Final = 30.0
"""How long a walk along the audit's chain may take."""

NOT_YET: Final = skipped("store_not_made_yet", "Todavía no existe; el primer arranque lo crea.")
NEWER: Final = fail(
    "store_newer",
    "El registro interno es de una versión posterior de este servicio.",
    remedy="Instale esa versión, o restaure una copia hecha antes de actualizar.",
    page=BACKUP_PAGE,
)
OLDER: Final = warn(
    "store_older",
    "El registro interno es de una versión anterior; el próximo arranque lo actualiza.",
    remedy="Haga una copia con `erp-gateway backup` y reinicie el servicio con esta versión.",
    page=BACKUP_PAGE,
)
CHAIN_BROKEN: Final = fail(
    "audit_chain_broken",
    "La auditoría no es como se escribió: faltan registros o fueron cambiados.",
    remedy="Ejecute `erp-gateway audit verify`, que nombra los registros, y avise a quien responde por ella.",
    page="docs/audit.md",
)


class StoreChecks(Protocol):
    """Looks at a store, wherever it is.

    Attributes:
        needed_to_start: names of those checks without which the service does not start.
    """

    needed_to_start: tuple[str, ...]

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order; one of them is `store.version`."""
        ...

    async def permissions(self) -> Mapping[str, Permission]:
        """Return everybody's permissions, as the store has them."""
        ...

    async def reports(self) -> Sequence[RegisteredReport]:
        """Return all registered reports, as the store has them."""
        ...


def version_found(version: int) -> Finding:
    """Hold a store's version against this program's."""
    newest = len(load_migrations())
    if version > newest:
        return NEWER.found(version=version, known=newest)
    if version < newest:
        return OLDER.found(version=version, known=newest)
    return ok(version=version)


async def chain_found(database: Database) -> Finding:
    """Walk along the audit's chain.

    Raises:
        StoreUnavailable: the store can't be read.
    """
    chain = AuditChain(database)
    check = ChainCheck(head=await chain.head())
    async for step in chain.walk():
        check.take(step) if isinstance(step, ChainedRecord) else check.begin(step)
    faults = check.finish()
    if faults:
        return CHAIN_BROKEN.found(faults=len(faults), records=check.records)
    return ok(records=check.records)
