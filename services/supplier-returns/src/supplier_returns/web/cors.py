"""CORS for one other origin: preflights, and headers that allow its pages to read responses."""

from collections.abc import MutableMapping
from typing import Any, Final, final

from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.security_headers import SECURITY_HEADERS
from supplier_returns.settings.origins import Origin, parse_origin

_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, POST, PATCH"),
    (b"access-control-allow-headers", b"Content-Type, X-Request-ID, traceparent"),
    (b"access-control-max-age", b"600"),
)
_EXPOSED: Final = (
    b"access-control-expose-headers",
    b"Content-Disposition, Location, Retry-After, Server-Timing, X-Documentos-Omitidos, X-Request-ID",
)
# A cache must not serve the headers for one origin to another.
_VARY: Final = (b"vary", b"Origin")


@final
class Cors:
    """Middleware for a configured origin. Don't use it without one.

    Args:
        app: wrapped application.
        allowed: origin whose pages may call the API and read its responses, with the user's cookie.
    """

    def __init__(self, app: ASGIApp, allowed: Origin) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight of the allowed origin, and add the headers to every other response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        sent = headers.get(b"origin", b"")
        if parse_origin(sent.decode("latin-1")) != self._allowed:
            added: tuple[tuple[bytes, bytes], ...] = (_VARY,)
        else:
            added = (
                _VARY,
                (b"access-control-allow-origin", sent),
                (b"access-control-allow-credentials", b"true"),
            )
            if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                await _answer_preflight(send, added)
                return
            added = (*added, _EXPOSED)

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _answer_preflight(send: Send, added: tuple[tuple[bytes, bytes], ...]) -> None:
    headers = [*SECURITY_HEADERS, *added, *_PREFLIGHT]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
