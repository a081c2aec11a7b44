"""Readers of request data that several features share: caller, page, cache control."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Final

from starlette.requests import Request

from erp_gateway.web.access import is_admin_request, session_of
from erpclient import Caller, Reserve
from servicekit.endpoint import PathParam, QueryParam, path_param
from servicekit.erp.requests import create_caller, recorded_calls
from servicekit.erp.sign_in_fields import MAX_USER_NAME_CHARS
from servicekit.errors import InvalidPath
from servicekit.request_log import request_facts


def caller_of(request: Request) -> Caller:
    """Return the signed-in person as the caller of upstream calls. The body must have been read."""
    return create_caller(request, session_of(request).user.name, reserve=_reserve(request))


def upstream_calls(request: Request) -> AbstractContextManager[Caller]:
    """Make the signed-in person the caller of upstream calls, and record their cost."""
    return recorded_calls(request, session_of(request).user.name, reserve=_reserve(request))


def _reserve(request: Request) -> Reserve:
    return Reserve.ADMINISTRATOR if is_admin_request(request) else Reserve.NONE


def note_resource(request: Request, name: str) -> None:
    """Add a registered resource to the request's log line."""
    request_facts(request.scope).extra["resource"] = name


WEB_USER: Final = {
    "webUser": PathParam(
        "The web user, exactly as in the ERP.",
        example="ana",
        schema={"type": "string", "minLength": 1, "maxLength": MAX_USER_NAME_CHARS},
    )
}
"""Path segment with a web user; `web_user_of` reads it."""


def web_user_of(request: Request) -> str:
    """Return the web user in the path.

    Raises:
        InvalidPath: the name is empty or too long.
    """
    web_user = path_param(request, "webUser")
    if len(web_user) > MAX_USER_NAME_CHARS or not web_user.strip():
        raise InvalidPath(f"El usuario web debe tener entre 1 y {MAX_USER_NAME_CHARS} caracteres.")
    return web_user


def says_no_cache(values: Iterable[str]) -> bool:
    """Return whether `Cache-Control` asks for a fresh response."""
    return any(
        directive.strip().casefold() == "no-cache" for value in values for directive in value.split(",")
    )


DEFAULT_PAGE_SIZE: Final = 50
MAX_PAGE_SIZE: Final = 200
MAX_PAGE: Final = 1_000_000


def page_params(things: str) -> tuple[QueryParam, QueryParam]:
    """Return the query parameters `page` and `pageSize`; `things` names the listed items."""
    return (
        QueryParam(
            "page",
            "Page, from 1.",
            example=1,
            schema={"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": 1},
        ),
        QueryParam(
            "pageSize",
            f"{things} per page.",
            example=DEFAULT_PAGE_SIZE,
            schema={
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_PAGE_SIZE,
                "default": DEFAULT_PAGE_SIZE,
            },
        ),
    )
