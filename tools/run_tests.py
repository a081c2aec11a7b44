"""Run pytest once per package, measure branch coverage over all of them, and hold it to its floors.

Run as: python -m tools.run_tests [--proof] [--seed N] [PACKAGE...]

Once per package, because equal file names in several `tests/` folders would clash in one run. Coverage
is judged when every package ran; a run of some packages only prints it. `--proof` runs the larger
counts (marker `proof`) without coverage.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from tools.packages import ROOT, package_folders

IN_PARALLEL = ("-n", str((os.cpu_count() or 1) + 2))
"""Two workers more than there are cores, for tests that wait.

With one more, two cores were idle for a sixth of the gateway's run (483 s and more; 432 with two more).
"""

NO_TESTS_COLLECTED = 5
TIMED_OUT = 124
PACKAGE_TIMEOUT_S = 1800
"""A run that hangs outside of any test, where no test's own timeout reaches, is ended after this.

Five times what the longest takes on two quiet cores, for machines that are slow or busy.
"""

PROOF_TIMEOUT_S = 3600


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


def run_package(package: str, *, proof: bool, seed: int) -> int:
    """Run one package's tests; return pytest's exit code, 0 where a proof run finds none to run."""
    pytest = ["-m", "pytest", f"{package}/tests", *IN_PARALLEL, f"--randomly-seed={seed}"]
    if proof:
        command = [sys.executable, *pytest, "-m", "proof", f"--timeout={PROOF_TIMEOUT_S}"]
    else:
        command = [sys.executable, "-m", "coverage", "run", *pytest]
    print(f"\n== {package} ({'proof, ' if proof else ''}seed {seed})", flush=True)
    started = time.monotonic()
    code = run_for(PROOF_TIMEOUT_S if proof else PACKAGE_TIMEOUT_S, command)
    print(f"== {package}: exit {code} after {time.monotonic() - started:.0f} s", flush=True)
    return 0 if proof and code == NO_TESTS_COLLECTED else code


def run_for(timeout_s: float, command: list[str]) -> int:
    """Run a command and what it starts, for so long at most; return its exit code, 124 if it hung."""
    with subprocess.Popen(command, cwd=ROOT, env=coverage_environment(), start_new_session=True) as process:
        try:
            return process.wait(timeout_s)
        except BaseException as error:  # Ctrl-C too: the children have a session of their own
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                print(f"killed after {timeout_s} s", file=sys.stderr)
                return TIMED_OUT
            raise


def coverage_environment() -> dict[str, str]:
    """Return the environment with an absolute data file, for children that run in other folders."""
    return {**os.environ, "COVERAGE_FILE": str(ROOT / ".coverage")}


def coverage(*arguments: str) -> int:
    """Run one command of `coverage`; return its exit code."""
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, env=coverage_environment()).returncode


def judge_coverage(*, enforce: bool) -> bool:
    """Combine and print the coverage of all runs; return whether the floors are reached or do not count."""
    coverage("combine", "--quiet")
    if not enforce:
        coverage("report")
        return True
    reached = []
    for floor in FLOORS:
        subject = floor.files or "everything"
        print(f"\n== branch coverage of {subject}, at least {floor.percent} %", flush=True)
        reached.append(coverage("report", *floor.arguments) == 0)
    return all(reached)


def main() -> int:
    """Read the arguments and run."""
    known = package_folders()
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=", ".join(known))
    parser.add_argument("--proof", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    packages: list[str] = options.packages or known
    if unknown := set(packages) - set(known):
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    if not options.proof:
        coverage("erase")
    passed = {name: run_package(name, proof=options.proof, seed=options.seed) == 0 for name in packages}
    if not options.proof:
        passed["coverage"] = judge_coverage(enforce=set(packages) == set(known))
    for subject, good in passed.items():
        print(f"{'ok  ' if good else 'FAIL'} {subject}")
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
