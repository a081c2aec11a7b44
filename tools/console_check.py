"""Check the console's modules with Node from a hashed wheel: types by JSDoc, a linter, tests of what is pure.

Run as: python -m tools.console_check [--write]

`--write` writes the catalogue of texts anew, `deploy/console/texts/es.json`, which is compared otherwise.
Its tools lie in build/console-check, as tools/console/package-lock.json names them.
"""

import shutil
import sys
from functools import partial

from tools.node import node_environ, run, run_tool
from tools.packages import ROOT

_DECLARED = ROOT / "tools/console"
_PROJECT = ROOT / "build/console-check"


def check_console(*, write: bool) -> None:
    """Install the tools where they are not, and run them one by one.

    Args:
        write: whether the catalogue of texts is written anew.
    """
    environ = node_environ()
    installed = _PROJECT / "installed.json"
    lock = (_DECLARED / "package-lock.json").read_bytes()
    shutil.copytree(_DECLARED, _PROJECT, dirs_exist_ok=True)
    if not installed.is_file() or installed.read_bytes() != lock:
        run(["npm", "ci"], environ, cwd=_PROJECT)
        installed.write_bytes(lock)
    programs = _PROJECT / "node_modules/.bin"
    run([str(programs / "tsc"), "--project", str(_PROJECT)], environ, cwd=ROOT)
    config = str(_PROJECT / "eslint.config.js")
    run([str(programs / "eslint"), "--config", config, "deploy/console/modules"], environ, cwd=ROOT)
    run(["node", str(_PROJECT / "texts.js"), *(["--write"] if write else [])], environ, cwd=ROOT)
    tests = sorted(str(path.relative_to(ROOT)) for path in _DECLARED.glob("tests/*.test.js"))
    run(["node", "--test", "--test-reporter=dot", *tests], environ, cwd=ROOT)


if __name__ == "__main__":
    work = partial(check_console, write="--write" in sys.argv)
    sys.exit(run_tool("console", work, "types, lint and tests hold"))
