"""Modules loaded at the start, as Python reports them (`PYTHONPROFILEIMPORTTIME`)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from service_process import started

SPARED = (
    "cryptography",  # only HTTPS needs it
    "erpdoctor",
    "supplier_returns.conformance",
    "supplier_returns.doctor.command",
    "supplier_returns.certificates.loading",
    "supplier_returns.certificates.renewal",
    "supplier_returns.certificates.serving",
    "weasyprint",
)
"""What a service with the fewest settings has no use for before somebody asks for it, if then."""


@pytest.mark.asyncio
async def test_a_healthy_service_loads_only_modules_that_it_serves_with(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/b1s/v1"
    async with started(nowhere, tmp_path, PYTHONPROFILEIMPORTTIME="1") as (server, client):
        assert (await client.get("/api/health")).json()["estado"] == "ok"
    assert {"supplier_returns.app", "supplier_returns.settings.web"} <= server.loaded
    found = {
        spared
        for spared in SPARED
        if any(name == spared or name.startswith(f"{spared}.") for name in server.loaded)
    }
    assert found == set()


COUNTED = """
import gc, sys
from supplier_returns.__main__ import main
searched = [each["collections"] for each in gc.get_stats()]
code = main(["serve"])
assert "supplier_returns.command_line" in sys.modules
print(code, searched == [each["collections"] for each in gc.get_stats()])
"""


def test_no_garbage_collection_runs_while_the_service_is_loaded(tmp_path: Path) -> None:
    """Without settings the process ends after it has read the settings, which is half of the imports."""
    environ = {"CONFIG_FILE": os.devnull, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    words = [sys.executable, "-c", COUNTED]
    done = subprocess.run(words, cwd=tmp_path, env=environ, check=True, capture_output=True, text=True)
    assert done.stdout == "2 True\n"
