"""Output of rendered log lines to a stream whose reader may be slow or gone.

Callers never wait for the reader: lines wait in a bounded queue, and one thread writes them with `os.write`.
(A thread blocked inside `sys.stdout` holds a lock that the interpreter needs at exit.)
"""

import atexit
from contextlib import suppress
from typing import TextIO, final

import structlog

from servicekit.logs.line_writer import DroppedLines, LineWriter


@final
class LogOutput:
    """Receives rendered lines of structlog (one method for each level) and of the standard library.

    If the stream has a descriptor, a thread writes to it, so that callers do not wait for a reader (see
    `LineWriter`); the exit of the process waits at most 2 s for it. Other streams, as in tests, are written
    to at once. A closed stream loses lines without an error for the caller.

    Args:
        stream: the output stream.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._writer: LineWriter | None = None
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        with suppress(OSError, ValueError):  # ValueError: it was closed, or has no descriptor
            stream.flush()  # flush earlier output first
            self._writer = LineWriter(stream.fileno(), on_recovery=_log_dropped)
            atexit.register(self._writer.close)

    @property
    def is_terminal(self) -> bool:
        """True if the stream is a terminal."""
        return self._stream.isatty()

    @property
    def dropped(self) -> DroppedLines:
        """Number of dropped lines."""
        return DroppedLines() if self._writer is None else self._writer.dropped

    def write(self, line: str, *, is_audit: bool = False) -> None:
        """Write a line; `is_audit` marks those that are dropped last."""
        if self._writer is not None:
            encoded = line.encode(self._stream.encoding or "utf-8", errors="backslashreplace")
            self._writer.write(encoded + b"\n", is_audit=is_audit)
            return
        with suppress(OSError, ValueError):  # ValueError: the stream was closed
            self._stream.write(line + "\n")
            self._stream.flush()

    msg = debug = info = warning = error = critical = exception = write

    def close(self) -> None:
        """Write the waiting lines, for at most 2 s; later lines are dropped."""
        if self._writer is not None:
            self._writer.close()


def _log_dropped(dropped: DroppedLines) -> None:
    log = structlog.get_logger("servicekit.logs")
    log.warning("log_lines_dropped", audit=dropped.audit, other=dropped.other)
