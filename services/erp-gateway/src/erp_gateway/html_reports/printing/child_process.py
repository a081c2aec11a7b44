"""Running one command so that nothing of it is left afterwards, whatever happens to it or to us."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from erp_gateway.html_reports.printing.left_jobs import record_process
from servicekit.tasks import finish

LOG_NAME: Final = "log.txt"
"""Where the command's own messages go; they decide nothing."""

_GROUP_END_S: Final = 0.5
_GROUP_POLL_S: Final = 0.005
_PR_SET_CHILD_SUBREAPER: Final = 36
"""From Linux' <sys/prctl.h>; since Linux 3.4."""


@contextmanager
def orphans_adopted() -> Iterator[None]:
    """Make orphans of our commands our own children while the block runs, so that `run_command` reaps them.

    Otherwise they go to process 1, and stay as zombies where that does not reap: a program that runs without
    an init in a container, for one. Elsewhere than on Linux nothing changes.
    """
    _set_subreaper(on=True)
    try:
        yield
    finally:
        _set_subreaper(on=False)


def _set_subreaper(*, on: bool) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


async def run_command(command: Sequence[str], folder: Path, *, timeout_s: float) -> int:
    """Run a command in a session and process group of its own, and kill the whole group in the end.

    Killing a browser's first process alone leaves seven of its children running. The environment of this
    process holds secrets, so the command gets a small one of its own, whose folders are all `folder`.

    Args:
        command: program and arguments.
        folder: its working folder, home and place for temporary files.
        timeout_s: after so long it is killed.

    Returns:
        its exit code, negative for the signal that ended it.

    Raises:
        TimeoutError: it took too long.
        OSError: it could not be started, or not recorded in the folder.
    """
    starting = asyncio.ensure_future(_start(command, folder))
    try:
        await finish(asyncio.wait({starting}))  # who leaves now has to end what was started all the same
        process = starting.result()
        record_process(process.pid, folder)
        async with asyncio.timeout(timeout_s):
            return await process.wait()
    finally:
        if starting.exception() is None:
            await finish(_end_group(starting.result()))


async def _start(command: Sequence[str], folder: Path) -> asyncio.subprocess.Process:
    with (folder / LOG_NAME).open("wb") as log:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=log,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )


def _environment(folder: Path) -> dict[str, str]:
    home = str(folder)
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": home,
        "TMPDIR": home,
        "XDG_CONFIG_HOME": home,
        "XDG_CACHE_HOME": home,
        "XDG_RUNTIME_DIR": home,
    }


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of the group, and reap what of it became ours (see `orphans_adopted`)."""
    group = process.pid
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    await process.wait()
    loop = asyncio.get_running_loop()
    last = loop.time() + _GROUP_END_S
    while _has_members(group) and loop.time() < last:  # noqa: ASYNC110 - nothing tells when a group ends
        await asyncio.sleep(_GROUP_POLL_S)


def _has_members(group: int) -> bool:
    """Reap our children among the group, and tell whether it has members still, dying ones included."""
    with suppress(ChildProcessError):
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
