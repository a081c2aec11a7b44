"""Server-side state of one client: login, statements, results, LOBs. No sockets.

Public methods named after messages serve that message.
"""

import re
import secrets
import struct
from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import define, field, frozen

from erpsim.hana.faults import Entry, Trouble
from erpsim.hana.parsing.lexer import first_word
from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol import cesu8
from erpsim.hana.protocol.codes import Function, HanaError, Message, Part
from erpsim.hana.protocol.columns import Column, Value, parameter_metadata, result_metadata
from erpsim.hana.protocol.framing import (
    PartData,
    Request,
)
from erpsim.hana.protocol.login import Challenge, choose_method, fold_user, parse_fields, parse_proof
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
from erpsim.hana.settings import HanaSettings
from erpsim.hana.tables.database import Database
from erpsim.hana.tables.transaction import Transaction
from erpsim.hana.translation.context import Context
from erpsim.hana.translation.translation import Kind, Translation, translate

_CANCEL = re.compile(r"ALTER SYSTEM CANCEL SESSION '(\d+)'", re.IGNORECASE)
_SET_SCHEMA = re.compile(r"SET SCHEMA\s+(?:\"((?:[^\"]|\"\")+)\"|(\w+))\s*", re.IGNORECASE)
_TRANSACTION = re.compile(
    r"SET TRANSACTION (?:(READ ONLY)|READ WRITE|ISOLATION LEVEL READ COMMITTED)\s*;?\s*", re.IGNORECASE
)
_VARIABLE = re.compile(r"SET (?:SESSION )?'([^']+)' = '((?:[^']|'')*)'\s*;?\s*", re.IGNORECASE)
LOGIN_FAILED = (10, "authentication failed")
READ_ONLY_REFUSAL = (7, "feature not supported: write statement in a read only transaction")
_FUNCTIONS = {
    Kind.SELECT: Function.SELECT,
    Kind.INSERT: Function.INSERT,
    Kind.UPDATE: Function.UPDATE,
    Kind.DELETE: Function.DELETE,
}


@frozen
class Reply:
    """Parts of a reply and its function code."""

    function: int
    parts: tuple[PartData, ...] = ()


Work: TypeAlias = Callable[[], Reply]
"""Remaining work in the engine, which takes time and runs in a thread."""


@frozen
class Shared:
    """State shared by all sessions of a server.

    Attributes:
        database: the served database.
        settings: settings of the server.
        trouble: the faults and the journal.
        cancel: cancels the running statement of a connection by its number.
    """

    database: Database
    settings: HanaSettings
    trouble: Trouble
    cancel: Callable[[int], None]


@define(eq=False)
class Session:
    """Server-side state of one client.

    Attributes:
        identifier: the server's number of the session; a cancel refers to it.
    """

    identifier: int
    shared: Shared
    user: str = ""
    schema: str = ""
    is_connected: bool = False
    is_read_only: bool = False
    options: Mapping[int, Option] = field(factory=dict)
    transaction: Transaction = field(init=False)
    _variables: dict[str, str] = field(factory=dict)
    _challenge: Challenge | None = None
    _lobs: Lobs = field(init=False)
    _statements: dict[int, str] = field(factory=dict)
    _results: dict[int, ResultSet] = field(factory=dict)
    _handles: int = 0

    def __attrs_post_init__(self) -> None:
        self._lobs = Lobs(self.shared.settings.lob_inline)
        self.transaction = Transaction(self.shared.database)

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
        """Add a request to the journal."""
        name = Message(request.message).name if request.message in set(Message) else str(request.message)
        bound = tuple(tuple(None if value is None else str(value) for value in row) for row in values or [])
        self.shared.trouble.journal.append(
            Entry(self.identifier, name, request.commit, sql, bound, rows, fetch_size)
        )

    def answer(self, request: Request, sql: str) -> Reply | Work:
        """Serve one request, or return the remaining work for a thread.

        Raises:
            HanaError: the refusal.
        """
        handler = _HANDLERS.get(request.message)
        if handler is None:
            raise HanaError(1033, f"error while parsing protocol: message {request.message} is not simulated")
        try:
            return handler(self, request, sql)
        except (LookupError, struct.error, ValueError, ArithmeticError) as error:
            raise HanaError(1033, f"error while parsing protocol: {error}") from error

    def close(self) -> None:
        """Roll back the open transaction after a disconnect."""
        self.transaction.rollback()

    def authenticate(self, request: Request, _: str) -> Reply:
        """Send a challenge for the first common method."""
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
        proof = parse_proof(parse_fields(request.get(Part.AUTHENTICATION).data)[2])
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
        """Number the connection and agree on formats. Options 48, 53 and 57 to 62 are never sent; see the
        package.
        """
        mine = self.shared.settings.data_format
        theirs = self.options.get(DATA_FORMAT_VERSION_2, mine)
        agreed = min(mine, int(theirs))
        return {
            CONNECTION_ID: self.identifier,
            DATA_FORMAT_VERSION_2: agreed,
            DATA_FORMAT_VERSION: min(agreed, 4),
        }

    def db_connect_info(self, request: Request, _: str) -> Reply:
        """Confirm that this server serves the requested database."""
        self.note(request, "")
        return Reply(Function.NONE, (options_part(Part.DBCONNECTINFO, {4: True}),))

    def execute_direct(self, request: Request, sql: str) -> Reply | Work:
        """Run a statement without parameters."""
        return self._execute_sql(request, sql, lambda _: [])

    def prepare(self, request: Request, sql: str) -> Reply:
        """Describe a statement's parameters and result, and keep its text."""
        self.note(request, sql)
        parts = [PartData(Part.STATEMENTID, struct.pack("<Q", self._new_handle()))]
        self._statements[self._handles] = sql
        if _is_about_session(sql):
            return Reply(Function.DDL, tuple(parts))
        translation = self._translated(sql)
        if translation.parameters:
            parts.append(parameter_metadata(translation.parameters))
        if translation.kind is Kind.SELECT:
            parts.append(result_metadata(translation.columns))
        return Reply(_FUNCTIONS[translation.kind], tuple(parts))

    def execute(self, request: Request, sql: str) -> Reply | Work:
        """Run a prepared statement with its bound values."""
        bound = request.find(Part.PARAMETERS)
        return self._execute_sql(
            request, sql, lambda columns: read_rows(bound, columns) if bound is not None else []
        )

    def _translated(self, sql: str) -> Translation:
        now, utc = self.shared.database.now()
        context = Context(self.schema, self.user, self.identifier, now, utc, self._variables)
        translation = translate(sql, self.shared.database, context)
        self.shared.database.check(translation, self.shared.settings.grants[self.user])
        return translation

    def _execute_sql(
        self, request: Request, sql: str, read: Callable[[list[Column]], list[list[Value]]]
    ) -> Reply | Work:
        if self._session_statement(sql):
            self.note(request, sql)
            return Reply(Function.DDL)
        translation = self._translated(sql)
        values = read(list(translation.parameters))
        if translation.parameters and not values:
            raise HanaError(1033, "error while parsing protocol: parameters without values")
        self.shared.database.refresh(translation.tables, self.shared.settings.grants)
        if translation.kind is Kind.SELECT:
            return lambda: self._select(request, sql, translation, values)
        self.note(request, sql, values=values)
        if self.is_read_only:
            raise HanaError(*READ_ONLY_REFUSAL)
        return lambda: self._change(translation, values, is_final=request.commit)

    def _session_statement(self, sql: str) -> bool:
        """Run a statement about the session itself; False for any other."""
        if not _is_about_session(sql):
            return False
        cancel = _CANCEL.match(sql)
        schema = _SET_SCHEMA.fullmatch(sql)
        transaction = _TRANSACTION.fullmatch(sql)
        variable = _VARIABLE.fullmatch(sql)
        if cancel is not None:
            self.shared.cancel(int(cancel.group(1)))
        elif schema is not None:
            name = schema.group(1).replace('""', '"') if schema.group(1) else schema.group(2).upper()
            if not self.shared.database.has_schema(name):
                raise HanaError(362, f"invalid schema name: {name}")
            self.schema = name
        elif transaction is not None:
            self.is_read_only = self.is_read_only or transaction.group(1) is not None
        elif variable is not None:
            self._variables[variable.group(1).upper()] = variable.group(2).replace("''", "'")
        else:
            raise not_simulated(f"this statement: {sql}")
        return True

    def _select(
        self, request: Request, sql: str, translation: Translation, values: list[list[Value]]
    ) -> Reply:
        query = self.transaction.query(translation, values[0] if values else [])
        result = ResultSet(self._new_handle(), query.columns, query.rows, self._lobs)
        block = result.block(self.shared.settings.rows_per_packet)
        self.note(request, sql, values=values, rows=block.count)
        if not result.is_closed:
            self._results[result.identifier] = result
        handle = PartData(Part.RESULTSETID, struct.pack("<Q", result.identifier))
        return Reply(Function.SELECT, (result_metadata(query.columns), handle, block))

    def _change(self, translation: Translation, values: list[list[Value]], *, is_final: bool) -> Reply:
        touched = self.transaction.change(translation, values)
        if is_final:
            self.transaction.commit()
        rows = PartData(Part.ROWSAFFECTED, struct.pack(f"<{len(touched)}i", *touched), len(touched))
        flags = options_part(Part.TRANSACTIONFLAGS, {1 if is_final else 4: True})
        return Reply(_FUNCTIONS[translation.kind], (rows, flags))

    def fetch_next(self, request: Request, _: str) -> Work:
        """Send the next rows of an open result."""
        result = self._results[_handle(request.get(Part.RESULTSETID))]
        (size,) = struct.unpack_from("<i", request.get(Part.FETCHSIZE).data)
        return lambda: self._next_block(request, result, size)

    def _next_block(self, request: Request, result: ResultSet, requested_rows: int) -> Reply:
        block = result.block(min(requested_rows, self.shared.settings.rows_per_packet))
        self.note(request, "", rows=block.count, fetch_size=requested_rows)
        if result.is_closed:
            del self._results[result.identifier]
        return Reply(Function.FETCH, (block,))

    def close_result_set(self, request: Request, _: str) -> Reply:
        """Forget a result and its LOBs."""
        self.note(request, "")
        identifier = _handle(request.get(Part.RESULTSETID))
        closed = self._results.pop(identifier, None)
        if closed is not None:
            closed.close()
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
        """Commit the transaction."""
        self.note(request, "")
        self.transaction.commit()
        self.is_read_only = False
        return Reply(Function.COMMIT, (options_part(Part.TRANSACTIONFLAGS, {1: True}),))

    def rollback(self, request: Request, _: str) -> Reply:
        """Roll back the transaction."""
        self.note(request, "")
        self.transaction.rollback()
        self.is_read_only = False
        return Reply(Function.ROLLBACK, (options_part(Part.TRANSACTIONFLAGS, {0: True}),))

    def disconnect(self, request: Request, _: str) -> Reply:
        """Close the session."""
        self.note(request, "")
        return Reply(Function.DISCONNECT)

    def _new_handle(self) -> int:
        self._handles += 1
        return self._handles


def _is_about_session(sql: str) -> bool:
    return first_word(sql) == "SET" or _CANCEL.match(sql) is not None


def _handle(part: PartData) -> int:
    handle: int = struct.unpack_from("<Q", part.data)[0]
    return handle


_HANDLERS: dict[int, Callable[[Session, Request, str], Reply | Work]] = {
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
