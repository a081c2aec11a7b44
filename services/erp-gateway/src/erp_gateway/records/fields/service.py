"""Descriptions of fields, read from the ERP once per ERP session and shared by all requests."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import msgspec
import structlog
from attrs import define, field

from erp_gateway.files.exports.currencies import Currencies
from erp_gateway.records.fields.description import (
    CurrencyFacts,
    Description,
    UserFieldRow,
    describe,
    of_columns,
)
from erp_gateway.records.fields.titles import USER_FIELD_TABLES
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erpclient import Caller, ErpClient, ErpError, ErpRefused, InternalLane
from erpclient.metadata import read_metadata
from erpclient.odata import ListQuery, quote_string
from servicekit.clock import Clock

RETRY_AFTER_S: Final = 60.0
"""Time between a failed read and the next one."""

_LANE: Final = InternalLane("erp_gateway:fields")
_USER_FIELDS: Final = "UserFieldsMD"
_PAGE: Final = 500
_MOST_PAGES: Final = 10
_QUERY: Final = ListQuery(
    select=("TableName", "Name", "Description", "ValidValuesMD"),
    filter=" or ".join(f"TableName eq {quote_string(table)}" for table in USER_FIELD_TABLES.values()),
    orderby=("TableName", "FieldID"),
    top=_PAGE,
)

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class FieldDescriptions:
    """Descriptions of the fields of each resource; until the first successful read, the declared columns.

    The ERP's metadata stays the same within an ERP session: user fields that are added meanwhile appear in
    the next one. Only the first read makes requests wait. Later reads run in the background.

    Args:
        erp: the ERP.
        registry: the resources.
        clock: monotonic time.
        currencies: currencies of amounts, read together with the fields.
    """

    _erp: ErpClient
    _registry: Registry
    _clock: Clock
    _currencies: Currencies
    _descriptions: Mapping[str, Description] = field(factory=dict, init=False)
    _read_in: int | None = field(default=None, init=False)
    _retry_at_s: float = field(default=0.0, init=False)
    _renewal: asyncio.Task[None] | None = field(default=None, init=False)

    async def of(self, registered: Registered) -> Description:
        """Return the fields of a resource; never raises an ERP error.

        An unexpected error is raised for all that wait for the first read; the next request reads again.
        """
        is_due = self._read_in != self._erp.logins and self._clock.monotonic() >= self._retry_at_s
        if is_due and (self._renewal is None or self._renewal.done()):
            self._renewal = asyncio.create_task(self._read())
        if not self._descriptions and self._renewal is not None:
            await asyncio.shield(self._renewal)  # others wait for it too: a cancelled request must not end it
        return self._descriptions.get(registered.resource.name) or of_columns(registered)

    async def aclose(self) -> None:
        """Cancel a running read."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.gather(self._renewal, return_exceptions=True)

    async def _read(self) -> None:
        self._retry_at_s = self._clock.monotonic() + RETRY_AFTER_S
        try:
            document = await self._erp.read_metadata(caller=Caller(_LANE))
            read_in = self._erp.logins
            rows = await self._read_user_fields()
            decimals = await self._currencies.decimals()
            described = await asyncio.to_thread(_describe, self._registry.registered, document, rows)
            facts = CurrencyFacts(local=decimals.local_code, decimals=decimals.places)
            self._descriptions = {
                name: attrs.evolve(each, currencies=facts) for name, each in described.items()
            }
            self._read_in, self._retry_at_s = read_in, 0.0
        except ErpError as error:
            _log.warning("fields_unknown", error=type(error).__name__)
        except Exception:
            if not self._descriptions:
                self._retry_at_s = 0.0
                raise
            _log.exception("fields_unreadable")  # a background read: no request waits for it

    async def _read_user_fields(self) -> list[UserFieldRow]:
        """Return the definitions of user fields; none if the gateway's ERP user may not read them."""
        rows: list[UserFieldRow] = []
        try:
            for page in range(_MOST_PAGES):
                query = attrs.evolve(_QUERY, skip=page * _PAGE)
                found = await self._erp.list(
                    _USER_FIELDS, query, caller=Caller(_LANE), case_insensitive=False
                )
                rows += msgspec.json.decode(found.rows, type=list[UserFieldRow])
                if len(rows) >= found.count:
                    break
        except (ErpRefused, msgspec.MsgspecError) as error:
            _log.warning("user_fields_unknown", error=type(error).__name__)
        return rows


def _describe(
    registered: Sequence[Registered], document: bytes, rows: Sequence[UserFieldRow]
) -> dict[str, Description]:
    return describe(registered, read_metadata(document), rows)
