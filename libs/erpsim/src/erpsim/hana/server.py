"""Accepts connections and lets one cancel another."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from attrs import define, field

from erpsim.hana.conversation import Conversation, HangUp
from erpsim.hana.faults import Entry, Trouble
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.session import Session, Shared
from erpsim.hana.settings import HanaSettings
from erpsim.hana.tables.database import Database


@define(eq=False)
class HanaServer:
    """One database server on loopback.

    Attributes:
        database: the served database.
        trouble: the faults and the journal.
    """

    database: Database
    settings: HanaSettings
    trouble: Trouble = field(factory=Trouble)
    _conversations: dict[int, Conversation] = field(factory=dict)
    _tasks: set[asyncio.Task[None]] = field(factory=set)
    _count: int = 0

    @asynccontextmanager
    async def listening(
        self, host: str = "127.0.0.1", port: int = 0, *, tls: ssl.SSLContext | None = None
    ) -> AsyncIterator[int]:
        """Accept connections while the context lasts; gives the port."""
        server = await asyncio.start_server(self._accept, host, port, ssl=tls)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            self.cut_all()
            if self._tasks:
                await asyncio.wait(self._tasks)
            await server.wait_closed()

    def cancel(self, connection_id: int) -> None:
        """Cancel the running statement of a connection.

        A cancel without a running statement has no effect. The cancelling connection logs in first, so a slow
        login may cancel a later statement.
        """
        conversation = self._conversations.get(connection_id)
        if conversation is not None:
            conversation.cancel()

    def cut_all(self) -> int:
        """Close every connection at once, as a firewall does with idle ones, and return their number."""
        cut = list(self._conversations.values())
        for conversation in cut:
            conversation.cut()
        return len(cut)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        number = self._count
        session = Session(number, Shared(self.database, self.settings, self.trouble, self.cancel))
        conversation = Conversation(reader, writer, session)
        self._conversations[number] = conversation
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        self.trouble.journal.append(Entry(number, "open"))
        try:
            await conversation.run()
        except (HangUp, HanaError, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            del self._conversations[number]
            if task is not None:
                self._tasks.discard(task)
            self.trouble.journal.append(Entry(number, "close"))
            writer.close()
