"""The seam between the client and the network."""

from typing import Protocol

from erpclient.http.messages import HttpReply, HttpRequest


class Transport(Protocol):
    """Sends a request once and returns its reply."""

    async def send(self, request: HttpRequest) -> HttpReply:
        """Send a request exactly once and read the whole reply.

        Raises:
            ErpUnreachable: no connection, or it was lost before the answer's headers were complete.
            ErpTimeout: not in time.
            ErpReplyUnreadable: the reply is not HTTP.
        """
        ...

    async def probe(self, url: str, timeout_s: float) -> None:
        """Open a connection and close it again, without sending anything.

        Raises:
            ErpUnreachable: none could be made.
            ErpTimeout: not in time.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
