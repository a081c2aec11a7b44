"""Settings of a server: address, limits, TLS."""

import ssl

import attrs


@attrs.frozen(kw_only=True)
class ServerSettings:
    """Address, limits and TLS of a server.

    Attributes:
        host: the address to bind.
        port: the port to bind; 0 asks for any free one.
        shutdown_grace_s: longest time for running requests after the first signal.
        keep_alive_timeout_s: longest idle time of a connection, and longest time to send a request's head.
            It must be longer than a proxy keeps its connections; otherwise the proxy uses closed ones.
        send_timeout_s: time after which a connection is dropped if the client reads nothing (only on Linux).
        max_header_bytes: limit of a request's head.
        tls: serve HTTPS with this certificate; plain HTTP without. Both use HTTP/1.1, the only protocol
            offered, regardless of the context's own list.
    """

    host: str = "127.0.0.1"
    port: int = 3000
    shutdown_grace_s: float = 70.0
    keep_alive_timeout_s: float = 75.0
    send_timeout_s: float = 60.0
    max_header_bytes: int = 32 * 1024
    tls: ssl.SSLContext | None = None
