"""A child process ends with all its descendants, however the block is left."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest
from stack.processes import Child
from tools.node import node_is_installed, node_program
from tools.packages import ROOT

WRAPPER = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.{on_term})
print(subprocess.Popen(["sleep", "600"]).pid, flush=True)
signal.pause()
"""


def wrapper(folder: Path, *, on_term: str) -> Child:
    """Return a program that starts another one, as Node's does that a wheel brings."""
    command = [sys.executable, "-c", WRAPPER.format(on_term=on_term)]
    return Child("wrapper", command, log=folder / "log", grace_s=0.5)


def started_by(child: Child) -> psutil.Process:
    """Wait for the inner program."""
    for _ in range(600):
        if child.output():
            return psutil.Process(int(child.output()))
        time.sleep(0.05)
    raise AssertionError("it started nothing")


def has_ended(process: psutil.Process) -> bool:
    """Return whether nothing but a zombie is left of it soon."""
    try:
        process.wait(10)
    except psutil.TimeoutExpired:
        return process.status() == psutil.STATUS_ZOMBIE
    return True


@pytest.fixture
def killed_at_last() -> Iterator[list[psutil.Process]]:
    """Processes that don't outlive a test, whatever becomes of it."""
    found: list[psutil.Process] = []
    yield found
    for process in found:
        if process.is_running():
            process.kill()


def leave(error: type[BaseException] | None) -> None:
    if error is not None:
        raise error


STARTS = """
import sys, time
from pathlib import Path
from stack.processes import Child
with Child("peer", sys.argv[2:], log=Path(sys.argv[1])) as child:
    print(child.pid, flush=True)
    time.sleep(600)
"""
SERVES = 'console.log("ready"); setInterval(() => {}, 1000)'
NEEDS_NODE = pytest.mark.skipif(not node_is_installed(), reason="`make clients` has not installed Node")


@pytest.mark.parametrize(
    "command",
    [
        lambda: ["sh", "-c", "echo ready; exec sleep 600"],
        pytest.param(
            lambda: [str(node_program()), "-e", SERVES], marks=NEEDS_NODE, id="Node, as peers of bench"
        ),
    ],
)
def test_a_child_and_its_group_end_when_their_parent_is_killed(
    tmp_path: Path, killed_at_last: list[psutil.Process], command: Callable[[], list[str]]
) -> None:
    log = tmp_path / "log"
    words = [sys.executable, "-c", STARTS, str(log), *command()]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        killed_at_last.append(child)
        while not log.read_text():
            time.sleep(0.01)
        killed_at_last += child.children(recursive=True)
        parent.kill()
    assert all(has_ended(each) for each in killed_at_last)


@pytest.mark.parametrize("on_term", ["SIG_DFL", "SIG_IGN"])
@pytest.mark.parametrize("error", [None, KeyboardInterrupt, SystemExit, RuntimeError])
def test_the_processes_of_a_child_end_with_it(
    tmp_path: Path, killed_at_last: list[psutil.Process], on_term: str, error: type[BaseException] | None
) -> None:
    with (
        nullcontext() if error is None else pytest.raises(error),
        wrapper(tmp_path, on_term=on_term) as child,
    ):
        killed_at_last.append(started_by(child))
        leave(error)
    assert has_ended(killed_at_last[0])
