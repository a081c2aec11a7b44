"""A healthy installation on a simulated ERP."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from installation import Installation, ShiftedClock

from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.simulator import Listening, run_sim

Install = Callable[..., AbstractAsyncContextManager[Installation]]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Return what opens a healthy installation; listening and switches by name."""

    @asynccontextmanager
    async def opening(
        *, listening: Listening | None = None, born: timedelta = timedelta(), **switches: Any
    ) -> AsyncIterator[Installation]:
        store = tmp_path / "data" / "app.sqlite"
        async with run_sim(
            switches=Switches(**switches), listening=listening, clock=ShiftedClock(-born)
        ) as sim:
            desk = Desk(sim.world)
            desk.change("EmployeesInfo", 6, {"U_WEB_USER": "rosa.soto"})
            desk.change("EmployeesInfo", 7, {"U_WEB_PASS": "diego-demo"})
            installed = Installation(
                sim,
                {
                    "CONFIG_FILE": os.devnull,
                    "ENVIRONMENT": "test",
                    "ERP_SL_URL": sim.url,
                    "ERP_SL_COMPANY_DB": "SBO_DEMO",
                    "ERP_SL_USER": "manager",
                    "ERP_SL_PASSWORD": "erpsim",
                    "SQLITE_PATH": str(store),
                    "HTML_PDF_ENGINE": "none",
                },
                store,
                tmp_path,
            )
            await installed.grant("ana")
            with installed.kept:
                yield installed

    return opening
