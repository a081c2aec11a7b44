"""Work that nobody wants any more."""

import asyncio
from contextlib import suppress

import pytest

from erp_gateway.web.disconnects import cancel_on_disconnect
from servicekit.testing.remains import uncollected


@pytest.mark.asyncio
@pytest.mark.parametrize("rounds", range(5))
async def test_what_a_cancellation_keeps_from_the_caller_is_closed(rounds: int) -> None:
    """However many rounds of the event loop after the work's end the cancellation comes."""
    loop = asyncio.get_running_loop()
    held: list[str] = []

    def cancel_after(left: int) -> None:
        if left == 0:
            outer.cancel()
        else:
            loop.call_soon(cancel_after, left - 1)

    async def work() -> str:
        held.append("opened")
        loop.call_soon(cancel_after, rounds)
        return "opened"

    async def close(what: str) -> None:
        held.remove(what)

    async def request() -> None:
        await close(await cancel_on_disconnect(work(), asyncio.Event().wait, unwanted=close))

    outer = asyncio.create_task(request())
    await asyncio.gather(outer, return_exceptions=True)
    assert held == []


@pytest.mark.asyncio
async def test_nothing_of_work_that_failed_is_left_behind() -> None:
    async def fails() -> None:
        raise LookupError

    with uncollected(LookupError) as remains:
        for _ in range(3):
            with suppress(LookupError):
                await cancel_on_disconnect(fails(), asyncio.Event().wait)
        assert await remains.names() == []
