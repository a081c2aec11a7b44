"""One connection: login, then one request and one reply after the other.

The public methods named after messages each serve that message.
"""

import asyncio
import re
import secrets
import struct
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from erpsim.hana.faults import Entry, Fault, Phase
from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import CANCELLED, Function, HanaError, Message, Part
from erpsim.hana.protocol.columns import Column, Value, parameter_metadata, result_metadata
from erpsim.hana.protocol.framing import (
    INITIALIZATION_REPLY,
    INITIALIZATION_SIZE,
    MESSAGE_HEADER,
    PartData,
    Request,
    build_reply,
    parse_request,
)
from erpsim.hana.protocol.login import Challenge, choose_method, fold_user, parse_fields
from erpsim.hana.protocol.options import (
    CONNECTION_ID,
    DATA_FORMAT_VERSION,
    DATA_FORMAT_VERSION_2,
    Option,
    options_part,
    parse_options,
)
from erpsim.hana.protocol.parameters import read_rows
from erpsim.hana.protocol.results import Lobs, ResultSet
from erpsim.hana.tables.database import READ_ONLY_REFUSAL, is_query
from erpsim.hana.tables.sql_text import first_word

if TYPE_CHECKING:
    from erpsim.hana.server import HanaServer

_CANCEL = re.compile(r"ALTER SYSTEM CANCEL SESSION '(\d+)'", re.IGNORECASE)
_SET_SCHEMA = re.compile(r"SET SCHEMA\s+(?:\"((?:[^\"]|\"\")+)\"|(\w+))\s*", re.IGNORECASE)
_READ_ONLY = re.compile(r"SET TRANSACTION READ ONLY", re.IGNORECASE)
_LOGIN_FAILED = (10, "authentication failed")
_TRICKLE_PIECES = 64
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
_FUNCTIONS = {"INSERT": Function.INSERT, "UPDATE": Function.UPDATE, "DELETE": Function.DELETE}


class HangUp(Exception):  # noqa: N818 - an end, not an error
    """The connection is to be closed without (the rest of) a reply."""


@frozen
class Reply:
    """What to answer: parts and what was done."""

    function: int
    parts: tuple[PartData, ...] = ()


@define(eq=False)
class Conversation:
    """One client's connection.

    Attributes:
        identifier: The server's number of it, which a cancel names.
    """

    identifier: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: "HanaServer"
    user: str = ""
    schema: str = ""
    is_connected: bool = False
    is_read_only: bool = False
    options: Mapping[int, Option] = field(factory=dict)
    _challenge: Challenge | None = None
    _lobs: Lobs = field(init=False)
    _statements: dict[int, str] = field(factory=dict)
    _results: dict[int, ResultSet] = field(factory=dict)
    _handles: int = 0
    _cancelled: asyncio.Event = field(factory=asyncio.Event)

    def __attrs_post_init__(self) -> None:
        self._lobs = Lobs(self.server.settings.lob_inline)

    def cancel(self) -> None:
        """Cancel what runs now."""
        self._cancelled.set()

    def cut(self) -> None:
        """End the connection without a word."""
        self.writer.close()

    async def run(self) -> None:
        """Serve until the client leaves.

        Raises:
            HangUp: A fault or a DISCONNECT ends the connection.
            HanaError: A fault orders one before there is a protocol to tell it in.
            asyncio.IncompleteReadError: The client is gone.
        """
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
        sql = self._sql_of(request)
        phase = _PHASES.get(Message(request.message)) if request.message in set(Message) else None
        fault = self._fault(phase, sql)
        try:
            if fault is not None:
                await self._suffer(fault)
            reply = self._handle(request, sql)
        except HanaError as error:
            self._note(request, sql)
            await self._send(self._error(request, error), fault)
            if error.code == _LOGIN_FAILED[0]:
                raise HangUp from error
            return
        await self._send(self._pack(request, reply.parts, reply.function), fault)
        if request.message == Message.DISCONNECT:
            raise HangUp

    def _sql_of(self, request: Request) -> str:
        command = request.find(Part.COMMAND)
        if command is not None:
            return cesu8.decode(command.data)
        statement = request.find(Part.STATEMENTID)
        if statement is not None:
            return self._statements.get(_handle(statement), "")
        return ""

    def _note(
        self,
        request: Request,
        sql: str,
        *,
        values: list[list[Value]] | None = None,
        rows: int = 0,
        fetch_size: int = 0,
    ) -> None:
        name = Message(request.message).name if request.message in set(Message) else str(request.message)
        bound = tuple(tuple(None if value is None else str(value) for value in row) for row in values or [])
        self.server.trouble.journal.append(
            Entry(self.identifier, name, request.commit, sql, bound, rows, fetch_size)
        )

    def _handle(self, request: Request, sql: str) -> Reply:
        handler = _HANDLERS.get(request.message)
        if handler is None:
            raise HanaError(1033, f"error while parsing protocol: message {request.message} is not simulated")
        try:
            return handler(self, request, sql)
        except (LookupError, struct.error, UnicodeDecodeError) as error:
            raise HanaError(1033, f"error while parsing protocol: {error}") from error

    def authenticate(self, request: Request, _: str) -> Reply:
        """Pose a challenge for the first method that both sides know."""
        self._note(request, "")
        fields = parse_fields(request.get(Part.AUTHENTICATION).data)
        chosen = choose_method(fields, self.server.settings.methods)
        if chosen is None:
            raise HanaError(*_LOGIN_FAILED, sqlstate="28000", level=2)
        self.user = fold_user(cesu8.decode(fields[0]))
        self._challenge = Challenge(*chosen, secrets.token_bytes(16), secrets.token_bytes(48))
        return Reply(Function.NONE, (PartData(Part.AUTHENTICATION, self._challenge.reply()),))

    def connect(self, request: Request, _: str) -> Reply:
        """Check the proof and agree on options."""
        self._note(request, "")
        packed = parse_fields(request.get(Part.AUTHENTICATION).data)[2]
        (proof,) = parse_fields(packed)
        password = self.server.settings.users.get(self.user)
        challenge = self._challenge
        if password is None or challenge is None or proof != challenge.proofs(password)[0]:
            raise HanaError(*_LOGIN_FAILED, sqlstate="28000", level=2)
        offered = request.find(Part.CONNECTOPTIONS)
        self.options = parse_options(offered.data, offered.count) if offered is not None else {}
        self.is_connected = True
        self.schema = self.user
        return Reply(
            Function.CONNECT,
            (
                PartData(Part.AUTHENTICATION, challenge.final_reply(password)),
                options_part(Part.CONNECTOPTIONS, self._agreed_options()),
            ),
        )

    def _agreed_options(self) -> dict[int, Option]:
        """Number the connection and agree on formats; options 48, 53 and 57 to 62 are never answered: see the
        package."""
        mine = self.server.settings.data_format
        theirs = self.options.get(DATA_FORMAT_VERSION_2, mine)
        agreed = min(mine, int(theirs))
        return {
            CONNECTION_ID: self.identifier,
            DATA_FORMAT_VERSION_2: agreed,
            DATA_FORMAT_VERSION: min(agreed, 4),
        }

    def db_connect_info(self, request: Request, _: str) -> Reply:
        """Tell that this is the right server for the database asked for."""
        self._note(request, "")
        return Reply(Function.NONE, (options_part(Part.DBCONNECTINFO, {4: True}),))

    def execute_direct(self, request: Request, sql: str) -> Reply:
        """Run a statement without parameters."""
        return self._execute_sql(request, sql, [])

    def prepare(self, request: Request, sql: str) -> Reply:
        """Describe a statement's parameters and result, and keep its text."""
        self._note(request, sql)
        parts = [PartData(Part.STATEMENTID, struct.pack("<Q", self._new_handle()))]
        self._statements[self._handles] = sql
        parameters = self.server.database.parameters(sql)
        if parameters:
            parts.append(parameter_metadata(parameters))
        if is_query(sql):
            empty: list[Value] = [None] * len(parameters)
            query = self.server.database.query(
                sql, empty, schema=self.schema, user=self.user, connection_id=self.identifier
            )
            parts.append(result_metadata(query.columns))
            return Reply(Function.SELECT, tuple(parts))
        return Reply(_FUNCTIONS.get(first_word(sql), Function.DDL), tuple(parts))

    def execute(self, request: Request, sql: str) -> Reply:
        """Run a prepared statement with its bound values."""
        bound = request.find(Part.PARAMETERS)
        columns: list[Column] = self.server.database.parameters(sql)
        return self._execute_sql(request, sql, read_rows(bound, columns) if bound is not None else [])

    def _execute_sql(self, request: Request, sql: str, values: list[list[Value]]) -> Reply:
        own = self._session_statement(sql)
        if own or not is_query(sql):
            self._note(request, sql, values=values)
        if own:
            return Reply(Function.DDL)
        if is_query(sql):
            return self._select(request, sql, values)
        if self.is_read_only:
            raise HanaError(*READ_ONLY_REFUSAL)
        touched = self.server.database.change(sql, values, schema=self.schema, user=self.user)
        rows = PartData(Part.ROWSAFFECTED, struct.pack(f"<{len(touched)}i", *touched), len(touched))
        flags = options_part(Part.TRANSACTIONFLAGS, {1 if request.commit else 4: True})
        return Reply(_FUNCTIONS.get(first_word(sql), Function.DDL), (rows, flags))

    def _session_statement(self, sql: str) -> bool:
        """Run a statement about the session itself; False if it is none."""
        cancel = _CANCEL.match(sql)
        schema = _SET_SCHEMA.fullmatch(sql)
        if cancel is not None:
            self.server.cancel(int(cancel.group(1)))
        elif schema is not None:
            name = schema.group(1).replace('""', '"') if schema.group(1) else schema.group(2).upper()
            if name not in self.server.database.schemas:
                raise HanaError(362, f"invalid schema name: {name}")
            self.schema = name
        elif first_word(sql) == "SET":
            self.is_read_only = self.is_read_only or _READ_ONLY.match(sql) is not None
        else:
            return False
        return True

    def _select(self, request: Request, sql: str, values: list[list[Value]]) -> Reply:
        query = self.server.database.query(
            sql,
            values[0] if values else [],
            schema=self.schema,
            user=self.user,
            connection_id=self.identifier,
        )
        result = ResultSet(self._new_handle(), query.columns, query.rows, self._lobs)
        block = result.block(self.server.settings.rows_per_packet)
        self._note(request, sql, values=values, rows=block.count)
        if not result.is_closed:
            self._results[result.identifier] = result
        handle = PartData(Part.RESULTSETID, struct.pack("<Q", result.identifier))
        return Reply(Function.SELECT, (result_metadata(query.columns), handle, block))

    def fetch_next(self, request: Request, _: str) -> Reply:
        """Send the next rows of an open result."""
        result = self._results[_handle(request.get(Part.RESULTSETID))]
        (asked,) = struct.unpack_from("<i", request.get(Part.FETCHSIZE).data)
        block = result.block(min(asked, self.server.settings.rows_per_packet))
        self._note(request, "", rows=block.count, fetch_size=asked)
        if result.is_closed:
            del self._results[result.identifier]
        return Reply(Function.FETCH, (block,))

    def close_result_set(self, request: Request, _: str) -> Reply:
        """Forget a result and its LOBs."""
        self._note(request, "")
        identifier = _handle(request.get(Part.RESULTSETID))
        self._results.pop(identifier, None)
        self._lobs.forget(identifier)
        return Reply(Function.CLOSECURSOR)

    def read_lob(self, request: Request, _: str) -> Reply:
        """Send a piece of a LOB."""
        self._note(request, "")
        return Reply(Function.READLOB, (self._lobs.read(request.get(Part.READLOBREQUEST)),))

    def drop_statement(self, request: Request, sql: str) -> Reply:
        """Forget a prepared statement."""
        self._note(request, sql)
        self._statements.pop(_handle(request.get(Part.STATEMENTID)), None)
        return Reply(Function.NONE)

    def commit(self, request: Request, _: str) -> Reply:
        """End the transaction; everything was applied at once anyway."""
        self._note(request, "")
        self.is_read_only = False
        return Reply(Function.COMMIT, (options_part(Part.TRANSACTIONFLAGS, {1: True}),))

    def rollback(self, request: Request, _: str) -> Reply:
        """End the transaction; nothing is undone."""
        self._note(request, "")
        self.is_read_only = False
        return Reply(Function.ROLLBACK, (options_part(Part.TRANSACTIONFLAGS, {0: True}),))

    def disconnect(self, request: Request, _: str) -> Reply:
        """Say goodbye."""
        self._note(request, "")
        return Reply(Function.DISCONNECT)

    def _new_handle(self) -> int:
        self._handles += 1
        return self._handles

    def _fault(self, phase: Phase | None, sql: str) -> Fault | None:
        return None if phase is None else self.server.trouble.find(phase, sql)

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
        """Wait like a long query: a cancel ends it with error 139, a client that hangs up ends the
        conversation."""
        waits: list[Awaitable[object]] = [self._cancelled.wait(), self.reader.read(1)]
        tasks = [asyncio.ensure_future(wait) for wait in waits]
        done, pending = await asyncio.wait(tasks, timeout=delay_s, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        if tasks[1] in done:
            self.server.trouble.journal.append(Entry(self.identifier, "client_gone"))
            raise HangUp
        if tasks[0] in done:
            self.server.trouble.journal.append(Entry(self.identifier, "cancelled"))
            raise HanaError(*CANCELLED, sqlstate="HY008")

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
            session_id=self.identifier if self.is_connected else 0,
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


def _handle(part: PartData) -> int:
    handle: int = struct.unpack_from("<Q", part.data)[0]
    return handle


_HANDLERS: dict[int, Callable[[Conversation, Request, str], Reply]] = {
    Message.AUTHENTICATE: Conversation.authenticate,
    Message.CONNECT: Conversation.connect,
    Message.DBCONNECTINFO: Conversation.db_connect_info,
    Message.EXECUTEDIRECT: Conversation.execute_direct,
    Message.PREPARE: Conversation.prepare,
    Message.EXECUTE: Conversation.execute,
    Message.FETCHNEXT: Conversation.fetch_next,
    Message.CLOSERESULTSET: Conversation.close_result_set,
    Message.READLOB: Conversation.read_lob,
    Message.DROPSTATEMENTID: Conversation.drop_statement,
    Message.COMMIT: Conversation.commit,
    Message.ROLLBACK: Conversation.rollback,
    Message.DISCONNECT: Conversation.disconnect,
}
