"""Output of set-up: a line per group of packages; apt-get's own output goes to a file."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tools.packages import ROOT

SHELL = ("sh", "dirname", "mkdir", "id", "find", "head", "tail", "env")
"""Of the system; nothing else is found, so that each package is missing."""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with the script, and `bin` beside it: apt-get fails once a file `broken` is there."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/setup.sh", tmp_path / "tools")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in SHELL:
        (programs / name).symlink_to(shutil.which(name) or name)
    noisy = 'i=0; while [ $i -lt 40 ]; do echo "Unpacking $i of $*"; i=$((i+1)); done\n'
    fakes = {
        "apt-get": f"{noisy}[ ! -e {tmp_path}/broken ] || {{ echo 'E: no such package' >&2; exit 100; }}",
        "sudo": 'exec "$@"',
        # the file that keeps services from starting is the machine's own
        **dict.fromkeys(("tee", "chmod", "rm", "systemctl"), ":"),
    }
    for name, what in fakes.items():
        (programs / name).write_text(f"#!/bin/sh\n{what}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    return tmp_path


def set_up(machine: Path, group: str) -> subprocess.CompletedProcess[str]:
    """Run the script for one group."""
    environ = {**os.environ, "PATH": str(machine / "bin")}
    command = ["sh", str(machine / "tools/setup.sh"), group]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["curl"])
def test_a_package_installation_prints_one_line_and_logs_the_rest(machine: Path, package: str) -> None:
    done = set_up(machine, package)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"setup: installing with apt-get: {package}\n",
        "",
    )
    assert "Unpacking 39 of" in (machine / "build/setup.log").read_text(encoding="utf-8")


def test_an_installed_package_is_skipped_silently(machine: Path) -> None:
    (machine / "bin/curl").symlink_to("/bin/true")
    done = set_up(machine, "curl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_failed_installation_shows_its_last_lines_and_the_log_file(machine: Path) -> None:
    (machine / "broken").touch()
    done = set_up(machine, "curl")
    output = done.stderr.splitlines()
    assert done.returncode == 1
    assert "E: no such package" in output
    assert len(output) < 20
    assert output[-1] == "setup: apt-get could not install: curl (all of it: build/setup.log)"
