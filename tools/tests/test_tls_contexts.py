"""Every TLS context that the product makes says its least version itself: not every Python's default does."""

import ast
from collections.abc import Iterator

import pytest
from tools.packages import ROOT, package_folders

MAKERS = {"SSLContext", "create_default_context", "_create_unverified_context", "_create_stdlib_context"}


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield each call that makes a context."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            if called in MAKERS:
                yield node


def sets_the_least(function: ast.AST) -> bool:
    """Return whether a function sets TLS 1.2 as the least version of something."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and node.targets[0].attr == "minimum_version"
        and ast.unparse(node.value) == "ssl.TLSVersion.TLSv1_2"
        for node in ast.walk(function)
    )


@pytest.mark.parametrize("folder", package_folders())
def test_every_tls_context_requires_tls_1_2(folder: str) -> None:
    without = []
    for path in sorted((ROOT / folder / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [
            node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        good = {id(call) for each in functions if sets_the_least(each) for call in calls(each)}
        without += [
            f"{path.relative_to(ROOT)}, line {call.lineno}" for call in calls(tree) if id(call) not in good
        ]
    assert without == []
