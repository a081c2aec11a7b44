"""Processes and folders that a killed service left are removed; anything that may not be its own stays."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from structlog.testing import capture_logs

from erp_gateway.reports.html.printing.left_jobs import (
    FOLDER_PREFIX,
    RECORD_NAME,
    clean_left_jobs,
    record_process,
)
from servicekit.working_folders import working_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when processes started")

IGNORES = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
LEAVES_A_CHILD = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *sys.argv[1:]])
"""

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return what starts a process with further words on its command line, in a session of its own."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*words: str, code: str = IGNORES) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen([sys.executable, "-c", code, *words], start_new_session=True)
        started.append(process)
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():  # empty for a moment, and when it ended
            if process.poll() is not None:
                break
        return process

    yield run
    for process in started:
        with_children = [process.pid, *(each.pid for each in in_session(process.pid))]
        for pid in set(with_children):
            if psutil.pid_exists(pid):
                os.kill(pid, 9)
        process.wait()


def in_session(leader: int) -> list[psutil.Process]:
    """Return what runs in a session, zombies left out."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def left_job(jobs: Path, name: str = "x") -> Path:
    """Return the folder of a job whose service is gone: nobody holds its lock."""
    folder = jobs / f"{FOLDER_PREFIX}{name}"
    folder.mkdir(mode=0o700)
    (folder / "document.mhtml").write_text("<h1>Ventas</h1>")
    return folder


def in_profile(folder: Path) -> str:
    return f"--user-data-dir={folder / 'profile'}"


def test_a_left_folder_goes_with_the_process_that_printed_in_it(jobs: Path, start: Start) -> None:
    folder = left_job(jobs)
    browser = start(in_profile(folder))
    record_process(browser.pid, folder)
    with capture_logs() as logs:
        clean_left_jobs(jobs)
    assert list(jobs.iterdir()) == []
    assert browser.wait(timeout=60) == -9
    assert [(log["event"], log["folder"], log["process_ended"]) for log in logs] == [
        ("pdf_job_left_by_a_killed_service", str(folder), True)
    ]


def test_descendants_of_the_recorded_process_are_ended_too(jobs: Path, start: Start) -> None:
    folder = left_job(jobs)
    gate = folder / "gate"
    waits = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)\n"
    browser = start(in_profile(folder), code=waits + LEAVES_A_CHILD)
    record_process(browser.pid, folder)
    gate.touch()
    browser.wait(timeout=60)
    assert len(in_session(browser.pid)) == 1
    clean_left_jobs(jobs)
    assert in_session(browser.pid) == []
    assert list(jobs.iterdir()) == []


def test_a_left_folder_without_a_process_is_removed(jobs: Path) -> None:
    left_job(jobs)
    clean_left_jobs(jobs)
    assert list(jobs.iterdir()) == []


@pytest.mark.asyncio
async def test_the_job_of_a_service_that_runs_is_left_alone(jobs: Path, start: Start) -> None:
    async with working_folder(FOLDER_PREFIX, parent=jobs) as folder:
        browser = start(in_profile(folder))
        record_process(browser.pid, folder)
        clean_left_jobs(jobs)
        assert browser.poll() is None
        assert {path.name for path in folder.iterdir()} == {RECORD_NAME}


@pytest.mark.parametrize(
    "change",
    [
        lambda record: {"started": record["started"] + 1},
        lambda record: {"started": record["started"] - 1},
        lambda record: {"folder": record["folder"] + "y"},
        lambda record: {"pid": str(record["pid"])},
        lambda record: {"pid": -record["pid"]},
        lambda _: {"pid": 1},
        lambda _: {"started": None},
        lambda _: {"more": 1},
    ],
)
def test_a_process_that_is_not_the_recorded_one_is_not_ended(
    jobs: Path, start: Start, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    folder = left_job(jobs)
    other = start(in_profile(folder))
    record_process(other.pid, folder)
    written = json.loads((folder / RECORD_NAME).read_text())
    (folder / RECORD_NAME).write_text(json.dumps({**written, **change(written)}))
    clean_left_jobs(jobs)
    time.sleep(0.05)
    assert other.poll() is None
    assert list(jobs.iterdir()) == []


def test_a_process_that_was_not_started_in_the_folder_is_not_ended(jobs: Path, start: Start) -> None:
    folder, sibling = left_job(jobs), jobs / f"{FOLDER_PREFIX}x-other"
    other = start(in_profile(sibling))
    record_process(other.pid, folder)
    clean_left_jobs(jobs)
    time.sleep(0.05)
    assert other.poll() is None


def test_a_process_that_only_names_the_folder_is_not_ended(jobs: Path, start: Start) -> None:
    folder = left_job(jobs)
    reader = start(in_profile(folder))
    gone = start(code="")
    record_process(gone.pid, folder)
    gone.wait()
    clean_left_jobs(jobs)
    time.sleep(0.05)
    assert reader.poll() is None
    assert list(jobs.iterdir()) == []


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"pid": 5', "null", '{"pid":2,"started":1}'])
def test_an_incomplete_record_ends_no_process(jobs: Path, record: str) -> None:
    (left_job(jobs) / RECORD_NAME).write_text(record)
    clean_left_jobs(jobs)
    assert list(jobs.iterdir()) == []


def test_other_folders_are_left_alone(jobs: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / RECORD_NAME).touch()
    (jobs / f"{FOLDER_PREFIX}link").symlink_to(elsewhere)
    (jobs / f"{FOLDER_PREFIX}file").touch()
    (jobs / f"new-{FOLDER_PREFIX}beginning").mkdir()
    (jobs / "other").mkdir()
    clean_left_jobs(jobs)
    assert len(list(jobs.iterdir())) == 4
    assert (elsewhere / RECORD_NAME).exists()


def test_no_process_is_no_record(jobs: Path, start: Start) -> None:
    folder = left_job(jobs)
    ended = start(code="")
    ended.wait()
    record_process(ended.pid, folder)
    assert not (folder / RECORD_NAME).exists()


def test_no_place_for_jobs_is_nothing_to_clean(tmp_path: Path) -> None:
    clean_left_jobs(tmp_path / "absent")
