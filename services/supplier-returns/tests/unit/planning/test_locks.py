"""Locks by key."""

import asyncio

import pytest

from servicekit.erp.errors import OutcomeUnknown, OutcomeUnknownTimeout
from supplier_returns.planning.locks import KeyedLocks

pytestmark = pytest.mark.asyncio


async def test_one_key_is_held_by_one_at_a_time_and_other_keys_do_not_wait() -> None:
    locks, inside, most = KeyedLocks(), 0, 0

    async def work(key: int) -> None:
        nonlocal inside, most
        async with locks.hold(key):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work(1) for _ in range(5)))
    assert most == 1
    await asyncio.gather(*(work(key) for key in range(5)))
    assert most == 5


async def test_a_lock_that_nobody_holds_takes_no_memory() -> None:
    locks = KeyedLocks()
    for key in range(100):
        async with locks.hold(key):
            assert len(locks) == 1
    assert len(locks) == 0


@pytest.mark.parametrize(
    ("error", "may_come_late"),
    [
        (OutcomeUnknown(), True),
        (OutcomeUnknownTimeout(), True),
        (asyncio.CancelledError(), True),
        (ValueError(), False),
    ],
)
async def test_a_write_without_an_answer_is_remembered(error: BaseException, *, may_come_late: bool) -> None:
    locks = KeyedLocks()
    with pytest.raises(type(error)):
        async with locks.hold(1):
            raise error
    assert [locks.has_unanswered(key) for key in (1, 2)] == [may_come_late, False]
