"""The clock on which a lock's trust is measured goes on while the machine sleeps."""

import time
from datetime import UTC, datetime

import pytest
from memory_lock import LockServer, MemoryLock
from typing_extensions import override

from erp_gateway.store.standby.watch import LockWatch, SleeplessClock
from servicekit.clock import ManualClock


class SuspendedMachine(ManualClock):
    """A machine's clock; what it slept counts in the seconds since its start alone."""

    slept_s = 0.0

    @override
    def monotonic(self) -> float:
        return super().monotonic() + self.slept_s


@pytest.mark.asyncio
async def test_a_machine_that_was_suspended_checks_the_lock_before_its_next_call() -> None:
    clock, server = SuspendedMachine(datetime(2026, 3, 2, tzinfo=UTC)), LockServer()
    watch = LockWatch(MemoryLock(server), clock)
    await watch.wait_for_lock()
    assert await watch.may_send()
    server.free()
    await MemoryLock(server).take()
    assert await watch.may_send()  # asked a moment ago; the other one waits for longer than this is trusted
    clock.slept_s = 60.0
    assert not await watch.may_send()


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="this system counts no sleep")
def test_the_clock_includes_suspension() -> None:
    clock = SleeplessClock()
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert before <= clock.monotonic() <= time.clock_gettime(time.CLOCK_BOOTTIME)
    assert clock.counted == time.CLOCK_BOOTTIME
