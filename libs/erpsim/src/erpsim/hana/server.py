"""Listens, keeps the connections, and lets one of them cancel another."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from attrs import define, field, frozen

from erpsim.hana.conversation import Conversation, HangUp
from erpsim.hana.faults import Entry, Trouble
from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.protocol.login import PBKDF2, PLAIN
from erpsim.hana.tables.database import Database


@frozen
class HanaSettings:
    """How the server behaves.

    Attributes:
        users: Password by user name, folded as the server folds it (upper case unless quoted).
        methods: Accepted login methods, preferred first.
        rows_per_packet: Most rows in one reply.
        lob_inline: UTF-16 units (or bytes) of a LOB that travel inside its row.
        data_format: Highest data format version the server speaks.
    """

    users: Mapping[str, str] = field(repr=False)
    methods: tuple[str, ...] = (PBKDF2, PLAIN)
    rows_per_packet: int = 1000
    lob_inline: int = 1024
    data_format: int = 8


@define(eq=False)
class HanaServer:
    """One database server on loopback.

    Attributes:
        database: What is asked.
        trouble: Rules of trouble, and the record of what reached the server.
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
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    def cancel(self, connection_id: int) -> None:
        """Cancel what a connection is doing.

        A cancel that comes while nothing runs has no effect; one that is slow to log in hits whatever runs by
        then.
        """
        conversation = self._conversations.get(connection_id)
        if conversation is not None:
            conversation.cancel()

    def cut_all(self) -> int:
        """Cut every connection at once, as a firewall does with idle ones; return how many."""
        cut = list(self._conversations.values())
        for conversation in cut:
            conversation.cut()
        return len(cut)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        conversation = Conversation(self._count, reader, writer, self)
        self._conversations[conversation.identifier] = conversation
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        self.trouble.journal.append(Entry(conversation.identifier, "open"))
        try:
            await conversation.run()
        except (HangUp, HanaError, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            del self._conversations[conversation.identifier]
            if task is not None:
                self._tasks.discard(task)
            self.trouble.journal.append(Entry(conversation.identifier, "close"))
            writer.close()
