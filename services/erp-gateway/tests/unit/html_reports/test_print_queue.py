"""The queue before the printer."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from erp_gateway.html_reports.errors import PdfQueueFull, PdfQueueTimeout
from erp_gateway.html_reports.print_queue import PrintQueue
from servicekit.errors import ShuttingDown


class Printed:
    """Documents that hold a place until they are let go."""

    def __init__(self, queue: PrintQueue) -> None:
        self._queue = queue
        self.order: list[int] = []
        self.let_go = asyncio.Event()

    async def document(self, number: int) -> None:
        """Hold a place."""
        async with self._queue.place():
            self.order.append(number)
            await self.let_go.wait()


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_places_are_given_in_the_order_of_coming() -> None:
    printed = Printed(PrintQueue(2, wait_s=60))
    tasks = [asyncio.create_task(printed.document(number)) for number in range(5)]
    await settled()
    assert printed.order == [0, 1]
    printed.let_go.set()
    await asyncio.gather(*tasks)
    assert printed.order == [0, 1, 2, 3, 4]


@pytest.mark.asyncio
async def test_no_more_than_allowed_wait() -> None:
    queue = PrintQueue(1, wait_s=60, max_waiting=2)
    printed = Printed(queue)
    tasks = [asyncio.create_task(printed.document(number)) for number in range(3)]
    await settled()
    with pytest.raises(PdfQueueFull):
        await printed.document(3)
    printed.let_go.set()
    await asyncio.gather(*tasks)
    await printed.document(4)
    assert printed.order == [0, 1, 2, 4]


@pytest.mark.asyncio
async def test_nobody_waits_for_ever() -> None:
    queue = PrintQueue(1, wait_s=0.01)
    async with queue.place():
        with pytest.raises(PdfQueueTimeout):
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(queue.place())
    async with queue.place():
        pass


@pytest.mark.asyncio
async def test_who_leaves_frees_the_place_in_the_queue() -> None:
    queue = PrintQueue(1, wait_s=60, max_waiting=1)
    printed = Printed(queue)
    holder = asyncio.create_task(printed.document(0))
    await settled()
    leaving = asyncio.create_task(printed.document(1))
    await settled()
    leaving.cancel()
    await settled()
    staying = asyncio.create_task(printed.document(2))
    await settled()
    printed.let_go.set()
    await asyncio.gather(holder, staying)
    assert printed.order == [0, 2]


@pytest.mark.asyncio
async def test_a_place_handed_to_somebody_who_just_left_goes_to_the_next() -> None:
    queue = PrintQueue(1, wait_s=60)
    printed = Printed(queue)
    holder = asyncio.create_task(printed.document(0))
    await settled()
    leaving = asyncio.create_task(printed.document(1))
    next_one = asyncio.create_task(printed.document(2))
    await settled()
    printed.let_go.set()
    await asyncio.sleep(0)  # the holder wakes, and hands its place over ...
    leaving.cancel()  # ... to one who leaves at this moment
    async with asyncio.timeout(5):
        await asyncio.gather(holder, next_one)
        async with queue.place():
            pass
    assert 2 in printed.order


@pytest.mark.asyncio
async def test_draining_sends_away_who_waits_and_who_comes() -> None:
    queue = PrintQueue(1, wait_s=60)
    printed = Printed(queue)
    holder = asyncio.create_task(printed.document(0))
    await settled()
    waiting = asyncio.create_task(printed.document(1))
    await settled()
    queue.drain()
    for late in (waiting, printed.document(2)):
        with pytest.raises(ShuttingDown):
            await late
    printed.let_go.set()
    await holder
    assert printed.order == [0]
