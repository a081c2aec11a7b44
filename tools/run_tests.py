"""Run the tests of all packages: the fast ones for a change, or everything before a merge.

Run as: python -m tools.run_tests [--all | --proof | --failed] [--seed N] [PACKAGE...]

Without an option the unit and API tests run, in minutes. `--all` adds tests marked `check` (processes, the
second engine of the store, slow ones), measures branch coverage, and checks it against its minimum if every
package ran. `--proof` runs larger counts (marker `proof`), `--failed` the tests that failed in the last run.
Ctrl-C ends a run and prints the failures so far.
"""

import argparse
import os
import random
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stack.processes import leave_on_signals

from tools.packages import ROOT, package_folders

IN_PARALLEL: Final = ("-n", str((os.cpu_count() or 1) + 2), "--dist", "worksteal")
"""Two workers more than cores, because tests wait. An idle worker takes tests from others."""

DAILY: Final = "not proof and not check"
"""Marker expression of the fast tests."""

FAILED = ROOT / "build/failed-tests.txt"
"""File with the tests that failed in the last run, one per line; conftest.py writes it during the run."""

NO_TESTS_COLLECTED = 5
TIMED_OUT = 124
TIMEOUT_S = 3600
"""Timeout of a run that hangs outside of any test, where no test's own timeout applies."""

PROOF_TIMEOUT_S = 4 * 3600
END_TIMEOUT_S = 45
"""Seconds for an aborted run to end the processes of its tests."""


@dataclass(frozen=True)
class Floor:
    """Minimum branch coverage, in percent, of the files that match a pattern (all if it is empty)."""

    percent: int
    files: str = ""

    @property
    def arguments(self) -> list[str]:
        """Arguments of `coverage report`."""
        return [f"--fail-under={self.percent}", *([f"--include={self.files}"] if self.files else [])]


FLOORS = (
    Floor(100, "*/erpclient/*"),
    Floor(99, "*/erpdoctor/conformance/*,*/erpdoctor/inspection/*"),
    Floor(
        100, "*/policy.py,*/patterns.py,*/employee_choice.py,*/tax_documents/selection.py,*/start_checks.py"
    ),
    Floor(
        100, "*/supplier_returns/pasting/*,*/supplier_returns/*/rules/*,*/supplier_returns/planning/model/*"
    ),
    Floor(95, "*/supplier_returns/planning/*"),
    Floor(90),
)


def command_of(tests: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Return the command that runs these tests."""
    # Failures are listed once, at the end of the whole run.
    pytest = ["-m", "pytest", "-rs", *tests, *IN_PARALLEL, f"--randomly-seed={options.seed}"]
    if options.proof:
        return [sys.executable, *pytest, "-m", "proof", "--timeout=3600"]
    if options.all:
        return [sys.executable, "-m", "coverage", "run", *pytest]
    if options.failed:
        return [sys.executable, *pytest]
    return [sys.executable, *pytest, "-m", DAILY]


def run_for(timeout_s: float, command: list[str]) -> int:
    """Run a command with a timeout; return its exit code, 124 if it hung."""
    with subprocess.Popen(command, cwd=ROOT, env=environment(), start_new_session=True) as process:
        try:
            return process.wait(timeout_s)
        except BaseException as error:  # Ctrl-C too: the children have a session of their own
            failed = failed_tests()
            end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                print(f"ended after {timeout_s} s", file=sys.stderr)
                return TIMED_OUT
            keep_failed(failed)  # not those that were interrupted
            raise


def end(process: subprocess.Popen[bytes]) -> None:
    """End a run like Ctrl-C, so that its tests end their processes. Then kill the rest."""
    try:
        os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_TIMEOUT_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def environment() -> dict[str, str]:
    """Return the environment with absolute paths, since the child processes run in other folders."""
    return {**os.environ, "COVERAGE_FILE": str(ROOT / ".coverage"), "FAILED_TESTS_FILE": str(FAILED)}


def coverage(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command of `coverage`; return its exit code and output."""
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(
        command, cwd=ROOT, check=False, env=environment(), stdout=subprocess.PIPE, text=True
    )


def reaches_floors() -> bool:
    """Combine the coverage of all runs, print what is below its minimum; return whether all is above."""
    coverage("combine", "--quiet")
    reached = True
    for floor in FLOORS:
        report = coverage("report", *floor.arguments)
        if report.returncode != 0:
            reached = False
            print(f"\n== branch coverage of {floor.files or 'everything'}, at least {floor.percent} %")
            print(report.stdout, flush=True)
    return reached


def failed_tests() -> list[str]:
    """Return the tests that failed in the last run, in that order."""
    # A test is listed twice if its teardown failed too.
    return list(dict.fromkeys(FAILED.read_text("utf-8").splitlines())) if FAILED.is_file() else []


def keep_failed(tests: Sequence[str]) -> None:
    """Store the failed tests."""
    FAILED.parent.mkdir(exist_ok=True)
    FAILED.write_text("".join(f"{each}\n" for each in tests), "utf-8")


def tell_failed() -> None:
    """Print the failed tests and the command to run them again."""
    if not (failed := failed_tests()):
        return
    python = Path(sys.executable)
    shown = str(python.relative_to(ROOT) if python.is_relative_to(ROOT) else python)
    print(f"{len(failed)} failed:", *failed, sep="\n  ")
    print(f"again: {shlex.join([shown, '-m', 'tools.run_tests', '--failed'])}")


def main() -> int:
    """Read the arguments and run."""
    known = package_folders()
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=", ".join(known))
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="also those of the marker `check`, and coverage")
    which.add_argument("--proof", action="store_true", help="the larger counts")
    which.add_argument("--failed", action="store_true", help="what failed in the last run")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    packages: list[str] = options.packages or known
    if unknown := set(packages) - set(known):
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    tests = failed_tests() if options.failed else [f"{name}/tests" for name in packages]
    leave_on_signals()
    keep_failed([])
    result = "as far as it failed before" if options.failed else ", ".join(packages)
    print(f"{result} (seed {options.seed})", flush=True)
    if options.all:
        coverage("erase")
    try:
        code = run_for(PROOF_TIMEOUT_S if options.proof else TIMEOUT_S, command_of(tests, options))
        if options.proof and code == NO_TESTS_COLLECTED:
            code = 0
        reached = not options.all or set(packages) != set(known) or reaches_floors()
    except (KeyboardInterrupt, SystemExit) as stopped:
        print("\nstopped")
        tell_failed()
        return 128 + signal.SIGINT if isinstance(stopped, KeyboardInterrupt) else int(stopped.code or 1)
    print(f"{'ok  ' if code == 0 else 'FAIL'} tests")
    if options.all:
        print(f"{'ok  ' if reached else 'FAIL'} coverage")
    tell_failed()
    return 0 if code == 0 and reached else 1


if __name__ == "__main__":
    sys.exit(main())
