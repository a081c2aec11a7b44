"""Name of the company, read once from the ERP."""

import asyncio
import math
from typing import Final, Protocol

import msgspec
import structlog
from attrs import define, field

from erpclient import Caller, CallerGone, ErpError, ErpReply, QueueClosed, QueueFull, QueueTimeout
from servicekit.clock import Clock

_ACTION: Final = "CompanyService_GetCompanyInfo"

_log = structlog.get_logger(__name__)


class CompanyService(Protocol):
    """The one method of `erpclient.ErpClient` that this module uses."""

    async def call_service(self, name: str, body: bytes, *, caller: Caller) -> ErpReply:
        """Run a query-only action of a service."""
        ...


class _CompanyInfo(msgspec.Struct):
    name: str = msgspec.field(name="CompanyName")


@define(eq=False, repr=False)
class CompanyName:
    """Caches the company's name; until the ERP has returned it, the database's name stands in.

    A missing name must neither fail nor delay a login for long. After a failure, the ERP is not called again
    for `retry_after_s` seconds. A call that ended while it waited in the queue does not count as a failure,
    so the next login tries again.

    Args:
        erp: the ERP client.
        clock: its monotonic side is used.
        database: name of the company database.
        limit_s: longest time that a login waits for the name.
        retry_after_s: pause after a failure.
    """

    _erp: CompanyService
    _clock: Clock
    database: str = field(kw_only=True)
    _limit_s: float = field(default=5.0, kw_only=True)
    _retry_after_s: float = field(default=60.0, kw_only=True)
    _name: str | None = field(init=False, default=None)
    _retry_at_s: float = field(init=False, default=-math.inf)

    async def get(self, caller: Caller) -> str:
        """Return the name; never raises an ERP error."""
        if self._name is None and self._clock.monotonic() >= self._retry_at_s:
            await self._fetch(caller)
        return self.database if self._name is None else self._name

    async def _fetch(self, caller: Caller) -> None:
        try:
            async with asyncio.timeout(self._limit_s):
                reply = await self._erp.call_service(_ACTION, b"", caller=caller)
            self._name = msgspec.json.decode(reply.body, type=_CompanyInfo).name
        except (CallerGone, QueueFull, QueueTimeout, QueueClosed) as error:
            _log.info("company_name_not_asked", error=type(error).__name__)
        except (ErpError, TimeoutError, msgspec.MsgspecError) as error:
            self._retry_at_s = self._clock.monotonic() + self._retry_after_s
            _log.warning("company_name_unknown", error=type(error).__name__)
