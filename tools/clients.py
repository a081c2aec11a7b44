"""Try docs/clients.md: its files are written out, its commands run one by one with Node from a hashed wheel.

Run as: python -m tools.clients

The project lies in build/clients.
"""

import re
import shlex
import shutil
import sys

from tools.node import node_environ, run, run_tool
from tools.packages import ROOT

PAGE = ROOT / "docs/clients.md"
_PROJECT = ROOT / "build/clients"


def files_of(page: str) -> dict[str, str]:
    """Return the files that the page shows, by name: each a block below a line that begins with it."""
    shown = re.findall(r"^`([\w.-]+)`:[^\n]*\n\n```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return dict(shown)


def commands_of(page: str) -> list[list[str]]:
    """Return the commands of the page's shell blocks, split into words."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines() if line.strip()]


def try_page() -> None:
    """Write the page's project anew and run its commands."""
    page = PAGE.read_text(encoding="utf-8")
    environ = {**node_environ(), "npm_config_package_lock": "false"}
    shutil.rmtree(_PROJECT, ignore_errors=True)
    _PROJECT.mkdir(parents=True)
    for name, text in files_of(page).items():
        (_PROJECT / name).write_text(text, encoding="utf-8")
    for words in commands_of(page):
        run(words, environ, cwd=_PROJECT)


if __name__ == "__main__":
    sys.exit(run_tool("clients", try_page, "docs/clients.md holds"))
