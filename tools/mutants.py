"""Mutate critical modules and report changes that no test detects.

Run as: python -m tools.mutants [--jobs N] [MODULE...] (a MODULE is, for example, erpclient.session)

`[tool.mutmut]` in a package's `pyproject.toml` lists its critical modules and their fast tests. The mutated
copies are in its folder `mutants/`. It fails if an undetected change is not listed in `tools/mutants.toml`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.packages import ROOT, package_folders

KNOWN = ROOT / "tools/mutants.toml"
"""Changes that no test notices, each with its reason."""

NOTICED = {1: "tests", 3: "tests", 37: "types", 36: "time", -24: "time", 24: "time", 152: "time", 255: "time"}
"""Exit codes of pytest or mutmut for a detected mutant."""


@dataclass(frozen=True)
class Mutant:
    """One small change.

    Attributes:
        package: The folder of its package.
        name: In mutmut.
        code: Result code in mutmut.
    """

    package: str
    name: str
    code: int | None

    @property
    def module(self) -> str:
        """The module that was changed."""
        return self.name.rpartition(".")[0]

    def change(self) -> list[str]:
        """Return the removed and added lines, as in a diff."""
        shown = mutmut(self.package, "show", self.name, capture=True)
        lines = [" ".join(line.split()) for line in shown.splitlines()]
        return [line for line in lines if line[:1] in ("-", "+") and line[:3] not in ("---", "+++")]


def mutmut(package: str, *arguments: str, capture: bool = False) -> str:
    """Run mutmut in a package's folder; return its output if it is captured."""
    programs = Path(sys.executable).parent  # mypy's, too
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "MYPYPATH": "src"}
    output = subprocess.PIPE if capture else None
    command = [str(programs / "mutmut"), *arguments]
    done = subprocess.run(command, cwd=ROOT / package, env=environment, check=True, text=True, stdout=output)
    return done.stdout or ""


def delicate() -> Iterator[tuple[str, str]]:
    """Yield each delicate module with the folder of its package."""
    for package in package_folders():
        with (ROOT / package / "pyproject.toml").open("rb") as project:
            settings = tomllib.load(project).get("tool", {}).get("mutmut", {})
        for file in settings.get("only_mutate", ()):
            yield package, file.removeprefix("src/").removesuffix(".py").replace("/", ".")


def found(package: str, modules: list[str]) -> Iterator[Mutant]:
    """Yield the results of the last run for some modules of a package."""
    for module in modules:
        kept = ROOT / package / "mutants/src" / f"{module.replace('.', '/')}.py.meta"
        for name, code in json.loads(kept.read_text("utf-8"))["exit_code_by_key"].items():
            yield Mutant(package, name, code)


def run(package: str, modules: list[str], jobs: int) -> list[Mutant]:
    """Run every mutant of some modules of a package; return them."""
    shutil.rmtree(ROOT / package / "mutants", ignore_errors=True)
    mutmut(package, "run", "--max-children", str(jobs), *(f"{module}.x*" for module in modules))
    return list(found(package, modules))


def row(module: str, mutants: list[Mutant]) -> str:
    """Return the module's line of the printed table."""
    noticed = sum(each.code in NOTICED for each in mutants)
    of_types = sum(NOTICED.get(each.code or 0) == "types" for each in mutants)
    share = 100 * noticed / len(mutants)
    return f"| `{module}` | {len(mutants)} | {noticed} | {of_types} | {share:.1f} % |"


def known_lines() -> set[str]:
    """Return all lines of the explained changes."""
    known = tomllib.loads(KNOWN.read_text("utf-8"))["mutant"]
    return {line for each in known for line in each["lines"]}


def is_explained(change: list[str], known: set[str]) -> bool:
    """Return True if each line of a change is explained."""
    return known.issuperset(change)


def unexplained(mutants: list[Mutant]) -> list[str]:
    """Return the undetected changes that are not explained."""
    known = known_lines()
    survivors = [(each, each.change()) for each in mutants if each.code not in NOTICED]
    return [
        "\n    ".join([f"{each.name} ({each.code})", *change])
        for each, change in survivors
        if not is_explained(change, known)
    ]


def main() -> int:
    """Parse the arguments and run; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = {module: package for package, module in delicate()}
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=", ".join(known))
    parser.add_argument("--jobs", type=int, default=1, help="how many to try at a time")
    options = parser.parse_args()
    modules = options.modules or list(known)
    if strangers := set(modules) - set(known):
        parser.error(f"not among the delicate modules: {', '.join(sorted(strangers))}")
    rows, left = [], []
    for package in sorted({known[module] for module in modules}):
        mutants = run(package, [module for module in modules if known[module] == package], options.jobs)
        changed = dict.fromkeys(each.module for each in mutants)
        rows += [row(module, [each for each in mutants if each.module == module]) for module in changed]
        left += unexplained(mutants)
    print(*rows, sep="\n")
    if left:
        print(f"\n{len(left)} that no test notices and {KNOWN.name} does not explain:", *left, sep="\n  ")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
