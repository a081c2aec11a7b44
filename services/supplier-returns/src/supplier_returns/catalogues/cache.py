"""Cache of catalogues for each session."""

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
"""Seconds for which a value is cached, unless the user requests a refresh."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


_CacheEntries: TypeAlias = dict[str, tuple[float, Any]]
"""Cached values by name, each with its expiry time."""


@define(eq=False, repr=False)
class CatalogueCache:
    """Caches catalogues for each session, because users may see different values.

    The process has one instance. The valid values of our own fields are the same for all users, so one
    session's reply serves all.

    Args:
        needed: definitions of our fields. Their values are used if the ERP has none or hides them.
        custom_fields: fields of the return that the installation adds to each planning.
        clock: time.
    """

    needed: Definitions
    custom_fields: Sequence[CustomField]
    _clock: Clock
    _company: _CacheEntries = field(init=False, factory=dict)
    _sessions: WeakKeyDictionary[ErpClient, _CacheEntries] = field(init=False, factory=WeakKeyDictionary)

    def forget(self, erp: ErpClient) -> None:
        """Remove the cached values, so that the next request reads them again."""
        self._sessions.pop(erp, None)
        self._company.clear()

    async def prepare(self, erp: ErpClient, caller: Caller) -> None:
        """Read the valid values at sign-in, unless they are in the cache.

        If the ERP does not reply now, the first request that needs them reads them.
        """
        try:
            await self.values(erp, caller, may_be_stale=False)
        except (ErpError, msgspec.DecodeError) as error:
            _log.info("valid_values_unknown", reason=str(error))

    async def values(self, erp: ErpClient, caller: Caller, *, may_be_stale: bool) -> ValidValues:
        """Return the valid values of the ERP's fields and ours. Empty if the ERP hides them."""
        session_entries = self._sessions.setdefault(erp, {})
        for entries in (self._company, session_entries):
            entry = entries.get("values")
            if entry is not None and (may_be_stale or self._clock.monotonic() < entry[0]):
                return cast("ValidValues", entry[1])
        values = await read_valid_values(erp, caller, self.custom_fields)
        # A refusal concerns only this user, so it must not hide the values from others.
        target = session_entries if values is None else self._company
        target["values"] = (self._clock.monotonic() + FRESH_FOR_S, values or {})
        return values or {}

    async def cached(self, erp: ErpClient, name: str, load: Callable[[], Awaitable[T]]) -> T:
        """Return the cached value of a session, or load it."""
        entries = self._sessions.setdefault(erp, {})
        entry = entries.get(name)
        now = self._clock.monotonic()
        if entry is not None and now < entry[0]:
            return cast("T", entry[1])
        value = await load()
        entries[name] = (now + FRESH_FOR_S, value)
        return value
