"""Run executions in child processes that can be killed. The process forks one child for each command.

A command is a JSON line on standard input, and its reply a line on standard output. The parent has imported
everything and runs no event loop, so hundreds of children are cheap.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Coroutine, Generator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from typing_extensions import override

from erpclient import Caller
from servicekit.clock import SystemClock
from servicekit.config import Secret
from supplier_returns.components import open_components
from supplier_returns.settings.root import load_settings


class LaterClock(SystemClock):
    """A clock that is ahead, like that of a process that starts later."""

    def __init__(self, ahead_s: float) -> None:
        self._ahead = timedelta(seconds=ahead_s)

    @override
    def now(self) -> datetime:
        return super().now() + self._ahead


class Steps:
    """Counts the awaits of all tasks, and kills the process at the chosen one."""

    def __init__(self, kill_at: int | None) -> None:
        self.count = 0
        self.is_counting = False
        self._kill_at = kill_at

    def begin(self) -> None:
        self.is_counting = True

    def waits(self) -> None:
        if self.is_counting:
            if self.count == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            self.count += 1


class Stepping(Coroutine[Any, Any, Any]):
    """A coroutine that counts each of its awaits, before and after."""

    def __init__(self, inner: Coroutine[Any, Any, Any], steps: Steps) -> None:
        self._inner = inner
        self._steps = steps

    @override
    def send(self, value: Any) -> Any:
        self._steps.waits()
        result = self._inner.send(value)
        self._steps.waits()
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


async def work(command: dict[str, Any]) -> dict[str, Any]:
    """Sign in, and execute or reprocess. Return the resulting planning."""
    steps = Steps(command.get("kill_at"))
    loop = asyncio.get_running_loop()
    settings = load_settings({"CONFIG_FILE": os.devnull, "ENVIRONMENT": "test", **command["environment"]})
    async with open_components(settings, clock=LaterClock(command["ahead_s"])) as components:
        caller = Caller("bodega")
        opened = await components.login.sign_in(
            "bodega", Secret("erpsim"), address="127.0.0.1", caller=caller
        )
        sources = components.execution_sources(opened.session, caller, ip="127.0.0.1")
        loop.set_task_factory(
            lambda loop, coro, **more: asyncio.Task(Stepping(coro, steps), loop=loop, **more)
        )
        steps.begin()
        if command["action"] == "execute":
            run = components.execution.execute(sources, command["planning"], command["version"], None)
        else:
            run = components.execution.reprocess(sources, command["planning"], None, replan=False)
        planning = await run.task.result()
        return {
            "steps": steps.count,
            "state": planning.state.value,
            "documents": [document.state.value for document in planning.documents],
        }


def obey(command: dict[str, Any], answer_to: int) -> None:
    """Run one command in this process without output, and write the reply."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        answer = asyncio.run(work(command))
    except Exception as error:  # noqa: BLE001 - whoever asked wants to hear of it
        answer = {"error": f"{type(error).__name__}: {error}"}
    os.write(answer_to, json.dumps(answer).encode())


def main() -> None:
    """Fork for each command until standard input ends."""
    for line in sys.stdin:
        command = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            obey(command, writing)
            os._exit(0)
        os.close(writing)
        if command.get("kill_after_s") is not None:
            time.sleep(command["kill_after_s"])
            os.kill(child, signal.SIGKILL)
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(child, 0)
        print(answer.decode() or '{"killed": true}', flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent)]
    main()
