"""A request and an answer between the web server and the Service Layer, without sockets."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from erpsim.service_layer.wire.wire_format import WireFormat


@attrs.frozen(kw_only=True)
class SlRequest:
    """A request below a service root: one that came alone, or one part of a batch.

    Args:
        method: in capitals, after `X-HTTP-Method-Override`.
        path: below the service root, still percent-encoded, without a leading slash: `Items('A%2F1')`.
        query: still percent-encoded, without the question mark.
        headers: by lower-case name.
        body: bytes as sent.
        wire: the generation it came in.
        origin: scheme and host as the caller addressed them: `http://127.0.0.1:50000`.
        if_match: the entity tag to check; a part of a batch gets the one of the whole batch.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    wire: WireFormat
    origin: str
    if_match: str | None = None

    def header(self, name: str) -> str | None:
        """Return a header by its lower-case name, None when it was not sent."""
        return self.headers.get(name)

    def flag(self, name: str) -> bool:
        """Return whether a header says `true`."""
        return self.headers.get(name, "").strip().lower() == "true"


@attrs.frozen(kw_only=True)
class SlReply:
    """An answer.

    Args:
        status: HTTP status.
        headers: in the order to send, without `Content-Length`.
        body: bytes; JSON with its last newline.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return the first header of this name, empty where there is none."""
        return next((value for each, value in self.headers if each == name), "")

    def with_headers(self, *headers: tuple[str, str]) -> SlReply:
        """Return this answer with more headers."""
        return attrs.evolve(self, headers=(*self.headers, *headers))
