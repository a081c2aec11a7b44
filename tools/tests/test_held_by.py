"""Each point of docs/security.md and docs/reliability.md is held by tests that exist and run unasked."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from tools.packages import ROOT, package_folders

PAGES = {"security.md": 42, "reliability.md": 26}
ROW = re.compile(r"^\| (\d+) \| (?:[^|]+ \| ){2}([^|]+) \|$", re.MULTILINE)
FOLDERS = {
    **{Path(folder).name: ROOT / folder / "tests" for folder in package_folders()},
    "tests-e2e": ROOT / "tests-e2e",
    "tools": ROOT / "tools/tests",
    "soak": ROOT / "soak/tests",
}


def points(page: str) -> list[tuple[int, list[str]]]:
    """Return the numbers of a page's rows, each with the tests that it names."""
    rows = ROW.findall((ROOT / "docs" / page).read_text("utf-8"))
    return [(int(number), re.findall(r"`([^`]+)`", tests)) for number, tests in rows]


@cache
def runs_in(file: str) -> dict[str, bool]:
    """Return the tests of a file as the pages name it, each with whether it runs without being asked for."""
    package, _, rest = file.partition("/")
    tree = ast.parse((FOLDERS[package] / rest).read_text("utf-8"))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        node.name: "pytest.mark.proof" not in {ast.unparse(each) for each in node.decorator_list}
        for node in tests
    }


@pytest.mark.parametrize(("page", "count"), PAGES.items())
def test_every_point_has_a_test_that_runs(page: str, count: int) -> None:
    found = points(page)
    assert [number for number, _ in found] == list(range(1, count + 1))
    named = {number: [test.split("::") for test in tests] for number, tests in found}
    missing = [
        f"{file}::{name}" for tests in named.values() for file, name in tests if name not in runs_in(file)
    ]
    assert missing == []
    assert [n for n, tests in named.items() if not any(runs_in(file)[name] for file, name in tests)] == []
