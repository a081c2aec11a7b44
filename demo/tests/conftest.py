"""The demo's sample extension, loaded as the gateway loads it, on the simulated company's tables."""

import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from erp_gateway.extensions import QueryResult, Registries, RunQuery, load_extensions
from erp_gateway.queries.opening import open_erp_database
from erp_gateway.settings.erp_database import ErpDatabase
from erpsim.facts import load_packaged_facts
from erpsim.hana.process import PASSWORD, USER, run_hana
from erpsim.sql import load_into_sqlite
from erpsim.world import World
from servicekit.config import Secret

# what PYTHONPATH does for the gateway
sys.path.insert(0, str(Path(__file__).parents[1] / "extension"))


@pytest.fixture(scope="session")
def registries() -> Registries:
    """Everything that the gateway declares with the extension."""
    return load_extensions(["comercial_demo"])


@pytest.fixture(scope="session")
def sqlite_settings(tmp_path_factory: pytest.TempPathFactory) -> ErpDatabase:
    """A SQLite copy of the small company."""
    path = tmp_path_factory.mktemp("company") / "company.sqlite"
    connection = sqlite3.connect(path)
    load_into_sqlite(connection, World(load_packaged_facts(), seed="small"))
    connection.close()
    return ErpDatabase(engine="sqlite", database=str(path))


@pytest.fixture(scope="session")
def hana_settings() -> Iterator[ErpDatabase]:
    """The small company behind the simulated HANA, for SAP's own driver."""
    pytest.importorskip("hdbcli", reason="SAP's driver is not installed")
    with run_hana("--seed", "small") as hana:
        yield ErpDatabase(
            engine="hana",
            server="127.0.0.1",
            port=hana.port,
            user=USER,
            password=Secret(PASSWORD),
            schema="SBO_DEMO",
            encrypt=False,
        )


@pytest_asyncio.fixture(params=["sqlite", "hana"])
async def run_query(request: pytest.FixtureRequest, registries: Registries) -> AsyncIterator[RunQuery]:
    """Run a query of the extension, on each of the two engines."""
    settings: ErpDatabase = request.getfixturevalue(f"{request.param}_settings")
    opening = open_erp_database(settings, registries.queries)
    async with opening as database:

        async def run(name: str, params: Mapping[str, object]) -> QueryResult:
            return await database.run(name, params, user="ana")

        yield run
