"""A part of a service never shares a lane with a user of the same name."""

import asyncio

import pytest

from erpclient import FairQueue, InternalLane, Lane, QueueRules, lane_name
from erpclient.lanes import is_background


def refuse(*_: object) -> Exception:
    return RuntimeError("no room")


@pytest.mark.parametrize("name", ["anonymous", "recheck", "erp_gateway:exports", "erpclient:login"])
@pytest.mark.asyncio
async def test_a_user_named_like_an_internal_lane_has_a_lane_of_their_own(name: str) -> None:
    rules = QueueRules(
        capacity=1, max_waiting_per_user=1, wait_s=10, full=refuse, too_late=refuse, closed=refuse
    )
    queue = FairQueue(rules)
    running = await queue.take("ana")
    lanes: tuple[Lane, ...] = (name, InternalLane(name))
    waiting = [asyncio.create_task(queue.take(lane)) for lane in lanes]
    await asyncio.sleep(0)
    assert [wait.user for wait in queue.waits] == [*lanes]
    assert [lane_name(wait.user) for wait in queue.waits] == [name, name]
    running.release()
    for task in waiting:
        (await task).release()


def test_only_internal_lanes_are_in_the_background() -> None:
    assert is_background(InternalLane("x", is_background=True))
    assert not is_background(InternalLane("x"))
    assert not is_background("x")
