"""Permissions held in memory, stored on every change, the same for live sessions at once.

Every change and every reload goes through the store's single line of writes, which keeps what is held in
memory in the order of the commits. The last-administrator rule is decided inside the transaction of the
change, on what the store then holds: so it also holds against a command in another process.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from attrs import define, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.people.permissions.errors import LastAdministrator, PermissionsNotFound, ReservedUser
from erp_gateway.people.permissions.patterns import EVERYTHING, RouteSet, parse_patterns
from erp_gateway.people.permissions.policy import loses_last_administrator
from erp_gateway.people.permissions.store import Permission, delete, load_all, save
from erp_gateway.people.user_activity import load_seen
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
"""Who grants `*` to the configured administrators when the service starts."""

_NOTHING: Final = RouteSet(())
_NO_DETAIL: Final = AuditDetail()

Paths = tuple[str, ...]


@frozen
class _Changed:
    """The result of a change: everybody's permissions after it, and the routes that it added and removed."""

    everyone: dict[str, Permission]
    routes: RouteChanges


@define(eq=False, repr=False)
class PermissionService:
    """Answers from memory; changes go through the store under the last-administrator rule.

    Nobody has any permission before `reload`.
    """

    _database: Database
    _recorder: AuditRecorder
    _clock: Clock
    _held: Mapping[str, Permission] = field(init=False, factory=dict)
    _routes: Mapping[str, RouteSet] = field(init=False, factory=dict)
    _seen_version: int | None = field(init=False, default=None)

    def paths(self, web_user: str) -> Paths:
        """Return the user's patterns in the order they were given; empty without any."""
        held = self._held.get(web_user)
        return () if held is None else held.paths

    def allows(self, web_user: str, route: str) -> bool:
        """Tell whether the user may use the menu route."""
        return self._routes.get(web_user, _NOTHING).allows(route)

    def is_admin(self, web_user: str) -> bool:
        """Tell whether the user's patterns contain `*`."""
        return self._routes.get(web_user, _NOTHING).is_total

    def everyone(self) -> tuple[Permission, ...]:
        """Return all permissions, by user name."""
        return tuple(self._held[web_user] for web_user in sorted(self._held))

    def find(self, web_user: str) -> Permission | None:
        """Return one user's permissions, or None."""
        return self._held.get(web_user)

    async def reload(self) -> None:
        """Take over what the store holds.

        Raises:
            StoreUnavailable: what was held stays.
        """
        await finish(self._load())

    async def reload_if_changed(self) -> bool:
        """Take over what another process has committed since the last call; cheap when that is nothing.

        Returns:
            whether there was a commit.

        Raises:
            StoreUnavailable: what was held stays; the next call tries again.
        """
        version = await self._database.data_version()
        if version != self._seen_version:
            await self.reload()
            self._seen_version = version
            return True
        return False

    async def grant_administrators(self, web_users: Iterable[str]) -> None:
        """Make sure that each of them has `*`; those who have it are left alone. Audited.

        Raises:
            StoreNotUsable: the store cannot be written; for the person who starts the process.
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
            ReservedUser: the name belongs to the service itself.
            LastAdministrator: no holder of `*` would be left who can sign in.
            StoreUnavailable: nothing was changed.
        """
        _check_name(web_user)
        return await self._change(web_user, lambda _: tuple(patterns), actor=actor)

    async def grant(self, web_user: str, patterns: Sequence[str], *, actor: Actor) -> Permission:
        """Add these patterns to those the user has. Audited.

        Raises:
            ReservedUser: the name belongs to the service itself.
            InvalidPatternsError: the user would have too many.
            StoreUnavailable: nothing was changed.
        """
        _check_name(web_user)

        def add(paths: Paths) -> Paths:
            return parse_patterns([*dict.fromkeys([*paths, *patterns])])

        return await self._change(web_user, add, actor=actor)

    async def revoke(self, web_user: str, patterns: Sequence[str], *, actor: Actor) -> Permission:
        """Take these patterns from those the user has. Audited.

        Raises:
            PermissionsNotFound: the user has no entry.
            LastAdministrator: no holder of `*` would be left who can sign in.
            StoreUnavailable: nothing was changed.
        """
        return await self._change(
            web_user,
            lambda paths: tuple(path for path in paths if path not in patterns),
            actor=actor,
            must_exist=True,
        )

    async def remove(self, web_user: str, *, actor: Actor) -> None:
        """Take all of the user's patterns away. Audited.

        Raises:
            PermissionsNotFound: the user has no entry.
            LastAdministrator: no holder of `*` would be left who can sign in.
            StoreUnavailable: nothing was changed.
        """

        def work(connection: Statements) -> _Changed:
            everyone = load_all(connection)
            if web_user not in everyone:
                raise PermissionsNotFound
            _refuse_if_last(connection, everyone, web_user, ())
            delete(connection, web_user)
            before = everyone.pop(web_user)
            return _Changed(everyone, RouteChanges.between(before.paths, ()))

        await self._audited(work, AuditAction.PERMISSIONS_REMOVE, web_user, actor)

    async def _change(
        self, web_user: str, edit: Callable[[Paths], Paths], *, actor: Actor, must_exist: bool = False
    ) -> Permission:
        def work(connection: Statements) -> _Changed:
            everyone = load_all(connection)
            if must_exist and web_user not in everyone:
                raise PermissionsNotFound
            before = everyone[web_user].paths if web_user in everyone else ()
            after = edit(before)
            _refuse_if_last(connection, everyone, web_user, after)
            permission = Permission(
                web_user=web_user,
                paths=after,
                updated_at=self._clock.now(),
                updated_by=actor.web_user or "",
            )
            save(connection, permission)
            everyone[web_user] = permission
            return _Changed(everyone, RouteChanges.between(before, after))

        everyone = await self._audited(work, AuditAction.PERMISSIONS_REPLACE, web_user, actor)
        return everyone[web_user]

    async def _audited(
        self,
        work: Work[_Changed],
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
            self._hold(changed.everyone)
            await self._recorder.record(event(AuditResult.OK, detail=AuditDetail(routes=changed.routes)))
            return changed.everyone

        return await finish(change())  # nobody's leaving parts what was changed from what is told of it

    async def _load(self) -> None:
        self._hold(await self._database.write(load_all))

    def _hold(self, everyone: Mapping[str, Permission]) -> None:
        """Answer from these permissions from now on."""
        self._held = everyone
        self._routes = {web_user: RouteSet(held.paths) for web_user, held in everyone.items()}


def _check_name(web_user: str) -> None:
    if is_reserved(web_user):
        raise ReservedUser


def _refuse_if_last(
    connection: Statements, everyone: Mapping[str, Permission], web_user: str, new_paths: Paths
) -> None:
    paths_by_user = {user: permission.paths for user, permission in everyone.items()}
    if loses_last_administrator(paths_by_user, load_seen(connection), web_user, new_paths):
        raise LastAdministrator
