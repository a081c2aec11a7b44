"""Each point of docs/security.md and docs/reliability.md has tests that exist and run by default."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from tools.packages import ROOT, package_folders

PAGES = {"security": 43, "reliability": 27}
PROMISES = tomllib.loads((ROOT / "tools/promises.toml").read_text("utf-8"))
ROW = re.compile(r"^\| (\d+) \| ", re.MULTILINE)
FOLDERS = {
    **{Path(folder).name: ROOT / folder / "tests" for folder in package_folders()},
    "tests-e2e": ROOT / "tests-e2e",
    "tools": ROOT / "tools/tests",
    "soak": ROOT / "soak/tests",
}


def points(page: str) -> list[int]:
    """Return the numbers of a page's rows."""
    return [int(number) for number in ROW.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))]


@cache
def runs_in(file: str) -> dict[str, bool]:
    """Return the tests of a file, each with whether it runs by default."""
    package, _, rest = file.partition("/")
    tree = ast.parse((FOLDERS[package] / rest).read_text("utf-8"))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        node.name: "pytest.mark.proof" not in {ast.unparse(each) for each in node.decorator_list}
        for node in tests
    }


@pytest.mark.parametrize(("page", "count"), PAGES.items())
def test_every_point_has_a_test_that_runs(page: str, count: int) -> None:
    assert points(page) == list(range(1, count + 1))
    named = {int(number): [test.split("::") for test in tests] for number, tests in PROMISES[page].items()}
    assert list(named) == points(page)
    missing = [
        f"{file}::{name}" for tests in named.values() for file, name in tests if name not in runs_in(file)
    ]
    assert missing == []
    assert [n for n, tests in named.items() if not any(runs_in(file)[name] for file, name in tests)] == []
