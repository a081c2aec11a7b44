"""Makes the doubles importable and gives the fixtures that more than one file uses."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

sys.path.append(str(Path(__file__).parent / "doubles"))

from manual_clock import ManualClock
from scripted_erp import ScriptedErp


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest_asyncio.fixture
async def erp() -> AsyncIterator[ScriptedErp]:
    async with ScriptedErp() as server:
        yield server
