"""Work that nobody wants any more."""

import asyncio
from contextlib import suppress

import pytest

from erp_gateway.web.disconnects import cancel_on_disconnect
from servicekit.testing.remains import uncollected


@pytest.mark.asyncio
@pytest.mark.parametrize("rounds", range(5))
async def test_a_result_lost_to_cancellation_is_closed(rounds: int) -> None:
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
async def test_failed_work_leaves_no_error_in_memory() -> None:
    async def fails() -> None:
        raise LookupError

    with uncollected(LookupError) as remains:
        for _ in range(3):
            with suppress(LookupError):
                await cancel_on_disconnect(fails(), asyncio.Event().wait)
        assert await remains.names() == []
