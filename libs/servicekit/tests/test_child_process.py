"""Commands leave nothing behind: however they end, and whatever they started."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from servicekit.child_process import LOG_NAME, child_process, orphans_adopted

CHILDREN = """
import os, subprocess, sys, time
for _ in range(3):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("started", "w").close()
{then}
"""


def members_of_session(leader: int) -> list[psutil.Process]:
    """Return every process, zombies included, of a session."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def command(then: str) -> list[str]:
    record = "open('pid', 'w').write(str(os.getpid()))\n"
    return [sys.executable, "-c", "import os\n" + record + CHILDREN.format(then=then)]


async def run_command(command: list[str], folder: Path, *, timeout_s: float) -> int:
    """Return the exit code of a command that has no input and whose output is dropped."""
    devnull = asyncio.subprocess.DEVNULL
    async with (
        asyncio.timeout(timeout_s),
        child_process(command, folder=folder, stdin=devnull, stdout=devnull) as process,
    ):
        return await process.wait()


def leader_in(folder: Path) -> int:
    return int((folder / "pid").read_text())


async def until_started(folder: Path) -> None:
    async with asyncio.timeout(60):
        while not (folder / "started").exists():  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_children_that_outlive_the_command_are_ended_and_reaped(tmp_path: Path) -> None:
    with orphans_adopted():
        assert await run_command(command("sys.exit(3)"), tmp_path, timeout_s=30) == 3
    assert members_of_session(leader_in(tmp_path)) == []


@pytest.mark.asyncio
async def test_a_command_over_its_timeout_is_ended_with_all_its_children(tmp_path: Path) -> None:
    started = time.monotonic()
    with orphans_adopted(), pytest.raises(TimeoutError):
        await run_command(command("time.sleep(600)"), tmp_path, timeout_s=1)
    assert time.monotonic() - started < 10
    assert members_of_session(leader_in(tmp_path)) == []


@pytest.mark.asyncio
async def test_a_cancelled_command_is_ended_with_all_its_children(tmp_path: Path) -> None:
    with orphans_adopted():
        running = asyncio.create_task(run_command(command("time.sleep(600)"), tmp_path, timeout_s=60))
        await until_started(tmp_path)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert members_of_session(leader_in(tmp_path)) == []


@pytest.mark.asyncio
async def test_a_command_cancelled_during_its_start_is_ended_with_its_children(
    tmp_path: Path,
) -> None:
    with orphans_adopted():
        others = psutil.Process().children()
        running = asyncio.create_task(run_command(command("time.sleep(600)"), tmp_path, timeout_s=30))
        while psutil.Process().children() == others:  # noqa: ASYNC110 - nothing else tells of it so early
            await asyncio.sleep(0)
        last = time.monotonic() + 60
        while not (tmp_path / "started").exists() and time.monotonic() < last:
            time.sleep(0.01)  # noqa: ASYNC251 - the loop must not hear of the start meanwhile
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert members_of_session(leader_in(tmp_path)) == []


@pytest.mark.asyncio
async def test_a_command_that_ignores_signals_is_ended(tmp_path: Path) -> None:
    deaf = "import signal\nfor each in (15, 2, 1): signal.signal(each, signal.SIG_IGN)\ntime.sleep(600)"
    with orphans_adopted(), pytest.raises(TimeoutError):
        await run_command(command(deaf), tmp_path, timeout_s=1)
    assert members_of_session(leader_in(tmp_path)) == []


@pytest.mark.asyncio
async def test_a_crash_shows_in_the_exit_code(tmp_path: Path) -> None:
    crash = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert await run_command(crash, tmp_path, timeout_s=30) == -9


@pytest.mark.asyncio
async def test_a_missing_program_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="absent"):
        await run_command([str(tmp_path / "absent")], tmp_path, timeout_s=30)


@pytest.mark.asyncio
async def test_no_secret_of_this_process_reaches_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERP_SL_PASSWORD", "planted-password")
    tell = "import json, os, sys; json.dump([dict(os.environ), os.getcwd()], sys.stderr)"
    assert await run_command([sys.executable, "-I", "-c", tell], tmp_path, timeout_s=30) == 0
    environ, folder = json.loads((tmp_path / LOG_NAME).read_text())
    assert "planted-password" not in str(environ)
    assert folder == str(tmp_path)
    assert {environ[name] for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME")} == {str(tmp_path)}


def test_orphan_adoption_ends_with_the_block() -> None:
    asking = (
        "import ctypes\n"
        "from servicekit.child_process import orphans_adopted\n"
        "def adopts():\n"
        "    value = ctypes.c_int()\n"
        "    ctypes.CDLL(None).prctl(37, ctypes.byref(value), 0, 0, 0)\n"
        "    return value.value\n"
        "with orphans_adopted():\n"
        "    print(adopts())\n"
        "print(adopts())\n"
    )
    process = subprocess.run([sys.executable, "-c", asking], check=True, capture_output=True, text=True)
    assert process.stdout.split() == (["1", "0"] if sys.platform == "linux" else ["0", "0"])
