"""Try docs/clients.md: its files are written out, its commands run one by one with Node from a hashed wheel.

Run as: python -m tools.clients

The project lies in build/clients. Where no registry of packages for Python or Node answers, it prints SKIPPED
with the reason and ends with 0; where `CI` is set that is a failure, since there it would look like a pass.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

from tools.packages import ROOT

PAGE = ROOT / "docs/clients.md"
LOCK = ROOT / "requirements/clients.txt"
_PROJECT = ROOT / "build/clients"
_NODE = ROOT / "build/clients-node"

_UNREACHABLE = ("ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH")
"""What npm says of a registry that it can't reach."""


class SkippedError(Exception):
    """It can't be tried here; the text says why."""


def files_of(page: str) -> dict[str, str]:
    """Return the files that the page shows, by name: each a block below a line that begins with it."""
    shown = re.findall(r"^`([\w.-]+)`:[^\n]*\n\n```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return dict(shown)


def commands_of(page: str) -> list[list[str]]:
    """Return the commands of the page's shell blocks, split into words."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines() if line.strip()]


def get_node() -> Path:
    """Install Node as the lock pins it, unless it is there; return the folder of its programs.

    Raises:
        SkippedError: pip could not fetch it.
    """
    stamp = _NODE / LOCK.name
    if not stamp.is_file() or stamp.read_bytes() != LOCK.read_bytes():
        venv.create(_NODE, clear=True, with_pip=True)
        command = [
            str(_NODE / "bin/python"),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
        ]
        command += ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCK)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            if "DO NOT MATCH THE HASHES" in done.stderr:
                raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
            raise SkippedError("pip could not fetch Node: " + " ".join(done.stderr.split())[-300:])
        shutil.copyfile(LOCK, stamp)
    return _NODE / "bin"


def run(words: list[str], environ: Mapping[str, str]) -> None:
    """Run one command of the page in the project's folder, its output shown.

    Raises:
        SkippedError: npm could not reach its registry.
        subprocess.CalledProcessError: it failed.
    """
    print("$", shlex.join(words), flush=True)
    done = subprocess.run(
        words,
        cwd=_PROJECT,
        env=dict(environ),
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    print(done.stdout, end="", flush=True)
    if done.returncode != 0:
        said = next((word for word in _UNREACHABLE if word in done.stdout), None)
        if words[0] == "npm" and said is not None:
            raise SkippedError(f"npm can't reach its registry ({said})")
        raise subprocess.CalledProcessError(done.returncode, words)


def try_page() -> None:
    """Write the page's project anew and run its commands."""
    page = PAGE.read_text(encoding="utf-8")
    programs = get_node()
    shutil.rmtree(_PROJECT, ignore_errors=True)
    _PROJECT.mkdir(parents=True)
    for name, text in files_of(page).items():
        (_PROJECT / name).write_text(text, encoding="utf-8")
    environ = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "REDOCLY_TELEMETRY": "off",
        "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_update_notifier": "false",
        "npm_config_package_lock": "false",
    }
    for words in commands_of(page):
        run(words, environ)


def main() -> int:
    """Try the page; return the exit code."""
    try:
        try_page()
    except SkippedError as reason:
        print(f"SKIPPED: {reason}")
        return 1 if os.environ.get("CI") else 0
    except subprocess.CalledProcessError as error:
        print(
            f"{error.stderr or ''}clients: docs/clients.md does not hold: {shlex.join(error.cmd)}",
            file=sys.stderr,
        )
        return 1
    print("clients: docs/clients.md holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
