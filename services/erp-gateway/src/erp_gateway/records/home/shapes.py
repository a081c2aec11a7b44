"""The answer of the home page."""

from datetime import datetime
from typing import Literal, TypeAlias

from attrs import frozen

from erp_gateway.records.documents.sums import CurrencySum

CardName: TypeAlias = Literal[
    "orders_due",
    "invoices_overdue",
    "supplier_invoices_overdue",
    "low_stock",
    "unknown_writes",
    "denied_permissions",
]
CardState: TypeAlias = Literal["read", "stale", "unavailable"]


@frozen(kw_only=True)
class Denial:
    """Denied requests of one person for one resource or menu route.

    Attributes:
        web_user: the person.
        resource: what was denied; None for the requests beyond 30 in a minute.
        count: number of denied requests.
        last_at: the last one, ISO 8601 in UTC.
    """

    web_user: str | None
    resource: str | None
    count: int
    last_at: str


@frozen(kw_only=True)
class HomeCard:
    """One figure.

    Attributes:
        name: what it counts.
        state: `read` within the last minute, `stale` if the ERP did not answer since, or `unavailable`.
        read_at: when the figures were read.
        count: number of records; None if unavailable.
        sums: sums by currency; empty where a card has none.
        is_partial: whether the sums cover the first 500 records only.
        resource: the resource of a list with these records; None for cards of the gateway itself.
        filter: `$filter` of that list.
        denials: of `denied_permissions`, newest first, at most 20.
    """

    name: CardName
    state: CardState
    read_at: datetime | None = None
    count: int | None = None
    sums: tuple[CurrencySum, ...] = ()
    is_partial: bool = False
    resource: str | None = None
    filter: str | None = None
    denials: tuple[Denial, ...] = ()


@frozen(kw_only=True)
class Home:
    """The cards that the caller may see, in their order."""

    cards: tuple[HomeCard, ...]
