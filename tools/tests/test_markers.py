"""Which tests a plain `pytest` runs: all but the long counts, which are asked for by their marker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools.packages import ROOT

TWO_TESTS = """
import pytest

def test_short() -> None: ...

@pytest.mark.proof
def test_long() -> None: ...
"""


@pytest.mark.parametrize(
    ("arguments", "found"),
    [([], ["test_short"]), (["-m", "proof"], ["test_long"]), (["-m", ""], ["test_short", "test_long"])],
    ids=["plain", "proof", "all"],
)
def test_proof_tests_run_only_on_request(tmp_path: Path, arguments: list[str], found: list[str]) -> None:
    file = tmp_path / "test_two.py"
    file.write_text(TWO_TESTS, encoding="utf-8")
    settings = ["-c", str(ROOT / "pyproject.toml"), "--collect-only", "--color=no", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", *settings, *arguments, str(file)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [line.partition("::")[2] for line in output.splitlines() if "::" in line] == found
