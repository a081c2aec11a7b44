"""Run pytest once per package, measure branch coverage over all of them, and hold it to its floors.

Run as: python -m tools.run_tests [--proof] [--failed] [--seed N] [PACKAGE...]

Once per package, because equal file names in several `tests/` folders would clash in one run. Coverage
is judged when every package ran, and shown where it is below a floor. `--proof` runs the larger
counts (marker `proof`) without coverage, `--failed` what failed in the last run. Ctrl-C ends a run with what
failed so far.
"""

import argparse
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools.packages import ROOT, package_folders
from tools.stack.processes import leave_on_signals

IN_PARALLEL = ("-n", str((os.cpu_count() or 1) + 2))
"""Two workers more than there are cores, for tests that wait.

With one more, two cores were idle for a sixth of the gateway's run (483 s and more; 432 with two more).
"""

EXPECTED_S: Mapping[str, float] = {
    "libs/erpclient": 115,
    "libs/erpsim": 108,
    "libs/servicekit": 54,
    "services/erp-gateway": 649,
    "services/supplier-returns": 236,
}
"""How long each package took on a fresh Debian 12, two cores that others used too: said before a run."""

FAILED = ROOT / "build/failed-tests.txt"
"""The tests that failed in the last run, each on a line of its own; conftest.py writes them as they fail."""

NO_TESTS_COLLECTED = 5
TIMED_OUT = 124
PACKAGE_TIMEOUT_S = 1800
"""A run that hangs outside of any test, where no test's own timeout reaches, is ended after this.

Five times what the longest takes on two quiet cores, for machines that are slow or busy.
"""

PROOF_TIMEOUT_S = 3600
END_TIMEOUT_S = 45
"""How long a run that is ended may take to end what its tests have started."""


@dataclass(frozen=True)
class Floor:
    """Least branch coverage, in percent, of the files that a pattern matches (all when it is empty)."""

    percent: int
    files: str = ""

    @property
    def arguments(self) -> list[str]:
        """Arguments of `coverage report`."""
        return [f"--fail-under={self.percent}", *([f"--include={self.files}"] if self.files else [])]


FLOORS = (
    Floor(100, "*/erpclient/*"),
    Floor(100, "*/policy.py,*/patterns.py"),
    Floor(100, "*/supplier_returns/pasting/*,*/supplier_returns/*/rules/*"),
    Floor(95, "*/supplier_returns/planning/*"),
    Floor(90),
)


def run_package(tests: Sequence[str], *, proof: bool, measured: bool, seed: int) -> int:
    """Run one package's tests; return pytest's exit code, 0 where a proof run finds none to run."""
    pytest = ["-m", "pytest", *tests, *IN_PARALLEL, f"--randomly-seed={seed}"]
    if proof:
        command = [sys.executable, *pytest, "-m", "proof", f"--timeout={PROOF_TIMEOUT_S}"]
    elif measured:
        command = [sys.executable, "-m", "coverage", "run", *pytest]
    else:
        command = [sys.executable, *pytest]
    code = run_for(PROOF_TIMEOUT_S if proof else PACKAGE_TIMEOUT_S, command)
    return 0 if proof and code == NO_TESTS_COLLECTED else code


def run_for(timeout_s: float, command: list[str]) -> int:
    """Run a command and what it starts, for so long at most; return its exit code, 124 if it hung."""
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
    """End a run as Ctrl-C does, so that its tests end what they have started; kill what is left then."""
    try:
        os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_TIMEOUT_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def environment() -> dict[str, str]:
    """Return the environment with absolute files, for children that run in other folders."""
    return {**os.environ, "COVERAGE_FILE": str(ROOT / ".coverage"), "FAILED_TESTS_FILE": str(FAILED)}


def coverage(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command of `coverage`; return its exit code and what it told."""
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(
        command, cwd=ROOT, check=False, env=environment(), stdout=subprocess.PIPE, text=True
    )


def reaches_floors() -> bool:
    """Combine the coverage of all runs and print where it is below a floor; return whether it is nowhere."""
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
    """Return the tests that failed in the last run, in the order in which they did."""
    # Twice where its teardown failed, too.
    return list(dict.fromkeys(FAILED.read_text("utf-8").splitlines())) if FAILED.is_file() else []


def keep_failed(tests: Sequence[str]) -> None:
    """Keep which tests failed."""
    FAILED.parent.mkdir(exist_ok=True)
    FAILED.write_text("".join(f"{each}\n" for each in tests), "utf-8")


def tell_failed() -> None:
    """Print which tests failed and how to run them again."""
    if not (failed := failed_tests()):
        return
    python = Path(sys.executable)
    shown = str(python.relative_to(ROOT) if python.is_relative_to(ROOT) else python)
    print(f"{len(failed)} failed:", *failed, sep="\n  ")
    print(f"again: {shlex.join([shown, '-m', 'tools.run_tests', '--failed'])}")


def run_all(tests: Mapping[str, Sequence[str]], options: argparse.Namespace) -> dict[str, bool]:
    """Run each package's tests, one package after the other; return which of them passed.

    Raises:
        KeyboardInterrupt: at Ctrl-C, or
        SystemExit: at another signal, with what passed so far lost.
    """
    passed = {}
    for number, (name, chosen) in enumerate(tests.items(), 1):
        expected = "" if options.failed or options.proof else expected_time([name])
        print(f"\n== package {number} of {len(tests)}: {name}{expected} (seed {options.seed})", flush=True)
        started = time.monotonic()
        try:
            code = run_package(chosen, proof=options.proof, measured=not options.failed, seed=options.seed)
        except BaseException:
            print(f"\nstopped in {name}")
            raise
        print(f"== {name}: exit {code} after {time.monotonic() - started:.0f} s", flush=True)
        passed[name] = code == 0
    return passed


def expected_time(packages: Sequence[str]) -> str:
    """Say how long packages take, where that is known of each."""
    if not all(name in EXPECTED_S for name in packages):
        return ""
    minutes = max(1, round(sum(EXPECTED_S[name] for name in packages) / 60))
    return f", about {minutes} min on two cores"


def main() -> int:
    """Read the arguments and run."""
    known = package_folders()
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=", ".join(known))
    parser.add_argument("--proof", action="store_true")
    parser.add_argument("--failed", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    packages: list[str] = options.packages or known
    if unknown := set(packages) - set(known):
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    tests: dict[str, list[str]] = {name: [f"{name}/tests"] for name in packages}
    if options.failed:
        again = failed_tests()
        tests = {name: [each for each in again if each.startswith(f"{name}/")] for name in packages}
        tests = {name: chosen for name, chosen in tests.items() if chosen}
    measured = not (options.proof or options.failed)
    leave_on_signals()
    keep_failed([])
    print(f"{len(tests)} packages{expected_time(packages) if measured else ''}", flush=True)
    if measured:
        coverage("erase")
    try:
        passed = run_all(tests, options)
        if measured and set(packages) == set(known):
            passed["coverage"] = reaches_floors()
    except (KeyboardInterrupt, SystemExit) as stopped:
        tell_failed()
        return 128 + signal.SIGINT if isinstance(stopped, KeyboardInterrupt) else int(stopped.code or 1)
    for subject, good in passed.items():
        print(f"{'ok  ' if good else 'FAIL'} {subject}")
    tell_failed()
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
