"""A simulated ERP with what is configured to talk to it, and the doctor of that installation."""

import argparse
import io
import json
from pathlib import Path
from typing import Any

import attrs

from erpsim.simulator import Simulator
from servicekit.clock import SystemClock
from supplier_returns.doctor.command import add_doctor_arguments, run_doctor

AS_MANAGER = ("--user", "manager")


@attrs.define
class Examined:
    """One run: its exit code, its JSON, what stood on the terminal besides."""

    code: int
    report: dict[str, Any]

    def found(self, *outcomes: str) -> dict[str, str | None]:
        """Return cause by name of the checks that ended so."""
        return {each["name"]: each["cause"] for each in self.report["checks"] if each["outcome"] in outcomes}

    @property
    def late(self) -> bool:
        """Whether a check ended because nothing answered in time."""
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
    """A simulated ERP with what is configured to talk to it."""

    sim: Simulator
    environ: dict[str, str]
    folder: Path
    password: str = "erpsim"

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run the doctor as the command line does; return its exit code, output and complaints."""
        out, err = io.StringIO(), io.StringIO()
        parser = argparse.ArgumentParser()
        add_doctor_arguments(parser)
        code = await run_doctor(
            parser.parse_args(arguments),
            self.environ,
            clock=SystemClock(),
            out=out,
            err=err,
            ask_secret=lambda _: self.password,
        )
        return code, out.getvalue(), err.getvalue()

    async def examine(self, *arguments: str) -> Examined:
        """Run the doctor for a program."""
        code, out, _ = await self.run("--json", *arguments)
        return Examined(code, json.loads(out))

    async def examine_with_patience(self, *arguments: str) -> Examined:
        """Run the doctor for a program; again, twice at most, where an answer came after its 5 s.

        For installations whose faults are no slow answers: there it tells of a busy machine alone.
        """
        for _ in range(2):
            examined = await self.examine(*arguments)
            if not examined.late:
                return examined
        return await self.examine(*arguments)
