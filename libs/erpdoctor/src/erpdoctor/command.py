"""The command line of a doctor: its arguments, a run, what is printed of it."""

import argparse
import json
from collections.abc import Collection, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final, TextIO

from erpdoctor.checks import Check
from erpdoctor.progress import ProgressLine
from erpdoctor.report import Report
from erpdoctor.running import UnknownGroupError, chosen, run_checks
from erpdoctor.table import table_lines
from servicekit.clock import Clock

BAD_ARGUMENTS: Final = 2


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
        "--record",
        type=Path,
        metavar="FILE",
        help="instead of looking for faults, write a new file that says what this ERP is like, without any "
        "value of the company, for `erpsim serve --like`",
    )


def add_origin_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments by which the origin is named; `AskedOrigin.of` reads them."""
    parser.add_argument(
        "--origin",
        metavar="URL",
        help="where people reach this service, with its path if it has one: also look at the proxy before it",
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
) -> int:
    """Run the checks of some groups, print what was found and return the exit code.

    Args:
        checks: all that there are.
        arguments: as `add_run_arguments` declares them.
        service: name of the distribution whose doctor it is.
        only: names of groups; empty for all.
        clock: time.
        out: where the result is printed.
        err: where progress and complaints are told.
    """
    try:
        wanted = chosen(checks, only=only)
    except UnknownGroupError as error:
        err.write(f"error: {error}\n")
        return BAD_ARGUMENTS
    report = await examine(
        wanted, service=service, version=metadata.version(service), clock=clock, progress=err
    )
    print_report(report, as_json=arguments.json, out=out)
    return report.exit_code


async def examine(
    checks: Sequence[Check], *, service: str, version: str, clock: Clock, progress: TextIO
) -> Report:
    """Run checks and tell on the way which one runs.

    Args:
        checks: as `chosen` returns them.
        service: whose doctor it is.
        version: of the service.
        clock: time.
        progress: where the progress is told.
    """
    line = ProgressLine(progress, len(checks))
    started_at, started = clock.now(), clock.monotonic()
    try:
        results = await run_checks(checks, clock=clock, begun=line.begun)
    finally:
        line.end()
    return Report(
        service=service,
        version=version,
        started_at=started_at,
        duration_s=clock.monotonic() - started,
        results=results,
    )


def print_report(report: Report, *, as_json: bool, out: TextIO) -> None:
    """Print a run as JSON or as a table for people."""
    if as_json:
        out.write(f"{json.dumps(report.as_json(), ensure_ascii=False, indent=1)}\n")
    else:
        out.writelines(f"{line}\n" for line in table_lines(report))
    out.flush()
