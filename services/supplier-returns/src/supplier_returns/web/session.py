# ruff: noqa: N818 - refusals are plain nouns
"""The signed-in person as every feature sees them, and the refusals of a request without one."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol

from attrs import define, field

from erpclient import ErpClient
from servicekit.errors import ServiceError


class SessionRequired(ServiceError):
    """There is no session cookie, or its text cannot be one of ours."""

    status = 401
    code = "session_required"
    detail = "Debe iniciar sesión"


class SessionExpired(SessionRequired):
    """The session is over: too long unused, ended by a restart, or no longer known to the ERP."""

    code = "session_expired"


@define(eq=False)
class WebSession:
    """One signed-in ERP user with an ERP session of their own.

    Attributes:
        user_code: the ERP's own spelling of the user's code.
        user_name: the user's name, or the code where the ERP does not tell it.
        erp: the session with the ERP, with its serial queue; nobody else uses it.
        signed_in_at: aware UTC time of the login.
        token_digest: SHA-256 of the cookie; the cookie itself is kept nowhere.
    """

    user_code: str
    user_name: str
    erp: ErpClient = field(repr=False)
    signed_in_at: datetime
    token_digest: bytes = field(repr=False)
    _holders: int = field(default=0, init=False, repr=False)
    _finishing: int = field(default=0, init=False, repr=False)
    _is_draining: bool = field(default=False, init=False, repr=False)
    _free: asyncio.Event = field(factory=asyncio.Event, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._free.set()

    @contextmanager
    def held(self) -> Iterator[ErpClient]:
        """Keep the ERP session open while the block runs, although the web session may end meanwhile.

        Every request holds its session; so does work that goes on after its answer.
        """
        self._holders += 1
        self._free.clear()
        try:
            yield self.erp
        finally:
            self._holders -= 1
            if not self._holders:
                self._free.set()

    @contextmanager
    def finishing(self) -> Iterator[ErpClient]:
        """Keep the ERP session open, and let its calls through also when the service is being stopped.

        For work that stops by itself at a place where it may; whatever else waits is refused then.
        """
        with self.held():
            self._finishing += 1
            try:
                yield self.erp
            finally:
                self._finishing -= 1
                if self._is_draining and not self._finishing:
                    self.erp.drain()

    def drain(self) -> None:
        """Refuse what waits for the ERP, now and from now on, once no work has to be finished in it."""
        self._is_draining = True
        if not self._finishing:
            self.erp.drain()

    @property
    def is_held(self) -> bool:
        """Whether a request or other work still uses the ERP session."""
        return self._holders > 0

    async def wait_until_free(self) -> None:
        """Wait until nobody holds the ERP session."""
        await self._free.wait()


class SessionSource(Protocol):
    """What the guard asks; `auth.sessions.WebSessionStore` answers it."""

    def authenticate(self, tokens: Iterable[str]) -> WebSession:
        """Return the session of the first cookie value that has one, and slide its timeout.

        Raises:
            SessionRequired: none of the texts can be a cookie of this service.
            SessionExpired: none is, or is still, valid.
        """
        ...

    def touch(self, session: WebSession) -> None:
        """Slide the timeout, unless the session has ended."""
        ...

    def end(self, session: WebSession) -> None:
        """End the web session at once and the ERP session as soon as nobody holds it."""
        ...
