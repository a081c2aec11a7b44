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
"""File with a process's own messages in its folder; the service only logs them."""

_GROUP_END_S: Final = 0.5
_GROUP_POLL_S: Final = 0.005
# From Linux' <sys/prctl.h>; since Linux 3.4.
_PR_SET_CHILD_SUBREAPER: Final = 36


def own_program(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs one of our modules, isolated from folders and variables of the
    environment.
    """
    return (sys.executable, "-I", "-m", module, *arguments)


@contextmanager
def orphans_adopted() -> Iterator[None]:
    """Make orphans of our children our own children while the block runs, so that they can be reaped.

    Otherwise they go to process 1 and stay zombies if it does not reap, as in a container without an init.
    Has no effect on systems other than Linux.
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
    """Start a process. On leaving, kill it and its descendants and reap them.

    It leads its own session and group: Ctrl-C is for the service, and killing only a browser's first process
    leaves seven of its children running. The environment of the service contains secrets, so the process gets
    a small separate one. Programs of ours limit themselves with `child_limits`.

    Args:
        command: program and arguments.
        folder: its working folder, home and place for temporary files, with its messages in `LOG_NAME`;
            None for a process without a folder, whose messages are dropped.
        stdin: a descriptor, or a constant of `asyncio.subprocess`.
        stdout: likewise.

    Raises:
        OSError: it could not be started.
    """
    starting = asyncio.ensure_future(_start(command, folder, stdin, stdout))
    try:
        await finish(asyncio.wait({starting}))  # a cancellation must still end the started process
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
    with suppress(ProcessLookupError):  # `Process.kill` may reap the process without asyncio noticing.
        os.killpg(group, signal.SIGKILL)
    await process.wait()
    loop = asyncio.get_running_loop()
    last = loop.time() + _GROUP_END_S
    while _has_members(group) and loop.time() < last:  # noqa: ASYNC110 - Linux has no event for the end of a process group
        await asyncio.sleep(_GROUP_POLL_S)


def _has_members(group: int) -> bool:
    with suppress(ChildProcessError):
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
