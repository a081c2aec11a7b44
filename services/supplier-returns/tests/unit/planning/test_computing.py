"""Computations beside the event loop: bounded, repeated when their process dies, dropped by nobody."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from supplier_returns.planning.computing import (
    SWITCH_INTERVAL_S,
    Computing,
    beside_the_loop,
    open_computing,
)
from supplier_returns.planning.errors import PlanningBusy

pytestmark = pytest.mark.asyncio

PARENT = """
import asyncio
import os

from supplier_returns.planning.computing import open_computing


def process_id(_body, _number):
    return os.getpid()


async def main():
    with open_computing() as computing:
        print(await computing.in_process(process_id, b"", 0), flush=True)
        await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main())
"""


def length(body: bytes, more: int) -> int:
    return len(body) + more


def process_id(_body: bytes, _number: int) -> int:
    return os.getpid()


def die_once(body: bytes, _number: int) -> str:
    mark = Path(body.decode())
    if not mark.exists():
        mark.touch()
        os._exit(1)
    return "alive"


def is_running(process_id: int) -> bool:
    """A process that ended but was not collected yet does not count."""
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


async def test_a_process_of_its_own_does_the_work(computing: Computing) -> None:
    assert await computing.in_process(length, b"abc", 2) == 5
    first = await computing.in_process(process_id, b"", 0)
    assert first != os.getpid()
    assert await computing.in_process(process_id, b"", 0) == first


async def test_a_process_that_died_is_replaced(computing: Computing, tmp_path: Path) -> None:
    assert await computing.in_process(die_once, str(tmp_path / "mark").encode(), 0) == "alive"


async def test_the_process_ends_with_its_parent_even_a_killed_one(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    parent = await asyncio.create_subprocess_exec(sys.executable, str(script), stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    await parent.wait()
    async with asyncio.timeout(10):
        while is_running(child):  # noqa: ASYNC110 - nobody signals the end of a grandchild
            await asyncio.sleep(0.02)


async def test_too_much_at_once_is_refused_and_the_rest_is_done() -> None:
    gate = threading.Event()
    with open_computing(threads=1, max_jobs=2) as computing:
        jobs = [asyncio.ensure_future(computing.on_thread(gate.wait, 30)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(PlanningBusy):
            await computing.on_thread(gate.wait, 30)
        gate.set()
        assert await asyncio.gather(*jobs) == [True, True]
        assert await computing.on_thread(length, b"a", 1) == 2


async def test_a_caller_that_leaves_gives_no_place_away_before_the_work_ends() -> None:
    gate = threading.Event()
    with open_computing(threads=1, max_jobs=1) as computing:
        job = asyncio.ensure_future(computing.on_thread(gate.wait, 30))
        await asyncio.sleep(0)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        with pytest.raises(PlanningBusy):
            await computing.on_thread(gate.wait, 30)
        gate.set()
        for _ in range(1_000):
            try:
                assert await computing.on_thread(length, b"", 1) == 1
                break
            except PlanningBusy:
                await asyncio.sleep(0.005)
        else:
            pytest.fail("the place was never given back")


async def test_computing_threads_give_way_to_the_event_loop_often() -> None:
    before = sys.getswitchinterval()
    with open_computing():
        assert sys.getswitchinterval() == SWITCH_INTERVAL_S < before
    assert sys.getswitchinterval() == before


async def test_small_work_does_not_wait_for_plans() -> None:
    gate = threading.Event()
    with open_computing(threads=1, max_jobs=1) as computing:
        job = asyncio.ensure_future(computing.on_thread(gate.wait, 30))
        await asyncio.sleep(0)
        assert await beside_the_loop(length, b"abc", more=2) == 5
        gate.set()
        assert await job


async def test_what_the_work_raises_comes_out(computing: Computing) -> None:
    with pytest.raises(ZeroDivisionError):
        await computing.on_thread(divmod, 1, 0)
