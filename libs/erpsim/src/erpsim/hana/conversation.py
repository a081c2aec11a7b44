"""One connection: its requests and replies, and the effects of faults on them."""

import asyncio
import struct
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from attrs import define, field

from erpsim.hana.faults import Entry, Fault, Phase
from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import CANCELLED, Function, HanaError, Message, Part
from erpsim.hana.protocol.framing import (
    INITIALIZATION_REPLY,
    INITIALIZATION_SIZE,
    MESSAGE_HEADER,
    PartData,
    Request,
    build_reply,
    parse_request,
)
from erpsim.hana.session import LOGIN_FAILED, Reply, Session, Work

_TRICKLE_PIECES = 64
# Interval between interrupts: the engine ignores one that comes too early.
_AGAIN_S = 0.05
_PHASES = {
    Message.AUTHENTICATE: Phase.AUTHENTICATE,
    Message.CONNECT: Phase.CONNECT,
    Message.PREPARE: Phase.PREPARE,
    Message.EXECUTE: Phase.EXECUTE,
    Message.EXECUTEDIRECT: Phase.EXECUTE,
    Message.FETCHNEXT: Phase.FETCH,
    Message.READLOB: Phase.READLOB,
    Message.CLOSERESULTSET: Phase.CLOSERESULT,
    Message.COMMIT: Phase.COMMIT,
    Message.ROLLBACK: Phase.ROLLBACK,
}


class HangUp(Exception):  # noqa: N818 - an end, not an error
    """Signal to close the connection without (the rest of) a reply."""


@define(eq=False)
class Conversation:
    """One client's connection.

    Attributes:
        session: state of the client.
    """

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    session: Session
    _cancelled: asyncio.Event = field(factory=asyncio.Event)
    _thread: ThreadPoolExecutor = field(factory=lambda: ThreadPoolExecutor(1, "hana"))
    _working: asyncio.Future[Reply] | None = None

    def cancel(self) -> None:
        """Cancel the running statement."""
        self._cancelled.set()

    def cut(self) -> None:
        """Close the connection abruptly."""
        self.writer.close()

    async def run(self) -> None:
        """Serve until the client leaves.

        Raises:
            HangUp: a fault or a DISCONNECT ends the connection.
            HanaError: a fault requires an error before the protocol can transmit one.
            asyncio.IncompleteReadError: the client disconnected.
        """
        try:
            await self._serve()
        finally:
            await self._end()

    async def _end(self) -> None:
        working = self._working
        while working is not None and not working.done():
            self.session.transaction.interrupt()
            await asyncio.wait([working], timeout=_AGAIN_S)
        self.session.close()
        self._thread.shutdown(wait=False)

    async def _serve(self) -> None:
        await self.reader.readexactly(INITIALIZATION_SIZE)
        fault = self._fault(Phase.INIT, "")
        if fault is not None:
            await self._suffer(fault)
        await self._send(INITIALIZATION_REPLY, fault)
        while True:
            header = await self.reader.readexactly(MESSAGE_HEADER.size)
            variable = await self.reader.readexactly(MESSAGE_HEADER.unpack(header)[2])
            request = parse_request(header, variable)
            self._cancelled.clear()
            await self._answer(request)

    async def _answer(self, request: Request) -> None:
        sql = self.session.sql_of(request)
        phase = _PHASES.get(Message(request.message)) if request.message in set(Message) else None
        fault = self._fault(phase, sql)
        try:
            if fault is not None:
                await self._suffer(fault)
            result = self.session.answer(request, sql)
            reply = result if isinstance(result, Reply) else await self._work(result)
        except HanaError as error:
            self.session.note(request, sql)
            await self._send(self._error(request, error), fault)
            if error.code == LOGIN_FAILED[0]:
                raise HangUp from error
            return
        await self._send(self._pack(request, reply.parts, reply.function), fault)
        if request.message == Message.DISCONNECT:
            raise HangUp

    def _fault(self, phase: Phase | None, sql: str) -> Fault | None:
        return None if phase is None else self.session.shared.trouble.find(phase, sql)

    async def _suffer(self, fault: Fault) -> None:
        if fault.delay_s:
            await self._wait(fault.delay_s)
        if fault.drop == "reset":
            self.writer.transport.abort()
        if fault.drop is not None:
            raise HangUp
        if fault.error is not None:
            raise HanaError(*fault.error)

    async def _wait(self, delay_s: float) -> None:
        """Wait like a long query. A cancel ends it with error 139; a disconnect ends the conversation."""
        waits: list[Awaitable[object]] = [self._cancelled.wait(), self.reader.read(1)]
        tasks = [asyncio.ensure_future(wait) for wait in waits]
        done, pending = await asyncio.wait(tasks, timeout=delay_s, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        if tasks[1] in done:
            self.session.shared.trouble.journal.append(Entry(self.session.identifier, "client_gone"))
            raise HangUp
        if tasks[0] in done:
            self.session.shared.trouble.journal.append(Entry(self.session.identifier, "cancelled"))
            raise HanaError(*CANCELLED, sqlstate="HY008")

    async def _work(self, work: Work) -> Reply:
        self.session.transaction.ready()
        loop = asyncio.get_running_loop()
        working = self._working = loop.run_in_executor(self._thread, work)
        waits: list[Awaitable[object]] = [self._cancelled.wait(), self.reader.read(1)]
        ends = [asyncio.ensure_future(wait) for wait in waits]
        watched: list[asyncio.Future[Any]] = [working, *ends]
        await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        was_cancelled, is_gone = (end.done() for end in ends)
        while not working.done() and (was_cancelled or is_gone):
            self.session.transaction.interrupt()
            await asyncio.wait([working], timeout=_AGAIN_S)
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)
        if is_gone:
            self.session.shared.trouble.journal.append(Entry(self.session.identifier, "client_gone"))
            raise HangUp
        if was_cancelled and isinstance(working.exception(), HanaError):
            self.session.shared.trouble.journal.append(Entry(self.session.identifier, "cancelled"))
        error = working.exception()
        if error is not None and not isinstance(error, HanaError):
            raise HanaError(2048, f"column store error: {error}") from error
        return working.result()

    def _error(self, request: Request, error: HanaError) -> bytes:
        text = cesu8.encode(error.text)
        head = struct.pack("<iiib", error.code, 0, len(text), error.level) + error.sqlstate.encode("ascii")
        part = PartData(Part.ERROR, head + text)
        return self._pack(request, (part,), Function.NONE, is_error=True)

    def _pack(
        self, request: Request, parts: tuple[PartData, ...], function: int, *, is_error: bool = False
    ) -> bytes:
        return build_reply(
            parts,
            session_id=self.session.identifier if self.session.is_connected else 0,
            packet_count=request.packet_count,
            function=function,
            is_error=is_error,
        )

    async def _send(self, raw: bytes, fault: Fault | None) -> None:
        if fault is not None and fault.cut_at is not None:
            self.writer.write(raw[: fault.cut_at])
            await self.writer.drain()
            raise HangUp
        if fault is not None and fault.trickle_s is not None:
            size = max(1, len(raw) // _TRICKLE_PIECES)
            for begin in range(0, len(raw), size):
                self.writer.write(raw[begin : begin + size])
                await self.writer.drain()
                await asyncio.sleep(fault.trickle_s)
            return
        self.writer.write(raw)
        with suppress(ConnectionError):  # a client that disconnects does not wait for the reply
            await self.writer.drain()
