"""Fixtures used by more than one folder of tests."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.storage.database import Database, open_database
from servicekit.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 14, 5, 9, 120_000, tzinfo=UTC))


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "app.sqlite"


@pytest_asyncio.fixture
async def database(store_path: Path) -> AsyncIterator[Database]:
    async with open_database(store_path) as opened:
        yield opened


@pytest.fixture
def audit_store(database: Database) -> AuditStore:
    return AuditStore(database)


@pytest.fixture
def recorder(audit_store: AuditStore, clock: ManualClock) -> AuditRecorder:
    return AuditRecorder(audit_store, clock)
