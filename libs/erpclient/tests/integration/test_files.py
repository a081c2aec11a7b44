"""Files of records against the simulated ERP: streamed up and down, over an expired session too."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from erpclient import (
    Caller,
    Credentials,
    ErpClient,
    ErpRefused,
    ErpReplyUnreadable,
    ErpSettings,
    FilePart,
    StreamedBody,
)
from erpsim.faults import Fault, Truncate
from erpsim.simulator import Simulator, run_sim

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("version", ["v1", "v2"])]

CALLER = Caller("ana")
PIECE = bytes(range(256)) * 256


@asynccontextmanager
async def open_both(version: str) -> AsyncIterator[tuple[Simulator, ErpClient]]:
    async with run_sim() as sim:
        url = sim.url if version == "v1" else sim.url_v2
        async with ErpClient(ErpSettings(url), Credentials("SBO_DEMO", "manager", "erpsim")) as client:
            yield sim, client


async def pieces() -> AsyncIterator[bytes]:
    for _ in range(16):
        yield PIECE


def file(name: str) -> FilePart:
    return FilePart(name, StreamedBody(16 * len(PIECE), pieces))


async def test_files_are_uploaded_and_downloaded_in_chunks(version: str) -> None:
    async with open_both(version) as (sim, client):
        sim.sessions.end_all()
        stored = await client.upload([file("plano nº 1.pdf"), file("b.txt")], entry=None, caller=CALLER)
        assert b'"AbsoluteEntry":1' in stored.body.replace(b" ", b"")
        sim.sessions.end_all()
        assert (await client.upload([file("c.txt")], entry=1, caller=CALLER)).body == b"{}"
        assert [call.status for call in sim.calls.of("PATCH", "Attachments2(1)")] == [401, 204]
        got: list[bytes] = []
        await client.download(1, "plano nº 1.pdf", got.append, caller=CALLER)
        assert len(got) > 1
        assert b"".join(got) == PIECE * 16


async def test_failed_downloads_are_reported_and_a_failing_sink_ends_the_call(version: str) -> None:
    async with open_both(version) as (sim, client):
        await client.upload([file("a.txt")], entry=None, caller=CALLER)
        with pytest.raises(ErpRefused) as refused:
            await client.download(1, "b.txt", len, caller=CALLER)
        assert refused.value.status == 404
        sim.faults.add(Fault(action=Truncate(keep_bytes=1000), path="Attachments2*"))
        with pytest.raises(ErpReplyUnreadable, match="truncated"):
            await client.download(1, "a.txt", len, caller=CALLER)

        def full(_: bytes) -> None:
            raise OSError("no room")

        with pytest.raises(OSError, match="no room"):
            await client.download(1, "a.txt", full, caller=CALLER)
        await client.download(1, "a.txt", len, caller=CALLER)
