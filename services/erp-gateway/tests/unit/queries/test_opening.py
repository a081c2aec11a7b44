"""Opening the database with settings: none, SQLite, and an engine that lacks a query's SQL."""

from pathlib import Path
from typing import Any

import pytest
from number_queries import QUERIES

from erp_gateway.queries.opening import open_erp_database
from erp_gateway.queries.registry import QueryRegistry
from erp_gateway.settings.erp_database import ErpDatabase
from erp_gateway.values.declarations import RegistryError
from servicekit.config import load
from servicekit.errors import NotConfigured, ShuttingDown


def settings(**changes: str) -> ErpDatabase:
    return load(
        ErpDatabase, {"CONFIG_FILE": "/dev/null", "ERPDB_ENGINE": "sqlite", **changes}, own_prefixes=()
    )


@pytest.mark.asyncio
async def test_an_unconfigured_client_refuses_every_request() -> None:
    async with open_erp_database(None, QueryRegistry(QUERIES)) as client:
        with pytest.raises(NotConfigured):
            _ = client.queries
        with pytest.raises(NotConfigured):
            client.find("nope")
        with pytest.raises(NotConfigured):
            await client.run("all", {}, user="ana")
        with pytest.raises(NotConfigured):
            await client.read("q", "SELECT 1", [])
        client.drain()


@pytest.mark.asyncio
async def test_a_configured_client_runs_queries_until_it_is_drained(path: Path) -> None:
    configured = settings(ERPDB_DATABASE=str(path), ERPDB_MAX_ROWS="7")
    async with open_erp_database(configured, QueryRegistry(QUERIES)) as client:
        assert len((await client.run("all", {}, user="ana")).rows) == 7
        assert [client.row_cap(query) for query in client.queries] == [7, 7, 3]
        client.drain()
        with pytest.raises(ShuttingDown):
            await client.run("all", {}, user="ana")


@pytest.mark.asyncio
async def test_a_query_that_the_engine_can_not_run_stops_the_start() -> None:
    hana: dict[str, Any] = {"ERPDB_ENGINE": "hana", "ERPDB_SERVER": "127.0.0.1", "ERPDB_USER": "u"}
    configured = settings(**hana, ERPDB_PASSWORD="p", ERPDB_SCHEMA="S")
    with pytest.raises(RegistryError, match="all: has no SQL for the engine hana"):
        async with open_erp_database(configured, QueryRegistry(QUERIES)):
            pytest.fail("opened")
