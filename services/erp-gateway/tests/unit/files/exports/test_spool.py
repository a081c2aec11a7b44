"""Spools are read while they are written, up to their budget."""

import asyncio
import tempfile
from pathlib import Path

import pytest

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportNoRoom
from erp_gateway.files.exports.spool import Spool, SpoolClosedError


async def everything(spool: Spool) -> bytes:
    return b"".join([chunk async for chunk in spool.chunks()])


@pytest.mark.asyncio
async def test_concurrent_reads_of_a_spool_are_complete_and_ordered() -> None:
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
async def test_a_write_over_the_spool_limit_is_refused() -> None:
    spool = Spool(SpoolBudget(10))
    spool.write(b"0123456789")
    with pytest.raises(ExportNoRoom):
        spool.write(b"x")
    assert spool.size == 10
    spool.close()


@pytest.mark.asyncio
async def test_a_write_after_close_is_refused() -> None:
    spool = Spool(SpoolBudget(10))
    spool.close()
    with pytest.raises(SpoolClosedError):
        spool.write(b"x")


@pytest.mark.asyncio
async def test_a_system_without_room_for_a_file_refuses_the_spool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(ExportNoRoom):
        Spool(SpoolBudget(10))
