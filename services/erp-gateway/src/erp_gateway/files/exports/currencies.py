"""Decimals of each currency, read from the ERP once per ERP session."""

import asyncio
from typing import Final

import msgspec
import structlog
from attrs import define, field

from erp_gateway.values.measures import Decimals
from erpclient import Caller, ErpClient, ErpError, InternalLane
from erpclient.odata import ListQuery
from servicekit.clock import Clock

LIMIT_S: Final = 5.0
"""Longest wait of a file for the decimals."""

RETRY_AFTER_S: Final = 60.0
"""Time between a failed read and the next one."""

_LANE: Final = InternalLane("erp_gateway:currencies")
_SETTINGS: Final = "CompanyService_GetAdminInfo"
_QUERY: Final = ListQuery(select=("Code", "Decimals"), top=500)
_PLACES: Final = {
    "cdWithoutDecimals": 0,
    "cd1Digit": 1,
    **{f"cd{digits}Digits": digits for digits in range(2, 7)},
}

_log = structlog.get_logger(__name__)


class _Currency(msgspec.Struct):
    code: str = msgspec.field(name="Code")
    decimals: str | None = msgspec.field(name="Decimals", default=None)


class _Settings(msgspec.Struct):
    """The used part of the company's settings."""

    local: str | None = msgspec.field(name="LocalCurrency", default=None)
    usual: int | None = msgspec.field(name="TotalsAccuracy", default=None)


@define(eq=False, repr=False)
class Currencies:
    """Decimals of currencies. Until the first successful read amounts keep the digits of the ERP.

    Args:
        erp: the ERP.
        clock: monotonic time.
    """

    _erp: ErpClient
    _clock: Clock
    _decimals: Decimals = field(factory=Decimals, init=False)
    _read_in: int | None = field(default=None, init=False)
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _retry_at_s: float = field(default=0.0, init=False)

    async def decimals(self) -> Decimals:
        """Return the decimals; never raises an ERP error."""
        async with self._lock:
            if self._read_in != self._erp.logins and self._clock.monotonic() >= self._retry_at_s:
                await self._read()
        return self._decimals

    async def _read(self) -> None:
        self._retry_at_s = self._clock.monotonic() + RETRY_AFTER_S
        caller = Caller(_LANE)
        read_in = self._erp.logins  # after a login in between, the next call reads again
        try:
            async with asyncio.timeout(LIMIT_S):
                found = await self._erp.list("Currencies", _QUERY, caller=caller)
                reply = await self._erp.call_service(_SETTINGS, b"", caller=caller)
            rows = msgspec.json.decode(found.rows, type=list[_Currency])
            settings = msgspec.json.decode(reply.body, type=_Settings)
        except asyncio.CancelledError:
            # The waiting client disconnected. The next export reads the currencies again at once.
            self._retry_at_s = 0.0
            raise
        except (ErpError, TimeoutError, msgspec.MsgspecError) as error:
            _log.warning("currencies_unknown", error=type(error).__name__)
            return
        places = {row.code: _PLACES.get(row.decimals or "", settings.usual) for row in rows}
        self._decimals = Decimals(
            local=places.get(settings.local or "", settings.usual),
            places={code: each for code, each in places.items() if each is not None},
            local_code=settings.local or None,
        )
        self._read_in, self._retry_at_s = read_in, 0.0
