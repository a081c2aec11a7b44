"""Session cookie `dp_sid`."""

from collections.abc import Iterator
from typing import Final

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from servicekit.request_log import request_facts

COOKIE: Final = "dp_sid"


def session_cookies(request: Request) -> Iterator[str]:
    """Yield every value of the session cookie in the request, the most specific path first."""
    # `Request.cookies` keeps only one of several cookies with the same name.
    for name, value in request.scope["headers"]:
        if name != b"cookie":
            continue
        for part in value.decode("latin-1").split(";"):
            key, equals, text = part.partition("=")
            if equals and key.strip() == COOKIE:
                yield text.strip()


@frozen
class SessionCookie:
    """Sets and clears the session cookie.

    Its path is the prefix under which a trusted proxy publishes the service, so that other services of the
    same origin never receive it.

    Attributes:
        secure: whether browsers send it only over HTTPS.
    """

    secure: bool

    def put(self, response: Response, request: Request, token: str) -> None:
        """Set the cookie until the browser closes. The server enforces the timeout."""
        response.set_cookie(
            COOKIE, token, path=_path(request), secure=self.secure, httponly=True, samesite="lax"
        )

    def clear(self, response: Response, request: Request) -> None:
        """Make the browser delete the cookie."""
        response.delete_cookie(COOKIE, path=_path(request), secure=self.secure, httponly=True, samesite="lax")


def _path(request: Request) -> str:
    return request_facts(request.scope).prefix or "/"
