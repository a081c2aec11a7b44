"""Fill a store with audit records, with the sources of the commit that shall own the store.

Run as: python fill.py STORE RECORDS

The imports name modules of that commit; a later commit may have moved them.
"""

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from erp_gateway.audit_event import (  # type: ignore[import-not-found]
    Actor,
    AuditAction,
    AuditEvent,
    AuditResult,
    SentFields,
)
from erp_gateway.storage.database import open_database  # type: ignore[import-not-found]
from erp_gateway.storage.statements import Statements  # type: ignore[import-not-found]

from erp_gateway.audit.store import append_event

BATCH = 5_000
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


def event(number: int) -> AuditEvent:
    """Return a record: of one of two hundred users, a third of them about partners."""
    partner = number % 3 == 0
    return AuditEvent(
        action=AuditAction.LOGIN if number % 5 == 0 else AuditAction.SL_UPDATE,
        result=AuditResult.OK if number % 7 else AuditResult.ERROR,
        actor=Actor(web_user=f"u{number % 200}", ip="10.0.0.7", request_id=f"01JD{number:022d}"),
        resource="BusinessPartners" if partner else "Orders",
        key=f"C{number % 5_000}" if partner else str(number % 50_000),
        fields=SentFields(("CardCode", "Comments")),
    )


async def fill(store: Path, records: int) -> None:
    """Append the records in batches, one transaction each."""
    async with open_database(store) as database:
        for first in range(0, records, BATCH):

            def batch(statements: Statements, first: int = first) -> None:
                for number in range(first, min(first + BATCH, records)):
                    append_event(statements, event(number), BEGIN + number * timedelta(seconds=20))

            await database.write(batch)


if __name__ == "__main__":
    asyncio.run(fill(Path(sys.argv[1]), int(sys.argv[2])))
