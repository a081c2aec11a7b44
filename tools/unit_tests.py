"""Find unit tests that do not use the module they are named after.

Run as: python -m tools.unit_tests

`test_client_calls.py` is named after `client.py`, or after `client_calls.py` if that exists. A test uses its
module in one of these cases:

- It imports the module, or a name of the module that a package re-exports. Its doubles and fixtures count,
too. - It imports an entry point that imports the module, as the tests of commands do. - It talks to a running
server of its package, and a chain of imports leads from its fixtures to the module.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from tools.packages import ROOT

UNIT_TESTS: Mapping[str, str] = {
    "libs/erpclient/tests/unit": "libs/erpclient/src/erpclient",
    "libs/erpdoctor/tests": "libs/erpdoctor/src/erpdoctor",
    "libs/erpsim/tests": "libs/erpsim/src/erpsim",
    "libs/servicekit/tests": "libs/servicekit/src/servicekit",
    "services/erp-gateway/tests/unit": "services/erp-gateway/src/erp_gateway",
    "services/supplier-returns/tests/unit": "services/supplier-returns/src/supplier_returns",
}
"""Folders of tests that mirror the code, and that code."""

THROUGH_SOCKETS = ("libs/erpsim/tests", "libs/servicekit/tests/server")
"""Folders whose tests talk to a running server; any chain of imports counts there."""


def subjects(room: Path) -> Iterator[Path]:
    """Yield the modules and subpackages of a package."""
    yield from room.glob("[!_]*.py")
    yield from (each for each in room.glob("[!_]*") if each.is_dir())


def subject_of(test: Path, room: Path) -> Path | None:
    """Return the module or package that a test is named after: the one with the longest matching name."""
    name = test.stem.removeprefix("test_")
    named = [each for each in subjects(room) if name == each.stem or name.startswith(f"{each.stem}_")]
    return max(named, key=lambda each: len(each.stem), default=None)


def misnamed(tests: str, source: str, root: Path = ROOT) -> list[str]:
    """Return the tests of a folder that do not use the module they are named after, with its name."""
    found = []
    code = Code(sorted(root.glob("*/*/src")))
    for test in sorted((root / tests).rglob("test_*.py")):
        subject = subject_of(test, root / source / test.parent.relative_to(root / tests))
        if subject is None or not list(subject.glob("**/*.py") if subject.is_dir() else [subject]):
            continue
        name = ".".join(subject.relative_to((root / source).parent).with_suffix("").parts)
        if not code.uses(
            test, name, by_any_chain=any(root / each in test.parents for each in THROUGH_SOCKETS)
        ):
            found.append(f"{test.relative_to(root).as_posix()} does not use {name}")
    return found


class Code:
    """The import graph of the code under some `src` folders, read from its text."""

    def __init__(self, sources: Iterable[Path]) -> None:
        self._paths = {
            ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
            for source in sources
            for path in source.rglob("*.py")
        }
        self._taken: dict[Path, frozenset[str]] = {}

    def uses(self, test: Path, subject: str, *, by_any_chain: bool) -> bool:
        """Return whether a test uses a module, or a module of a package."""
        own = self.imports(test)
        helped = own.union(*map(self.imports, helpers(test)))
        if has(helped, subject) or has(self._after(own), subject):
            return True
        return by_any_chain and has(self._reach(helped), subject)

    def imports(self, path: Path) -> frozenset[str]:
        """Return our own modules that a file imports, including those behind re-exported names."""
        if path not in self._taken:
            found = {self._module(name) for name in imported_names(path)}
            passed_on = {
                self._module(each) for name in imported_names(path) for each in self._passed_on(name)
            }
            self._taken[path] = frozenset(found | passed_on) - {""}
        return self._taken[path]

    def _module(self, name: str) -> str:
        """Return the module that a dotted name belongs to."""
        while name and name not in self._paths:
            name = name.rpartition(".")[0]
        return name

    def _passed_on(self, name: str) -> Iterator[str]:
        """Yield the module from which a package's `__init__` re-exports a name."""
        room, _, taken = name.rpartition(".")
        path = self._paths.get(room)
        if path is not None and path.stem == "__init__":
            yield from (each for each in imported_names(path) if each.rpartition(".")[2] == taken)

    def _after(self, modules: Iterable[str]) -> set[str]:
        return {each for module in modules for each in self.imports(self._paths[module])}

    def _reach(self, modules: Iterable[str]) -> set[str]:
        found: set[str] = set()
        new = set(modules)
        while new:
            found |= new
            new = self._after(new) - found
        return found


def has(modules: Iterable[str], subject: str) -> bool:
    """Return whether a module, or one of a package, is among some modules."""
    return any(each == subject or each.startswith(f"{subject}.") for each in modules)


@cache
def imported_names(path: Path) -> frozenset[str]:
    """Return the dotted names that a file imports when it runs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.body
        for inner in ast.walk(each)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node not in for_types:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


def helpers(test: Path) -> set[Path]:
    """Return the doubles that a test imports, its `conftest.py` files, and the doubles that those import."""
    folders = [each for each in test.parents if "tests" in each.parts]
    found: set[Path] = set()
    waiting = [test, *(each / "conftest.py" for each in folders)]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        taken = {name.split(".")[0] for name in imported_names(path)}
        waiting += (folder / "doubles" / f"{name}.py" for folder in folders for name in taken)
    return found - {test}


def main() -> int:
    """Print the tests that do not use the module they are named after."""
    found = [line for tests, source in UNIT_TESTS.items() for line in misnamed(tests, source)]
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
