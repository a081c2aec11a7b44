"""What a service holds to talk to the ERP."""

from types import TracebackType
from typing import Self

from erpclient.caller import Caller
from erpclient.clock import Clock
from erpclient.observer import Observer
from erpclient.odata import ListQuery, RecordQuery
from erpclient.replies import ErpList, ErpRecord, ErpReply, Ping
from erpclient.request_queue import QueueStats
from erpclient.session import SessionState
from erpclient.settings import Credentials, ErpSettings
from erpclient.transport import Transport


class ErpClient:
    """One ERP session with its queue.

    Use it as an async context manager: leaving refuses what waits, lets what runs finish, logs out and closes
    the connections it opened. Nothing is sent before the first request: an ERP that is away does not matter
    at start.

    Requests take turns by user; once sent, a request runs to its end even when its caller leaves, and keeps
    its place until then. Reads that are the same share a call as long as it has not been sent.

    Args:
        settings: where the ERP is and how hard it may be used.
        credentials: who logs in.
        renewable: ``False`` for the session of a person: the credentials are used for one login, then
            forgotten, and a session that the ERP no longer knows is over (``SessionEnded``).
        transport: to be used and left open; without one the client opens and closes its own.
        clock: time.
        observer: told of every call, login and wait.
    """

    def __init__(
        self,
        settings: ErpSettings,
        credentials: Credentials,
        *,
        renewable: bool = True,
        transport: Transport | None = None,
        clock: Clock | None = None,
        observer: Observer | None = None,
    ) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        raise NotImplementedError

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raise NotImplementedError

    async def aclose(self) -> None:
        """Refuse what waits, let what runs finish, log out, close what was opened; no ERP error comes out."""
        raise NotImplementedError

    def drain(self) -> None:
        """Refuse what waits and whatever comes from now on with ``QueueClosed``; what runs goes on."""
        raise NotImplementedError

    @property
    def session_state(self) -> SessionState:
        """Where the session stands."""
        raise NotImplementedError

    @property
    def queue_stats(self) -> QueueStats:
        """How full the queue is."""
        raise NotImplementedError

    async def log_in(self) -> None:
        """Log in now instead of with the first request (for a person's session: is the password right?).

        Raises:
            ErpLoginRejected: the ERP refused the credentials.
            ErpError: any other failure of the login.
        """
        raise NotImplementedError

    async def ping(self, *, timeout_s: float = 5.0) -> Ping:
        """Ask the balancer whether it lives: no session, no queue (SAP manual 1.29, ping pong API).

        Raises:
            ErpUnreachable: no connection.
            ErpTimeout: not in time.
        """
        raise NotImplementedError

    async def list(
        self,
        resource: str,
        query: ListQuery,
        *,
        caller: Caller,
        tagged: bool = False,
        hidden: frozenset[str] = frozenset(),
        case_insensitive: bool = True,
    ) -> ErpList:
        """Read one page of records, with the number of all that match.

        Args:
            resource: entity set.
            query: what to read.
            caller: for whom.
            tagged: whether the records of this resource carry entity tags.
            hidden: property names to take out of the answer, whatever their letter case.
            case_insensitive: whether a filter compares without letter case (some databases otherwise do).

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        raise NotImplementedError

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
    ) -> ErpRecord:
        """Read one record.

        Args:
            resource: entity set.
            key_predicate: the key for the path, percent-encoded, with its parentheses.
            query: what to read of it.
            caller: for whom.
            tagged: whether the records of this resource carry entity tags.
            hidden: property names to take out of the answer, whatever their letter case.
            key_filter: the key as a condition, used when the ERP's web server does not take a key with a
                slash.

        Raises:
            ErpRefused: 404 when there is no such record.
            ErpError: see :mod:`erpclient.errors`.
        """
        raise NotImplementedError

    async def create(
        self, resource: str, body: bytes, *, caller: Caller, hidden: frozenset[str] = frozenset()
    ) -> ErpRecord:
        """Create a record and answer it as the ERP stored it.

        Args:
            resource: entity set.
            body: a JSON object, passed on as it is.
            caller: for whom.
            hidden: property names to take out of the answer.

        Raises:
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        raise NotImplementedError

    async def modify(
        self,
        resource: str,
        key_predicate: str,
        body: bytes,
        *,
        caller: Caller,
        if_match: str | None = None,
        replace_collections: bool = False,
    ) -> None:
        """Change some properties of a record.

        Args:
            resource: entity set.
            key_predicate: the key for the path, percent-encoded, with its parentheses.
            body: a JSON object, passed on as it is.
            caller: for whom.
            if_match: ``*`` or one weak tag; the ERP ignores any other form and writes.
            replace_collections: whether collections in the body replace the stored ones, deleting what they do
                not hold, instead of being merged into them.

        Raises:
            ErpKeyUnsupported: the ERP's web server does not take this key.
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        raise NotImplementedError

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
    ) -> ErpReply:
        """Run an action on a record.

        Args:
            resource: entity set.
            key_predicate: the key for the path, percent-encoded, with its parentheses.
            action: its name, like ``Cancel``.
            body: a JSON object, or empty.
            caller: for whom.
            if_match: as for :meth:`modify`; the ERP honours it on actions too.
            hidden: property names to take out of the answer.

        Raises:
            ErpKeyUnsupported: the ERP's web server does not take this key.
            ErpError: see :mod:`erpclient.errors`; look at ``outcome`` before repeating.
        """
        raise NotImplementedError

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
            caller: for whom.
            write: whether it changes anything. One that does not is shared and repeated like any read.
            hidden: property names to take out of the answer.

        Raises:
            ErpError: see :mod:`erpclient.errors`.
        """
        raise NotImplementedError
