"""A wire to a server that can be cut: for good, or during a commit, before it or its answer arrives."""

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
        self._server: asyncio.Server | None = None
        self.wires: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_server(self.take, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Cut all connections and refuse new ones, as a relay that is not there any more."""
        assert self._server is not None
        self._server.close()
        for wire in self.wires:
            wire.transport.abort()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        if self.refusing:
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._server_port)
        answering = asyncio.create_task(self._hand_on(there, writer))
        self.wires |= {writer, back}
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
            self.wires -= {writer, back}
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
    await relay.start()
    try:
        yield relay
    finally:
        relay.stop()
