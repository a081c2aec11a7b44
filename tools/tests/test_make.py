"""`make` alone tells what there is to do, and with which variables."""

import re
import subprocess

from tools.packages import ROOT

OF_ONE_TARGET = {"ALL", "RECORDS", "WRITE"}
"""Told in the line of their target, or `test-all` sets it."""


def test_make_without_arguments_lists_every_target_and_variable() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    output = subprocess.run(["make"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    targets = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    assert sorted(re.findall(r"^  ([a-z][a-z0-9-]*) ", output, re.MULTILINE)) == sorted(targets)
    requested = set(re.findall(r"\$\(if \$\(([A-Z_]+)\)", makefile)) - OF_ONE_TARGET
    assert requested <= set(re.findall(r"^  ([A-Z_]+)=", output, re.MULTILINE))
