"""Run ruff, its formatter, the import contracts and tools/tests; failures are printed last.

Run as: python -m tools.run_lint
"""

import subprocess
import sys
from pathlib import Path

from tools.packages import ROOT

PROGRAMS = Path(sys.executable).parent
CHECKS = {
    "ruff check": (str(PROGRAMS / "ruff"), "check", "."),
    "ruff format": (str(PROGRAMS / "ruff"), "format", "--check", "."),
    "import contracts": (str(PROGRAMS / "lint-imports"),),
    "generated documentation": (sys.executable, "-m", "tools.docs", "--check"),
    "structure": (sys.executable, "-m", "pytest", "tools/tests", "-n", "3"),
}


def main() -> int:
    """Run all; print a line for each, then the output of the failed ones."""
    failed: dict[str, str] = {}
    for name, command in CHECKS.items():
        done = subprocess.run(
            command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        print(f"{'FAIL' if done.returncode else 'ok  '} {name}", flush=True)
        if done.returncode:
            failed[name] = done.stdout
    for name, said in failed.items():
        print(f"\n== {name}\n{said.rstrip()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
