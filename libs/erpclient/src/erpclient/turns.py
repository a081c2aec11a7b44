"""What happens in one turn of the queue: sending in the session, and the few repeats that are safe."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec, TypeVar

from attrs import frozen

from erpclient.caller import CallContext
from erpclient.errors import ErpRefused
from erpclient.http.bodies import VERSION, Cleaner, read_list, read_only_record, read_record
from erpclient.http.replies import ErpList, ErpRecord
from erpclient.http.transport import HttpReply
from erpclient.http.upstream import Upstream
from erpclient.http.wire import (
    Call,
    key_filter_call,
    key_is_unsupported,
    list_call,
    raise_for,
    record_call,
    refuses_version,
)
from erpclient.observer import Observer
from erpclient.odata import Dialect, ListQuery, RecordQuery
from erpclient.session import ErpSession, Ticket

LARGE_BODY_BYTES: Final = 512 * 1024
"""From here on a body is read in a thread: it takes milliseconds, in which nothing else would happen."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


@frozen
class ListRead:
    """A page to read; equal ones may share a call. As the arguments of :meth:`erpclient.ErpClient.list`."""

    resource: str
    query: ListQuery
    tagged: bool
    hidden: frozenset[str]
    case_insensitive: bool


@frozen
class RecordRead:
    """A record to read; equal ones may share a call. As the arguments of :meth:`erpclient.ErpClient.get`."""

    resource: str
    key_predicate: str
    query: RecordQuery
    tagged: bool
    hidden: frozenset[str]
    key_filter: str | None


class Turns:
    """Carries out reads and writes, each within one turn of the queue.

    Args:
        upstream: sends the calls.
        session: gives the tickets.
        dialect: how options are written.
        timeout_s: longest time of one request.
        observer: told of every repeat.
    """

    def __init__(
        self,
        upstream: Upstream,
        session: ErpSession,
        *,
        dialect: Dialect,
        timeout_s: float,
        observer: Observer,
    ) -> None:
        self._upstream = upstream
        self._session = session
        self._dialect = dialect
        self._timeout_s = timeout_s
        self._observer = observer
        self._versionless: dict[str, int] = {}

    async def send(self, context: CallContext, call: Call, *, timeout_s: float | None = None) -> HttpReply:
        """Send a call in the session; after a 401, once more in a new one, since nothing was done.

        Args:
            context: for whom.
            call: what to ask.
            timeout_s: longest time for each sending, where it is not the usual one.

        Returns:
            The answer, whatever its status.

        Raises:
            ErpLoginRejected: 401 again, or the login was refused.
            ErpError: no answer.
        """
        ticket = await self._session.get_ticket()
        reply = await self._send_with(ticket, context, call, timeout_s)
        if reply.status != HTTPStatus.UNAUTHORIZED:
            return reply
        ticket = await self._session.renew(ticket)
        self._observer.call_repeated(reason="expired_session")
        reply = await self._send_with(ticket, context, call, timeout_s)
        if reply.status == HTTPStatus.UNAUTHORIZED:
            raise self._session.record_refusal(ticket, reply)
        return reply

    async def read_list(self, context: CallContext, read: ListRead) -> ErpList:
        """Read a page.

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        query = read.query

        def call(added: tuple[str, ...]) -> Call:
            return list_call(
                read.resource,
                query.encode(self._dialect, added),
                page_size=query.top,
                case_insensitive=read.case_insensitive and query.filter is not None,
            )

        reply, cleaner = await self._read(context, read, call)
        return await read_body(read_list, reply.body, cleaner, query.top)

    async def read_record(self, context: CallContext, read: RecordRead) -> ErpRecord:
        """Read a record: by its path, or by a condition where the ERP's web server does not take the path.

        Raises:
            ErpRefused: 404 when there is no such record.
            ErpError: see :mod:`erpclient.errors`.
        """
        query, key_filter = read.query, read.key_filter

        def call(added: tuple[str, ...]) -> Call:
            return record_call(read.resource, read.key_predicate, query.encode(self._dialect, added))

        def filtered_call(added: tuple[str, ...]) -> Call:
            options = query.encode(self._dialect, added, key_filter=key_filter)
            return key_filter_call(read.resource, options)

        reply, cleaner = await self._ask(context, read, call)
        if key_filter is None or not key_is_unsupported(read.key_predicate, reply):
            raise_for(reply)
            return await read_body(read_record, reply.body, reply.etag, cleaner)
        self._observer.call_repeated(reason="key_in_path")
        reply, cleaner = await self._read(context, read, filtered_call)
        record = await read_body(read_only_record, reply.body, reply.etag, cleaner)
        if record is None:
            raise ErpRefused(HTTPStatus.NOT_FOUND, None, "")
        return record

    async def _read(
        self, context: CallContext, read: ListRead | RecordRead, call: Callable[[tuple[str, ...]], Call]
    ) -> tuple[HttpReply, Cleaner]:
        reply, cleaner = await self._ask(context, read, call)
        raise_for(reply)
        return reply, cleaner

    async def _ask(
        self, context: CallContext, read: ListRead | RecordRead, call: Callable[[tuple[str, ...]], Call]
    ) -> tuple[HttpReply, Cleaner]:
        """Ask with ``DataVersion`` added to the selection where the entity tags would be wrong without it.

        An ERP before FP 2102 does not know that property. Then the call is repeated without it, and the
        resource goes without until the next login, which may be to a newer ERP.
        """
        unnamed = read.query.leaves_unnamed(VERSION)
        add = read.tagged and unnamed and self._versionless.get(read.resource) != self._session.generation
        reply = await self.send(context, call((VERSION,) if add else ()))
        if add and refuses_version(reply):
            self._versionless[read.resource] = self._session.generation
            self._observer.call_repeated(reason="data_version")
            add = False
            reply = await self.send(context, call(()))
        # `*` holds the version by itself: named for the tag's sake, it stays in the answer.
        added_version = add and not read.query.selects(VERSION)
        return reply, Cleaner(read.hidden, added_version=added_version, true_tags=add or not unnamed)

    async def _send_with(
        self, ticket: Ticket, context: CallContext, call: Call, timeout_s: float | None
    ) -> HttpReply:
        reply = await self._upstream.send(
            call,
            timeout_s=self._timeout_s if timeout_s is None else timeout_s,
            cookie=ticket.cookie,
            caller=context.caller,
            trace=context.trace,
        )
        self._session.record_answer(ticket, reply)
        return reply


async def read_body(
    read: Callable[Concatenate[bytes, _P], _T], body: bytes, *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Read a body with one of the functions of :mod:`erpclient.http.bodies`, a large one in a thread.

    Raises:
        ErpReplyUnreadable: as the function does.
    """
    if len(body) < LARGE_BODY_BYTES:
        return read(body, *args, **kwargs)
    return await asyncio.to_thread(read, body, *args, **kwargs)
