"""`/api/permissions` and `/api/menu-routes` for administrators, and `/api/user/menu` for every session."""

from typing import Final

from attrs import asdict, define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.people.permissions.errors import LastAdministrator, PermissionsNotFound, ReservedUser
from erp_gateway.people.permissions.patterns import InvalidPatternsError, parse_patterns
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.people.permissions.shapes import (
    AllPermissionsAnswer,
    ListMenuRoutes,
    MenuAnswer,
    MenuRoutesAnswer,
    PermissionsAnswer,
    PermissionsBody,
)
from erp_gateway.people.permissions.store import Permission
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.role_template import RoleTemplate
from erp_gateway.web.access import Access, actor_of, session_of
from erp_gateway.web.requests import WEB_USER, web_user_of
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    json_response,
    read_json,
)
from servicekit.errors import FieldProblem, InvalidBody

MAX_PERMISSIONS_BYTES: Final = 128 * 1024
"""Room for the largest allowed list of the longest patterns."""


_ONE: Final = Answer("The user's permissions.", Body(PermissionsAnswer))


@define(eq=False, repr=False)
class PermissionEndpoints:
    """Handlers of permissions.

    Args:
        service: permissions of web users.
        list_menu_routes: returns what in this installation asks for a menu route.
        roles: templates that extensions declare.
    """

    _service: PermissionService
    _list_menu_routes: ListMenuRoutes
    _roles: tuple[RoleTemplate, ...]

    async def menu(self, request: Request) -> Response:
        """Answer the caller's route patterns."""
        patterns = self._service.paths(session_of(request).user.name)
        return json_response(MenuAnswer(allowed_paths=patterns))

    async def list_routes(self, _request: Request) -> Response:
        """Answer what asks for a menu route."""
        restricted = (each for each in await self._list_menu_routes() if each.read or each.write)
        items = sorted(restricted, key=lambda each: (each.title, each.kind))
        return json_response(MenuRoutesAnswer(items=tuple(items), roles=self._roles))

    async def list_all(self, _request: Request) -> Response:
        """Answer everybody's permissions."""
        items = tuple(_answer(permission) for permission in self._service.list_all())
        return json_response(AllPermissionsAnswer(items=items))

    async def one(self, request: Request) -> Response:
        """Answer one user's permissions."""
        permission = self._service.find(web_user_of(request))
        if permission is None:
            raise PermissionsNotFound
        return json_response(_answer(permission))

    async def replace(self, request: Request) -> Response:
        """Replace a user's permissions."""
        web_user = web_user_of(request)
        patterns = _patterns(await read_json(request, PermissionsBody))
        permission = await self._service.replace(web_user, patterns, actor=actor_of(request))
        return json_response(_answer(permission))

    async def remove(self, request: Request) -> Response:
        """Remove a user's permissions."""
        await self._service.remove(web_user_of(request), actor=actor_of(request))
        return Response(status_code=204)

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoints of permissions."""
        return [
            Endpoint(
                "GET",
                "/api/user/menu",
                self.menu,
                access=Access.SESSION,
                summary="Menu routes of the signed-in user",
                responses={
                    200: Answer(
                        "The user's route patterns; empty for a user without any.",
                        Body(MenuAnswer),
                    )
                },
            ),
            Endpoint(
                "GET",
                "/api/menu-routes",
                self.list_routes,
                access=Access.ADMIN,
                summary="Functions that need a menu route",
                description="Resources, registered queries, reports, and print formats by their screens, "
                "without what any session may use. Other routes may be given, too, and mean nothing to this "
                "service. `needs` has the routes without which a form finds no partners. `roles` are the "
                "templates that the installation's extensions declare; each person keeps routes of "
                "their own.",
                responses={200: Answer("All of it, by title.", Body(MenuRoutesAnswer))},
                errors=(StoreUnavailable,),
            ),
            Endpoint(
                "GET",
                "/api/permissions",
                self.list_all,
                access=Access.ADMIN,
                summary="Permissions of all users",
                responses={200: Answer("All entries, by user name.", Body(AllPermissionsAnswer))},
            ),
            Endpoint(
                "GET",
                "/api/permissions/{webUser}",
                self.one,
                access=Access.ADMIN,
                summary="One user's permissions",
                path_params=WEB_USER,
                responses={200: _ONE},
                errors=(PermissionsNotFound,),
            ),
            Endpoint(
                "PUT",
                "/api/permissions/{webUser}",
                self.replace,
                access=Access.ADMIN,
                summary="Replace a user's permissions",
                description="Acts on the user's running session at once.",
                path_params=WEB_USER,
                request=Body(PermissionsBody),
                responses={200: _ONE},
                errors=(ReservedUser, LastAdministrator, StoreUnavailable),
                max_body_bytes=MAX_PERMISSIONS_BYTES,
            ),
            Endpoint(
                "DELETE",
                "/api/permissions/{webUser}",
                self.remove,
                access=Access.ADMIN,
                summary="Remove a user's permissions",
                description="Acts on the user's running session at once.",
                path_params=WEB_USER,
                responses={204: Answer("Removed.")},
                errors=(PermissionsNotFound, LastAdministrator, StoreUnavailable),
            ),
        ]


def _patterns(body: PermissionsBody) -> tuple[str, ...]:
    try:
        return parse_patterns(body.paths)
    except InvalidPatternsError as error:
        raise InvalidBody(
            errors=[
                FieldProblem("paths" if index is None else f"paths[{index}]", problem)
                for index, problem in error.problems.items()
            ]
        ) from error


def _answer(permission: Permission) -> PermissionsAnswer:
    return PermissionsAnswer(**asdict(permission, recurse=False))
