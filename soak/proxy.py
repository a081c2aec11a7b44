"""HTTP proxy with faults: for a share of the requests, or all during an outage."""

import asyncio
import enum
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from stack.processes import LOOPBACK

PIECE = 65_536
LONGEST_S = 60.0
"""Time after which a silent connection is closed."""

PAGE = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
BAD_GATEWAY = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE)
)


class Trouble(enum.Enum):
    """Faults of a request; the values are words of the table."""

    LATENCY = "latency"
    RESET_BEFORE = "reset before the request"
    RESET_DURING_REQUEST = "reset in the request"
    RESET_AFTER_REQUEST = "reset after the request"
    RESET_DURING_ANSWER = "reset in the answer"
    HALF_ANSWER = "half an answer"
    ANSWER_LOST = "answer lost"
    DRIP = "slow drip"
    PAGE_BEFORE = "gateway page, not handed on"
    PAGE_AFTER = "gateway page after the work"
    STALE = "closed while kept alive"
    BLACKHOLE_BEFORE = "silence, not handed on"
    BLACKHOLE_AFTER = "silence after the work"


class Outage(enum.Enum):
    """Kinds of outages."""

    REFUSING = "refuses"
    SILENT = "is silent"


class CutError(Exception):
    """The connection must be closed, with a reset or without."""


class FaultProxy:
    """Passes requests from clients to a local server; created by `proxying`.

    Args:
        name: name in the table; the decisions depend on it and the seed.
        targets: ports of the server; the first that accepts a connection is used.
        seed: of the decisions.
        rate: share of requests with a fault.
    """

    def __init__(self, name: str, targets: Sequence[int], *, seed: int, rate: float) -> None:
        self.name = name
        self.targets = targets
        self.port = 0
        self.rate = rate
        self.met: Counter[str] = Counter()
        self.answers: Counter[tuple[int, str]] = Counter()
        self.requests = 0
        self._dice = random.Random(f"{seed}/{name}")
        self._outage: Outage | None = None
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Accept connections, always at the same port."""
        self._server = await asyncio.start_server(self._take, LOOPBACK, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Refuse new connections and close existing ones."""
        if self._server is not None:
            self._server.close()
            self._cut_all()
            serving = list(self._serving)
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)
            await asyncio.sleep(0)
            self._server = None

    async def begin(self, outage: Outage) -> None:
        """Begin an outage."""
        self._outage = outage
        if outage is Outage.REFUSING:
            await self.stop()

    async def end(self) -> None:
        """End the outage; close silently waiting connections."""
        if self._outage is Outage.REFUSING:
            await self.start()
        self._outage = None
        self._cut_all()

    def _cut_all(self) -> None:
        for wire in list(self._open):
            wire.transport.abort()

    def _decide(self) -> Trouble | None:
        self.requests += 1
        if self._dice.random() >= self.rate:
            return None
        trouble = self._dice.choice(list(Trouble))
        self.met[trouble.value] += 1
        return trouble

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        back: asyncio.StreamWriter | None = None
        try:
            there, back = await self._connect()
            self._open.add(back)
            while await self._one(reader, writer, there, back):
                pass
        except (CutError, OSError, EOFError, asyncio.LimitOverrunError, ValueError):
            writer.transport.abort()
        except asyncio.CancelledError:  # only `stop` cancels this task, and a server's task has no caller
            writer.transport.abort()
        finally:
            self._serving.discard(task)
            for wire in (writer, back):
                if wire is not None:
                    self._open.discard(wire)
                    wire.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for port in self.targets:
            with suppress(OSError):
                return await asyncio.open_connection(LOOPBACK, port)
        raise CutError

    async def _one(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        back: asyncio.StreamWriter,
    ) -> bool:
        """Pass one request and its response; return whether another may follow."""
        head = await _unless_ended(there, reader.readuntil(b"\r\n\r\n"))
        if head is None:
            return False
        request = head + await _body(reader, head, is_request=True)
        trouble = self._decide()
        if self._outage is Outage.SILENT or trouble is Trouble.BLACKHOLE_BEFORE:
            await _until_left(reader)
        if trouble in {Trouble.RESET_BEFORE, Trouble.STALE}:
            raise CutError
        if trouble is Trouble.PAGE_BEFORE:
            writer.write(BAD_GATEWAY)
            return False
        if trouble is Trouble.RESET_DURING_REQUEST:
            back.write(request[: self._dice.randrange(1, len(request))])
            await back.drain()
            back.transport.abort()
            raise CutError
        if trouble is Trouble.LATENCY:
            await asyncio.sleep(self._dice.uniform(0.2, 2.0))
        back.write(request)
        await back.drain()
        if trouble is Trouble.RESET_AFTER_REQUEST:
            await asyncio.sleep(0.002)
            raise CutError
        answer = await _unless_ended(reader, _whole_answer(there, head))
        if answer is None:
            raise CutError
        self._note(answer)
        if trouble is Trouble.PAGE_AFTER:
            writer.write(BAD_GATEWAY)
            return False
        await self._deliver(answer, trouble, reader, writer)
        return b"connection: close" not in answer.partition(b"\r\n\r\n")[0].lower()

    async def _deliver(
        self,
        answer: bytes,
        trouble: Trouble | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if trouble is Trouble.BLACKHOLE_AFTER or self._outage is Outage.SILENT:
            await _until_left(reader)
        if trouble is Trouble.ANSWER_LOST:
            raise CutError
        if trouble in {Trouble.RESET_DURING_ANSWER, Trouble.HALF_ANSWER}:
            writer.write(answer[: max(1, len(answer) // 2)])
            await writer.drain()
            if trouble is Trouble.HALF_ANSWER:
                writer.write_eof()
                await asyncio.sleep(0.05)
            raise CutError
        step = max(1, len(answer) // 20) if trouble is Trouble.DRIP else len(answer)
        for at in range(0, len(answer), step):
            writer.write(answer[at : at + step])
            await writer.drain()
            if trouble is Trouble.DRIP:
                await asyncio.sleep(0.1)

    def _note(self, answer: bytes) -> None:
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head[9:12])
        code = ""
        if status >= 400 and b"problem+json" in head:
            with suppress(ValueError):
                code = str(json.loads(body).get("code", ""))
        self.answers[status, code] += 1


async def _unless_ended(other: asyncio.StreamReader, coming: Coroutine[Any, Any, bytes]) -> bytes | None:
    """Wait for data; return None if the other side closes the connection first."""
    wanted, ending = asyncio.ensure_future(coming), asyncio.ensure_future(other.read(1))
    try:
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait({wanted, ending}, return_when=first, timeout=10 * LONGEST_S)
        return wanted.result() if wanted.done() else None
    finally:
        wanted.cancel()
        ending.cancel()
        await asyncio.gather(wanted, ending, return_exceptions=True)


async def _until_left(reader: asyncio.StreamReader) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(reader.read(1), LONGEST_S)
    raise CutError


async def _whole_answer(there: asyncio.StreamReader, request: bytes) -> bytes:
    head = await there.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    if request.startswith(b"HEAD ") or status in {204, 304}:
        return head
    return head + await _body(there, head, is_request=False)


async def _body(reader: asyncio.StreamReader, head: bytes, *, is_request: bool) -> bytes:
    """Read the body that follows a head."""
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")[1:])
    }
    if b"content-length" in headers:
        return await reader.readexactly(int(headers[b"content-length"]))
    if headers.get(b"transfer-encoding", b"").lower() == b"chunked":
        parts = []
        while True:
            size = await reader.readuntil(b"\r\n")
            parts += [size, await reader.readexactly(int(size.split(b";")[0], 16) + 2)]
            if int(size.split(b";")[0], 16) == 0:
                return b"".join(parts)
    return b"" if is_request else await reader.read(-1)


@asynccontextmanager
async def proxying(name: str, *targets: int, seed: int, rate: float) -> AsyncIterator[FaultProxy]:
    """Hand on to ports of this machine while the block runs."""
    proxy = FaultProxy(name, targets, seed=seed, rate=rate)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
