"""Computations beside the event loop: bounded, repeated when their process dies, dropped by nobody."""

import asyncio
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from supplier_returns.planning.computing import (
    SMALL_WORK_THREADS,
    Computing,
    beside_the_loop,
    open_computing,
)
from supplier_returns.planning.errors import PlanningBusy
from supplier_returns.planning.turns import TurnLimits

pytestmark = pytest.mark.asyncio

PARENT = """
import asyncio
import os

from supplier_returns.planning.computing import open_computing


def process_id(_body, _number):
    return os.getpid()


async def main():
    with open_computing() as computing:
        print(await computing.of("bodega").in_process(process_id, b"", 0), flush=True)
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


def wait_for(body: bytes, seconds: int) -> str:
    mark, end = Path(body.decode()), time.monotonic() + seconds
    while not mark.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return "there" if mark.exists() else "late"


def is_running(process_id: int) -> bool:
    """A process that ended but was not collected yet does not count."""
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


async def test_a_process_of_its_own_does_the_work(computing: Computing) -> None:
    assert await computing.of("bodega").in_process(length, b"abc", 2) == 5
    first = await computing.of("bodega").in_process(process_id, b"", 0)
    assert first != os.getpid()
    assert await computing.of("bodega").in_process(process_id, b"", 0) == first


async def test_a_process_that_died_is_replaced(computing: Computing, tmp_path: Path) -> None:
    assert await computing.of("bodega").in_process(die_once, str(tmp_path / "mark").encode(), 0) == "alive"


async def test_the_process_ends_with_its_parent_even_a_killed_one(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    parent = await asyncio.create_subprocess_exec(sys.executable, str(script), stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    await parent.wait()
    async with asyncio.timeout(30):
        while is_running(child):  # noqa: ASYNC110 - nobody signals the end of a grandchild
            await asyncio.sleep(0.02)


async def test_never_two_plans_are_computed_at_once() -> None:
    running, most = 0, 0

    def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.002)
        running -= 1

    with open_computing() as computing:
        await asyncio.gather(*(computing.of(f"user {n % 5}").on_thread(work) for n in range(50)))
    assert most == 1


async def test_small_work_of_many_takes_few_threads() -> None:
    with open_computing():
        names = await asyncio.gather(*(beside_the_loop(_slowly_named) for _ in range(30)))
    assert len(set(names)) <= SMALL_WORK_THREADS


def _slowly_named() -> str:
    time.sleep(0.002)
    return threading.current_thread().name


async def test_too_much_at_once_is_refused_and_the_rest_is_done() -> None:
    gate = threading.Event()
    with open_computing(TurnLimits(waiting=2)) as computing:
        mine = computing.of("bodega")
        jobs = [asyncio.ensure_future(mine.on_thread(gate.wait, 30)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(PlanningBusy):
            await mine.on_thread(gate.wait, 30)
        gate.set()
        assert await asyncio.gather(*jobs) == [True, True, True]
        assert await mine.on_thread(length, b"a", 1) == 2


async def test_large_pastes_that_wait_are_bounded_by_their_size(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with open_computing(TurnLimits(waiting_bytes=100)) as computing:
        mine = computing.of("bodega")
        first = asyncio.ensure_future(mine.in_process(wait_for, str(mark).encode(), 30))
        await asyncio.sleep(0)
        waits = asyncio.ensure_future(mine.in_process(length, b"x" * 60, 0))
        await asyncio.sleep(0)
        with pytest.raises(PlanningBusy):
            await mine.in_process(length, b"x" * 60, 0)
        mark.touch()
        assert await first == "there"
        assert await waits == 60


async def test_what_a_caller_that_left_waited_for_is_not_computed() -> None:
    gate = threading.Event()
    done: list[str] = []
    with open_computing() as computing:
        mine = computing.of("bodega")
        running = asyncio.ensure_future(mine.on_thread(gate.wait, 30))
        left = asyncio.ensure_future(mine.on_thread(done.append, "left"))
        await asyncio.sleep(0)
        left.cancel()
        running.cancel()
        await asyncio.gather(running, left, return_exceptions=True)
        stays = asyncio.ensure_future(mine.on_thread(done.append, "stayed"))
        await asyncio.sleep(0.02)
        assert done == [], "what runs goes on, and nothing beside it"
        gate.set()
        await stays
        assert done == ["stayed"]


async def test_how_soon_threads_give_way_is_left_to_the_process() -> None:
    before = sys.getswitchinterval()
    with open_computing():
        assert sys.getswitchinterval() == before


async def test_small_work_does_not_wait_for_plans() -> None:
    gate = threading.Event()
    with open_computing() as computing:
        job = asyncio.ensure_future(computing.of("bodega").on_thread(gate.wait, 30))
        await asyncio.sleep(0)
        assert await beside_the_loop(length, b"abc", more=2) == 5
        gate.set()
        assert await job


async def test_what_the_work_raises_comes_out(computing: Computing) -> None:
    with pytest.raises(ZeroDivisionError):
        await computing.of("bodega").on_thread(divmod, 1, 0)


def environment(_body: bytes) -> dict[str, str]:
    return dict(os.environ)


async def test_the_process_has_none_of_the_services_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLS_PLANTED", "planted-password")
    with open_computing() as computing:
        assert await computing.of("bodega").in_process(environment, b"") == {}
