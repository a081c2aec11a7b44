"""Every cause of the doctors has both its texts in both languages."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.packages import ROOT

MAKERS = {"fail", "warn", "skipped"}


def declarations() -> Iterator[tuple[Path, int, set[str]]]:
    """Yield file, line and keywords of each declared cause of a doctor."""
    files = {*ROOT.glob("libs/erpdoctor/src/**/*.py"), *ROOT.glob("services/*/src/*/doctor/*.py")}
    files.add(ROOT / "services/erp-gateway/src/erp_gateway/commands/doctor.py")
    for file in sorted(files):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
                yield file, node.lineno, {str(keyword.arg) for keyword in node.keywords}


def test_every_remedy_has_an_english_text() -> None:
    found = list(declarations())
    assert len(found) > 150
    without = [
        (file.name, line)
        for file, line, names in found
        if "remedy" in names and "english_remedy" not in names
    ]
    assert without == []
