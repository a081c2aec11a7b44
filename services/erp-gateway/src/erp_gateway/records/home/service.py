"""The home page of one person: figures of the ERP, and those of the gateway itself."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from attrs import define

from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.records.home.cards import cards_of
from erp_gateway.records.home.figures import HomeFigures
from erp_gateway.records.home.shapes import Denial, Home, HomeCard
from erp_gateway.records.proxy.client_request import Allows
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.values.audit_event import AuditAction
from erp_gateway.writes.items import WriteFilter
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from servicekit.clock import Clock

DENIED_WITHIN: Final = timedelta(days=7)
MOST_DENIALS: Final = 20
# Newest records of denials that are grouped.
_READ_RECORDS: Final = 200


@define(eq=False, repr=False)
class HomeService:
    """Makes home pages.

    Args:
        figures: cards of the ERP.
        registry: the registered resources.
        writes: the ledger.
        audit: the audit.
        clock: time.
    """

    _figures: HomeFigures
    _registry: Registry
    _writes: LedgerStore
    _audit: AuditStore
    _clock: Clock

    async def read(self, web_user: str, allows: Allows, *, is_admin: bool) -> Home:
        """Return the home page of a person.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        cards = [*await self._figures.cards(cards_of(self._registry, allows))]
        cards.append(await self._unknown_writes(None if is_admin else web_user))
        if is_admin:
            cards.append(await self._denied_permissions())
        return Home(cards=tuple(cards))

    async def _unknown_writes(self, web_user: str | None) -> HomeCard:
        conditions = WriteFilter(web_user=web_user, resource=None, state=WriteState.UNKNOWN)
        _, total = await self._writes.find_page(conditions, page=1, page_size=1)
        return HomeCard(name="unknown_writes", state="read", read_at=self._clock.now(), count=total)

    async def _denied_permissions(self) -> HomeCard:
        now = self._clock.now()
        conditions = AuditFilter(action=AuditAction.PERMISSION_DENIED, since=now - DENIED_WITHIN)
        found = await self._audit.find(conditions, page=1, page_size=_READ_RECORDS)
        return HomeCard(
            name="denied_permissions",
            state="read",
            read_at=now,
            count=found.total,
            is_partial=found.total > len(found.entries),
            denials=group_denials(found.entries),
        )


def group_denials(entries: tuple[AuditItem, ...]) -> tuple[Denial, ...]:
    """Return the denials by person and resource, newest first.

    Args:
        entries: audit records, newest first.
    """
    groups: dict[tuple[str | None, str | None], Denial] = {}
    for entry in entries:
        name = entry.web_user, entry.resource
        earlier = groups.get(name)
        count = _attempts(entry.detail) + (0 if earlier is None else earlier.count)
        last_at = entry.at if earlier is None else earlier.last_at
        groups[name] = Denial(web_user=entry.web_user, resource=entry.resource, count=count, last_at=last_at)
    return tuple(groups.values())[:MOST_DENIALS]


def _attempts(detail: Mapping[str, Any]) -> int:
    attempts = detail.get("attempts")
    return attempts if isinstance(attempts, int) else 1
