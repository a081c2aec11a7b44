"""One room for all."""

import asyncio
import tempfile
from pathlib import Path

import pytest

from erp_gateway.files.exports.budget import Spool, SpoolBudget, SpoolClosedError
from erp_gateway.files.exports.errors import ExportNoRoom


@pytest.mark.asyncio
async def test_what_all_spools_hold_together_is_bounded_and_what_one_lets_go_is_for_the_others() -> None:
    budget = SpoolBudget(10)
    one, other = Spool(budget), Spool(budget)
    one.write(b"123456")
    other.write(b"1234")
    with pytest.raises(ExportNoRoom):
        other.write(b"5")
    assert (budget.held, one.size, other.size) == (10, 6, 4)
    one.close()
    one.close()
    other.write(b"567890")
    assert budget.held == 10
    other.close()
    assert budget.held == 0


def test_a_share_that_gets_no_room_keeps_what_it_had() -> None:
    budget = SpoolBudget(10)
    share = budget.share()
    share.resize(7)
    with pytest.raises(ExportNoRoom):
        share.resize(11)
    assert budget.held == 7
    share.resize(3)
    assert budget.held == 3
    share.release()
    assert budget.held == 0


async def everything(spool: Spool) -> bytes:
    return b"".join([chunk async for chunk in spool.chunks()])


@pytest.mark.asyncio
async def test_what_a_thread_writes_is_read_meanwhile_whole_and_in_order() -> None:
    spool = Spool(SpoolBudget(1_000_000))
    written = b"".join(b"%06d" % number for number in range(50_000))

    def write() -> None:
        for start in range(0, len(written), 1000):
            spool.write(written[start : start + 1000])

    reading = asyncio.ensure_future(everything(spool))
    await asyncio.to_thread(write)
    spool.end()
    assert await reading == written
    assert spool.size == len(written)
    spool.close()


@pytest.mark.asyncio
async def test_no_byte_beyond_the_limit_is_taken() -> None:
    spool = Spool(SpoolBudget(10))
    spool.write(b"0123456789")
    with pytest.raises(ExportNoRoom):
        spool.write(b"x")
    assert spool.size == 10
    spool.close()


@pytest.mark.asyncio
async def test_who_writes_on_after_the_end_is_told_so() -> None:
    spool = Spool(SpoolBudget(10))
    spool.close()
    with pytest.raises(SpoolClosedError):
        spool.write(b"x")


@pytest.mark.asyncio
async def test_a_system_that_gives_no_file_is_told_as_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(ExportNoRoom):
        Spool(SpoolBudget(10))
