"""Ports of a simulator's web servers."""

from __future__ import annotations

import errno
import ssl
from pathlib import Path
from typing import Final

import attrs
from aiohttp import web

_LOOPBACK: Final = "127.0.0.1"


class PortTakenError(Exception):
    """Another program listens on the port; the message names it."""


@attrs.frozen(kw_only=True)
class Listening:
    """Addresses and ports of a simulator.

    Args:
        host: name or address to bind.
        port: 0 for any free one.
        control_port: 0 for any free one, None for no control port.
        report_gateway_port: port of the report gateway beside a Service Layer; 0 for any free one, None for
            no report gateway.
        tax_documents_port: port of the tax-document service, likewise.
        hana_port: port of a HANA on the same company; 0 for any free one, None for no HANA.
        public_host: name or address for clients, in URLs and certificate; `host` by default.
        tls: HTTPS with a self-signed certificate instead of HTTP.
        certificate_folder: keeps the certificate and its key between starts, or brings others; see
            `erpsim.process.certificates.kept_in`.
        shutdown_s: longest time for calls in flight when the simulator stops.
        keep_alive_s: lifetime of an idle connection; Apache's default is 5 s.
    """

    host: str = _LOOPBACK
    port: int = 0
    control_port: int | None = None
    report_gateway_port: int | None = None
    tax_documents_port: int | None = None
    hana_port: int | None = None
    public_host: str | None = None
    tls: bool = False
    certificate_folder: Path | None = None
    shutdown_s: float = 0.5
    keep_alive_s: float = 75.0

    def origin(self, port: int, *, tls: bool = False) -> str:
        """Return scheme, host and port of an address on which a client reaches a server of this simulator."""
        scheme = "https" if tls else "http"
        return f"{scheme}://{_in_url(self.public_host or self.host)}:{port}"


class Ports:
    """The open ports of one simulator.

    Args:
        listening: host and time for closing.
    """

    def __init__(self, listening: Listening) -> None:
        self._listening = listening
        self._runners: list[web.ServerRunner] = []

    async def open(self, server: web.Server, port: int, context: ssl.SSLContext | None = None) -> int:
        """Let a server listen; return its port.

        Args:
            server: the server.
            port: 0 for any free one.
            context: for HTTPS.

        Raises:
            PortTakenError: another program listens there.
        """
        runner = web.ServerRunner(server, shutdown_timeout=self._listening.shutdown_s)
        self._runners.append(runner)
        await runner.setup()
        host = self._listening.host
        site = web.TCPSite(runner, host, port, ssl_context=context)
        try:
            await site.start()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTakenError(f"port {port} on {host} is taken by another program") from error
            raise
        addresses: list[tuple[str, int]] = runner.addresses
        return addresses[0][1]

    async def close(self) -> None:
        """Close all ports. Calls in flight may finish."""
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()


def _in_url(host: str) -> str:
    """Return a host in the form of a URL. A server on all interfaces is reached by loopback."""
    reachable = {"0.0.0.0": _LOOPBACK, "::": "[::1]", "": _LOOPBACK}.get(host, host)  # noqa: S104 - a comparison
    return f"[{reachable}]" if ":" in reachable and not reachable.startswith("[") else reachable
