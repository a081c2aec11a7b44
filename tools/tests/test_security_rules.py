"""bandit checks all code that ships, and each exception states its reason in place."""

import re
import tomllib

from tools.packages import ROOT, package_folders

SOURCES = [file for folder in package_folders() for file in (ROOT / folder / "src").rglob("*.py")]


def test_security_rules_are_enabled_for_shipped_code() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    assert "S" in lint["select"]
    assert [each for each in lint["ignore"] if re.fullmatch(r"S\d*", each)] == []
    off = {place for place, rules in lint["per-file-ignores"].items() if "S" in rules}
    assert off == {"**/tests/**", "tests-e2e/**"}


def test_a_lint_exception_has_a_reason() -> None:
    lines = [line for file in SOURCES for line in file.read_text("utf-8").splitlines() if "noqa: S" in line]
    assert len(lines) > 30
    assert [line for line in lines if re.search(r"noqa: S\d{3}(?! - \w)", line)] == []
