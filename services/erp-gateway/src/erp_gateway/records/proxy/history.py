"""The history of a record for its readers."""

from typing import Self

from attrs import frozen

from erp_gateway.audit.store import AuditItem


@frozen(kw_only=True)
class HistoryItem:
    """One thing that was done with a record.

    Attributes:
        at: when, ISO 8601 in UTC.
        web_user: who.
        action: what.
        result: how it ended.
        fields: names of the fields that were sent, without those that are hidden.
        change_set: the change set that it was part of.
        position: its place in the change set, from 0.
    """

    at: str
    web_user: str | None
    action: str
    result: str
    fields: tuple[str, ...]
    change_set: str | None = None
    position: int | None = None

    @classmethod
    def of(cls, item: AuditItem, hidden: frozenset[str]) -> Self:
        """Build the item of an audit record, without hidden fields."""
        folded = {name.casefold() for name in hidden}  # clients write names in any letter case
        fields = (n for n in item.fields if folded.isdisjoint(n.casefold().replace("[]", "").split(".")))
        return cls(
            at=item.at,
            web_user=item.web_user,
            action=item.action,
            result=item.result,
            fields=tuple(fields),
            change_set=item.detail.get("changeSet"),
            position=item.detail.get("position"),
        )


@frozen(kw_only=True)
class History:
    """One page of what was done with a record, newest first."""

    items: tuple[HistoryItem, ...]
    page: int
    page_size: int
    total: int
