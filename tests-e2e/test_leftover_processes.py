"""Processes that a target starts end with it: normally, at Ctrl-C or another signal, and after a failure."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from tools.packages import ROOT

from erp_gateway.reports.html.printing.browser import find_browser

_PR_SET_CHILD_SUBREAPER = 36
"""From Linux' <sys/prctl.h>."""

PATIENCE_S = 150.0

SERVING = "Serving until Ctrl-C."
FIRST_STEP = "ok "


@pytest.fixture
def adopted() -> Iterator[Callable[[], list[str]]]:
    """Take in what is left of a target: it becomes this process's own child. Tells what that is."""
    before = {process.pid for process in psutil.Process().children(recursive=True)}

    def left() -> list[psutil.Process]:
        now = psutil.Process().children(recursive=True)
        return [each for each in now if each.pid not in before and not _has_ended(each)]

    def told() -> list[str]:
        until = time.monotonic() + 10  # a browser's last process takes its time
        while left() and time.monotonic() < until:
            time.sleep(0.1)
        return [" ".join(each.cmdline()) for each in left()]

    _adopt(on=True)
    try:
        yield told
    finally:
        for process in left():
            process.kill()
        for process in psutil.Process().children():
            if process.pid not in before:
                with suppress(ChildProcessError):
                    os.waitpid(process.pid, 0)
        _adopt(on=False)


def _has_ended(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _adopt(*, on: bool) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Start what a target starts, as `make` does but for a group of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        yield process


def wait_for(process: subprocess.Popen[str], sign: str) -> str:
    """Read what it tells until a line begins with a sign; return all of it."""
    result = ""
    assert process.stdout is not None
    for line in process.stdout:
        result += line
        if line.startswith(sign):
            return result
    raise AssertionError(result[-4000:])


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """As a terminal does: everybody in the group gets the signal."""
    os.killpg(process.pid, signal.SIGINT)


def terminate(process: subprocess.Popen[str]) -> None:
    process.terminate()


def kill_a_child(process: subprocess.Popen[str]) -> None:
    """Let the gateway be gone in the middle: nothing after that works."""
    children = psutil.Process(process.pid).children()
    (gateway,) = [each for each in children if any("erp-gateway" in word for word in each.cmdline())]
    gateway.kill()


def test_an_interrupted_demo_leaves_no_process(adopted: Callable[[], list[str]]) -> None:
    with started("demo") as process:
        result = wait_for(process, SERVING)
        press_ctrl_c(process)
        assert process.communicate(timeout=PATIENCE_S)[0].strip() == "Stopped."
    assert "FAIL" not in result
    assert (process.returncode, adopted()) == (0, [])


@pytest.mark.parametrize(
    ("ending", "code"), [(press_ctrl_c, 0), (terminate, 128 + signal.SIGTERM), (kill_a_child, 1)]
)
def test_an_interrupted_tour_leaves_no_process(
    adopted: Callable[[], list[str]], ending: Callable[[subprocess.Popen[str]], None], code: int
) -> None:
    with started("demo", "--tour") as process:
        wait_for(process, FIRST_STEP)
        ending(process)
        process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, adopted()) == (code, [])


@pytest.mark.parametrize("ending", [None, press_ctrl_c, terminate])
def test_the_benchmarks_leave_no_process(
    adopted: Callable[[], list[str]], ending: Callable[[subprocess.Popen[str]], None] | None
) -> None:
    with started("bench", "--only", "identical") as process:
        if ending is not None:
            wait_for(process, "}")  # the configuration: the first server starts
            until = time.monotonic() + PATIENCE_S
            while not psutil.Process(process.pid).children() and time.monotonic() < until:
                time.sleep(0.02)
            ending(process)
        process.communicate(timeout=PATIENCE_S)
    assert adopted() == []


@pytest.mark.skipif(find_browser(None, os.environ) is None, reason="no headless browser is installed")
@pytest.mark.parametrize("ending", [press_ctrl_c, terminate])
def test_the_screenshots_leave_no_process(
    adopted: Callable[[], list[str]], tmp_path: Path, ending: Callable[[subprocess.Popen[str]], None]
) -> None:
    with started("tools.browser.screenshots", str(tmp_path)) as process:
        until = time.monotonic() + PATIENCE_S
        while not any(tmp_path.iterdir()) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        assert process.poll() is None, process.communicate()[0]
        ending(process)
        process.communicate(timeout=PATIENCE_S)
    assert (process.returncode != 0, adopted()) == (True, [])
