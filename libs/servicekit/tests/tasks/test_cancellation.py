"""Work that is finished although its caller left, and the cancellation that follows."""

import asyncio

import pytest

from servicekit.tasks import finish
from servicekit.testing.remains import uncollected


@pytest.mark.asyncio
async def test_finish_completes_its_work_although_the_caller_is_cancelled_twice() -> None:
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


@pytest.mark.asyncio
async def test_finish_leaves_no_failure_in_memory() -> None:
    async def failing() -> int:
        raise LookupError("no")

    with uncollected(LookupError) as remains:
        for _ in range(3):
            try:
                await finish(failing())
            except LookupError:
                continue
        assert await remains.names() == []
