"""A store that fails when a test says so, on each engine."""

import pytest
from flaky_database import FlakyDatabase

from erp_gateway.store.database import Database


@pytest.fixture
def store(database: Database) -> FlakyDatabase:
    return FlakyDatabase(database)
