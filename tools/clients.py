"""Try docs/examples/typescript: generate the types of both APIs, type-check its clients, lint the documents.

Run as: python -m tools.clients

Node comes from a hashed wheel. The project is copied to build/clients, so nothing is installed into docs.
"""

import shutil
import sys

from tools.node import node_environ, run, run_tool
from tools.packages import ROOT

PROJECT = ROOT / "docs/examples/typescript"
DOCUMENTS = ROOT / "docs/api"
COMMANDS = (
    ("npm", "install", "--ignore-scripts"),
    ("npm", "run", "types"),
    ("npm", "run", "check"),
)
_COPY = ROOT / "build/clients"


def try_project() -> None:
    """Copy the project with the API documents and run its commands."""
    environ = {**node_environ(), "npm_config_package_lock": "false"}
    shutil.rmtree(_COPY, ignore_errors=True)
    project = _COPY / "examples" / PROJECT.name
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("node_modules", "*.d.ts"))
    shutil.copytree(DOCUMENTS, _COPY / "api")
    for words in COMMANDS:
        run(list(words), environ, cwd=project)


if __name__ == "__main__":
    sys.exit(run_tool("clients", try_project, "docs/examples/typescript holds"))
