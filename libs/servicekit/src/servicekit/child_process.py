"""Child processes that end with everything they started, and inherit as little as possible."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

from servicekit.tasks import finish

LOG_NAME: Final = "log.txt"
"""Where a process's own messages go in its folder; they decide nothing."""

_GROUP_END_S: Final = 0.5
_GROUP_POLL_S: Final = 0.005
_PR_SET_CHILD_SUBREAPER: Final = 36
"""From Linux' <sys/prctl.h>; since Linux 3.4."""


def own_program(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours; no folder or variable says what it imports."""
    return (sys.executable, "-I", "-m", module, *arguments)


@contextmanager
def orphans_adopted() -> Iterator[None]:
    """Make orphans of our children our own children while the block runs, so that their end reaps them.

    Otherwise they go to process 1, and stay as zombies where that does not reap: a program that runs without
    an init in a container, for one. Elsewhere than on Linux nothing changes.
    """
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else lambda *_: None
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@asynccontextmanager
async def child_process(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    stdin: int = asyncio.subprocess.PIPE,
    stdout: int = asyncio.subprocess.PIPE,
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a process; on leaving kill what is left of it and what it started, and reap what became ours.

    It leads a session and a group of its own: Ctrl-C is for the service, and killing a browser's first
    process alone leaves seven of its children running. The environment of the service holds secrets, so the
    process gets a small one of its own. `child_limits` is what a program of ours bounds itself with.

    Args:
        command: program and arguments.
        folder: its working folder, home and place for temporary files, with its messages in `LOG_NAME`;
            None for a process that needs no folder, whose messages nobody reads.
        stdin: a descriptor, or what `asyncio.subprocess` names instead of one.
        stdout: likewise.

    Raises:
        OSError: it could not be started.
    """
    starting = asyncio.ensure_future(_start(command, folder, stdin, stdout))
    try:
        await finish(asyncio.wait({starting}))  # who leaves now has to end what was started all the same
        yield starting.result()
    finally:
        if starting.exception() is None:
            await finish(_end_group(starting.result()))


async def _start(
    command: Sequence[str], folder: Path | None, stdin: int, stdout: int
) -> asyncio.subprocess.Process:
    with (Path(os.devnull) if folder is None else folder / LOG_NAME).open("wb") as log:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=stdin,
            stdout=stdout,
            stderr=log,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )


def _environment(folder: Path | None) -> dict[str, str]:
    environment = {"PATH": os.defpath, "LANG": "C.UTF-8"}
    if folder is not None:
        of_folder = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
        environment |= dict.fromkeys(of_folder, str(folder))
    return environment


async def _end_group(process: asyncio.subprocess.Process) -> None:
    group = process.pid
    with suppress(ProcessLookupError):  # not the process's own `kill`, which may reap it unseen by asyncio
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
