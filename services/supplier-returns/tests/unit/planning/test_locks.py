"""Locks by key."""

import asyncio

import pytest

from servicekit.erp.errors import OutcomeUnknown, OutcomeUnknownTimeout
from supplier_returns.planning.locks import KeyedLocks

pytestmark = pytest.mark.asyncio


async def test_a_lock_excludes_its_own_key_only() -> None:
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


async def test_an_unused_lock_takes_no_memory() -> None:
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
async def test_a_write_without_a_reply_is_remembered(error: BaseException, *, may_come_late: bool) -> None:
    locks = KeyedLocks()
    with pytest.raises(type(error)):
        async with locks.hold(1):
            raise error
    assert [locks.has_unanswered(key) for key in (1, 2)] == [may_come_late, False]
