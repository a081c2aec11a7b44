"""Ends of jobs. Programs stand in for a browser and fail as browsers do."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

import psutil
import pytest
from structlog.testing import capture_logs

from erp_gateway.reports.html.errors import (
    BrowserUnavailable,
    PdfFailed,
    PdfNotStarted,
    PdfQueueFull,
    PdfTimeout,
)
from erp_gateway.reports.html.printing import printer as module
from erp_gateway.reports.html.printing.browser import BrowserEngine
from erp_gateway.reports.html.printing.engine import PDF_NAME
from erp_gateway.reports.html.printing.printer import PdfPrinter
from servicekit.errors import ServiceError, ShuttingDown

MakePrinter = Callable[..., PdfPrinter]
PRINTS = f"printf '%%PDF-1.7 small' > {PDF_NAME}; "


class Script:
    """An engine whose command is a line of shell; it remembers the folders it was given."""

    def __init__(self, line: str) -> None:
        self._line = line
        self.folders: list[Path] = []

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document and return the line."""
        self.folders.append(folder)
        (folder / "document").write_text(html)
        return ["/bin/sh", "-c", self._line]


class Refusing:
    """An engine that can't even begin."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Raise the error."""
        raise self._error


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that a command does."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(0.01)


def left_in(jobs: Path) -> list[Path]:
    """Return what lies in the folder that jobs make their own in."""
    return list(jobs.iterdir())


StillRunning = Callable[[], list[psutil.Process]]


@pytest.fixture
def still_running() -> StillRunning:
    """Return what tells the processes below this one that the test started, zombies included."""
    before = set(psutil.Process().children(recursive=True))
    return lambda: [each for each in psutil.Process().children(recursive=True) if each not in before]


@pytest.mark.asyncio
async def test_the_pdf_is_the_file_that_the_command_wrote(make_printer: MakePrinter, jobs: Path) -> None:
    read = 'test -z "$(cat)" && '  # nothing is read from the terminal
    assert await make_printer(Script(read + PRINTS)).print("x", user="ana") == b"%PDF-1.7 small"
    assert left_in(jobs) == []


@pytest.mark.asyncio
async def test_chatter_on_stderr_is_no_failure(make_printer: MakePrinter) -> None:
    chatter = "echo 'ERROR:bus.cc Failed: unexpected operator' >&2; "
    assert await make_printer(Script(chatter + PRINTS)).print("x", user="ana")


@pytest.mark.asyncio
async def test_the_folder_is_private_and_new_for_each_job(make_printer: MakePrinter) -> None:
    script = Script(
        f'test ! -e before && touch before && test -z "$(find . -maxdepth 0 -perm /077)" && {PRINTS}'
    )
    printer = make_printer(script)
    await printer.print("x", user="ana")
    await printer.print("x", user="ana")
    assert len(set(script.folders)) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (PRINTS + "exit 1", PdfFailed),
        ("exit 0", PdfFailed),
        (f"echo '<html>' > {PDF_NAME}", PdfFailed),
        (f"touch {PDF_NAME}", PdfFailed),
        (f"mkdir {PDF_NAME}", PdfFailed),
        (PRINTS + "kill -9 $$", PdfFailed),
        (PRINTS + "sleep 600", PdfTimeout),
        ("sleep 600 & sleep 600 & " + PRINTS + "wait", PdfTimeout),
        ("mkdir -p a/b && chmod 000 a/b && touch c && exit 1", PdfFailed),
    ],
)
async def test_failed_jobs_have_their_error_and_leave_nothing(
    make_printer: MakePrinter,
    jobs: Path,
    line: str,
    expected: type[ServiceError],
    still_running: StillRunning,
) -> None:
    with pytest.raises(expected):
        await make_printer(Script(line), timeout_s=0.7).print("x", user="ana")
    assert left_in(jobs) == []
    assert still_running() == []


@pytest.mark.asyncio
async def test_only_the_severe_message_of_a_failure_is_logged(make_printer: MakePrinter) -> None:
    line = "echo 'name of a customer' >&2; echo '[1:FATAL:host.cc] No usable sandbox!' >&2; exit 133"
    with capture_logs() as logs, pytest.raises(PdfFailed):
        await make_printer(Script(line)).print("x", user="ana")
    assert [(log["event"], log["exit_code"], log["complaint"]) for log in logs] == [
        ("pdf_failed", 133, "[1:FATAL:host.cc] No usable sandbox!")
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "expected"),
    [(OSError(28, "No space left on device"), PdfNotStarted), (BrowserUnavailable(), BrowserUnavailable)],
)
async def test_a_job_that_can_not_start_leaves_nothing(
    make_printer: MakePrinter, jobs: Path, error: Exception, expected: type[ServiceError]
) -> None:
    with pytest.raises(expected):
        await make_printer(Refusing(error)).print("x", user="ana")
    assert left_in(jobs) == []


class Hanging:
    """An engine whose folder lies on a disk that does not answer."""

    def __init__(self) -> None:
        self.over = Event()

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Wait for the disk."""
        self.over.wait(30)
        return ["true"]


@pytest.mark.asyncio
async def test_work_on_files_counts_against_the_limit_of_time(make_printer: MakePrinter, jobs: Path) -> None:
    engine = Hanging()
    printer = make_printer(engine, timeout_s=0.5)
    try:
        async with asyncio.timeout(10):
            for _ in range(2):  # its place is free again
                with pytest.raises(PdfTimeout):
                    await printer.print("x", user="ana")
        assert left_in(jobs) == []
    finally:
        engine.over.set()


@pytest.mark.asyncio
async def test_missing_room_for_folders_is_reported(make_printer: MakePrinter, jobs: Path) -> None:
    printer = make_printer(Script(PRINTS))
    await asyncio.to_thread(jobs.rmdir)
    with pytest.raises(PdfNotStarted):
        await printer.print("x", user="ana")


@pytest.mark.asyncio
async def test_a_command_that_is_not_a_program_is_reported(make_printer: MakePrinter, tmp_path: Path) -> None:
    text = tmp_path / "browser"
    text.write_bytes(b"\x00\x01")
    text.chmod(0o755)
    with pytest.raises(PdfNotStarted):
        await make_printer(BrowserEngine(text, sandbox=False, environ=os.environ)).print("x", user="ana")


@pytest.mark.asyncio
async def test_an_enormous_pdf_is_a_failure(make_printer: MakePrinter) -> None:
    more = f"truncate -s {module.MAX_PDF_BYTES + 1} {PDF_NAME}"
    with pytest.raises(PdfFailed):
        await make_printer(Script(PRINTS + more)).print("x", user="ana")


@pytest.mark.asyncio
async def test_a_cancelled_job_leaves_nothing(
    make_printer: MakePrinter, jobs: Path, still_running: StillRunning
) -> None:
    job = asyncio.create_task(make_printer(Script("touch started; sleep 600")).print("x", user="ana"))
    await until(lambda: any(jobs.glob("*/started")))
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert left_in(jobs) == []
    await until(lambda: still_running() == [])  # killed it is, but a busy machine lets it end later


@pytest.mark.asyncio
async def test_no_more_than_allowed_print_at_the_same_time(make_printer: MakePrinter, jobs: Path) -> None:
    count = "test $(ls -d ../*/ | wc -l) -le 2 && sleep 0.05 && "
    printer = make_printer(Script(count + PRINTS), places=2)
    printed = await asyncio.gather(*(printer.print("x", user="ana") for _ in range(12)))
    assert len(printed) == 12


@pytest.mark.asyncio
async def test_users_take_turns_at_printing(make_printer: MakePrinter, jobs: Path) -> None:
    script = Script(f"while ! test -e ../gate; do sleep 0.02; done; {PRINTS}")
    printer = make_printer(script)
    ended: list[str] = []

    async def print_for(user: str) -> None:
        await printer.print("x", user=user)
        ended.append(user)

    many = [asyncio.create_task(print_for("ana")) for _ in range(4)]
    await until(lambda: len(script.folders) == 1)
    one = asyncio.create_task(print_for("luis"))
    await asyncio.sleep(0)
    (jobs / "gate").touch()
    await asyncio.gather(*many, one)
    assert ended == ["ana", "luis", "ana", "ana", "ana"]


@pytest.mark.asyncio
async def test_the_queue_is_bounded_in_all_and_for_each_user(make_printer: MakePrinter, jobs: Path) -> None:
    script = Script("sleep 600")
    printer = make_printer(script)
    running = asyncio.create_task(printer.print("x", user="ana"))
    await until(lambda: len(script.folders) == 1)
    waiting = [
        asyncio.create_task(printer.print("x", user=user))
        for user in ("ana", "luis")
        for _ in range(module.MAX_WAITING_PER_USER)
    ]
    await asyncio.sleep(0)
    assert len(waiting) == module.MAX_WAITING
    for user in ("ana", "carmen"):
        with pytest.raises(PdfQueueFull):
            await printer.print("x", user=user)
    for job in (running, *waiting):
        job.cancel()
    await asyncio.gather(running, *waiting, return_exceptions=True)
    assert left_in(jobs) == []


@pytest.mark.asyncio
async def test_draining_lets_the_running_job_end_and_sends_away_the_rest(
    make_printer: MakePrinter, jobs: Path
) -> None:
    script = Script(f"while ! test -e ../gate; do sleep 0.02; done; {PRINTS}")
    printer = make_printer(script)
    running = asyncio.create_task(printer.print("x", user="ana"))
    await until(lambda: len(script.folders) == 1)
    waiting = asyncio.create_task(printer.print("x", user="ana"))
    await asyncio.sleep(0)
    printer.drain()
    with pytest.raises(ShuttingDown):
        await waiting
    (jobs / "gate").touch()
    assert await running


@pytest.mark.asyncio
async def test_a_folder_that_can_not_be_removed_is_reported(
    make_printer: MakePrinter, tmp_path: Path
) -> None:
    script = Script('sleep 0.3 && cd .. && rm -r "$HOME" && mkdir "$HOME.away" && ln -s "$HOME.away" "$HOME"')
    with capture_logs() as logs, pytest.raises(PdfFailed):
        await make_printer(script).print("x", user="ana")
    assert ("pdf_folder_left", str(script.folders[0])) in [(log["event"], log.get("folder")) for log in logs]


async def print_many(printer: PdfPrinter, jobs: Path, count: int, still_running: StillRunning) -> None:
    """Print small documents, every tenth of them cancelled midway, and look for what is left."""
    for number in range(count):
        job = asyncio.create_task(printer.print(f"<p>{number}</p>", user="ana"))
        if number % 10 == 9:
            await asyncio.sleep(0.1)
            job.cancel()
        await asyncio.gather(job, return_exceptions=True)
        assert job.cancelled() or job.result().startswith(b"%PDF-")
    assert left_in(jobs) == []
    assert still_running() == []


@pytest.mark.asyncio
async def test_ten_jobs_leave_no_process_and_no_folder(
    printer: PdfPrinter, jobs: Path, still_running: StillRunning
) -> None:
    await print_many(printer, jobs, 10, still_running)


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.asyncio
async def test_five_hundred_jobs_leave_no_process_and_no_folder(
    printer: PdfPrinter, jobs: Path, still_running: StillRunning
) -> None:
    await print_many(printer, jobs, 500, still_running)
