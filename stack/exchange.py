"""One HTTP exchange with a loopback port; the path goes out exactly as given."""

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
    """What came back; header names are found whatever their letter case."""

    status: int
    headers: Message
    content: bytes

    @property
    def body(self) -> Any:
        """The JSON in the content, None where there is none."""
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
    """Send one request on a connection of its own.

    Args:
        port: on loopback.
        method: HTTP method.
        path: percent-encoded path with its query.
        body: bytes go out as they are, anything else as JSON; None sends no body.
        token: bearer token.
        headers: further headers; a `Content-Type` here wins over JSON's.
        timeout_s: seconds without a byte after which it is given up.
        tls: speak HTTPS, and trust as this says.
        source: loopback address that the connection comes from; any 127.x.y.z is ours.

    Raises:
        OSError: nobody listens, or the connection broke.
        http.client.HTTPException: what came back is no HTTP.
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
