"""Lines on their way to a descriptor whose reader is slow, away, or gone."""

import gc
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import attrs
import pytest

from servicekit.logs.line_writer import DroppedLines, LineWriter

PIPE_BYTES = 64 * 1024
"""Capacity of a pipe on Linux."""


@attrs.define
class Pipe:
    """A pipe with the writer at one end; `read` is the other."""

    reading: int
    writing: int

    def read_lines(self, count: int) -> list[bytes]:
        """Read until so many lines are there."""
        read = b""
        while read.count(b"\n") < count:
            part = os.read(self.reading, PIPE_BYTES)
            assert part, read
            read += part
        return read.splitlines()

    def read_to_the_end(self) -> list[bytes]:
        with os.fdopen(os.dup(self.reading), "rb") as file:
            return file.read().splitlines()

    def stop_writing(self) -> None:
        os.close(self.writing)
        self.writing = -1

    def stop_reading(self) -> None:
        os.close(self.reading)
        self.reading = -1


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe(*os.pipe())
    yield pipe
    for end in (pipe.reading, pipe.writing):
        with suppress(OSError):
            os.close(end)


def wait_until(condition: Callable[[], bool], within_s: float = 20) -> None:
    ends = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.005)


def lines_of(count: int, size: int = 1000) -> list[bytes]:
    return [b"%06d" % number + b"." * (size - 6) for number in range(count)]


def test_close_writes_all_queued_lines_in_order(pipe: Pipe) -> None:
    writer = LineWriter(pipe.writing)
    pipe.stop_writing()  # the writer has an end of its own
    sent = lines_of(50)
    for line in sent:
        writer.write(line + b"\n")
    writer.close()
    assert pipe.read_to_the_end() == sent
    assert writer.dropped == DroppedLines()


def test_a_stalled_reader_does_not_block_callers_and_loses_overflowing_lines(pipe: Pipe) -> None:
    writer = LineWriter(pipe.writing, queue_bytes=200_000)
    pipe.stop_writing()
    begun = time.monotonic()
    for line in lines_of(1000):
        writer.write(line + b"\n")
    assert time.monotonic() - begun < 5
    lost = writer.dropped.other
    assert 1000 - (150_000 + 2 * PIPE_BYTES) // 1001 - 2 <= lost <= 1000 - 150_000 // 1001
    observed = pipe.read_lines(1000 - lost)
    writer.close()
    assert observed == sorted(observed), "in their order"


def test_lines_of_the_audit_are_dropped_last(pipe: Pipe) -> None:
    writer = LineWriter(pipe.writing, queue_bytes=400_000)
    pipe.stop_writing()
    for line in lines_of(1000):
        writer.write(line + b"\n")
    assert writer.dropped.other > 0
    for line in lines_of(90):
        writer.write(b"audit " + line[6:] + b"\n", is_audit=True)
    assert writer.dropped.audit == 0
    for line in lines_of(200):
        writer.write(line + b"\n", is_audit=True)
    assert 0 < writer.dropped.audit < 200
    read = pipe.read_lines(1290 - writer.dropped.audit - writer.dropped.other)
    assert sum(line.startswith(b"audit ") for line in read) == 90
    writer.close()


def test_dropped_lines_are_reported_once_after_the_recovery(pipe: Pipe) -> None:
    result: list[DroppedLines] = []
    writer = LineWriter(pipe.writing, queue_bytes=200_000, on_recovery=result.append)
    pipe.stop_writing()
    for line in lines_of(1000):
        writer.write(line + b"\n")
    dropped = writer.dropped
    assert result == []
    pipe.read_lines(1000 - dropped.other)
    wait_until(lambda: result == [dropped])
    writer.write(b"later\n")
    assert pipe.read_lines(1) == [b"later"]
    writer.close()
    assert result == [dropped]


def test_a_line_written_by_the_writer_thread_is_delivered_at_close(pipe: Pipe) -> None:
    writer: LineWriter

    def tell(dropped: DroppedLines) -> None:
        writer.write(b"dropped %d\n" % dropped.other)

    writer = LineWriter(pipe.writing, queue_bytes=PIPE_BYTES, on_recovery=tell)
    pipe.stop_writing()
    for line in lines_of(1000):
        writer.write(line + b"\n")
    closing = threading.Thread(target=writer.close, args=(20.0,))
    closing.start()
    lines = [line for line in pipe.read_to_the_end() if line.startswith(b"dropped ")]
    assert lines  # twice where lines were dropped again after the first time
    assert sum(int(line.split()[1]) for line in lines) == writer.dropped.other
    closing.join(20)


def test_closing_waits_for_a_stalled_reader_at_most_the_timeout(pipe: Pipe) -> None:
    writer = LineWriter(pipe.writing)
    for line in lines_of(200):
        writer.write(line + b"\n")
    begun = time.monotonic()
    writer.close(0.3)
    assert 0.3 <= time.monotonic() - begun < 5
    writer.write(b"too late\n")
    assert writer.dropped == DroppedLines(other=1)
    assert b"too late" not in pipe.read_lines(200)


def test_a_closed_reader_does_not_fail_the_caller_and_its_lines_are_counted(pipe: Pipe) -> None:
    writer = LineWriter(pipe.writing)
    pipe.stop_reading()
    for number in range(3):
        writer.write(b"lost\n", is_audit=number == 0)
        wait_until(lambda: sum(attrs.astuple(writer.dropped)) == number + 1)  # noqa: B023 - asked at once
    assert writer.dropped == DroppedLines(audit=1, other=2)
    writer.close()


def test_a_non_blocking_descriptor_receives_every_line(pipe: Pipe) -> None:
    os.set_blocking(pipe.writing, False)
    writer = LineWriter(pipe.writing)
    pipe.stop_writing()
    sent = lines_of(500)
    for line in sent:
        writer.write(line + b"\n")
    time.sleep(0.05)  # the pipe is full, and a write has been refused
    assert pipe.read_lines(500) == sent
    writer.close()


def test_the_line_after_a_truncated_one_starts_on_a_new_line(tmp_path: Path) -> None:
    """A file may grow no further: the last line is cut; afterwards there is room again."""
    path = tmp_path / "log"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with path.open("wb") as file:
        writer = LineWriter(file.fileno())
        resource.setrlimit(resource.RLIMIT_FSIZE, (15, hard))  # Python ignores the signal that comes with it
        try:
            writer.write(b"first line\n")
            writer.write(b"second line\n")
            wait_until(lambda: writer.dropped.other == 1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        writer.write(b"third line\n")
        writer.close()
    assert path.read_bytes() == b"first line\nseco\nthird line\n"


class Chatty:
    """Logs when it is collected, as unclosed connections and unread task failures do."""

    def __init__(self, writer: LineWriter, gone: list[None]) -> None:
        self.writer = writer
        self.gone = gone
        self.myself = self

    def __del__(self) -> None:
        self.writer.write(b"collected\n")
        self.gone.append(None)


def test_logging_during_garbage_collection_does_not_deadlock(tmp_path: Path) -> None:
    thresholds = gc.get_threshold()
    gone: list[None] = []
    with (tmp_path / "log").open("wb") as file:
        writer = LineWriter(file.fileno())
        gc.set_threshold(1)
        try:
            for _ in range(3000):
                Chatty(writer, gone)
                writer.write(b"line\n")
        finally:
            gc.set_threshold(*thresholds)
        while len(gone) < 3000:  # another thread may be collecting, and then this one does not
            gc.collect()
            time.sleep(0.01)
        writer.close(20)
    lines = (tmp_path / "log").read_bytes().splitlines()
    assert sorted(lines) == [b"collected"] * 3000 + [b"line"] * 3000
