"""The process that reads answers: it may die in any way, and the program goes on."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tax_service import PDF, encoded, found

from erpclient.tax_documents.errors import TaxReadingFailed
from erpclient.tax_documents.messages import (
    LENGTHS,
    Build,
    ProviderAnswer,
    Question,
    Read,
    UnreadableAnswer,
    pack,
    pack_question,
    unpack_result,
)
from erpclient.tax_documents.reading import (
    COMMAND,
    ReadingProcess,
    ReadingProcesses,
    longest_time_s,
    most_memory_bytes,
)
from erpclient.tax_documents.reading_process import serve

pytestmark = pytest.mark.check

QUESTION = Question("76123456-K", 52, 7, "ana", "planted-password")
TIMEOUT_S = 50.0
MIB = 1024 * 1024


@pytest_asyncio.fixture
async def reading() -> AsyncIterator[ReadingProcess]:
    command = (*COMMAND, str(most_memory_bytes(40 * MIB)))
    process = ReadingProcess(timeout_s=TIMEOUT_S, max_result_bytes=32_000_000, command=command)
    try:
        yield process
    finally:
        await process.aclose()


def scripted(code: str, *, timeout_s: float = TIMEOUT_S) -> ReadingProcess:
    """One that runs a few lines instead; `put` writes a result, `get` reads a task."""
    prelude = (
        "import sys, time, struct\n"
        "def get(): n, m = struct.unpack('!II', sys.stdin.buffer.read(8)); sys.stdin.buffer.read(n + m)\n"
        "def put(head, size, body=b''):\n"
        "    sys.stdout.buffer.write(struct.pack('!II', len(head), size) + head + body)\n"
        "    sys.stdout.buffer.flush()\n"
    )
    command = (sys.executable, "-S", "-c", prelude + code)
    return ReadingProcess(timeout_s=timeout_s, max_result_bytes=1000, command=command)


async def started(reading: ReadingProcess) -> int:
    async with asyncio.timeout(60):
        while reading.pid is None:  # noqa: ASYNC110  # a process says nothing when it starts
            await asyncio.sleep(0.005)
    return reading.pid


@pytest.mark.asyncio
async def test_the_reading_process_starts_with_the_first_task_and_is_reused(reading: ReadingProcess) -> None:
    assert reading.pid is None
    action, text = await reading.build(QUESTION)
    assert action == "http://tempuri.org/Consulta_TXTDTE"
    assert b"planted-password" in text
    pid = reading.pid
    answered, pdf = await reading.read(found())
    assert isinstance(answered, ProviderAnswer)
    assert pdf == PDF
    assert await reading.read(b"<html>") == (UnreadableAnswer("not XML"), b"")
    assert reading.pid == pid


@pytest.mark.asyncio
async def test_parallel_tasks_return_their_own_results(reading: ReadingProcess) -> None:
    pdfs = [PDF[:-6] + bytes([65 + number]) * 100_000 * number + b"%%EOF\n" for number in range(6)]
    results = await asyncio.gather(*(reading.read(found(encoded(pdf))) for pdf in pdfs))
    assert [content for _, content in results] == pdfs


@pytest.mark.asyncio
async def test_exceeding_the_memory_limit_ends_only_the_reading_process(
    reading: ReadingProcess,
) -> None:
    many = found().replace(b"<PDF>", b"<a/>" * 6_000_000 + b"<PDF>")
    with pytest.raises(TaxReadingFailed, match="died"):
        await reading.read(many)
    assert reading.pid is None
    answered, _ = await reading.read(found())
    assert isinstance(answered, ProviderAnswer)


def test_the_time_limit_of_a_task_grows_with_its_size_up_to_a_maximum() -> None:
    assert longest_time_s(0, 60) == 15
    assert longest_time_s(4_700_000, 60) < 20, "an envelope of 400,000 attributes"
    assert longest_time_s(40 * MIB, 60) == 55
    assert longest_time_s(400 * MIB, 60) == 60
    assert longest_time_s(40 * MIB, 2) == 2


def test_the_memory_of_a_process_follows_the_largest_answer() -> None:
    assert most_memory_bytes(40 * MIB) == 512 * MIB
    assert most_memory_bytes(80 * MIB) == 832 * MIB


@pytest.mark.asyncio
async def test_a_slow_answer_does_not_delay_the_others() -> None:
    reading = ReadingProcesses(timeout_s=TIMEOUT_S, max_reply_bytes=40 * MIB)
    try:
        await asyncio.gather(reading.read(found()), reading.read(found()))
        first, _ = reading.pids
        os.kill(first, signal.SIGSTOP)  # as busy as one can be
        slow = asyncio.create_task(reading.read(found()))
        other = asyncio.create_task(reading.read(found()))
        done, waiting = await asyncio.wait({slow, other}, return_when=asyncio.FIRST_COMPLETED)
        assert (len(done), len(waiting)) == (1, 1)
        for _ in range(3):
            assert isinstance((await reading.read(found()))[0], ProviderAnswer)
        os.kill(first, signal.SIGCONT)
        assert isinstance((await waiting.pop())[0], ProviderAnswer)
    finally:
        await reading.aclose()
    assert reading.pids == []


@pytest.mark.asyncio
async def test_sequential_tasks_need_one_process() -> None:
    reading = ReadingProcesses(timeout_s=TIMEOUT_S, max_reply_bytes=MIB)
    try:
        for _ in range(3):
            await reading.read(found())
        assert len(reading.pids) == 1
    finally:
        await reading.aclose()


@pytest.mark.asyncio
async def test_a_process_that_was_killed_is_replaced(reading: ReadingProcess) -> None:
    await reading.read(b"")
    assert reading.pid is not None
    os.kill(reading.pid, signal.SIGKILL)
    with pytest.raises(TaxReadingFailed, match="died"):
        await reading.read(found())
    answered, _ = await reading.read(found())
    assert isinstance(answered, ProviderAnswer)


@pytest.mark.asyncio
async def test_a_task_over_its_time_limit_ends_the_process() -> None:
    reading = scripted("time.sleep(600)", timeout_s=0.3)
    with pytest.raises(TaxReadingFailed, match="too long"):
        await reading.read(b"")
    assert reading.pid is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "code",
    [
        "get(); put(b'{}', 0)",
        "get(); put(b'\\xff', 0)",
        "get(); put(b'', 2000)",
        """get(); put(b'{"type": "envelope", "soap_action": "x"}', 0)""",
    ],
    ids=["no result", "no JSON", "too large", "another task's"],
)
async def test_a_process_with_malformed_output_is_ended(code: str) -> None:
    reading = scripted(code)
    with pytest.raises(TaxReadingFailed, match="no sense"):
        await reading.read(b"")
    assert reading.pid is None


@pytest.mark.asyncio
async def test_a_truncated_result_is_reported_as_a_dead_process() -> None:
    head = b'{"type":"unreadable","reason":"x"}'
    reading = scripted(f"get(); put({head!r}, 9)")
    with pytest.raises(TaxReadingFailed, match="died"):
        await reading.read(b"")


@pytest.mark.asyncio
async def test_a_process_that_cannot_start_is_reported_as_dead() -> None:
    reading = ReadingProcess(timeout_s=TIMEOUT_S, max_result_bytes=9, command=("/no/such/program",))
    with pytest.raises(TaxReadingFailed, match="died"):
        await reading.read(b"")


@pytest.mark.asyncio
async def test_a_process_that_dies_while_receiving_a_task_is_reported_as_dead() -> None:
    with pytest.raises(TaxReadingFailed, match="died"):
        await scripted("sys.exit()").read(b"x" * 10_000_000)


@pytest.mark.asyncio
async def test_a_cancelled_callers_result_does_not_reach_the_next_caller() -> None:
    head = b'{"type":"unreadable","reason":"for nobody"}'
    reading = scripted(f"get(); time.sleep(600); put({head!r}, 0)")
    leaving = asyncio.create_task(reading.read(b""))
    pid = await started(reading)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert reading.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.asyncio
async def test_closing_ends_the_process_and_may_be_repeated(reading: ReadingProcess) -> None:
    await reading.read(b"")
    pid = reading.pid
    assert pid is not None
    await reading.aclose()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    await reading.aclose()


@pytest.mark.asyncio
async def test_closing_kills_a_process_that_does_not_end() -> None:
    head = b'{"type":"unreadable","reason":"x"}'
    reading = scripted(f"get(); put({head!r}, 0); time.sleep(600)")
    await reading.read(b"")
    pid = reading.pid
    assert pid is not None
    await reading.aclose()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_process_ends_at_the_end_of_its_input_silently() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "erpclient.tax_documents.reading_process", str(512 * MIB)],
        input=pack(Read(), 6) + b"<html>",
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    head_bytes, content_bytes = LENGTHS.unpack(done.stdout[:8])
    assert unpack_result(done.stdout[8:]) == UnreadableAnswer("not XML")
    assert (len(done.stdout), content_bytes, done.stderr) == (8 + head_bytes, 0, b"")


def test_a_stream_of_tasks_is_answered_in_order() -> None:
    question = pack_question(QUESTION)
    tasks = pack(Build(), len(question)) + question + pack(Read(), len(found())) + found()
    results = io.BytesIO()
    serve(io.BytesIO(tasks), results)
    stream = io.BytesIO(results.getvalue())
    kinds = []
    while lengths := stream.read(LENGTHS.size):
        head_bytes, content_bytes = LENGTHS.unpack(lengths)
        kinds.append(
            (type(unpack_result(stream.read(head_bytes))).__name__, len(stream.read(content_bytes)) > 0)
        )
    assert kinds == [("Envelope", True), ("ProviderAnswer", True)]


@pytest.mark.parametrize("module", ["erpclient", "erpclient.tax_documents"])
def test_a_program_that_imports_the_client_loads_no_zeep(module: str) -> None:
    code = f"import sys, {module}; print([m for m in ('zeep', 'lxml', 'requests') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=TIMEOUT_S, check=True)
    assert done.stdout.strip() == b"[]"


@pytest.mark.asyncio
async def test_the_reading_process_inherits_no_environment_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SL_PLANTED", "planted-password")
    environment_file = tmp_path / "environment"
    reading = scripted(f"import os; open({str(environment_file)!r}, 'w').write(str(dict(os.environ)))")
    with pytest.raises(TaxReadingFailed):  # it says nothing else
        await reading.build(QUESTION)
    assert "LANG" in environment_file.read_text()
    assert "planted" not in environment_file.read_text().lower()
