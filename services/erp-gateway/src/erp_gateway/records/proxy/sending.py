"""The sending of an opened write, and what follows if its call fails."""

import asyncio
from collections.abc import Collection
from types import TracebackType
from typing import Final, Self

from attrs import define, field

from erp_gateway.records.proxy.cache.catalogue import CatalogueCache
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.entry import Entry
from erpclient import ErpError
from servicekit.errors import ServiceError, type_and_text

CALL_FAILURES: Final = (ErpError, asyncio.CancelledError)
"""Exceptions of the ERP client's writes that become the outcome of the write.

The client finishes writes whose request is cancelled, so `CancelledError` means a forced end of the process.
The ERP may have the write, and a response that is ready at once is still sent.
"""


@define(eq=False, repr=False)
class Sending:
    """The time in which a write, or a change set, is with the ERP, for the cache of reference data.

    Pass `start` to the ERP client as `before_sending`. Leave the block with the entry's outcome set; without
    one the outcome counts as unknown.

    Args:
        entry: the opened write.
        cache: the cache, which clears the answers of the resources at the start and at the end.
        resources: the written resources, each once.
    """

    _entry: Entry
    _cache: CatalogueCache
    _resources: Collection[str]
    _is_started: bool = field(default=False, init=False)

    async def start(self) -> None:
        """Wait for the write's row, then clear the cached answers of its resources.

        Raises:
            LedgerUnavailable: there is no row; nothing may be sent.
        """
        await self._entry.wait_for_row()
        self._is_started = True
        for resource in self._resources:
            self._cache.write_sent(resource)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for resource in self._resources:
            self._cache.write_ended(resource, sent=self._is_started, unknown=self._entry.is_unknown)


def refusal_after(error: BaseException, kind: CallKind) -> ServiceError:
    """Return the client's refusal of a write whose call failed.

    Args:
        error: one of `CALL_FAILURES`.
        kind: the kind of call.
    """
    if not isinstance(error, ErpError):
        return OutcomeUnknown()
    refusal = upstream_service_error(error, kind)
    # The refusal lives as long as its idempotency key: keep the text, not the traceback.
    refusal.caused_by = type_and_text(error)
    return refusal
