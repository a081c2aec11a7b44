"""A wire to a server that can be cut during a commit: before it arrives, or before its answer does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

CHUNK = 65_536


class Relay:
    """Hands everything on between clients and a server until it is told to cut; made by `relaying`."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self.port = 0
        self.cut: Literal["before", "after"] | None = None
        self.refusing = False
        self.cuts = 0

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        if self.refusing:
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._server_port)
        answering = asyncio.create_task(self._hand_on(there, writer))
        try:
            while data := await reader.read(CHUNK):
                if self.cut is not None and b"COMMIT" in data:
                    cut, self.cut = self.cut, None
                    self.cuts += 1
                    answering.cancel()
                    await asyncio.wait({answering})
                    if cut == "after":
                        back.write(data)
                        await there.read(CHUNK)  # the server's answer: it is done
                    break
                back.write(data)
                await back.drain()
        except OSError:
            pass
        finally:
            answering.cancel()
            for each in (back, writer):
                each.close()
            with suppress(OSError):
                await back.wait_closed()

    @staticmethod
    async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def relaying(port: int) -> AsyncIterator[Relay]:
    """Relay to a port of this machine while the block runs."""
    relay = Relay(port)
    server = await asyncio.start_server(relay.take, "127.0.0.1", 0)
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
