"""The example in the README runs as it stands, but for the address."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from erpsim.simulator import Simulator, run_sim

README = Path(__file__).parents[2] / "README.md"


@pytest_asyncio.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with run_sim() as running:
        yield running


@pytest.mark.asyncio
async def test_the_readmes_example_runs(sim: Simulator) -> None:
    example = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert "http://127.0.0.1:50000/b1s/v2" in example
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", example.replace("http://127.0.0.1:50000/b1s/v2", sim.url_v2),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, err) == (0, b"")
    assert "\n412 -2039 Another user" in out.decode()
