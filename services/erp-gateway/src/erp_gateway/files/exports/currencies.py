"""How many decimals amounts of each currency have, as the ERP says once in each of its sessions."""

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
"""The longest that a file waits for it."""

RETRY_AFTER_S: Final = 60.0
"""How long the ERP is left alone after it did not tell."""

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
    """Of the company; nothing else of them is read."""

    local: str | None = msgspec.field(name="LocalCurrency", default=None)
    usual: int | None = msgspec.field(name="TotalsAccuracy", default=None)


@define(eq=False, repr=False)
class Currencies:
    """Knows the decimals, or none until the ERP has told them: then amounts keep the digits that they have.

    Args:
        erp: whom to ask.
        clock: its monotonic side is used.
    """

    _erp: ErpClient
    _clock: Clock
    _known: Decimals = field(factory=Decimals, init=False)
    _read_in: int | None = field(default=None, init=False)
    _reading: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _ask_again_at_s: float = field(default=0.0, init=False)

    async def decimals(self) -> Decimals:
        """Return what is known; never raises an ERP error."""
        async with self._reading:
            if self._read_in != self._erp.logins and self._clock.monotonic() >= self._ask_again_at_s:
                await self._read()
        return self._known

    async def _read(self) -> None:
        self._ask_again_at_s = self._clock.monotonic() + RETRY_AFTER_S
        caller, read_in = Caller(_LANE), self._erp.logins  # a login meanwhile is one to ask in
        try:
            async with asyncio.timeout(LIMIT_S):
                found = await self._erp.list("Currencies", _QUERY, caller=caller)
                reply = await self._erp.call_service(_SETTINGS, b"", caller=caller)
            rows = msgspec.json.decode(found.rows, type=list[_Currency])
            settings = msgspec.json.decode(reply.body, type=_Settings)
        except asyncio.CancelledError:
            self._ask_again_at_s = 0.0  # whose file it was has left: the next one asks
            raise
        except (ErpError, TimeoutError, msgspec.MsgspecError) as error:
            _log.warning("currencies_unknown", error=type(error).__name__)
            return
        places = {row.code: _PLACES.get(row.decimals or "", settings.usual) for row in rows}
        self._known = Decimals(
            local=places.get(settings.local or "", settings.usual),
            places={code: each for code, each in places.items() if each is not None},
            local_code=settings.local or None,
        )
        self._read_in, self._ask_again_at_s = read_in, 0.0
