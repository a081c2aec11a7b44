"""Run mypy once per package, on sources and tests, and once on the tools at the root.

Run as: python -m tools.run_types [FOLDER...]

Packages are checked separately because their `tests/` folders have equal file names. Failures are printed
last.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tools.packages import ROOT, package_folders

BASES = ("src", "tests/doubles", "demo/extension")
"""Folders in a package or the root from which modules are imported by their bare names."""

AT_ROOT = (
    ("tools", "stack", "demo", "bench", "soak", "tests-e2e", "--exclude", "tests-e2e/browser/"),
    ("tests-e2e/browser",),  # has a conftest of its own
)


def check(folder: str, *target_lists: Sequence[str]) -> str:
    """Check lists of targets in a folder (relative to the root) one after another; return the errors."""
    wrong = ""
    for targets in target_lists:
        command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
        command += [
            "--cache-dir",
            str(ROOT / ".mypy_cache" / folder.replace("/", "-")),
            "--explicit-package-bases",
            *targets,
        ]
        environment = {**os.environ, "MYPYPATH": os.pathsep.join(BASES)}
        done = subprocess.run(
            command, cwd=ROOT / folder, check=False, env=environment, capture_output=True, text=True
        )
        name = f"mypy {folder}: {targets[0]}"
        print(f"{'FAIL' if done.returncode else 'ok  '} {name}", flush=True)
        if done.returncode:
            wrong += f"\n== {name}\n{done.stdout}{done.stderr}"
    return wrong


def main() -> int:
    """Check the requested folders, or everything; two packages at a time."""
    requested = sys.argv[1:]
    known = package_folders()
    if unknown := set(requested) - set(known):
        sys.exit(f"no such package: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    with ThreadPoolExecutor(2) as pool:
        checks = [
            pool.submit(check, package, ["src", "tests"])
            for package in reversed(known)
            if not requested or package in requested
        ]
        if not requested:
            checks.append(pool.submit(check, ".", *AT_ROOT))
    wrong = "".join(each.result() for each in checks)
    print(wrong, end="", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
