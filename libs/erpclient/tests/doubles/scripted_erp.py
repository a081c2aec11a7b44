"""A small Service Layer on a real socket, which does what a test tells it, down to the bytes.

It knows logins, sessions and cookies by itself; every other answer comes from the test's handler.
"""

import asyncio
import itertools
import json
import ssl
import struct
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Self

from attrs import define, field, frozen

SESSION_COOKIE = "B1SESSION={};HttpOnly;"
ROUTE_COOKIE = "ROUTEID={}; path=/b1s"


@frozen
class Call:
    """One request as the server read it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def resource(self) -> str:
        return self.target.partition("/b1s/")[2].partition("/")[2]

    @property
    def cookies(self) -> dict[str, str]:
        pairs = [pair.partition("=") for pair in self.headers.get("cookie", "").split("; ") if pair]
        return {name: value for name, _, value in pairs}


@define
class Answer:
    """Reply of the server: a whole answer, ``raw`` bytes, or nothing."""

    status: int = 200
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = ()
    content_type: str = "application/json;odata=minimalmetadata;charset=utf-8"
    raw: bytes | None = None
    close: bool = False
    reset: bool = False

    def encode(self) -> bytes:
        if self.raw is not None:
            return self.raw
        lines = [f"HTTP/1.1 {self.status} Whatever"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.status != 204:
            lines += [f"Content-Type: {self.content_type}", f"Content-Length: {len(self.body)}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if self.status == 204 else self.body)


DROP = Answer(raw=b"", close=True)
"""Reads the request and hangs up without a word."""
RESET = Answer(raw=b"", close=True, reset=True)
"""Reads the request and resets the connection."""
HTML_502 = Answer(502, b"<html><body><h1>502 Proxy Error</h1></body></html>", content_type="text/html")

Handler = Callable[[Call], Awaitable[Answer]]


def json_answer(value: object, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> Answer:
    """As the ERP prints it: three blanks deep, one on both sides of the colon, a line end at last."""
    text = json.dumps(value, indent=3, separators=(",", " : "), ensure_ascii=False) + "\n"
    return Answer(status, text.encode(), headers)


def error_v1(status: int, code: int, text: str) -> Answer:
    return json_answer({"error": {"code": code, "message": {"lang": "en-us", "value": text}}}, status)


def error_v2(status: int, code: str, text: str) -> Answer:
    details = [{"code": "", "message": ""}]
    return json_answer({"error": {"code": code, "details": details, "message": text}}, status)


INVALID_SESSION = error_v1(401, 301, "Invalid session or session already timeout.")


def list_answer(rows: Sequence[object], count: int | None = None) -> Answer:
    return json_answer(
        {
            "odata.metadata": "https://10.0.0.1:50000/b1s/v1/$metadata#Items",
            "odata.count": str(len(rows) if count is None else count),
            "value": rows,
            "odata.nextLink": "Items?$skip=20",
        }
    )


async def empty_list(call: Call) -> Answer:
    return list_answer([])


@define
class ScriptedErp:
    """The server. Set ``handler`` for what follows the session check.

    Attributes:
        handler: answers a call whose session is good.
        login_handler: answers a login; gives a new session by itself when it is ``None``.
        calls: every request, logins and logouts included.
        sessions: values of the session cookie that are good.
        route: value of the balancer's cookie that a login hands out.
        connections: how many were accepted.
        preferred_port: where to listen; any free port when it is 0.
        in_flight_peak: most calls with the server at one moment.
    """

    handler: Handler = empty_list
    login_handler: Handler | None = None
    tls: ssl.SSLContext | None = None
    calls: list[Call] = field(factory=list)
    sessions: set[str] = field(factory=set)
    route: str = ".node1"
    preferred_port: int = 0
    connections: int = 0
    in_flight: int = 0
    in_flight_peak: int = 0
    _numbers: Any = field(factory=lambda: itertools.count(1))
    _server: asyncio.Server | None = None
    _writers: set[asyncio.StreamWriter] = field(factory=set)
    _tasks: set[asyncio.Task[None]] = field(factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", self.preferred_port, ssl=self.tls
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/b1s/v1"

    @property
    def logins(self) -> int:
        return sum(1 for call in self.calls if call.resource == "Login")

    @property
    def logouts(self) -> list[Call]:
        return [call for call in self.calls if call.resource == "Logout"]

    @property
    def work(self) -> list[Call]:
        """The calls that are neither login nor logout."""
        return [call for call in self.calls if call.resource not in ("Login", "Logout")]

    def expire_sessions(self) -> None:
        self.sessions.clear()

    def script(self, *answers: Answer) -> None:
        """Give these answers one after another, then the last one again and again."""
        left = deque(answers)

        async def handler(call: Call) -> Answer:
            return left.popleft() if len(left) > 1 else left[0]

        self.handler = handler

    def grant(self) -> Answer:
        """Open a session, with the cookies in the form that was seen on the wire."""
        session = f"69fc492a-38d0-11e9-8000-{next(self._numbers):012}"
        self.sessions.add(session)
        return json_answer(
            {
                "odata.metadata": f"{self.url}/$metadata#B1Sessions/@Element",
                "SessionId": session,
                "Version": "1000340",
                "SessionTimeout": 30,
            },
            headers=[
                ("Set-Cookie", SESSION_COOKIE.format(session)),
                ("Set-Cookie", ROUTE_COOKIE.format(self.route)),
            ],
        )

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer, self.connections)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        while True:
            call = await self._read(reader, number)
            self.calls.append(call)
            self.in_flight += 1
            self.in_flight_peak = max(self.in_flight_peak, self.in_flight)
            try:
                answer = await self._answer(call)
            finally:
                self.in_flight -= 1
            if answer.reset:
                linger_zero = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(1, 13, linger_zero)  # SOL_SOCKET, SO_LINGER
            writer.write(answer.encode())
            await writer.drain()
            if answer.close:
                writer.close()
                return

    async def _read(self, reader: asyncio.StreamReader, number: int) -> Call:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Call(method, target, headers, body, number)

    async def _answer(self, call: Call) -> Answer:
        if call.resource == "Login":
            return self.grant() if self.login_handler is None else await self.login_handler(call)
        if call.target == "/ping/":
            return await self.handler(call)
        session = call.cookies.get("B1SESSION")
        if session not in self.sessions:
            return INVALID_SESSION
        if call.resource == "Logout":
            self.sessions.discard(session)
            return Answer(204)
        return await self.handler(call)
