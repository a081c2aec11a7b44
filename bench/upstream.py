"""Upstream stub: a Service Layer with canned responses that costs almost nothing.

It supports login and logout and has an employee for every web user. It answers every list with `$top` rows of
business partners (50 by default, about 12 KB) and every record with one of them. `GET /__stub` returns the
counts and resets them.

With `--penalty-s` it delays parallel calls like the real layer: a call that finds `--free` others of its
session in flight takes that many seconds longer. This is the mildest interpretation of the observed behavior.
With `--serial` it also serves one call after another, as the real layer does.

Run as: python -m bench.upstream --port 9000 [--latency-s 0.02] [--penalty-s 7 --free 2] [--serial]
"""

import argparse
import asyncio
import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast
from urllib.parse import unquote

import uvloop
from typing_extensions import override

ROWS = 50
WEB_PASSWORD = "bench-password"

_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
_WEB_USER = re.compile(r"U_WEB_USER eq '(\w+)'")
_TOP = re.compile(rb"(?:\$|%24)top=(\d{1,3})")


def _partner(number: int, *, versioned: bool) -> dict[str, object]:
    version = {"DataVersion": number % 7} if versioned else {}
    return {
        "odata.etag": f'W/"{number:040x}"',
        "CardCode": f"C{number:05d}",
        "CardName": f"Comercial Los Aromos {number}",
        "GroupCode": 100 + number % 12,
        "CurrentAccountBalance": number * 1234.5,
        **version,
    }


def partner_list(rows: int = ROWS, *, versioned: bool = False) -> bytes:
    """Return the canned list in the Service Layer's format: three spaces, and the count as a string.

    `versioned` rows contain a `DataVersion`, as if `$select` had requested it.
    """
    body = {
        "odata.metadata": "http://127.0.0.1/b1s/v1/$metadata#BusinessPartners",
        "odata.count": "5000",
        "value": [_partner(number, versioned=versioned) for number in range(rows)],
        "odata.nextLink": "/b1s/v1/BusinessPartners?$skip=50",
    }
    return json.dumps(body, indent=3, separators=(",", " : "), ensure_ascii=False).encode()


def _employees(web_user: str) -> bytes:
    employee = {
        "EmployeeID": 1,
        "FirstName": "Banco",
        "LastName": "Pruebas",
        "eMail": None,
        "Active": "tYES",
        "U_WEB_USER": web_user,
        "U_WEB_PASS": WEB_PASSWORD,
    }
    return json.dumps({"odata.count": "1", "value": [employee]}).encode()


def _answer(body: bytes, *, status: str = "200 OK", headers: str = "") -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json;odata=minimalmetadata;charset=utf-8\r\n"
        f"DataServiceVersion: 3.0\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


_RECORD = _answer(json.dumps(_partner(1, versioned=True), indent=3, separators=(",", " : ")).encode())
_COMPANY = _answer(b'{"CompanyName": "Banco de pruebas"}')
_ORDER = _answer(b'{"DocEntry": 7, "DocNum": 7}', status="201 Created")
_LOGIN = _answer(
    b'{"odata.metadata": "http://127.0.0.1/b1s/v1/$metadata#B1Sessions/@Element",'
    b' "SessionId": "bench", "Version": "1000340", "SessionTimeout": 30}',
    headers="Set-Cookie: B1SESSION=bench;HttpOnly;\r\nSet-Cookie: ROUTEID=.node1; path=/b1s\r\n",
)
_LOGOUT = b"HTTP/1.1 204 No Content\r\n\r\n"


@lru_cache(maxsize=64)
def _list(rows: int, *, versioned: bool) -> bytes:
    return _answer(partner_list(rows, versioned=versioned))


def _read_answer(path: bytes) -> bytes:
    if b"(" in path:
        return _RECORD
    top = _TOP.search(path)
    return _list(int(top.group(1)) if top else ROWS, versioned=b"DataVersion" in path)


@dataclass
class Tally:
    """Counts since the last call, and calls in flight."""

    reads: int = 0
    other: int = 0
    logins: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    slowed: int = 0
    free_at: float = 0.0
    paths: set[bytes] = field(default_factory=set)

    def report_and_reset(self) -> bytes:
        """Return the counts as JSON and reset them."""
        numbers = {
            "reads": self.reads,
            "other": self.other,
            "logins": self.logins,
            "mostInFlight": self.most_in_flight,
            "slowed": self.slowed,
            "different": len(self.paths),
        }
        self.reads = self.other = self.logins = self.most_in_flight = self.slowed = 0
        self.paths.clear()
        return _answer(json.dumps(numbers).encode())


@dataclass(frozen=True)
class Pace:
    """Latencies of the stub: of every read, of a read beyond the free ones, and the number of free ones.

    `serial` serves one read after another; otherwise they run in parallel.
    """

    latency_s: float = 0.0
    penalty_s: float = 0.0
    free: int = 2
    serial: bool = False


class StubConnection(asyncio.Protocol):
    """One keep-alive connection of HTTP/1.1 without pipelining."""

    def __init__(self, tally: Tally, pace: Pace) -> None:
        self._tally = tally
        self._pace = pace
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport for the response."""
        # cast: uvloop's transports are not asyncio's classes
        self._transport = cast("asyncio.Transport", transport)

    @override
    def connection_lost(self, _: Exception | None) -> None:
        """Drop the transport, because a late response can't be sent."""
        self._transport = None

    @override
    def data_received(self, data: bytes) -> None:
        """Respond as soon as a complete request has arrived."""
        buffer = self._buffer + data
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            self._buffer = buffer
            return
        length = _CONTENT_LENGTH.search(buffer, 0, end + 2)
        if length is not None and len(buffer) < end + 4 + int(length.group(1)):
            self._buffer = buffer
            return
        self._buffer = b""
        method, path, _ = buffer.split(b" ", 2)
        self._handle(method, path)

    def _handle(self, method: bytes, path: bytes) -> None:
        tally = self._tally
        if method == b"POST" and path.endswith(b"/Orders"):
            tally.other += 1
            asyncio.get_running_loop().call_later(self._pace.latency_s, self._write, _ORDER)
        elif path == b"/__stub":
            self._write(tally.report_and_reset())
        elif path.endswith(b"/Login"):
            tally.logins += 1
            self._write(_LOGIN)
        elif path.endswith(b"/Logout"):
            self._write(_LOGOUT)
        elif b"/EmployeesInfo" in path:
            tally.other += 1
            requested = _WEB_USER.search(unquote(path.decode()))
            self._write(_answer(_employees(requested.group(1) if requested else "")))
        elif method == b"GET" and b"/b1s/" in path:
            self._read(path)
        else:
            tally.other += 1
            self._write(_COMPANY)

    def _read(self, path: bytes) -> None:
        tally, pace, loop = self._tally, self._pace, asyncio.get_running_loop()
        tally.reads += 1
        tally.paths.add(path)
        tally.in_flight += 1
        tally.most_in_flight = max(tally.most_in_flight, tally.in_flight)
        answer = _read_answer(path)
        delay_s = pace.latency_s
        if pace.penalty_s and tally.in_flight > pace.free:
            tally.slowed += 1
            delay_s += pace.penalty_s
        if pace.serial:
            begins_at = max(loop.time(), tally.free_at)
            tally.free_at = begins_at + delay_s
            delay_s = tally.free_at - loop.time()
        if delay_s > 0:
            loop.call_later(delay_s, self._finish_read, answer)
        else:
            self._finish_read(answer)

    def _finish_read(self, answer: bytes) -> None:
        self._tally.in_flight -= 1
        self._write(answer)

    def _write(self, answer: bytes) -> None:
        if self._transport is not None:
            self._transport.write(answer)


async def _serve(port: int, pace: Pace) -> None:
    tally = Tally()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: StubConnection(tally, pace), "127.0.0.1", port)
    async with server:
        await server.serve_forever()


def main() -> None:
    """Read the arguments and serve until killed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency-s", type=float, default=0.0)
    parser.add_argument("--penalty-s", type=float, default=0.0)
    parser.add_argument("--free", type=int, default=2)
    parser.add_argument("--serial", action="store_true")
    options = parser.parse_args()
    pace = Pace(options.latency_s, options.penalty_s, options.free, options.serial)
    uvloop.run(_serve(options.port, pace))


if __name__ == "__main__":
    main()
