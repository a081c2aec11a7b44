"""Sends calls in the session, with the few repeats that are safe."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec, TypeVar

from erpclient.caller import CallContext
from erpclient.errors import ErpLoginRejected
from erpclient.http.bodies import VERSION, Cleaner
from erpclient.http.transport import HttpReply
from erpclient.http.upstream import Upstream
from erpclient.http.wire import Call, read_error, refuses_version
from erpclient.observer import Observer
from erpclient.odata import ListQuery, RecordQuery
from erpclient.session import ErpSession

LARGE_BODY_BYTES: Final = 512 * 1024
"""From here on a body is read in a thread: it takes milliseconds, in which nothing else would happen."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Sender:
    """Sends calls in the session, each within one turn of the queue.

    Args:
        upstream: sends the calls.
        session: gives the tickets.
        timeout_s: longest time of one request.
        read_timeout_s: longest time of one that changes nothing.
        observer: told of every repeat.
    """

    def __init__(
        self,
        upstream: Upstream,
        session: ErpSession,
        *,
        timeout_s: float,
        read_timeout_s: float,
        observer: Observer,
    ) -> None:
        self._upstream = upstream
        self._session = session
        self._timeout_s = timeout_s
        self._read_timeout_s = read_timeout_s
        self._observer = observer
        self._versionless: dict[str, int] = {}

    async def send(self, context: CallContext, call: Call, *, timeout_s: float | None = None) -> HttpReply:
        """Send a call in the session; after a 401, once more in a new one, since nothing was done.

        A call that got a 401 in a new session before is not repeated as long as its pause lasts.

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
        if timeout_s is None:
            timeout_s = self._timeout_s if call.write else self._read_timeout_s
        refused, resource = self._session.refused_calls, call.resource
        path = f"{call.method} {call.path.partition('?')[0]}"
        ticket, renewed = await self._session.get_ticket(), False
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
                refused.forget(resource, path)
                return reply
            if renewed:
                raise self._session.record_refusal(ticket, reply, resource=resource, path=path)
            if not refused.may_renew(resource, path):
                raise ErpLoginRejected(*read_error(reply))
            ticket, renewed = await self._session.renew(ticket), True
            self._observer.call_repeated(reason="expired_session")

    async def ask(
        self,
        context: CallContext,
        resource: str,
        query: ListQuery | RecordQuery,
        call: Callable[[tuple[str, ...]], Call],
        tagged: bool,
        hidden: frozenset[str],
    ) -> tuple[HttpReply, Cleaner]:
        """Ask with ``DataVersion`` added to the selection where the entity tags would be wrong without it.

        An ERP before FP 2102 does not know that property. Then the call is repeated without it, and the
        resource goes without until the next login, which may be to a newer ERP.

        Args:
            context: for whom.
            resource: entity set.
            query: what to read of it.
            call: makes the call, with these names added to the selection.
            tagged: whether the records of this resource carry entity tags.
            hidden: property names in lower case, to be taken out of the answer.

        Returns:
            The answer, whatever its status, and what is to be taken out of its body.
        """
        unnamed = query.leaves_unnamed(VERSION)
        add = tagged and unnamed and self._versionless.get(resource) != self._session.generation
        reply = await self.send(context, call((VERSION,) if add else ()))
        if add and refuses_version(reply):
            self._versionless[resource] = self._session.generation
            self._observer.call_repeated(reason="data_version")
            add = False
            reply = await self.send(context, call(()))
        # `*` holds the version by itself: named for the tag's sake, it stays in the answer.
        added_version = add and not query.selects(VERSION)
        return reply, Cleaner(hidden, added_version=added_version, true_tags=add or not unnamed)


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
