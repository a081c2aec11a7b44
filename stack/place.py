"""Server that gives every request the same bytes, to test nginx."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from stack.processes import LOOPBACK

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
_HEALTH = b"GET /api/health "


class Place:
    """Server on loopback that stores requests and sends the same response to each.

    Args:
        answer: sent after the complete request; empty to close the connection like a killed process.
        port: 0 takes any free one.
    """

    def __init__(self, answer: bytes, port: int = 0) -> None:
        self._answer = answer
        self._listening = socket.create_server((LOOPBACK, port))
        self.port: int = self._listening.getsockname()[1]
        self.requests: list[bytes] = []

    def serve(self) -> None:
        """Accept connections until `close`."""
        while True:
            try:
                wire, _ = self._listening.accept()
            except OSError:
                return
            with wire:
                request = _request(wire)
                if request.startswith(_HEALTH):
                    wire.sendall(OK)
                    continue
                self.requests.append(request)
                wire.sendall(self._answer)

    def close(self) -> None:
        """Stop listening."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def _request(wire: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += wire.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    length = int(headers.get(b"content-length", 0))
    while len(body) < length:
        body += wire.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def place(answer: bytes, port: int = 0) -> Iterator[Place]:
    """Run such a server in its own thread."""
    made = Place(answer, port)
    thread = threading.Thread(target=made.serve)
    thread.start()
    try:
        yield made
    finally:
        made.close()
        thread.join()
