"""Permissions, kept in memory and stored on every change; a change also applies to live sessions.

All changes and reloads go through the store's single writer, so memory follows the order of the commits. The
last-administrator rule is decided inside the transaction of the change, on the stored rows. It therefore
also holds against a command in another process.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from attrs import define, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.people.permissions.errors import LastAdministrator, PermissionsNotFound, ReservedUser
from erp_gateway.people.permissions.last_administrator import loses_last_administrator
from erp_gateway.people.permissions.patterns import EVERYTHING, RouteSet, parse_patterns
from erp_gateway.people.permissions.store import Permission, delete, load_all, save
from erp_gateway.people.user_activity import load_activity
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable
from erp_gateway.store.statements import Statements, Work
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditResult,
    RouteChanges,
)
from erp_gateway.values.user_names import SystemName, is_reserved
from servicekit.clock import Clock
from servicekit.errors import ServiceError
from servicekit.tasks import finish

STARTUP: Final = Actor(web_user=SystemName.STARTUP)
"""Actor of the `*` that the configured administrators get at the start."""

_NO_ROUTES: Final = RouteSet(())
_NO_DETAIL: Final = AuditDetail()

Paths = tuple[str, ...]


@frozen
class _Change:
    """Result of a change: all permissions after it, and the routes that it added and removed."""

    permissions: dict[str, Permission]
    routes: RouteChanges


@define(eq=False, repr=False)
class PermissionService:
    """Answers from memory; changes go through the store and the last-administrator rule.

    Call `reload` first: before it, no user has a permission.
    """

    _database: Database
    _recorder: AuditRecorder
    _clock: Clock
    _permissions: Mapping[str, Permission] = field(init=False, factory=dict)
    _routes: Mapping[str, RouteSet] = field(init=False, factory=dict)
    _last_version: int | None = field(init=False, default=None)

    def paths(self, web_user: str) -> Paths:
        """Return the user's patterns in the order they were given."""
        permission = self._permissions.get(web_user)
        return () if permission is None else permission.paths

    def allows(self, web_user: str, route: str) -> bool:
        """Return True if the user may use the menu route."""
        return self._routes.get(web_user, _NO_ROUTES).allows(route)

    def is_admin(self, web_user: str) -> bool:
        """Return True if the user's patterns contain `*`."""
        return self._routes.get(web_user, _NO_ROUTES).is_total

    def list_all(self) -> tuple[Permission, ...]:
        """Return all permissions, by user name."""
        return tuple(self._permissions[web_user] for web_user in sorted(self._permissions))

    def find(self, web_user: str) -> Permission | None:
        """Return one user's permissions, or None."""
        return self._permissions.get(web_user)

    async def reload(self) -> None:
        """Read all permissions from the store.

        Raises:
            StoreUnavailable: the permissions in memory stay.
        """
        await finish(self._load())

    async def reload_if_changed(self) -> bool:
        """Reload if another process has committed since the last call; cheap otherwise.

        Returns:
            whether there was a commit.

        Raises:
            StoreUnavailable: the permissions in memory stay; the next call tries again.
        """
        version = await self._database.data_version()
        if version != self._last_version:
            await self.reload()
            self._last_version = version
            return True
        return False

    async def grant_administrators(self, web_users: Iterable[str]) -> None:
        """Give `*` to each user who lacks it. Audited.

        Raises:
            StoreNotUsable: the store cannot be written; the message is for the operator.
        """
        for web_user in web_users:
            if self.is_admin(web_user):
                continue
            try:
                await self._change(web_user, lambda paths: (EVERYTHING, *paths), actor=STARTUP)
            except StoreUnavailable as error:
                raise StoreNotUsable(
                    f"cannot give {web_user} of ADMIN_WEB_USERS the permission *: {error.__cause__}"
                ) from error

    async def replace(self, web_user: str, patterns: Sequence[str], *, actor: Actor) -> Permission:
        """Give the user exactly these patterns. Audited.

        Raises:
            ReservedUser: the name is reserved for the service itself.
            LastAdministrator: no user with `*` would be left who can sign in.
            StoreUnavailable: the permissions are unchanged.
        """
        _check_name(web_user)
        return await self._change(web_user, lambda _: tuple(patterns), actor=actor)

    async def grant(self, web_user: str, patterns: Sequence[str], *, actor: Actor) -> Permission:
        """Add patterns to those of the user. Audited.

        Raises:
            ReservedUser: the name is reserved for the service itself.
            InvalidPatternsError: the user would have too many.
            StoreUnavailable: the permissions are unchanged.
        """
        _check_name(web_user)

        def add(paths: Paths) -> Paths:
            return parse_patterns([*dict.fromkeys([*paths, *patterns])])

        return await self._change(web_user, add, actor=actor)

    async def revoke(self, web_user: str, patterns: Sequence[str], *, actor: Actor) -> Permission:
        """Remove patterns from those of the user. Audited.

        Raises:
            PermissionsNotFound: the user has no entry.
            LastAdministrator: no user with `*` would be left who can sign in.
            StoreUnavailable: the permissions are unchanged.
        """
        return await self._change(
            web_user,
            lambda paths: tuple(path for path in paths if path not in patterns),
            actor=actor,
            must_exist=True,
        )

    async def remove(self, web_user: str, *, actor: Actor) -> None:
        """Remove all patterns of the user. Audited.

        Raises:
            PermissionsNotFound: the user has no entry.
            LastAdministrator: no user with `*` would be left who can sign in.
            StoreUnavailable: the permissions are unchanged.
        """

        def work(connection: Statements) -> _Change:
            permissions = load_all(connection)
            if web_user not in permissions:
                raise PermissionsNotFound
            _reject_last(connection, permissions, web_user, ())
            delete(connection, web_user)
            before = permissions.pop(web_user)
            return _Change(permissions, RouteChanges.between(before.paths, ()))

        await self._change_audited(work, AuditAction.PERMISSIONS_REMOVE, web_user, actor)

    async def _change(
        self, web_user: str, edit: Callable[[Paths], Paths], *, actor: Actor, must_exist: bool = False
    ) -> Permission:
        def work(connection: Statements) -> _Change:
            permissions = load_all(connection)
            if must_exist and web_user not in permissions:
                raise PermissionsNotFound
            before = permissions[web_user].paths if web_user in permissions else ()
            after = edit(before)
            _reject_last(connection, permissions, web_user, after)
            permission = Permission(
                web_user=web_user,
                paths=after,
                updated_at=self._clock.now(),
                updated_by=actor.web_user or "",
            )
            save(connection, permission)
            permissions[web_user] = permission
            return _Change(permissions, RouteChanges.between(before, after))

        permissions = await self._change_audited(work, AuditAction.PERMISSIONS_REPLACE, web_user, actor)
        return permissions[web_user]

    async def _change_audited(
        self,
        work: Work[_Change],
        action: AuditAction,
        web_user: str,
        actor: Actor,
    ) -> Mapping[str, Permission]:
        def event(
            result: AuditResult, reason: str | None = None, detail: AuditDetail = _NO_DETAIL
        ) -> AuditEvent:
            return AuditEvent(
                action=action,
                result=result,
                actor=actor,
                resource="permissions",
                key=web_user,
                fields=("paths",) if action is AuditAction.PERMISSIONS_REPLACE else (),
                detail=detail,
                reason=reason,
            )

        async def change() -> Mapping[str, Permission]:
            try:
                changed = await self._database.write(work)
            except PermissionsNotFound:
                raise
            except LastAdministrator as refusal:
                await self._recorder.record(event(AuditResult.DENIED, refusal.code))
                raise
            except ServiceError as failure:
                await self._recorder.record(event(AuditResult.ERROR, failure.code))
                raise
            self._set_permissions(changed.permissions)
            await self._recorder.record(event(AuditResult.OK, detail=AuditDetail(routes=changed.routes)))
            return changed.permissions

        # Finished even if the client disconnects: otherwise a change could be committed without its record.
        return await finish(change())

    async def _load(self) -> None:
        self._set_permissions(await self._database.write(load_all))

    def _set_permissions(self, permissions: Mapping[str, Permission]) -> None:
        self._permissions = permissions
        self._routes = {web_user: RouteSet(permission.paths) for web_user, permission in permissions.items()}


def _check_name(web_user: str) -> None:
    if is_reserved(web_user):
        raise ReservedUser


def _reject_last(
    connection: Statements, permissions: Mapping[str, Permission], web_user: str, new_paths: Paths
) -> None:
    paths_by_user = {user: permission.paths for user, permission in permissions.items()}
    if loses_last_administrator(paths_by_user, load_activity(connection), web_user, new_paths):
        raise LastAdministrator
