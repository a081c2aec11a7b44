"""Modules that a start loads, as Python reports them on standard error (`PYTHONPROFILEIMPORTTIME`)."""

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.process.conftest import Server, StartServer

SPARED = (
    "cryptography",  # certificates of a development's own
    "erp_gateway.commands.doctor",
    "erp_gateway.doctor",
    "erp_gateway.reports.html.templates",
    "erp_gateway.store.postgresql",
    "erpdoctor",
    "erpclient.tax_documents",
    "hdbcli",
    "mako",
    "psycopg",
    "sqlglot",
    "weasyprint",
    "xlsxwriter",
)
"""Modules that a service with the fewest settings must not load at its start."""

EXTENSION = """
from erp_gateway.extensions import Extension, Query
EXTENSION = Extension(queries=(Query(name="uno", title="Uno", sql={"sqlite": "SELECT 1 AS uno"}),))
"""


def loaded(server: "Server") -> set[str]:
    lines = (line for line in server.raw.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def spared_of(names: set[str]) -> set[str]:
    return {
        spared for spared in SPARED if any(name == spared or name.startswith(f"{spared}.") for name in names)
    }


@pytest.mark.asyncio
async def test_a_healthy_service_loads_only_the_modules_it_serves_with(
    start_server: "StartServer",
) -> None:
    nowhere = "http://127.0.0.1:9/b1s/v1"
    async with start_server(nowhere, PYTHONPROFILEIMPORTTIME="1") as server, server.client() as client:
        assert (await client.get("/api/health")).json()["status"] == "ok"
    names = loaded(server)
    assert {"erp_gateway.app", "erp_gateway.queries.sql.pieces", "erp_gateway.reports.html.registry"} <= names
    assert spared_of(names) == set()


@pytest.mark.asyncio
async def test_a_declared_query_is_read_at_the_start(start_server: "StartServer", tmp_path: "Path") -> None:
    (tmp_path / "own_queries.py").write_text(EXTENSION)
    folders = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    settings = {"EXTENSIONS": "own_queries", "PYTHONPATH": folders, "PYTHONPROFILEIMPORTTIME": "1"}
    async with start_server("http://127.0.0.1:9/b1s/v1", **settings) as server:
        pass
    assert spared_of(loaded(server)) == {"sqlglot"}


COUNTED = """
import gc, sys
from erp_gateway.__main__ import main
searched = [each["collections"] for each in gc.get_stats()]
code = main(["serve"])
assert "erp_gateway.command_line" in sys.modules
print(code, searched == [each["collections"] for each in gc.get_stats()])
"""


def test_garbage_collection_is_off_while_the_service_loads(tmp_path: "Path") -> None:
    """Without settings it ends once all of its settings are known, which is half of what it loads."""
    environ = {"CONFIG_FILE": os.devnull, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    words = [sys.executable, "-c", COUNTED]
    done = subprocess.run(words, cwd=tmp_path, env=environ, check=True, capture_output=True, text=True)
    assert done.stdout == "2 True\n"
