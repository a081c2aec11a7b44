"""Each package declares what it imports and does not rely on another package's dependencies."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

import pytest
from tools.packages import ROOT, package_folders

OF_TESTS = {"libs/servicekit": {"testing"}}
"""Modules that only tests import: what they import is in requirements/dev.in."""


def distribution(requirement: str) -> str:
    """Return the name of what a requirement asks for, in its one spelling."""
    return re.sub("[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


def imported(folder: str) -> Iterator[str]:
    """Yield the top-level name of each import in a package's sources."""
    for file in (ROOT / folder / "src").rglob("*.py"):
        if file.stem in OF_TESTS.get(folder, ()) or OF_TESTS.get(folder, set()) & set(file.parent.parts):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


@pytest.mark.parametrize("folder", package_folders())
def test_a_package_declares_its_imported_dependencies(folder: str) -> None:
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {}).values()
    lines = [*project.get("dependencies", ()), *(line for extra in extras for line in extra)]
    declared = {distribution(line) for line in lines} | {project["name"]}
    distributions = packages_distributions()
    needed = {
        name: {distribution(each) for each in distributions.get(name, [name])}
        for name in set(imported(folder)) - set(sys.stdlib_module_names)
    }
    assert {name: own for name, own in needed.items() if declared.isdisjoint(own)} == {}
