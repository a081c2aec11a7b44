"""A bounded queue of log lines and the thread that writes them."""

import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple, final

import attrs

QUEUE_BYTES: Final = 8 * 1024 * 1024
"""The most bytes of lines that wait, some 25,000 lines of requests."""

AUDIT_SHARE: Final = 0.25
"""The share of the queue that only lines of the audit may fill."""

END_WAIT_S: Final = 2.0
"""Longest wait of a process's exit for the reader."""

_BATCH_BYTES: Final = 64 * 1024
_GATHERING_S: Final = 0.02


@attrs.frozen
class DroppedLines:
    """Number of dropped lines: audit lines, and all others."""

    audit: int = 0
    other: int = 0


class _Line(NamedTuple):
    data: bytes
    is_audit: bool


_WAKE: Final = _Line(b"", is_audit=False)


@final
class LineWriter:
    """A bounded queue of lines, and the thread that writes them to a descriptor in their order.

    A line that does not fit, or that can't be written (the reader is gone, the disk is full), is dropped and
    counted. Audit lines are dropped last, because a share of the queue is reserved for them.

    Args:
        descriptor: output; a copy of it is used, so the caller may close this one.
        queue_bytes: limit of waiting bytes.
        on_recovery: called in the writing thread after lines were dropped, once lines are written again and
            half of the queue is free, with the numbers since the last call.

    Raises:
        OSError: the descriptor can't be copied.
    """

    def __init__(
        self,
        descriptor: int,
        *,
        queue_bytes: int = QUEUE_BYTES,
        on_recovery: Callable[[DroppedLines], None] | None = None,
    ) -> None:
        self._descriptor = os.dup(descriptor)
        self._queue_bytes = queue_bytes
        self._on_recovery = on_recovery
        # Both must be reentrant. The garbage collector may run a destructor in the middle of `write`, in the
        # same thread, and the destructor may log a line.
        self._counting = threading.RLock()
        self._lines: SimpleQueue[_Line] = SimpleQueue()
        self._waiting_bytes = 0
        self._is_closing = False
        self._dropped = DroppedLines()
        self._reported = DroppedLines()
        self._is_torn = False
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> DroppedLines:
        """Number of lines dropped so far."""
        return self._dropped

    def write(self, data: bytes, *, is_audit: bool = False) -> None:
        """Queue a line with its line feed. Never waits for the reader and never fails."""
        line = _Line(data, is_audit)
        capacity = self._queue_bytes if is_audit else self._queue_bytes * (1 - AUDIT_SHARE)
        with self._counting:
            is_over = self._is_closing and threading.current_thread() is not self._thread
            if is_over or self._waiting_bytes + len(data) > capacity:
                self._drop([line])
                return
            self._waiting_bytes += len(data)
            self._lines.put(line)

    def close(self, timeout_s: float = END_WAIT_S) -> None:
        """Write the waiting lines, for at most `timeout_s`; later lines are dropped."""
        self._is_closing = True
        self._lines.put(_WAKE)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            while not (self._is_closing and self._lines.empty()):
                self._write_next()
        finally:
            os.close(self._descriptor)

    def _write_next(self) -> None:
        batch = self._next_batch()
        complete = self._write_lines(batch)
        with self._counting:
            self._waiting_bytes -= sum(len(line.data) for line in batch)
            if self._lines.empty():
                self._waiting_bytes = 0  # also if other lines were counted meanwhile
            self._drop(batch[complete:])
            is_at_ease = complete > 0 and self._waiting_bytes <= self._queue_bytes / 2
            now, before = self._dropped, self._reported
        if is_at_ease and now != before and self._on_recovery is not None:
            self._reported = now
            self._on_recovery(DroppedLines(now.audit - before.audit, now.other - before.other))

    def _next_batch(self) -> list[_Line]:
        batch = [self._lines.get()]
        if not self._is_closing:
            time.sleep(_GATHERING_S)  # lines that arrive together are written together
        size = len(batch[0].data)
        with suppress(Empty):
            while size < _BATCH_BYTES:
                batch.append(self._lines.get_nowait())
                size += len(batch[-1].data)
        return [line for line in batch if line is not _WAKE]

    def _write_lines(self, batch: list[_Line]) -> int:
        mended = b"\n" if self._is_torn else b""  # end a partially written line first
        remaining = memoryview(mended + b"".join(line.data for line in batch))
        written_bytes = -len(mended)
        with suppress(OSError):  # no reader is left to report to
            while remaining:
                count = self._write_some(remaining)
                remaining, written_bytes = remaining[count:], written_bytes + count
        complete = 0
        while complete < len(batch) and written_bytes >= len(batch[complete].data):
            written_bytes -= len(batch[complete].data)
            complete += 1
        self._is_torn = written_bytes != 0
        return complete

    def _write_some(self, data: memoryview) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:  # another process made the shared descriptor non-blocking
            poll = select.poll()
            poll.register(self._descriptor, select.POLLOUT)
            poll.poll()
            return 0

    def _drop(self, lines: list[_Line]) -> None:
        audit = sum(line.is_audit for line in lines)
        self._dropped = DroppedLines(self._dropped.audit + audit, self._dropped.other + len(lines) - audit)
