"""Asks the ERP what its fields are: once in each of its sessions, whoever and however many want to know."""

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
from erp_gateway.records.proxy.registry import Registered, Registry
from erpclient import Caller, ErpClient, ErpError, ErpRefused, InternalLane
from erpclient.metadata import read_metadata
from erpclient.odata import ListQuery, quote_string
from servicekit.clock import Clock

RETRY_AFTER_S: Final = 60.0
"""How long the ERP is left alone after it did not tell."""

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
    """Knows what the fields of each resource are, or says what is declared until the ERP has told it.

    What the ERP says of itself stays the same in one of its sessions: user fields that were made meanwhile
    are seen by the next one. Once something is known nobody waits: a new session is asked beside requests.

    Args:
        erp: whom to ask.
        registry: the resources.
        clock: its monotonic side is used.
        currencies: what amounts are in, read beside the fields.
    """

    _erp: ErpClient
    _registry: Registry
    _clock: Clock
    _currencies: Currencies
    _known: Mapping[str, Description] = field(factory=dict, init=False)
    _read_in: int | None = field(default=None, init=False)
    _ask_again_at_s: float = field(default=0.0, init=False)
    _renewal: asyncio.Task[None] | None = field(default=None, init=False)

    async def of(self, registered: Registered) -> Description:
        """Return the fields of a resource; never raises an ERP error.

        What nobody foresaw is told to those who wait for it, and the next one asks anew.
        """
        is_due = self._read_in != self._erp.logins and self._clock.monotonic() >= self._ask_again_at_s
        if is_due and (self._renewal is None or self._renewal.done()):
            self._renewal = asyncio.create_task(self._read())
        if not self._known and self._renewal is not None:
            await asyncio.shield(self._renewal)  # others wait for it too: who leaves does not end it
        return self._known.get(registered.resource.name) or of_columns(registered)

    async def aclose(self) -> None:
        """End what is being read."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.gather(self._renewal, return_exceptions=True)

    async def _read(self) -> None:
        self._ask_again_at_s = self._clock.monotonic() + RETRY_AFTER_S
        try:
            document = await self._erp.read_metadata(caller=Caller(_LANE))
            read_in = self._erp.logins
            rows = await self._read_user_fields()
            decimals = await self._currencies.decimals()
            described = await asyncio.to_thread(_describe, self._registry.registered, document, rows)
            told = CurrencyFacts(local=decimals.local_code, decimals=decimals.places)
            self._known = {name: attrs.evolve(each, currencies=told) for name, each in described.items()}
            self._read_in, self._ask_again_at_s = read_in, 0.0
        except ErpError as error:
            _log.warning("fields_unknown", error=type(error).__name__)
        except Exception:
            if not self._known:
                self._ask_again_at_s = 0.0
                raise
            _log.exception("fields_unreadable")  # nobody waits for it

    async def _read_user_fields(self) -> list[UserFieldRow]:
        """Return the definitions; none where the ERP's user may not read them."""
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
