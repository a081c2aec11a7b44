"""Child processes on loopback: start, wait for responses, stop."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

LOOPBACK = "127.0.0.1"

# Prefix of a command: Linux ends it with this process, even if this one is killed.
_ENDS_WITH_US = [setpriv, "--pdeathsig", "TERM"] if (setpriv := shutil.which("setpriv")) else []


class ChildFailedError(RuntimeError):
    """A child process ended or did not respond; the text contains the end of its log.

    Args:
        name: its name in messages.
        command: program and arguments.
        log: file that receives stdout and stderr.
        environ: complete environment of the child; by default the parent's.
        cwd: working folder.
        grace_s: seconds between SIGTERM and SIGKILL when the block is left.
    """


def leave_on_signals() -> None:
    """Let SIGINT, SIGTERM and SIGHUP leave the blocks of the main thread, so that they end their children.

    They raise KeyboardInterrupt, or SystemExit with a shell's exit code for the signal. Shells let background
    commands ignore SIGINT.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)


def _leave(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def port_is_free(port: int) -> bool:
    """Return whether the loopback port has no listener."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


class Child:
    """One child process whose output goes to a file. Leaving the `with` block ends it and its descendants.

    The child gets its own session, so Ctrl-C in the terminal only reaches the parent, which stops its
    children in its own order.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        grace_s: float = 10.0,
    ) -> None:
        self.name = name
        self.log = log
        self._command = list(command)
        self._environ = None if environ is None else dict(environ)
        self._cwd = cwd
        self._grace_s = grace_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [*_ENDS_WITH_US, *self._command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._environ,
                cwd=self._cwd,
                start_new_session=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.exit_code is None:
            self.signal(signal.SIGTERM)
        try:
            with suppress(subprocess.TimeoutExpired):
                self.wait(self._grace_s)
        finally:
            # Its descendants: a wrapper, as around Node, ends without them. The group is its own.
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._running.wait()

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ChildFailedError(f"{self.name} was not started")
        return self._process

    @property
    def pid(self) -> int:
        """Process id."""
        return self._running.pid

    @property
    def exit_code(self) -> int | None:
        """Exit code, or None while it runs."""
        return self._running.poll()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this process only."""
        self._running.send_signal(number)

    def wait(self, timeout_s: float) -> int:
        """Wait for its end and return the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs after `timeout_s`.
        """
        return self._running.wait(timeout_s)

    def output(self) -> str:
        """Everything that it has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def wait_until_it_answers(self, port: int, path: str, *, timeout_s: float = 60.0) -> float:
        """Poll `GET path` on loopback until the status is below 500; return the seconds.

        Raises:
            ChildFailedError: it ended, or did not respond within `timeout_s`.
        """
        started = time.monotonic()
        while time.monotonic() - started < timeout_s:
            if self.exit_code is not None:
                raise ChildFailedError(f"{self.name} ended with {self.exit_code}:\n{self._last_lines()}")
            if _answers(port, path):
                return time.monotonic() - started
            time.sleep(0.01)
        raise ChildFailedError(f"{self.name} gave no answer within {timeout_s} s:\n{self._last_lines()}")

    def _last_lines(self) -> str:
        return "\n".join(self.output().splitlines()[-25:])


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def clean_environment(**settings: str) -> dict[str, str]:
    """Return an environment with only `settings`, without the developer's variables."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONUNBUFFERED": "1", **settings}
