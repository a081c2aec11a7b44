import asyncio

import pytest
from structlog.testing import capture_logs

from servicekit.errors import NotConfigured
from servicekit.tasks import every


@pytest.mark.asyncio
async def test_work_runs_at_once_and_repeatedly_until_the_block_ends() -> None:
    turns = 0
    third = asyncio.Event()

    async def work() -> None:
        nonlocal turns
        turns += 1
        if turns == 3:
            third.set()

    async with every(0.001, "counting", work):
        async with asyncio.timeout(30):
            await third.wait()
    after = turns
    await asyncio.sleep(0.01)
    assert turns == after


@pytest.mark.asyncio
async def test_a_failure_is_logged_and_the_next_run_follows() -> None:
    turns = 0
    second = asyncio.Event()

    async def work() -> None:
        nonlocal turns
        turns += 1
        if turns == 1:
            raise RuntimeError("boom")
        second.set()

    with capture_logs() as logs:
        async with every(0.001, "trying", work), asyncio.timeout(30):
            await second.wait()
    failed, well = logs
    assert (failed["event"], failed["work"]) == ("periodic_work_failed", "trying")
    assert failed["exc_info"].args == ("boom",), "a cause that is not foreseen has a trace"
    assert (well["event"], well["work"], well["repeated"]) == ("periodic_work_well_again", "trying", 0)


@pytest.mark.asyncio
async def test_a_repeated_expected_failure_logs_one_line_without_traceback() -> None:
    turns = 0
    enough = asyncio.Event()

    async def work() -> None:
        nonlocal turns
        turns += 1
        if turns <= 40:
            raise NotConfigured from OSError("connection refused")
        enough.set()

    with capture_logs() as logs:
        async with every(0.001, "trying", work), asyncio.timeout(30):
            await enough.wait()
    failed, well = logs
    assert failed["reason"] == "NotConfigured: connection refused"
    assert "exc_info" not in failed
    assert (well["event"], well["repeated"]) == ("periodic_work_well_again", 39)
