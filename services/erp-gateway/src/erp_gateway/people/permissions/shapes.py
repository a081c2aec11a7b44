"""Request and response bodies of permissions and menu routes."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Literal, TypeAlias

from attrs import frozen

from erp_gateway.values.role_template import RoleTemplate

RouteKind: TypeAlias = Literal["resource", "query", "reports", "format"]


@frozen(kw_only=True)
class KnownRoute:
    """A function of this installation that needs a menu route.

    Attributes:
        kind: a resource, a registered query, all reports of a kind, or a print format of a screen.
        title: its name for people.
        read: menu route needed to read or run it; None: any session may.
        write: menu route needed to create, change or act on it; None: any session may, or no session can.
        resource: name of the resource, if it is one.
        needs: further menu routes for reading, without which its forms find no partners or other records.
    """

    kind: RouteKind
    title: str
    read: str | None
    write: str | None = None
    resource: str | None = None
    needs: tuple[str, ...] = ()


ListMenuRoutes: TypeAlias = Callable[[], Awaitable[Iterable[KnownRoute]]]
"""Lists the functions that need a menu route at this moment."""


@frozen(kw_only=True)
class PermissionsBody:
    """Request body: all patterns of a user."""

    paths: list[str]


@frozen(kw_only=True)
class PermissionsAnswer:
    """One web user's permissions."""

    web_user: str
    paths: tuple[str, ...]
    updated_at: datetime
    updated_by: str


@frozen(kw_only=True)
class AllPermissionsAnswer:
    """Permissions of all users."""

    items: tuple[PermissionsAnswer, ...]


@frozen(kw_only=True)
class MenuAnswer:
    """Route patterns of the signed-in user."""

    allowed_paths: tuple[str, ...]


@frozen(kw_only=True)
class MenuRoutesAnswer:
    """Functions of this installation that need a menu route, and the templates of its roles."""

    items: tuple[KnownRoute, ...]
    roles: tuple[RoleTemplate, ...]
