"""Check the console with Node from a hashed wheel: types in JSDoc, lint, unit tests, the bundle.

Run as: python -m tools.console_check [--write]

`--write` writes the catalogue of texts, `deploy/console/texts/es.json`; without it, the catalogue is
compared. The tools are in build/console-check, pinned by tools/console/package-lock.json.
"""

import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tools import console_bundle
from tools.node import node_environ, run, run_tool
from tools.node_project import installed_project
from tools.packages import ROOT

_DECLARED = ROOT / "tools/console"
_D3 = ROOT / "deploy/console/vendor/d3.mjs"


def check_console(*, write: bool) -> None:
    """Install missing tools and run all of them.

    Args:
        write: whether to write the catalogue of texts.
    """
    environ = node_environ()
    project = installed_project(_DECLARED)
    programs = project / "node_modules/.bin"
    run([str(programs / "tsc"), "--project", str(project)], environ, cwd=ROOT)
    _check_vendored(project, environ, write=write)
    config = str(project / "eslint.config.js")
    run([str(programs / "eslint"), "--config", config, "deploy/console/modules"], environ, cwd=ROOT)
    run(["node", str(project / "texts.js"), *(["--write"] if write else [])], environ, cwd=ROOT)
    tests = sorted(str(path.relative_to(ROOT)) for path in _DECLARED.glob("tests/*.test.js"))
    run(["node", "--test", "--test-reporter=dot", *tests], environ, cwd=ROOT)
    if write:
        console_bundle.write()
    else:
        console_bundle.check()


def _check_vendored(project: Path, environ: Mapping[str, str], *, write: bool) -> None:
    """Make the vendored parts of d3 again; write or compare them.

    Raises:
        SystemExit: what is committed differs.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / _D3.name
        run(["node", str(project / "vendor.js"), str(made)], environ, cwd=ROOT)
        if write:
            _D3.write_bytes(made.read_bytes())
        elif made.read_bytes() != _D3.read_bytes():
            raise SystemExit(f"{_D3.relative_to(ROOT)} differs: run `make console-check WRITE=1`")


if __name__ == "__main__":
    work = partial(check_console, write="--write" in sys.argv)
    sys.exit(run_tool("console", work, "types, lint and tests hold"))
