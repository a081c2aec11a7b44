"""One client as the server knows it: login, statements, results, LOBs. No sockets.

The public methods named after messages each serve that message.
"""

import re
import secrets
import struct
from collections.abc import Callable, Mapping

from attrs import define, field, frozen

from erpsim.hana.faults import Entry, Trouble
from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import Function, HanaError, Message, Part
from erpsim.hana.protocol.columns import Column, Value, parameter_metadata, result_metadata
from erpsim.hana.protocol.framing import (
    PartData,
    Request,
)
from erpsim.hana.protocol.login import PBKDF2, PLAIN, Challenge, choose_method, fold_user, parse_fields
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
from erpsim.hana.tables.database import READ_ONLY_REFUSAL, Database, is_query
from erpsim.hana.tables.sql_text import first_word

_CANCEL = re.compile(r"ALTER SYSTEM CANCEL SESSION '(\d+)'", re.IGNORECASE)
_SET_SCHEMA = re.compile(r"SET SCHEMA\s+(?:\"((?:[^\"]|\"\")+)\"|(\w+))\s*", re.IGNORECASE)
_READ_ONLY = re.compile(r"SET TRANSACTION READ ONLY", re.IGNORECASE)
LOGIN_FAILED = (10, "authentication failed")
_FUNCTIONS = {"INSERT": Function.INSERT, "UPDATE": Function.UPDATE, "DELETE": Function.DELETE}


@frozen
class Reply:
    """What to answer: parts and what was done."""

    function: int
    parts: tuple[PartData, ...] = ()


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


@frozen
class Shared:
    """What all sessions of a server have in common.

    Attributes:
        database: What is asked.
        settings: How the server behaves.
        trouble: Where a session tells what reached it.
        cancel: Cancels what the connection of this number is doing.
    """

    database: Database
    settings: HanaSettings
    trouble: Trouble
    cancel: Callable[[int], None]


@define(eq=False)
class Session:
    """What the server knows of one client: its login, statements, results and LOBs.

    Attributes:
        identifier: The server's number of it, which a cancel names.
    """

    identifier: int
    shared: Shared
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

    def __attrs_post_init__(self) -> None:
        self._lobs = Lobs(self.shared.settings.lob_inline)

    def sql_of(self, request: Request) -> str:
        """Return the SQL a request brings or names, empty for one without."""
        command = request.find(Part.COMMAND)
        if command is not None:
            return cesu8.decode(command.data)
        statement = request.find(Part.STATEMENTID)
        if statement is not None:
            return self._statements.get(_handle(statement), "")
        return ""

    def note(
        self,
        request: Request,
        sql: str,
        *,
        values: list[list[Value]] | None = None,
        rows: int = 0,
        fetch_size: int = 0,
    ) -> None:
        """Tell that a request arrived."""
        name = Message(request.message).name if request.message in set(Message) else str(request.message)
        bound = tuple(tuple(None if value is None else str(value) for value in row) for row in values or [])
        self.shared.trouble.journal.append(
            Entry(self.identifier, name, request.commit, sql, bound, rows, fetch_size)
        )

    def answer(self, request: Request, sql: str) -> Reply:
        """Serve one request.

        Raises:
            HanaError: The refusal.
        """
        handler = _HANDLERS.get(request.message)
        if handler is None:
            raise HanaError(1033, f"error while parsing protocol: message {request.message} is not simulated")
        try:
            return handler(self, request, sql)
        except (LookupError, struct.error, UnicodeDecodeError) as error:
            raise HanaError(1033, f"error while parsing protocol: {error}") from error

    def authenticate(self, request: Request, _: str) -> Reply:
        """Pose a challenge for the first method that both sides know."""
        self.note(request, "")
        fields = parse_fields(request.get(Part.AUTHENTICATION).data)
        chosen = choose_method(fields, self.shared.settings.methods)
        if chosen is None:
            raise HanaError(*LOGIN_FAILED, sqlstate="28000", level=2)
        self.user = fold_user(cesu8.decode(fields[0]))
        self._challenge = Challenge(*chosen, secrets.token_bytes(16), secrets.token_bytes(48))
        return Reply(Function.NONE, (PartData(Part.AUTHENTICATION, self._challenge.reply()),))

    def connect(self, request: Request, _: str) -> Reply:
        """Check the proof and agree on options."""
        self.note(request, "")
        packed = parse_fields(request.get(Part.AUTHENTICATION).data)[2]
        (proof,) = parse_fields(packed)
        password = self.shared.settings.users.get(self.user)
        challenge = self._challenge
        if password is None or challenge is None or proof != challenge.proofs(password)[0]:
            raise HanaError(*LOGIN_FAILED, sqlstate="28000", level=2)
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
        mine = self.shared.settings.data_format
        theirs = self.options.get(DATA_FORMAT_VERSION_2, mine)
        agreed = min(mine, int(theirs))
        return {
            CONNECTION_ID: self.identifier,
            DATA_FORMAT_VERSION_2: agreed,
            DATA_FORMAT_VERSION: min(agreed, 4),
        }

    def db_connect_info(self, request: Request, _: str) -> Reply:
        """Tell that this is the right server for the database asked for."""
        self.note(request, "")
        return Reply(Function.NONE, (options_part(Part.DBCONNECTINFO, {4: True}),))

    def execute_direct(self, request: Request, sql: str) -> Reply:
        """Run a statement without parameters."""
        return self._execute_sql(request, sql, [])

    def prepare(self, request: Request, sql: str) -> Reply:
        """Describe a statement's parameters and result, and keep its text."""
        self.note(request, sql)
        parts = [PartData(Part.STATEMENTID, struct.pack("<Q", self._new_handle()))]
        self._statements[self._handles] = sql
        parameters = self.shared.database.parameters(sql)
        if parameters:
            parts.append(parameter_metadata(parameters))
        if is_query(sql):
            empty: list[Value] = [None] * len(parameters)
            query = self.shared.database.query(
                sql, empty, schema=self.schema, user=self.user, connection_id=self.identifier
            )
            parts.append(result_metadata(query.columns))
            return Reply(Function.SELECT, tuple(parts))
        return Reply(_FUNCTIONS.get(first_word(sql), Function.DDL), tuple(parts))

    def execute(self, request: Request, sql: str) -> Reply:
        """Run a prepared statement with its bound values."""
        bound = request.find(Part.PARAMETERS)
        columns: list[Column] = self.shared.database.parameters(sql)
        return self._execute_sql(request, sql, read_rows(bound, columns) if bound is not None else [])

    def _execute_sql(self, request: Request, sql: str, values: list[list[Value]]) -> Reply:
        own = self._session_statement(sql)
        if own or not is_query(sql):
            self.note(request, sql, values=values)
        if own:
            return Reply(Function.DDL)
        if is_query(sql):
            return self._select(request, sql, values)
        if self.is_read_only:
            raise HanaError(*READ_ONLY_REFUSAL)
        touched = self.shared.database.change(sql, values, schema=self.schema, user=self.user)
        rows = PartData(Part.ROWSAFFECTED, struct.pack(f"<{len(touched)}i", *touched), len(touched))
        flags = options_part(Part.TRANSACTIONFLAGS, {1 if request.commit else 4: True})
        return Reply(_FUNCTIONS.get(first_word(sql), Function.DDL), (rows, flags))

    def _session_statement(self, sql: str) -> bool:
        """Run a statement about the session itself; False if it is none."""
        cancel = _CANCEL.match(sql)
        schema = _SET_SCHEMA.fullmatch(sql)
        if cancel is not None:
            self.shared.cancel(int(cancel.group(1)))
        elif schema is not None:
            name = schema.group(1).replace('""', '"') if schema.group(1) else schema.group(2).upper()
            if name not in self.shared.database.schemas:
                raise HanaError(362, f"invalid schema name: {name}")
            self.schema = name
        elif first_word(sql) == "SET":
            self.is_read_only = self.is_read_only or _READ_ONLY.match(sql) is not None
        else:
            return False
        return True

    def _select(self, request: Request, sql: str, values: list[list[Value]]) -> Reply:
        query = self.shared.database.query(
            sql,
            values[0] if values else [],
            schema=self.schema,
            user=self.user,
            connection_id=self.identifier,
        )
        result = ResultSet(self._new_handle(), query.columns, query.rows, self._lobs)
        block = result.block(self.shared.settings.rows_per_packet)
        self.note(request, sql, values=values, rows=block.count)
        if not result.is_closed:
            self._results[result.identifier] = result
        handle = PartData(Part.RESULTSETID, struct.pack("<Q", result.identifier))
        return Reply(Function.SELECT, (result_metadata(query.columns), handle, block))

    def fetch_next(self, request: Request, _: str) -> Reply:
        """Send the next rows of an open result."""
        result = self._results[_handle(request.get(Part.RESULTSETID))]
        (asked,) = struct.unpack_from("<i", request.get(Part.FETCHSIZE).data)
        block = result.block(min(asked, self.shared.settings.rows_per_packet))
        self.note(request, "", rows=block.count, fetch_size=asked)
        if result.is_closed:
            del self._results[result.identifier]
        return Reply(Function.FETCH, (block,))

    def close_result_set(self, request: Request, _: str) -> Reply:
        """Forget a result and its LOBs."""
        self.note(request, "")
        identifier = _handle(request.get(Part.RESULTSETID))
        self._results.pop(identifier, None)
        self._lobs.forget(identifier)
        return Reply(Function.CLOSECURSOR)

    def read_lob(self, request: Request, _: str) -> Reply:
        """Send a piece of a LOB."""
        self.note(request, "")
        return Reply(Function.READLOB, (self._lobs.read(request.get(Part.READLOBREQUEST)),))

    def drop_statement(self, request: Request, sql: str) -> Reply:
        """Forget a prepared statement."""
        self.note(request, sql)
        self._statements.pop(_handle(request.get(Part.STATEMENTID)), None)
        return Reply(Function.NONE)

    def commit(self, request: Request, _: str) -> Reply:
        """End the transaction; everything was applied at once anyway."""
        self.note(request, "")
        self.is_read_only = False
        return Reply(Function.COMMIT, (options_part(Part.TRANSACTIONFLAGS, {1: True}),))

    def rollback(self, request: Request, _: str) -> Reply:
        """End the transaction; nothing is undone."""
        self.note(request, "")
        self.is_read_only = False
        return Reply(Function.ROLLBACK, (options_part(Part.TRANSACTIONFLAGS, {0: True}),))

    def disconnect(self, request: Request, _: str) -> Reply:
        """Say goodbye."""
        self.note(request, "")
        return Reply(Function.DISCONNECT)

    def _new_handle(self) -> int:
        self._handles += 1
        return self._handles


def _handle(part: PartData) -> int:
    handle: int = struct.unpack_from("<Q", part.data)[0]
    return handle


_HANDLERS: dict[int, Callable[[Session, Request, str], Reply]] = {
    Message.AUTHENTICATE: Session.authenticate,
    Message.CONNECT: Session.connect,
    Message.DBCONNECTINFO: Session.db_connect_info,
    Message.EXECUTEDIRECT: Session.execute_direct,
    Message.PREPARE: Session.prepare,
    Message.EXECUTE: Session.execute,
    Message.FETCHNEXT: Session.fetch_next,
    Message.CLOSERESULTSET: Session.close_result_set,
    Message.READLOB: Session.read_lob,
    Message.DROPSTATEMENTID: Session.drop_statement,
    Message.COMMIT: Session.commit,
    Message.ROLLBACK: Session.rollback,
    Message.DISCONNECT: Session.disconnect,
}
