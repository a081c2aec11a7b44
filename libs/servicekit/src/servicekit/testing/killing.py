"""Processes that a test kills at an await, or after a time.

Each is forked for one command from a process that has imported everything and runs no event loop, so that
hundreds of them cost little. A command is a line of JSON on standard input, its answer a line on standard
output.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from datetime import datetime, timedelta
from typing import Any

from typing_extensions import override

from servicekit.clock import SystemClock


class LaterClock(SystemClock):
    """A clock that is ahead, as that of a process started later would be."""

    def __init__(self, ahead_s: float) -> None:
        self._ahead = timedelta(seconds=ahead_s)

    @override
    def now(self) -> datetime:
        return super().now() + self._ahead


class Steps:
    """Counts how often any task waits, and kills the process at the requested step.

    Args:
        kill_at: the step; None for no kill.
    """

    def __init__(self, kill_at: int | None) -> None:
        self.count = 0
        self.is_counting = False
        self._kill_at = kill_at

    def begin(self) -> None:
        """Count from now on, the tasks that start from now on."""
        asyncio.get_running_loop().set_task_factory(
            lambda loop, coro, **more: asyncio.Task(_Stepping(coro, self), loop=loop, **more)
        )
        self.is_counting = True

    def add(self) -> None:
        """Count one step."""
        if self.is_counting:
            if self.count == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            self.count += 1


class _Stepping(Coroutine[Any, Any, Any]):
    """A coroutine whose every wait is counted, before it begins and after it ends."""

    def __init__(self, inner: Coroutine[Any, Any, Any], steps: Steps) -> None:
        self._inner = inner
        self._steps = steps

    @override
    def send(self, value: Any) -> Any:
        self._steps.add()
        result = self._inner.send(value)
        self._steps.add()
        return result

    @override
    def throw(self, *error: Any) -> Any:
        return self._inner.throw(*error)

    @override
    def close(self) -> None:
        self._inner.close()

    @override
    def __await__(self) -> Generator[Any, Any, Any]:
        raise NotImplementedError


class KilledProcesses:
    """Sends commands to a process that runs `serve`, and reads the answers.

    Args:
        process: with pipes for its input and output.
        environment: of the service, part of every command.
    """

    def __init__(self, process: asyncio.subprocess.Process, environment: dict[str, str]) -> None:
        self._process = process
        self._environment = environment

    async def run(self, action: str, **more: Any) -> dict[str, Any]:
        """Run one command in a process of its own; a killed one answers `{"killed": true}`."""
        command = {"action": action, "ahead_s": 0, "environment": self._environment, **more}
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ValueError("a process without pipes")
        stdin.write(json.dumps(command).encode() + b"\n")
        answer: dict[str, Any] = json.loads(await stdout.readline())
        return answer


def serve(work: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
    """Fork for each command until standard input ends.

    Args:
        work: carries out a command in the forked process. `kill_after_s` of a command kills it meanwhile.
    """
    for line in sys.stdin:
        command = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _obey(command, work, writing)
            os._exit(0)
        os.close(writing)
        if command.get("kill_after_s") is not None:
            time.sleep(command["kill_after_s"])
            os.kill(child, signal.SIGKILL)
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        is_killed = os.WIFSIGNALED(status)  # a part of an answer may have been written
        print('{"killed": true}' if is_killed else answer.decode(), flush=True)  # noqa: T201 - the answer


def _obey(
    command: dict[str, Any], work: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]], answer_to: int
) -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        answer = asyncio.run(_awaited(work(command)))
    except Exception as error:  # noqa: BLE001 - the test reports it
        answer = {"error": f"{type(error).__name__}: {error}"}
    os.write(answer_to, json.dumps(answer).encode())


async def _awaited(work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    return await work
