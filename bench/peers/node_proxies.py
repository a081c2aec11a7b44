"""Peers (d) and (f): NestJS with axios; (e): Fastify with its proxy plugin; see `bench/peers/node`.

Node comes from a hashed wheel, as in `make clients`. When the benchmarks run, npm installs the packages of
the peers' lock into their folder.
"""

import shutil
import subprocess
from pathlib import Path

from tools.node import SkippedError, node_environ, node_program

FOLDER = Path(__file__).with_name("node")
_LOCK = FOLDER / "package-lock.json"
_STAMP = FOLDER / "node_modules/.installed"
PEERS = {
    "(d) NestJS + axios": ("nest_proxy.js",),
    "(e) Fastify proxy": ("fastify_proxy.js",),
    "(f) NestJS with JSON": ("nest_proxy.js", "json"),
}
"""Programs of the peers, and their additional arguments."""


def install() -> Path:
    """Install what is missing, and return Node's program.

    Raises:
        SkippedError: pip or npm could not fetch something; the text says what.
    """
    program = node_program()
    if not _STAMP.is_file() or _STAMP.read_bytes() != _LOCK.read_bytes():
        done = subprocess.run(
            ["npm", "ci", "--no-progress"],
            cwd=FOLDER,
            env=node_environ(),
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0:
            raise SkippedError("npm could not install them: " + " ".join(done.stdout.split())[-300:])
        shutil.copyfile(_LOCK, _STAMP)
    return program


def command(node: Path, name: str, *, port: int, upstream_port: int) -> list[str]:
    """Return the command that runs one of `PEERS`."""
    program, *words = PEERS[name]
    return [str(node), str(FOLDER / program), str(port), str(upstream_port), *words]
