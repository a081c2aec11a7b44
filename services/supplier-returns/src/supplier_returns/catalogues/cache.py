"""Catalogues of each session, cached for some minutes."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

import msgspec
import structlog
from attrs import define, field

from erpclient import Caller, ErpClient, ErpError
from servicekit.clock import Clock
from supplier_returns.catalogues.valid_values import (
    ValidValues,
    read_valid_values,
)
from supplier_returns.metadata.definitions import Definitions
from supplier_returns.settings.custom_fields import CustomField

FRESH_FOR_S: Final = 300.0
"""How long an answer is good, unless the user asks for a new one."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


_Remembered: TypeAlias = dict[str, tuple[float, Any]]
"""What was asked for, by name, each with the time until which it is good."""


@define(eq=False, repr=False)
class CatalogueCache:
    """Remembers what the ERP told each session, since users may see different things. One for the process.

    The values of our own object's fields are the same for everybody who may see them, so one session's answer
    serves all.

    Args:
        needed: our definitions, whose values are offered while the ERP has none or does not show them.
        custom_fields: fields of the return that the installation asks of each planning.
        clock: time.
    """

    needed: Definitions
    custom_fields: Sequence[CustomField]
    _clock: Clock
    _company: _Remembered = field(init=False, factory=dict)
    _sessions: WeakKeyDictionary[ErpClient, _Remembered] = field(init=False, factory=WeakKeyDictionary)

    def forget(self, erp: ErpClient) -> None:
        """Ask anew next time."""
        self._sessions.pop(erp, None)
        self._company.clear()

    async def prepare(self, erp: ErpClient, caller: Caller) -> None:
        """Have an answer about valid values that is some minutes old at most; for the moment of signing in.

        An ERP that does not answer now is asked when somebody needs it.
        """
        try:
            await self.values(erp, caller, may_be_stale=False)
        except (ErpError, msgspec.DecodeError) as error:
            _log.info("valid_values_unknown", reason=str(error))

    async def values(self, erp: ErpClient, caller: Caller, *, may_be_stale: bool) -> ValidValues:
        """Return what the ERP's own fields and ours may hold; nothing where it does not show them."""
        own = self._sessions.setdefault(erp, {})
        for remembered in (self._company, own):
            found = remembered.get("values")
            if found is not None and (may_be_stale or self._clock.monotonic() < found[0]):
                return cast("ValidValues", found[1])
        values = await read_valid_values(erp, caller, self.custom_fields)
        keeper = own if values is None else self._company
        keeper["values"] = (self._clock.monotonic() + FRESH_FOR_S, values or {})
        return values or {}

    async def once(self, erp: ErpClient, name: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what a session was told of this in the last minutes, else ask."""
        remembered = self._sessions.setdefault(erp, {})
        found = remembered.get(name)
        now = self._clock.monotonic()
        if found is not None and now < found[0]:
            return cast("T", found[1])
        value = await ask()
        remembered[name] = (now + FRESH_FOR_S, value)
        return value
