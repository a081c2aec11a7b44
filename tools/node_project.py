"""Packages of Node that a tool declares, installed under `build` as their lock names them."""

import shutil
from pathlib import Path

from tools.node import node_environ, run
from tools.packages import ROOT

_PROJECT = ROOT / "build/console-check"


def installed_project(declared: Path) -> Path:
    """Copy the declared project under `build`, install its packages unless they are there; return its folder.

    Raises:
        SkippedError: Node or a package could not be fetched.
        subprocess.CalledProcessError: the installation failed.
    """
    environ = node_environ()
    installed = _PROJECT / "installed.json"
    lock = (declared / "package-lock.json").read_bytes()
    shutil.copytree(declared, _PROJECT, dirs_exist_ok=True)
    if not installed.is_file() or installed.read_bytes() != lock:
        run(["npm", "ci"], environ, cwd=_PROJECT)
        installed.write_bytes(lock)
    return _PROJECT
