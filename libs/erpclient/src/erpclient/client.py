"""Client of the Service Layer: one ERP session with its queue."""

import uuid
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

from attrs import evolve

from erpclient.batch import (
    BatchRead,
    BatchResult,
    ChangeSetResult,
    Operation,
    ReadBatch,
    batch_call,
    read_change_set,
    result_of,
)
from erpclient.caller import Caller, Reserve
from erpclient.clock import Clock, SystemClock
from erpclient.erp_session import ErpSession, SessionState
from erpclient.errors import ErpError, ErpKeyUnsupported
from erpclient.fair_queue import QueueWait
from erpclient.health import Condition, HealthMonitor
from erpclient.health.session_probe import SessionProbe
from erpclient.http.aiohttp_transport import AiohttpTransport, create_transport
from erpclient.http.attachments import FilePart, download_call, upload_call
from erpclient.http.bodies import read_object, read_page, read_record, read_value
from erpclient.http.calls import (
    METADATA_CALL,
    Call,
    action_call,
    create_call,
    list_call,
    modify_call,
    query_call,
    service_call,
)
from erpclient.http.cleaner import Cleaner
from erpclient.http.error_replies import key_is_unsupported, raise_for
from erpclient.http.large_bodies import read_body
from erpclient.http.locations import below_root
from erpclient.http.messages import HttpReply, Sink
from erpclient.http.replies import ErpList, ErpRecord, ErpReply, ErpRows, Ping
from erpclient.http.transport import Transport
from erpclient.http.upstream import Upstream
from erpclient.lanes import InternalLane
from erpclient.observer import NullObserver, Observer
from erpclient.odata import ListQuery, RecordQuery, SumQuery, parse_if_match
from erpclient.reads import ListRead, RecordRead
from erpclient.request_queue import QueueStats, RequestQueue
from erpclient.sender import BeforeSending, Sender
from erpclient.settings import Credentials, ErpSettings
from erpclient.stored_queries import QueryValue, query_parameters

LOGIN_LANE: Final = InternalLane("erpclient:login")
"""Lane of the queue in which :meth:`ErpClient.log_in` waits."""

MAX_GROUPS: Final = 500
"""Groups of sums that one reply may have: currencies and units of a company are far fewer."""


class ErpClient:
    """Client of the Service Layer: one ERP session with its queue.

    Use it as an async context manager. Leaving it refuses waiting requests, finishes running ones, logs out
    and closes the connections it opened. It sends nothing before the first request, so an unavailable ERP
    does not prevent the start.

    The user with the least recent use of the ERP is served next. A sent request runs to its end even if its
    caller disconnects, and keeps its place until then. Equal reads share a call until it has been sent.

    Args:
        settings: address of the ERP and limits.
        credentials: ERP user of the session.
        renewable: ``False`` for a person's session: the credentials are used for one login and then dropped,
            and a session that the ERP has lost ends with ``SessionEnded``.
        transport: shared transport, which stays open; by default the client opens and closes its own.
        health: shared health monitor of the ERP, which stays open; by default the client has its own.
        clock: time.
        observer: receives every call, login and wait.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is not a PEM file.
    """

    def __init__(
        self,
        settings: ErpSettings,
        credentials: Credentials,
        *,
        renewable: bool = True,
        transport: Transport | None = None,
        health: HealthMonitor | None = None,
        clock: Clock | None = None,
        observer: Observer | None = None,
    ) -> None:
        clock, observer = clock or SystemClock(), observer or NullObserver()
        self._settings = settings
        self._own_transport: AiohttpTransport | None = None
        if transport is None:
            transport = self._own_transport = create_transport(settings)
        self._own_health: HealthMonitor | None = None
        if health is None:
            health = self._own_health = HealthMonitor(settings, transport, clock=clock, observer=observer)
        self._health = health
        self._queue = RequestQueue(
            max_concurrency=settings.max_concurrency,
            limit=settings.queue_limit,
            limit_per_user=settings.queue_limit_per_user,
            timeout_s=settings.queue_timeout_s,
            clock=clock,
            observer=observer,
            by_use=True,
        )
        self._upstream = Upstream(
            settings, transport, root=settings.url, clock=clock, observer=observer, listener=health
        )
        self._session = ErpSession(
            self._upstream,
            credentials,
            renewable=renewable,
            login_timeout_s=settings.login_timeout_s,
            clock=clock,
            observer=observer,
        )
        self._sender = Sender(
            self._upstream,
            self._session,
            dialect=settings.dialect,
            timeout_s=settings.timeout_s,
            read_timeout_s=min(settings.timeout_s, settings.read_timeout_s),
            observer=observer,
        )
        self._prober = SessionProbe(self._upstream, self._session, self._queue)
        health.join(self._prober)

    async def __aenter__(self) -> Self:
        if self._own_transport is not None:
            await self._own_transport.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Refuse waiting requests, finish running ones, log out and close the connections. Raises no ERP
        error.

        An unresponsive ERP gets no logout; its session times out there.
        """
        self._queue.drain()
        self._health.leave(self._prober)
        try:
            await self._queue.wait_until_idle()
            if self._health.condition is not Condition.UNWELL:
                await self._session.aclose()
        finally:
            await self._queue.abort()
            await self._session.abort()
            if self._own_health is not None:
                await self._own_health.aclose()
            if self._own_transport is not None:
                await self._own_transport.aclose()

    def drain(self) -> None:
        """Refuse waiting and new requests with ``QueueClosed``. Running ones continue."""
        self._queue.drain()

    @property
    def session_state(self) -> SessionState:
        """State of the session."""
        return self._session.state

    @property
    def logins(self) -> int:
        """Number of successful logins."""
        return self._session.generation

    @property
    def login_failure(self) -> ErpError | None:
        """Error of the last login, until a reply proves that the session works."""
        return self._session.login_failure

    @property
    def condition(self) -> Condition:
        """Condition of the ERP."""
        return self._health.condition

    @property
    def queue_stats(self) -> QueueStats:
        """Number of waiting and running requests."""
        return self._queue.stats

    @property
    def queue_waits(self) -> tuple[QueueWait, ...]:
        """Waiting requests in the order of their turns."""
        return self._queue.waits

    async def log_in(self) -> None:
        """Log in now instead of with the first request (for a person's session: is the password right?).

        Raises:
            ErpLoginRejected: the ERP refused the credentials.
            ErpError: any other failure of the login.
        """
        self._check()
        caller = Caller(LOGIN_LANE, reserve=Reserve.SIGN_IN)
        await self._queue.run(caller, lambda _: self._session.get_ticket())

    async def ping(self, *, timeout_s: float = 5.0) -> Ping:
        """Ping the balancer, without session and queue (SAP manual 1.29, ping pong API).

        Raises:
            ErpUnreachable: no connection.
            ErpTimeout: not in time.
        """
        return await self._upstream.ping(timeout_s)

    async def read_metadata(self, *, caller: Caller) -> bytes:
        """Read the `$metadata` document, for :func:`erpclient.metadata.read_metadata`.

        Args:
            caller: the caller.

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        return (await self._read(METADATA_CALL, caller, share=METADATA_CALL.path)).body

    async def list(
        self,
        resource: str,
        query: ListQuery,
        *,
        caller: Caller,
        tagged: bool = False,
        hidden: frozenset[str] = frozenset(),
        case_insensitive: bool = True,
        on_start: Callable[[], object] | None = None,
    ) -> ErpList:
        """Read one page of records and the number of all matches.

        Args:
            resource: entity set.
            query: options of the list.
            caller: the caller.
            tagged: whether the records of this resource carry entity tags.
            hidden: property names to remove from the reply, in any letter case.
            case_insensitive: whether a filter ignores letter case (some databases do anyway).
            on_start: called when the read has its turn, before anything is sent. Must not raise.

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        read = ListRead(resource, query, tagged, _lower_case(hidden), case_insensitive)
        self._check()
        return await self._queue.run(caller, partial(self._sender.list, read), share=read, on_start=on_start)

    async def read_sums(self, resource: str, query: SumQuery, *, caller: Caller) -> ErpRows:
        """Read sums over all records of a filter, which compares without letter case as that of a list.

        Args:
            resource: entity set.
            query: what to add up. Its names must not be hidden ones: nothing is removed from the reply.
            caller: the caller.

        Returns:
            A row for each group, at most `MAX_GROUPS` of them.

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        call = list_call(
            resource,
            query.encode(),
            page_size=MAX_GROUPS,
            case_insensitive=query.filter is not None,
        )
        reply = await self._read(call, caller, share=(resource, query))
        return await read_body(read_page, reply.body)

    async def get(
        self,
        resource: str,
        key_predicate: str,
        query: RecordQuery,
        *,
        caller: Caller,
        tagged: bool = False,
        hidden: frozenset[str] = frozenset(),
        key_filter: str | None = None,
        on_start: Callable[[], object] | None = None,
    ) -> ErpRecord:
        """Read one record.

        Args:
            resource: entity set.
            key_predicate: the key for the path, percent-encoded, with its parentheses.
            query: options of the read.
            caller: the caller.
            tagged: whether the records of this resource carry entity tags.
            hidden: property names to remove from the reply, in any letter case.
            key_filter: the key as a condition, used if the ERP's web server rejects a key with a slash.
            on_start: called when the read has its turn, before anything is sent. Must not raise.

        Raises:
            ErpRefused: 404 when there is no such record.
            ErpError: see :mod:`erpclient.errors`.
        """
        read = RecordRead(resource, key_predicate, query, tagged, _lower_case(hidden), key_filter)
        self._check()
        return await self._queue.run(caller, partial(self._sender.get, read), share=read, on_start=on_start)

    async def create(
        self,
        resource: str,
        body: bytes,
        *,
        caller: Caller,
        hidden: frozenset[str] = frozenset(),
        timeout_s: float | None = None,
        before_sending: BeforeSending | None = None,
    ) -> ErpRecord:
        """Create a record and return it as the ERP stored it.

        Args:
            resource: entity set.
            body: a JSON object, passed on unchanged.
            caller: the caller.
            hidden: property names to remove from the reply.
            timeout_s: timeout instead of the default: a new user field alters the database, which takes long.
            before_sending: awaited when the write has its turn, before anything is sent: for work that can be
                done during the wait. If it raises, nothing is sent.

        Raises:
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        reply = await self._write(
            create_call(resource, body), caller, timeout_s=timeout_s, before_sending=before_sending
        )
        location = below_root(reply.headers.get("Location"), self._settings.root_path)
        if reply.status == HTTPStatus.NO_CONTENT:
            return ErpRecord(b"{}", reply.etag, location)
        return await read_body(read_record, reply.body, reply.etag, Cleaner(_lower_case(hidden)), location)

    async def modify(
        self,
        resource: str,
        key_predicate: str,
        body: bytes,
        *,
        caller: Caller,
        if_match: str | None = None,
        replace_collections: bool = False,
        timeout_s: float | None = None,
        before_sending: BeforeSending | None = None,
    ) -> None:
        """Change some properties of a record.

        Args:
            resource: entity set.
            key_predicate: the key for the path, percent-encoded, with its parentheses.
            body: a JSON object, passed on unchanged.
            caller: the caller.
            if_match: ``*`` or one weak tag; the ERP ignores any other form and writes.
            replace_collections: whether collections in the body replace the stored ones, deleting missing
                rows, instead of being merged into them.
            timeout_s: timeout instead of the default.
            before_sending: as for :meth:`create`.

        Raises:
            ErpKeyUnsupported: the ERP's web server rejects this key.
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        call = modify_call(
            resource,
            key_predicate,
            body,
            if_match=_checked_tag(if_match),
            replace_collections=replace_collections,
        )
        reply = await self._write(
            call, caller, key_predicate=key_predicate, timeout_s=timeout_s, before_sending=before_sending
        )
        await read_body(read_object, reply.body, Cleaner())

    async def action(
        self,
        resource: str,
        key_predicate: str,
        action: str,
        body: bytes,
        *,
        caller: Caller,
        if_match: str | None = None,
        hidden: frozenset[str] = frozenset(),
        before_sending: BeforeSending | None = None,
    ) -> ErpReply:
        """Run an action on a record.

        Args:
            resource: entity set.
            key_predicate: the key for the path, percent-encoded, with its parentheses.
            action: its name, like ``Cancel``.
            body: a JSON object, or empty.
            caller: the caller.
            if_match: as for :meth:`modify`; the ERP honours it on actions too.
            hidden: property names to remove from the reply.
            before_sending: as for :meth:`create`.

        Raises:
            ErpKeyUnsupported: the ERP's web server rejects this key.
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        call = action_call(resource, key_predicate, action, body, if_match=_checked_tag(if_match))
        reply = await self._write(call, caller, key_predicate=key_predicate, before_sending=before_sending)
        answer = await read_body(read_value, reply.body, Cleaner(_lower_case(hidden)))
        return ErpReply(reply.status, answer)

    async def upload(
        self,
        files: Sequence[FilePart],
        *,
        entry: int | None,
        caller: Caller,
        before_sending: BeforeSending | None = None,
    ) -> ErpRecord:
        """Store files as a new attachment entry, or append them to one. A rollback does not undo it.

        Args:
            files: at least one.
            entry: number of the entry to append to; ``None`` for a new one.
            caller: the caller.
            before_sending: as for :meth:`create`.

        Returns:
            the new entry, or an empty record after an append.

        Raises:
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        call = upload_call(files, entry=entry, boundary=uuid.uuid4().hex)
        reply = await self._write(call, caller, before_sending=before_sending)
        return await read_body(read_record, reply.body or b"{}", None, Cleaner())

    async def download(self, entry: int, name: str, sink: Sink, *, caller: Caller) -> None:
        """Read one file of an attachment entry.

        Args:
            entry: number of the entry.
            name: of the file, with its extension.
            sink: receives the content, of any size; its errors end the call and propagate.
            caller: the caller.

        Raises:
            ErpError: see :mod:`erpclient.errors`; the sink may have received a part.
        """
        self._check()
        reply = await self._queue.run(caller, partial(self._sender.send, download_call(entry, name, sink)))
        raise_for(evolve(reply, content_type=""))  # the content type of a file does not describe the reply

    async def run_change_set(
        self,
        operations: Sequence[Operation],
        *,
        caller: Caller,
        hidden: Sequence[frozenset[str]] = (),
        timeout_s: float | None = None,
        before_sending: BeforeSending | None = None,
    ) -> ChangeSetResult:
        """Execute several writes atomically and return the outcome.

        It waits its turn and is repeated like any write: once, after a 401 to the whole batch.

        Args:
            operations: 1 to 100 writes in order.
            caller: the caller.
            hidden: property names to remove from the reply to each operation; none if empty.
            timeout_s: timeout instead of the default.
            before_sending: as for :meth:`create`.

        Returns:
            one of four values; errors of :mod:`erpclient.errors` are never raised.

        Raises:
            ValueError: the operations are not a valid change set.
        """
        call = batch_call(operations, root_path=self._settings.root_path, guid=str(uuid.uuid4()))
        cleaners = [Cleaner(_lower_case(names)) for names in hidden] or [Cleaner()] * len(operations)
        try:
            reply = await self._write(call, caller, timeout_s=timeout_s, before_sending=before_sending)
            return await read_body(
                read_change_set,
                reply.body,
                reply.content_type,
                root_path=self._settings.root_path,
                cleaners=cleaners,
            )
        except ErpError as error:
            return result_of(error)

    async def read_batch(self, reads: Sequence[BatchRead], *, caller: Caller) -> tuple[BatchResult, ...]:
        """Run several reads in one call, and return their results in order.

        The ERP stops at the first read that it refuses: its refusal is then the last result.

        Args:
            reads: 1 to 20 lists, records and cross-joins; none is tagged.
            caller: the caller.

        Raises:
            ValueError: the reads are no valid batch.
            ErpRefused: the ERP refuses the whole batch.
            ErpError: see :mod:`erpclient.errors`.
        """
        batch = ReadBatch(tuple(reads))
        settings = self._settings
        call = batch.to_call(dialect=settings.dialect, root_path=settings.root_path, guid=str(uuid.uuid4()))
        reply = await self._read(call, caller, share=batch)
        return await read_body(batch.read_results, reply.body, reply.content_type)

    async def run_query(
        self, code: str, parameters: Mapping[str, QueryValue], *, caller: Caller, page_size: int
    ) -> ErpRows:
        """Run a stored query and read its first page.

        The database chooses the order of the rows unless the query sorts them, and even then it may differ
        from page to page. To read all rows, request parts that fit on one page.

        Args:
            code: key of the query.
            parameters: a value for each of its parameters.
            caller: the caller.
            page_size: maximum number of rows.

        Raises:
            InvalidQueryValue: a value that can't be written as a parameter.
            ErpRefused: 404 when there is no such query; 403 when the user may not run it.
            ErpError: see :mod:`erpclient.errors`.
        """
        call = query_call(code, query_parameters(parameters), page_size=page_size)
        reply = await self._read(call, caller, share=(call.path, call.body, page_size))
        return await read_body(read_page, reply.body)

    async def call_service(
        self,
        name: str,
        body: bytes,
        *,
        caller: Caller,
        write: bool = False,
        hidden: frozenset[str] = frozenset(),
    ) -> ErpReply:
        """Run an action of a service, like ``SeriesService_GetDocumentSeries``.

        Args:
            name: service and action.
            body: a JSON object, or empty.
            caller: the caller.
            write: whether it changes data. Otherwise it is shared and repeated like any read.
            hidden: property names to remove from the reply.

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        call = service_call(name, body, write=write)
        if write:
            reply = await self._write(call, caller)
        else:
            reply = await self._read(call, caller, share=(name, body))
        answer = await read_body(read_value, reply.body, Cleaner(_lower_case(hidden)))
        return ErpReply(reply.status, answer)

    async def _read(self, call: Call, caller: Caller, *, share: Hashable) -> HttpReply:
        self._check()
        reply = await self._queue.run(caller, partial(self._sender.send, call), share=share)
        raise_for(reply)
        return reply

    async def _write(
        self,
        call: Call,
        caller: Caller,
        *,
        key_predicate: str = "",
        timeout_s: float | None = None,
        before_sending: BeforeSending | None = None,
    ) -> HttpReply:
        """Send a write, which is never shared. Raises its refusal.

        Args:
            call: the write.
            caller: the caller.
            key_predicate: the key in its path, if any.
            timeout_s: timeout instead of the default.
            before_sending: awaited when the write has its turn.
        """
        self._check()
        write = partial(self._sender.write, call, timeout_s=timeout_s, before_sending=before_sending)
        reply = await self._queue.run(caller, write)
        if key_is_unsupported(key_predicate, reply):
            raise ErpKeyUnsupported(reply.status, None, "")
        raise_for(reply)
        return reply

    def _check(self) -> None:
        self._queue.check()
        self._health.check()
        self._upstream.check()
        self._session.check()


def _checked_tag(if_match: str | None) -> str | None:
    return None if if_match is None else parse_if_match(if_match)


@lru_cache(maxsize=256)
def _lower_case(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
