"""Plain HTTP port next to HTTPS. It redirects every request with 301 to the same address over HTTPS."""

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.endpoint import AppSettings, create_app
from servicekit.endpoint.routing import encoded_path
from servicekit.errors import BadRequest
from servicekit.request_log import request_facts
from supplier_returns.settings.origins import Origin, parse_origin


def create_redirect(port: int) -> ASGIApp:
    """Build the application of the plain port. It has no endpoint, but logs and fails like the service.

    Args:
        port: HTTPS port.
    """

    async def redirect(scope: Scope, receive: Receive, send: Send) -> None:
        requested = parse_origin(f"http://{request_facts(scope).host}")
        # An invalid Host header must not end up in the `Location` header.
        if requested is None:
            raise BadRequest
        query = scope["query_string"].decode("latin-1")
        target = f"{encoded_path(scope)}{'?' if query else ''}{query}"
        location = f"{Origin('https', requested.host, port)}{target}"
        await Response(status_code=301, headers={"Location": location})(scope, receive, send)

    return create_app((), guard=lambda endpoint: endpoint.handler, settings=AppSettings(), fallback=redirect)
