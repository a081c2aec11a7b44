"""Peers (d) and (e): NestJS with axios, and Fastify with its proxy plugin; see `bench/peers/node`.

Node comes as `make clients` has it, from a hashed wheel; what the peers need is installed by npm into their
own folder, as their lock pins it, when the benchmarks run.
"""

import os
import shutil
import subprocess
from pathlib import Path

from tools.node import SkippedError, get_node

FOLDER = Path(__file__).with_name("node")
_LOCK = FOLDER / "package-lock.json"
_STAMP = FOLDER / "node_modules/.installed"


def install() -> Path:
    """Install what is missing, and return Node's program.

    Raises:
        SkippedError: pip or npm could not fetch something; the text says what.
    """
    programs = get_node()
    if not _STAMP.is_file() or _STAMP.read_bytes() != _LOCK.read_bytes():
        environ = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        done = subprocess.run(
            ["npm", "ci", "--no-progress"],
            cwd=FOLDER,
            env=environ,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0:
            raise SkippedError("npm could not install them: " + " ".join(done.stdout.split())[-300:])
        shutil.copyfile(_LOCK, _STAMP)
    return programs / "node"
