"""Run mypy once per package, over its sources and its tests, and once over the tools at the root.

Run as: python -m tools.run_types [FOLDER...]

Once per package for the same reason as the tests: equal file names in several `tests/` folders.
"""

import os
import subprocess
import sys

from tools.packages import ROOT, package_folders

BASES = ("src", "tests/doubles", "demo/extension")
"""Folders, inside a package or the root, from which modules are imported by their bare names."""

AT_ROOT = (
    ("tools", "demo", "bench", "tests-e2e", "--exclude", "tests-e2e/browser/"),
    ("tests-e2e/browser",),  # has a conftest of its own
)


def check(folder: str, targets: list[str]) -> int:
    """Check the targets inside `folder` (relative to the root); return mypy's exit code."""
    print(f"== mypy {folder}: {' '.join(targets)}", flush=True)
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += [
        "--cache-dir",
        str(ROOT / ".mypy_cache" / folder.replace("/", "-")),
        "--explicit-package-bases",
        *targets,
    ]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(BASES)}
    return subprocess.run(command, cwd=ROOT / folder, check=False, env=environment).returncode


def main() -> int:
    """Check what was asked for, or everything."""
    asked = sys.argv[1:]
    codes = [
        check(package, ["src", "tests"]) for package in package_folders() if not asked or package in asked
    ]
    if not asked:
        codes += [check(".", list(targets)) for targets in AT_ROOT]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
