"""Command line of a doctor: arguments, the run, and its output."""

import argparse
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TextIO

from erpdoctor.checks import Check
from erpdoctor.report import Report
from erpdoctor.running import UnknownGroupError, chosen, run_checks
from erpdoctor.table import ENGLISH, SPANISH, table_lines
from servicekit.clock import Clock

BAD_ARGUMENTS: Final = 2
_CLEAR: Final = "\r\x1b[K"


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that every doctor has."""
    parser.add_argument("--json", action="store_true", help="print one JSON object; it names no host or user")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="GROUP",
        help="look at this group and what it needs; may be given more than once",
    )
    parser.add_argument(
        "--save-certificate",
        metavar="FILE",
        help="only fetch the ERP's certificate into this file (-: standard output) and print its fingerprint",
    )


def add_origin_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the public address; `Origin.of` reads them."""
    parser.add_argument(
        "--origin",
        metavar="URL",
        help="the public address of this service: also check the certificate that browsers see",
    )
    parser.add_argument(
        "--origin-ca-file",
        type=Path,
        metavar="FILE",
        help="authorities trusted for that address besides the system's",
    )


async def run_and_print(
    checks: Sequence[Check],
    arguments: argparse.Namespace,
    *,
    service: str,
    only: Collection[str],
    clock: Clock,
    out: TextIO,
    err: TextIO,
    english: bool = False,
) -> int:
    """Run the checks of some groups, print the report and return the exit code.

    Args:
        checks: all checks.
        arguments: as `add_run_arguments` declares them.
        service: name of the distribution whose doctor it is.
        only: names of groups; empty for all.
        clock: time.
        out: output of the result.
        err: output of progress and errors.
        english: whether table and progress are in English instead of Spanish. The JSON is always in Spanish.
    """
    try:
        selected = chosen(checks, only=only)
    except UnknownGroupError as error:
        err.write(f"error: {error}\n")
        return BAD_ARGUMENTS
    report = await examine(
        selected,
        service=service,
        version=metadata.version(service),
        clock=clock,
        progress=ProgressLine(err, len(selected), english=english),
    )
    print_report(report, as_json=arguments.json, out=out, english=english)
    return report.exit_code


async def examine(
    checks: Sequence[Check], *, service: str, version: str, clock: Clock, progress: "ProgressLine"
) -> Report:
    """Run checks and show the running one.

    Args:
        checks: as `chosen` returns them.
        service: the service.
        version: of the service.
        clock: time.
        progress: shows the progress.
    """
    started_at, started = clock.now(), clock.monotonic()
    try:
        results = await run_checks(checks, clock=clock, on_start=progress.start)
    finally:
        progress.end()
    return Report(
        service=service,
        version=version,
        started_at=started_at,
        duration_s=clock.monotonic() - started,
        results=results,
    )


def print_report(report: Report, *, as_json: bool, out: TextIO, english: bool = False) -> None:
    """Print a run as JSON or as a table for people."""
    lines = table_lines(report, ENGLISH if english else SPANISH)
    print_run(report.as_json(), lines, as_json=as_json, out=out)


def print_run(result_json: Mapping[str, Any], lines: Iterable[str], *, as_json: bool, out: TextIO) -> None:
    """Print a run as JSON or as lines for people."""
    if as_json:
        out.write(f"{json.dumps(result_json, ensure_ascii=False, indent=1)}\n")
    else:
        out.writelines(f"{line}\n" for line in lines)
    out.flush()


class ProgressLine:
    """Progress of a run: one rewritten line on a terminal, else one line per check.

    Args:
        out: its output, separate from the table or the JSON.
        total: number of checks.
        english: whether to leave out the titles, which are Spanish.
    """

    def __init__(self, out: TextIO, total: int, *, english: bool = False) -> None:
        self._out = out
        self._total = total
        self._english = english
        self._rewrites = out.isatty()

    def start(self, at: int, check: Check) -> None:
        """Show that a check starts; called by `run_checks`."""
        name = check.name if self._english else f"{check.name} · {check.title}"
        line = f"[{at + 1}/{self._total}] {name}"
        self._out.write(f"{_CLEAR}{line}" if self._rewrites else f"{line}\n")
        self._out.flush()

    def end(self) -> None:
        """Clear the line."""
        if self._rewrites:
            self._out.write(_CLEAR)
            self._out.flush()
