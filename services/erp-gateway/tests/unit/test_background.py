"""Work beside the requests: repeated until left, and not cut short where it must end."""

import asyncio

import pytest
from structlog.testing import capture_logs

from erp_gateway.background import finish, repeating


@pytest.mark.asyncio
async def test_repeating_goes_on_after_a_failure_and_ends_on_leaving() -> None:
    runs = 0
    third = asyncio.Event()

    async def work() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise LookupError("once")
        if runs == 3:
            third.set()

    with capture_logs() as logs:
        async with repeating("counting", work, every_s=0.001):
            await asyncio.wait_for(third.wait(), 5)
    seen = runs
    await asyncio.sleep(0.01)

    assert runs == seen
    assert [(entry["event"], entry["work"]) for entry in logs] == [("background_work_failed", "counting")]


@pytest.mark.asyncio
async def test_finish_ends_its_work_although_the_caller_is_cancelled_twice() -> None:
    done = []
    release = asyncio.Event()

    async def work() -> None:
        await release.wait()
        done.append("done")

    task = asyncio.create_task(finish(work()))
    for _ in range(2):
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["done"]


@pytest.mark.asyncio
async def test_finish_gives_the_result_or_the_failure() -> None:
    async def seven() -> int:
        return 7

    async def failing() -> int:
        raise LookupError("no")

    assert await finish(seven()) == 7
    with pytest.raises(LookupError):
        await finish(failing())
