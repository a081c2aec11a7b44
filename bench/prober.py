"""Polls one path like a load balancer, in its own process, and prints the latencies.

Run as: python -m bench.prober PORT PATH; it ends when its standard input is closed. It prints JSON:
`answers_s`, a latency for each moment at which it was to ask, and `late_s`, how late it was woken for that.
"""

import json
import select
import socket
import sys
import time
from typing import Final

EVERY_S: Final = 0.005
ANSWER_S: Final = 60.0


def main(port: int, path: str) -> None:
    """Poll until standard input ends, then print."""
    answers_s: list[float] = []
    late_s: list[float] = []
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        due = time.perf_counter()
        while not select.select([sys.stdin], [], [], max(0.0, due - time.perf_counter()))[0]:
            sent = time.perf_counter()
            late_s.append(sent - due)
            connection.sendall(request)
            _read_answer(connection)
            answered = time.perf_counter()
            answers_s.append(answered - sent)
            due += EVERY_S
            while due < answered:  # a request at such a moment would wait for the current one
                answers_s.append(answered - due)
                due += EVERY_S
    print(json.dumps({"answers_s": answers_s, "late_s": late_s}))


def _read_answer(connection: socket.socket) -> None:
    received = b""
    while b"\r\n\r\n" not in received:
        received += _more(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode(errors="replace"))
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += _more(connection)


def _more(connection: socket.socket) -> bytes:
    received = connection.recv(65536)
    if not received:
        raise RuntimeError("the server closed the connection")
    return received


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
