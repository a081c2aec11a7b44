"""Web session of one signed-in user, with an ERP session of its own."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from attrs import define, field

from erpclient import ErpClient
from supplier_returns.web.user import ErpUser


@define(eq=False)
class WebSession:
    """Web session of one signed-in ERP user, with an ERP session of its own.

    Attributes:
        user: signed-in user.
        erp: client of the ERP session, with its serial queue. No other session uses it.
        signed_in_at: aware UTC time of the login.
        token_digest: SHA-256 of the cookie. The cookie itself is stored nowhere.
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
        """Keep the ERP session open during the block, even if the web session ends.

        Every request uses it, and so does work that continues after its response.
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
        """Keep the ERP session open, and allow its calls also during shutdown.

        For work that stops by itself at a safe point. Other waiting calls are refused then.
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
        """Refuse waiting and new calls to the ERP, as soon as no `finishing` work uses the session."""
        self._is_draining = True
        if not self._finishing:
            self.erp.drain()

    @property
    def is_in_use(self) -> bool:
        """True while a request or other work uses the ERP session."""
        return self._use_count > 0

    async def wait_until_free(self) -> None:
        """Wait until nothing uses the ERP session."""
        await self._free.wait()
