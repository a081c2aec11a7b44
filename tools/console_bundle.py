"""Build the console's bundle `deploy/console/dist`: few files with a digest in their names.

Run as: python -m tools.console_bundle

The bundle is committed, so that the console runs without Node. `deploy/console/dist.sha256` is the digest of
the sources; a test compares it without Node. `make console-check` builds again and compares the files.
"""

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.node import node_environ, run, run_tool
from tools.node_project import installed_project
from tools.packages import ROOT

SOURCES = ROOT / "deploy/console"
BUNDLE = SOURCES / "dist"
DIGEST = SOURCES / "dist.sha256"
TOOLS = ROOT / "tools/console"
REMEDY = "run `make console-build`, and commit deploy/console/dist and dist.sha256 with your change"
# The texts as the modules have them: no part of a bundle.
_CATALOGUE = SOURCES / "texts/es.json"


def source_files() -> Iterator[Path]:
    """Yield every file that the bundle is made from, in a fixed order."""
    kept = (path for path in SOURCES.rglob("*") if path.is_file() and BUNDLE not in path.parents)
    yield from sorted(path for path in kept if path not in (DIGEST, _CATALOGUE))
    yield from (TOOLS / "build.js", TOOLS / "package-lock.json")


def digest_of(paths: Iterable[Path], root: Path) -> str:
    """Return the digest of files with their names below `root`."""
    digest = hashlib.sha256()
    for path in paths:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def sources_digest() -> str:
    """Return the digest of all sources."""
    return digest_of(source_files(), ROOT)


def build(target: Path) -> None:
    """Write the bundle into an empty folder.

    Raises:
        SkippedError: Node or its packages could not be fetched.
        subprocess.CalledProcessError: the build failed.
    """
    project = installed_project(TOOLS)
    run(["node", str(project / "build.js"), str(SOURCES), str(target)], node_environ(), cwd=ROOT)


def differences(one: Path, other: Path) -> list[str]:
    """Return the names of the files that two folders do not share, byte for byte."""
    contents = [
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        for folder in (one, other)
    ]
    return sorted({name for name, _ in contents[0].items() ^ contents[1].items()})


def check() -> None:
    """Build again and compare.

    Raises:
        SystemExit: the committed bundle differs.
    """
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        found = differences(Path(folder), BUNDLE)
    if found:
        print(
            f"deploy/console/dist is not what the sources make ({', '.join(found)}): {REMEDY}",
            file=sys.stderr,
        )
        raise SystemExit(1)


def write() -> None:
    """Replace the committed bundle."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        shutil.rmtree(BUNDLE, ignore_errors=True)
        shutil.copytree(folder, BUNDLE)
    DIGEST.write_text(f"{sources_digest()}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run_tool("console-bundle", write, "deploy/console/dist is built"))
