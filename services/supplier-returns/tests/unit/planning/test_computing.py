"""Computations outside the event loop: bounded, never retried, never lost."""

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from supplier_returns.planning.computing import SMALL_WORK_THREADS, Computing, WorkDiedError, open_computing
from supplier_returns.planning.errors import PlanningBusy
from supplier_returns.planning.small_work import run_small_work

pytestmark = [pytest.mark.asyncio, pytest.mark.check]

PARENT = """
import asyncio
import os

import parent
from supplier_returns.planning.computing import open_computing


def process_id(_body, _number):
    return os.getpid()


async def main():
    async with open_computing() as computing:
        print(await computing.of("bodega").run_in_process(parent.process_id, b"", 0), flush=True)
        await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main())
"""


def length(body: bytes, more: int) -> int:
    return len(body) + more


def process_id(_body: bytes, _number: int) -> int:
    return os.getpid()


def begin(body: bytes, seconds: float) -> None:
    """Record the start and the process in a file, and run this long. Without a duration, kill the process."""
    with Path(body.decode()).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    if not seconds:
        os._exit(1)
    time.sleep(seconds)


def fail(_body: bytes, error: Exception) -> None:
    raise error


def processes_of_begin(file: Path) -> list[int]:
    """Return the processes in which the work of `begin` started."""
    return [int(line) for line in file.read_text(encoding="utf-8").split()] if file.exists() else []


async def wait_for_begin(file: Path) -> int:
    """Wait until the work has started, and return its process."""
    async with asyncio.timeout(30):
        while not processes_of_begin(file):  # noqa: ASYNC110 - nobody signals it
            await asyncio.sleep(0.01)
    return processes_of_begin(file)[0]


async def has_ended(process_id: int) -> None:
    async with asyncio.timeout(30):
        while is_running(process_id):  # noqa: ASYNC110 - nobody signals the end of a process that is not waited for
            await asyncio.sleep(0.01)


def is_running(process_id: int) -> bool:
    """Return whether the process runs. A zombie does not count."""
    proc = Path(f"/proc/{process_id}")
    try:
        return (
            ") Z " not in (proc / "stat").read_text(encoding="utf-8")
            or len(list((proc / "task").iterdir())) > 1
        )
    except OSError:
        return False


async def test_the_work_runs_in_another_process(computing: Computing) -> None:
    assert await computing.of("bodega").run_in_process(length, b"abc", 2) == 5
    first = await computing.of("bodega").run_in_process(process_id, b"", 0)
    assert first != os.getpid()
    assert await computing.of("bodega").run_in_process(process_id, b"", 0) == first


async def test_work_that_killed_its_process_is_not_retried(computing: Computing, tmp_path: Path) -> None:
    file, mine = tmp_path / "begun", computing.of("bodega")
    with pytest.raises(WorkDiedError):
        await mine.run_in_process(begin, str(file).encode(), 0)
    assert len(processes_of_begin(file)) == 1
    assert await mine.run_in_process(process_id, b"", 0) not in processes_of_begin(file)


async def test_work_that_takes_too_long_ends_with_its_process_and_is_not_retried(tmp_path: Path) -> None:
    file = tmp_path / "begun"
    async with open_computing(work_s=6) as computing:
        mine = computing.of("bodega")
        first = await mine.run_in_process(process_id, b"", 0)
        late = asyncio.ensure_future(mine.run_in_process(begin, str(file).encode(), 600))
        waits = asyncio.ensure_future(computing.of("other").run_in_process(process_id, b"", 0))
        with pytest.raises(WorkDiedError):
            await late
        assert processes_of_begin(file) == [first]
        await has_ended(first)
        assert await waits != first, "whose turn comes next finds a new process"


async def test_a_process_that_died_while_idle_is_replaced(computing: Computing) -> None:
    mine = computing.of("bodega")
    first = await mine.run_in_process(process_id, b"", 0)
    os.kill(first, signal.SIGKILL)
    await has_ended(first)
    assert await mine.run_in_process(process_id, b"", 0) != first


async def test_work_of_a_disconnected_caller_ends_at_once(computing: Computing, tmp_path: Path) -> None:
    file, mine = tmp_path / "begun", computing.of("bodega")
    abandoned = asyncio.ensure_future(mine.run_in_process(begin, str(file).encode(), 600))
    process = await wait_for_begin(file)
    abandoned.cancel()
    await has_ended(process)
    assert await mine.run_in_process(length, b"abc", 2) == 5


async def test_a_stop_does_not_wait_for_the_process(tmp_path: Path) -> None:
    file = tmp_path / "begun"
    async with open_computing() as computing:
        busy = asyncio.ensure_future(computing.of("bodega").run_in_process(begin, str(file).encode(), 600))
        process = await wait_for_begin(file)
    await has_ended(process)
    await asyncio.gather(busy, return_exceptions=True)


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), TimeoutError("x"), EOFError("x"), OSError("x")])
async def test_an_exception_in_the_process_is_raised_with_its_traceback(
    computing: Computing, error: Exception
) -> None:
    mine = computing.of("bodega")
    first = await mine.run_in_process(process_id, b"", 0)
    with pytest.raises(type(error), match="x") as raised:
        await mine.run_in_process(fail, b"", error)
    assert "in fail" in "".join(raised.value.__notes__)
    assert await mine.run_in_process(process_id, b"", 0) == first


async def test_failed_work_keeps_its_body_no_longer_than_its_error(computing: Computing) -> None:
    body = bytes(1_000)
    before = sys.getrefcount(body)
    gc.disable()
    try:
        with suppress(ZeroDivisionError):
            await computing.of("bodega").run_in_process(fail, body, ZeroDivisionError("x"))
        async with asyncio.timeout(10):
            while sys.getrefcount(body) > before:  # noqa: ASYNC110 - the thread that asked forgets it in a moment
                await asyncio.sleep(0.01)
    finally:
        gc.enable()


async def test_the_process_ends_with_its_parent_even_a_killed_one(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    parent = await asyncio.create_subprocess_exec(sys.executable, str(script), stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    await parent.wait()
    await has_ended(child)


async def test_only_one_plan_is_computed_at_a_time() -> None:
    running, most = 0, 0

    def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.002)
        running -= 1

    async with open_computing() as computing:
        await asyncio.gather(*(computing.of(f"user {n % 5}").run_on_thread(work) for n in range(50)))
    assert most == 1


async def test_small_work_uses_few_threads() -> None:
    async with open_computing():
        names = await asyncio.gather(*(run_small_work(_slowly_named) for _ in range(30)))
    assert len(set(names)) <= SMALL_WORK_THREADS


def _slowly_named() -> str:
    time.sleep(0.002)
    return threading.current_thread().name


async def test_excess_work_is_refused_and_the_rest_is_done() -> None:
    gate = threading.Event()
    async with open_computing(max_waiting=2) as computing:
        mine = computing.of("bodega")
        jobs = [asyncio.ensure_future(mine.run_on_thread(gate.wait, 30)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(PlanningBusy):
            await mine.run_on_thread(gate.wait, 30)
        gate.set()
        assert await asyncio.gather(*jobs) == [True, True, True]
        assert await mine.run_on_thread(length, b"a", 1) == 2


async def test_waiting_work_of_a_disconnected_caller_is_dropped() -> None:
    gate = threading.Event()
    done: list[str] = []
    async with open_computing() as computing:
        mine = computing.of("bodega")
        running = asyncio.ensure_future(mine.run_on_thread(gate.wait, 30))
        abandoned = asyncio.ensure_future(mine.run_on_thread(done.append, "left"))
        await asyncio.sleep(0)
        abandoned.cancel()
        running.cancel()
        await asyncio.gather(running, abandoned, return_exceptions=True)
        stays = asyncio.ensure_future(mine.run_on_thread(done.append, "stayed"))
        await asyncio.sleep(0.02)
        assert done == [], "what runs goes on, and nothing beside it"
        gate.set()
        await stays
        assert done == ["stayed"]


async def test_the_switch_interval_of_threads_does_not_change() -> None:
    before = sys.getswitchinterval()
    async with open_computing():
        assert sys.getswitchinterval() == before


async def test_small_work_does_not_wait_for_plans() -> None:
    gate = threading.Event()
    async with open_computing() as computing:
        job = asyncio.ensure_future(computing.of("bodega").run_on_thread(gate.wait, 30))
        await asyncio.sleep(0)
        assert await run_small_work(length, b"abc", more=2) == 5
        gate.set()
        assert await job


async def test_an_exception_on_the_thread_is_raised(computing: Computing) -> None:
    with pytest.raises(ZeroDivisionError):
        await computing.of("bodega").run_on_thread(divmod, 1, 0)


def environment(_body: bytes) -> dict[str, str]:
    return dict(os.environ)


async def test_the_process_has_none_of_the_services_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLS_PLANTED", "planted-password")
    async with open_computing() as computing:
        assert await computing.of("bodega").run_in_process(environment, b"") == {}
