"""The seam between the client and the network."""

from typing import Protocol

from erpclient.http.messages import HttpReply, HttpRequest


class Transport(Protocol):
    """Sends a request once and brings back its answer."""

    async def send(self, request: HttpRequest) -> HttpReply:
        """Send it, exactly once, and read the whole answer.

        Raises:
            ErpUnreachable: no connection, or it was lost before the answer's headers were complete.
            ErpTimeout: not in time.
            ErpReplyUnreadable: what came back is not HTTP.
        """
        ...

    async def probe(self, url: str, timeout_s: float) -> None:
        """Try a connection and give it up again, without sending anything.

        Raises:
            ErpUnreachable: none could be made.
            ErpTimeout: not in time.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
