"""Sends calls in the session, and repeats them where that is safe.

A call is repeated here in a new session after a 401, and a read without `DataVersion` or by its filter where
the ERP does not take them. `http/upstream.py` repeats a read on a new connection.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeAlias

from attrs import evolve

from erpclient.caller import CallContext
from erpclient.erp_session import ErpSession
from erpclient.errors import ErpLoginRejected, ErpRefused
from erpclient.http.bodies import read_list, read_only_record, read_record
from erpclient.http.calls import Call
from erpclient.http.cleaner import VERSION, Cleaner
from erpclient.http.error_replies import key_is_unsupported, raise_for, read_error, refuses_version
from erpclient.http.large_bodies import read_body
from erpclient.http.messages import HttpReply
from erpclient.http.replies import ErpList, ErpRecord
from erpclient.http.upstream import Upstream
from erpclient.observer import Observer
from erpclient.odata import Dialect
from erpclient.reads import ListRead, RecordRead

BeforeSending: TypeAlias = Callable[[], Awaitable[object]]
"""Awaited when a write has its turn. If it raises, nothing is sent."""


class Sender:
    """Sends calls in the session. Each call has one turn of the queue.

    Args:
        upstream: sends the calls.
        session: the session.
        dialect: OData version of the service.
        timeout_s: longest time of one request.
        read_timeout_s: longest time of a read.
        observer: receives every repeat.
    """

    def __init__(
        self,
        upstream: Upstream,
        session: ErpSession,
        *,
        dialect: Dialect,
        timeout_s: float,
        read_timeout_s: float,
        observer: Observer,
    ) -> None:
        self._upstream = upstream
        self._session = session
        self._dialect = dialect
        self._timeout_s = timeout_s
        self._read_timeout_s = read_timeout_s
        self._observer = observer
        self._versionless: dict[str, int] = {}

    async def list(self, read: ListRead, context: CallContext) -> ErpList:
        """Read one page of records.

        Raises:
            ErpError: a refusal, or no readable reply.
        """
        reply, cleaner = await self._send_read(read, context)
        raise_for(reply)
        return await read_body(read_list, reply.body, cleaner, read.query.top)

    async def get(self, read: RecordRead, context: CallContext) -> ErpRecord:
        """Read one record: by its key, or by its filter where the web server refuses the key in a path.

        Raises:
            ErpRefused: 404 when there is no such record.
            ErpError: another refusal, or no readable reply.
        """
        reply, cleaner = await self._send_read(read, context)
        if read.key_filter is None or not key_is_unsupported(read.key_predicate, reply):
            raise_for(reply)
            return await read_body(read_record, reply.body, reply.etag, cleaner)
        self._observer.call_repeated(reason="key_in_path")
        reply, cleaner = await self._send_read(evolve(read, is_by_filter=True), context)
        raise_for(reply)
        record = await read_body(read_only_record, reply.body, reply.etag, cleaner)
        if record is None:
            raise ErpRefused(HTTPStatus.NOT_FOUND, None, "")
        return record

    async def write(
        self,
        call: Call,
        context: CallContext,
        *,
        timeout_s: float | None = None,
        before_sending: BeforeSending | None = None,
    ) -> HttpReply:
        """Send a call that may change something.

        Args:
            call: the write.
            context: caller and trace.
            timeout_s: timeout of each attempt instead of the default.
            before_sending: awaited first.

        Raises:
            ErpError: as :meth:`send`.
            Exception: raised by ``before_sending``; nothing is sent then.
        """
        if before_sending is not None:
            await before_sending()
        return await self.send(call, context, timeout_s=timeout_s)

    async def send(self, call: Call, context: CallContext, *, timeout_s: float | None = None) -> HttpReply:
        """Send a call in the session. After a 401, send it once more in a new session: nothing was done.

        A call that recently got a 401 in a new session is not repeated during its pause.

        Args:
            call: the request.
            context: caller and trace.
            timeout_s: timeout of each attempt instead of the default.

        Returns:
            the reply with any status.

        Raises:
            ErpLoginRejected: 401 again, or the login was refused.
            ErpError: no answer.
        """
        if timeout_s is None:
            timeout_s = self._timeout_s if call.write else self._read_timeout_s
        pauses, resource = self._session.renewal_pauses, call.resource
        path = f"{call.method} {call.path.partition('?')[0]}"
        ticket, is_renewed = await self._session.get_ticket(), False
        while True:
            reply = await self._upstream.send(
                call,
                timeout_s=timeout_s,
                cookie=ticket.cookie,
                caller=context.caller,
                trace=context.trace,
            )
            self._session.record_answer(ticket, reply)
            if reply.status != HTTPStatus.UNAUTHORIZED:
                pauses.forget(resource, path)
                return reply
            if is_renewed:
                raise self._session.record_refusal(ticket, reply, resource=resource, path=path)
            if not pauses.may_renew(resource, path):
                raise ErpLoginRejected(*read_error(reply))
            ticket, is_renewed = await self._session.renew(ticket), True
            self._observer.call_repeated(reason="expired_session")

    async def _send_read(
        self, read: ListRead | RecordRead, context: CallContext
    ) -> tuple[HttpReply, Cleaner]:
        """Send a read with ``DataVersion`` added to its selection where the entity tags need it.

        Returns:
            the reply with any status, and the cleaner for its body.
        """
        # An ERP before FP 2102 does not know that property. Then the call is repeated without it, and the
        # resource goes without until the next login, which may be to a newer ERP.
        query, generation = read.query, self._session.generation
        is_unnamed = query.leaves_unnamed(VERSION)
        add = read.is_tagged and is_unnamed and self._versionless.get(read.resource) != generation
        reply = await self.send(read.to_call(self._dialect, (VERSION,) if add else ()), context)
        if add and refuses_version(reply):
            # Read the current generation only now: the call itself may have logged in.
            self._versionless[read.resource] = self._session.generation
            self._observer.call_repeated(reason="data_version")
            add = False
            reply = await self.send(read.to_call(self._dialect, ()), context)
        # `*` includes the version anyway, so it stays in the reply although it is named for the tag.
        added_version = add and not query.selects(VERSION)
        return reply, Cleaner(read.hidden, added_version=added_version, true_tags=add or not is_unnamed)
