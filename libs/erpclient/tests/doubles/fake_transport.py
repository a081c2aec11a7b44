"""A transport without sockets whose answers a test decides, one request at a time."""

import asyncio
from collections import deque

from attrs import define, field

from erpclient import HttpReply, HttpRequest


@define
class FakeTransport:
    """Keeps what was sent and answers from a list; a request without an answer waits for one.

    Attributes:
        requests: what was sent.
        probes: addresses at which a connection was tried.
        probe_error: raised by the next probes, if set.
        closed: how many times it was closed.
    """

    requests: list[HttpRequest] = field(factory=list)
    probes: list[str] = field(factory=list)
    probe_error: Exception | None = None
    closed: int = 0
    _answers: "deque[HttpReply | Exception]" = field(factory=deque)
    _waiting: "deque[asyncio.Future[HttpReply]]" = field(factory=deque)

    def answer(self, *answers: HttpReply | Exception) -> None:
        for answer in answers:
            if not self._waiting:
                self._answers.append(answer)
                continue
            waiting = self._waiting.popleft()
            if isinstance(answer, Exception):
                waiting.set_exception(answer)
            else:
                waiting.set_result(answer)

    async def send(self, request: HttpRequest) -> HttpReply:
        self.requests.append(request)
        if not self._answers:
            future: asyncio.Future[HttpReply] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            return await future
        answer = self._answers.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def probe(self, url: str, timeout_s: float) -> None:
        self.probes.append(url)
        if self.probe_error is not None:
            raise self.probe_error

    async def aclose(self) -> None:
        self.closed += 1
