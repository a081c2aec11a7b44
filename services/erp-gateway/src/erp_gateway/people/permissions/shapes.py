"""Request and response bodies of permissions and menu routes."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Literal, TypeAlias

from attrs import frozen

RouteKind: TypeAlias = Literal["resource", "query", "reports", "format"]


@frozen(kw_only=True)
class KnownRoute:
    """Something that people may use by a menu route.

    Attributes:
        kind: a resource, a registered query, all reports of a kind, or a print format of a screen.
        title: what people call it.
        read: menu route that reading or running it asks for; None: any session may.
        write: menu route that creating, changing and actions ask for; None: any session may, or nobody.
    """

    kind: RouteKind
    title: str
    read: str | None
    write: str | None = None


KnownRoutes: TypeAlias = Callable[[], Awaitable[Iterable[KnownRoute]]]
"""Tells what asks for a menu route now."""


@frozen(kw_only=True)
class PermissionsBody:
    """What PUT takes."""

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
    """Everybody's permissions."""

    items: tuple[PermissionsAnswer, ...]


@frozen(kw_only=True)
class MenuAnswer:
    """What the signed-in user may use."""

    allowed_paths: tuple[str, ...]


@frozen(kw_only=True)
class MenuRoutesAnswer:
    """What in this installation asks for a menu route."""

    items: tuple[KnownRoute, ...]
