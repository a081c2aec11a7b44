"""Simulated ERP, the configuration of an installation, and its doctor."""

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
    """Result of one run: exit code, JSON, and other terminal output."""

    code: int
    report: dict[str, Any]

    def found(self, *outcomes: str) -> dict[str, str | None]:
        """Return the cause of each check with this result, by name."""
        return {each["name"]: each["cause"] for each in self.report["checks"] if each["outcome"] in outcomes}

    @property
    def late(self) -> bool:
        """Return whether a check ended because of a timeout."""
        return "no_answer_in_time" in self.found("fail").values()

    def needing(self, name: str) -> set[str]:
        """Return the checks that were skipped because of a failed one, directly or indirectly."""
        unmet = {name}
        for each in self.report["checks"]:
            if each["cause"] == "depends_on" and unmet & set(each["figures"]["on"]):
                unmet.add(each["name"])
        return unmet - {name}


@attrs.define
class Installation:
    """Simulated ERP and the configuration of an installation."""

    sim: Simulator
    environ: dict[str, str]
    folder: Path
    password: str = "erpsim"

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run the doctor like the command line. Return exit code, output and standard error."""
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
        """Run the doctor for a program that reads JSON."""
        code, out, _ = await self.run("--json", *arguments)
        return Examined(code, json.loads(out))

    async def examine_with_patience(self, *arguments: str) -> Examined:
        """Run the doctor for a program, and up to twice again after a timeout of 5 s.

        Use it for installations without slow replies, where a timeout only means a busy machine.
        """
        for _ in range(2):
            examined = await self.examine(*arguments)
            if not examined.late:
                return examined
        return await self.examine(*arguments)
