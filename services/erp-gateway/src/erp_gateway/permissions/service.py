"""Permissions held in memory, stored on every change, the same for live sessions at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from erp_gateway.audit.event import Actor
from erp_gateway.permissions.patterns import RoutePattern


@frozen(kw_only=True)
class Permission:
    """What one web user may use."""

    web_user: str
    paths: tuple[str, ...]
    updated_at: datetime
    updated_by: str


class PermissionService:
    """Answers from memory; changes go through the store under the last-administrator rule."""

    def paths(self, web_user: str) -> tuple[str, ...]:
        """Return the user's patterns in the order they were given; empty without any."""
        raise NotImplementedError

    def allows(self, web_user: str, route: str) -> bool:
        """Tell whether the user may use the menu route."""
        raise NotImplementedError

    def is_admin(self, web_user: str) -> bool:
        """Tell whether the user's patterns contain `*`."""
        raise NotImplementedError

    def everyone(self) -> tuple[Permission, ...]:
        """Return all permissions, by user name."""
        raise NotImplementedError

    def find(self, web_user: str) -> Permission | None:
        """Return one user's permissions, or None."""
        raise NotImplementedError

    async def replace(self, web_user: str, patterns: Sequence[RoutePattern], *, actor: Actor) -> Permission:
        """Give the user exactly these patterns. Audited.

        Raises:
            LastAdministrator: nobody would be left with `*`.
            StoreUnavailable: nothing was changed.
        """
        raise NotImplementedError

    async def remove(self, web_user: str, *, actor: Actor) -> None:
        """Take all of the user's patterns away. Audited.

        Raises:
            PermissionsNotFound: the user has no entry.
            LastAdministrator: nobody would be left with `*`.
            StoreUnavailable: nothing was changed.
        """
        raise NotImplementedError
