"""A simulated ERP with what is configured to talk to it, and the doctor of that installation."""

import argparse
import io
import json
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
from typing_extensions import override

from erp_gateway.audit.recorder import open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.commands.doctor import run_doctor
from erp_gateway.commands.parser import add_doctor_arguments
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.reports.crystal.registry import RegisteredReport
from erp_gateway.reports.crystal.store import ReportStore
from erp_gateway.store.database import open_database
from erp_gateway.store.places import StorePlace
from erpsim.desk import Desk
from erpsim.simulator import Simulator
from servicekit.clock import Clock, ManualClock, SystemClock


class ShiftedClock(SystemClock):
    """The machine's own clock, so much later on the wall."""

    def __init__(self, shift: timedelta) -> None:
        self._shift = shift

    @override
    def now(self) -> datetime:
        return super().now() + self._shift


@attrs.define
class Examined:
    """One run: its exit code, its JSON, what stood on the terminal besides."""

    code: int
    report: dict[str, Any]
    progress: str

    def found(self, *outcomes: str) -> dict[str, str | None]:
        """Return cause by name of the checks that ended so."""
        return {each["name"]: each["cause"] for each in self.report["checks"] if each["outcome"] in outcomes}

    @property
    def late(self) -> bool:
        """True if a check ended because no answer came in time."""
        return "no_answer_in_time" in self.found("fail").values()

    def needing(self, name: str) -> set[str]:
        """Return the checks that were skipped for one that failed, down the whole line."""
        gone = {name}
        for each in self.report["checks"]:
            if each["cause"] == "depends_on" and gone & set(each["figures"]["on"]):
                gone.add(each["name"])
        return gone - {name}


@attrs.define
class Installation:
    """A simulated ERP with what is configured to talk to it; `kept` is closed with it."""

    sim: Simulator
    environ: dict[str, str]
    store: Path
    folder: Path
    clock: Clock = attrs.field(factory=SystemClock)
    kept: ExitStack = attrs.field(factory=ExitStack)

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run the doctor as the command line does; return its exit code, output and complaints."""
        out, err = io.StringIO(), io.StringIO()
        parser = argparse.ArgumentParser()
        add_doctor_arguments(parser)
        parsed = parser.parse_args(arguments)
        code = await run_doctor(parsed, self.environ, clock=self.clock, out=out, err=err)
        return code, out.getvalue(), err.getvalue()

    async def examine(self, *arguments: str) -> Examined:
        """Run the doctor for a program."""
        code, out, err = await self.run("--json", *arguments)
        return Examined(code, json.loads(out), err)

    async def examine_with_patience(self, *arguments: str) -> Examined:
        """Run the doctor for a program; again, twice at most, where an answer came after its 5 s.

        For installations whose faults are no slow answers: there it tells of a busy machine alone.
        """
        for _ in range(2):
            examined = await self.examine(*arguments)
            if not examined.late:
                return examined
        return await self.examine(*arguments)

    @property
    def desk(self) -> Desk:
        """The ERP's own administrator."""
        return Desk(self.sim.world)

    def switch(self, **switches: Any) -> None:
        """Turn switches of the simulated ERP."""
        self.sim.world.switches = attrs.evolve(self.sim.world.switches, **switches)

    def connect_reports(self) -> None:
        """Configure the simulated report gateway."""
        assert self.sim.report_gateway is not None
        self.environ |= {
            "APIGATEWAY_URL": self.sim.report_gateway.url,
            "APIGATEWAY_COMPANY_DB": "SBO_DEMO",
            "APIGATEWAY_USER": "manager",
            "APIGATEWAY_PASSWORD": "erpsim",
        }

    async def register(self, report: RegisteredReport) -> None:
        """Put a report into the registry."""
        async with open_database(self.store) as database:
            await ReportStore(database).save(report, at=SystemClock().now(), by="ana")

    async def grant(self, user: str, place: StorePlace | None = None) -> None:
        """Make somebody an administrator; in the store of this place where one is given."""
        clock = ManualClock(SystemClock().now())
        async with (
            open_database(place or self.store) as database,
            open_recorder(AuditStore(database), clock) as recorder,
        ):
            permissions = PermissionService(database, recorder, clock)
            await permissions.reload()
            await permissions.grant_administrators([user])
