"""Healthy installation with a simulated ERP."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from ready_company import company
from returns_installation import Installation

from erpsim.company.switches import Switches
from erpsim.simulator import Listening

Install = Callable[..., AbstractAsyncContextManager[Installation]]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Return a function that opens a healthy installation, with addresses and switches by name."""

    @asynccontextmanager
    async def opening(*, listening: Listening | None = None, **switches: Any) -> AsyncIterator[Installation]:
        where = attrs.evolve(listening or Listening(), tax_documents_port=0)
        async with company(Switches(**switches), where) as sim:
            environ = {
                "CONFIG_FILE": os.devnull,
                "ENVIRONMENT": "test",
                "SL_URL": sim.url,
                "SL_COMPANY_DB": "SBO_DEMO",
                "DB_TYPE": "HANA",
            }
            yield Installation(sim, environ, tmp_path)

    return opening
