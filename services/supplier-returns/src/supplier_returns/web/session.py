"""A web session: one signed-in user with an ERP session of their own."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from attrs import define, field

from erpclient import ErpClient
from supplier_returns.web.user import ErpUser


@define(eq=False)
class WebSession:
    """One signed-in ERP user with an ERP session of their own.

    Attributes:
        user: the signed-in user.
        erp: the session with the ERP, with its serial queue; nobody else uses it.
        signed_in_at: aware UTC time of the login.
        token_digest: SHA-256 of the cookie; the cookie itself is kept nowhere.
    """

    user: ErpUser
    erp: ErpClient = field(repr=False)
    signed_in_at: datetime
    token_digest: bytes = field(repr=False)
    _use_count: int = field(default=0, init=False, repr=False)
    _finishing: int = field(default=0, init=False, repr=False)
    _is_draining: bool = field(default=False, init=False, repr=False)
    _free: asyncio.Event = field(factory=asyncio.Event, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self._free.set()

    @contextmanager
    def in_use(self) -> Iterator[ErpClient]:
        """Keep the ERP session open while the block runs, although the web session may end meanwhile.

        Every request holds its session; so does work that goes on after its answer.
        """
        self._use_count += 1
        self._free.clear()
        try:
            yield self.erp
        finally:
            self._use_count -= 1
            if not self._use_count:
                self._free.set()

    @contextmanager
    def finishing(self) -> Iterator[ErpClient]:
        """Keep the ERP session open, and let its calls through also when the service is being stopped.

        For work that stops by itself at a place where it may; whatever else waits is refused then.
        """
        with self.in_use():
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
    def is_in_use(self) -> bool:
        """Whether a request or other work still uses the ERP session."""
        return self._use_count > 0

    async def wait_until_free(self) -> None:
        """Wait until nobody holds the ERP session."""
        await self._free.wait()
