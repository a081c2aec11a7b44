"""Write the documentation that follows from the code, or check that it is up to date.

Run as: python -m tools.docs [--check]

With --check nothing is written. Each file that differs is named, and the exit code is 1 if there is one.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.docs.part import Part, outdated
from tools.docs.parts import PARTS
from tools.packages import ROOT


def write(parts: Iterable[Part], root: Path) -> None:
    """Write each outdated file."""
    for file, content in outdated(parts, root).items():
        (root / file).write_text(content, encoding="utf-8")
        print(f"wrote {file}")


def check(parts: Iterable[Part], root: Path) -> int:
    """Name each outdated file; return the exit code."""
    files = outdated(parts, root)
    for file in files:
        print(f"{file} differs from the code", file=sys.stderr)
    if files:
        print("Run `make docs` and commit the result.", file=sys.stderr)
    return 1 if files else 0


def main() -> int:
    """Write or check; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    if parser.parse_args().check:
        return check(PARTS, ROOT)
    write(PARTS, ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
