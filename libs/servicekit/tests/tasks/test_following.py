"""Work that goes on when its listeners leave, and what they are told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from servicekit.errors import NotFound
from servicekit.tasks import FollowedTask
from servicekit.testing.remains import uncollected

pytestmark = pytest.mark.asyncio


async def test_every_listener_receives_all_progress_from_the_beginning() -> None:
    release = asyncio.Event()

    async def work(tell: Callable[[int], None]) -> str:
        tell(1)
        await release.wait()
        tell(2)
        return "done"

    following = FollowedTask(work)
    early = asyncio.ensure_future(heard(following))
    await asyncio.sleep(0)
    assert not following.is_done
    release.set()
    assert await early == [1, 2]
    assert await heard(following) == [1, 2]
    assert await following.result() == "done"
    assert await following.ended_within(0)


async def test_a_cancelled_listener_does_not_end_the_work() -> None:
    release = asyncio.Event()

    async def work(_tell: Callable[[int], None]) -> str:
        await release.wait()
        return "done"

    following = FollowedTask(work)
    waiting = asyncio.ensure_future(following.result())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    release.set()
    assert await following.result() == "done"


async def test_silence_is_reported_as_none() -> None:
    async def work(_tell: Callable[[int], None]) -> None:
        await asyncio.Event().wait()

    following = FollowedTask(work)
    assert await anext(following.progress(quiet_s=0.001)) is None
    following.cancel()


async def test_cancelled_work_determines_its_own_result() -> None:
    async def work(_tell: Callable[[int], None]) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise LookupError("cancelled") from error

    following = FollowedTask(work)
    await asyncio.sleep(0)
    following.cancel()
    with pytest.raises(LookupError, match="cancelled"):
        await following.result()
    assert await heard(following) == []


async def heard(following: FollowedTask[int, Any]) -> list[int | None]:
    return [told async for told in following.progress(quiet_s=30)]


class Body:
    """An object that failing work refers to."""


async def test_an_error_is_kept_for_every_listener_without_its_frames() -> None:
    async def work(_tell: Callable[[int], None]) -> None:
        body = Body()
        raise NotFound(str(body)) from LookupError("below")

    with uncollected(NotFound, LookupError, Body) as remains:
        following = FollowedTask(work)
        causes = []
        for _ in range(3):
            try:
                await following.result()
            except NotFound as error:
                causes.append(error.cause)
        assert causes == ["LookupError: below"] * 3
        assert await remains.names() == []
        del following
