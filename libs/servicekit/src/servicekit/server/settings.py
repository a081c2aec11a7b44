"""Where and how to listen."""

import ssl

import attrs


@attrs.frozen(kw_only=True)
class ServerSettings:
    """Address, limits and TLS of a server.

    Attributes:
        host: The address to bind.
        port: The port to bind; 0 asks for any free one.
        shutdown_grace_s: How long running requests may take to finish after the first signal.
        keep_alive_timeout_s: How long a connection may be idle, or take to send a request's head. Longer than
            a proxy in front keeps its connections, or the proxy meets closed ones.
        send_timeout_s: How long a client may leave an answer unread before its connection is dropped (on
            Linux, which can do it).
        max_header_bytes: The most bytes of a request's head, however it arrives.
        tls: Serve HTTPS with this certificate; plain HTTP without. Both use HTTP/1.1, the only protocol
            offered, regardless of the context's own list.
    """

    host: str = "127.0.0.1"
    port: int = 3000
    shutdown_grace_s: float = 70.0
    keep_alive_timeout_s: float = 75.0
    send_timeout_s: float = 60.0
    max_header_bytes: int = 32 * 1024
    tls: ssl.SSLContext | None = None
