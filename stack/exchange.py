"""One HTTP exchange with a loopback port. The path is sent unchanged."""

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

from stack.processes import LOOPBACK


@dataclass(frozen=True)
class Answer:
    """A response. Header names are case-insensitive."""

    status: int
    headers: Message
    content: bytes

    @property
    def body(self) -> Any:
        """The JSON in the content; None without content."""
        return json.loads(self.content) if self.content else None

    @property
    def code(self) -> str | None:
        """The word for programs in a refusal's body."""
        body = self.body
        return body.get("code") if isinstance(body, dict) else None


def exchange(
    port: int,
    method: str,
    path: str,
    body: object = None,
    *,
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = 120.0,
    source: str = LOOPBACK,
    tls: ssl.SSLContext | None = None,
) -> Answer:
    """Send one request on its own connection.

    Args:
        port: on loopback.
        method: HTTP method.
        path: percent-encoded path with its query.
        body: bytes are sent unchanged, anything else as JSON; None for no body.
        token: bearer token.
        headers: further headers; a `Content-Type` overrides the default.
        timeout_s: longest time without a byte.
        tls: context for HTTPS; None for HTTP.
        source: loopback address of the client; any 127.x.y.z works.

    Raises:
        OSError: no listener, or the connection broke.
        http.client.HTTPException: the response is not HTTP.
    """
    sent = dict(headers or {})
    if token is not None:
        sent.setdefault("Authorization", f"Bearer {token}")
    payload = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    if payload is not None:
        sent.setdefault("Content-Type", "application/json")
    connection = (
        http.client.HTTPConnection(LOOPBACK, port, timeout=timeout_s, source_address=(source, 0))
        if tls is None
        else http.client.HTTPSConnection(LOOPBACK, port, timeout=timeout_s, context=tls)
    )
    try:
        connection.request(method, path, payload, sent)
        reply = connection.getresponse()
        return Answer(reply.status, reply.headers, reply.read())
    finally:
        connection.close()
