"""People who use the gateway while its processes come and go: reads at a steady rate, and writers.

They know the ports of both processes, as a proxy does: where one refuses the connection they try the other.
Each signs in once; every request is noted with what became of it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import count
from typing import Any, Literal, TypeAlias

import httpx2
from attrs import define, frozen
from standby_pair import listens

WRITERS = tuple(f"w{number}" for number in range(8))
READERS = tuple(f"r{number}" for number in range(8))
AT_ONCE = 2
"""Reads that one reader waits for at a time; a slow machine sends fewer per second."""

NOTE = "written while processes come and go"

ORDER = {
    "CardCode": "C00001",
    "Comments": NOTE,
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}

Fate: TypeAlias = int | Literal["refused", "broken"]
"""A status; or no process took the connection, and nothing was sent; or it ended without an answer."""


@frozen(kw_only=True)
class Asked:
    """One request; times are monotonic seconds.

    Attributes:
        code: of an answer that is an error.
        reference: of a write, what its document carries as the customer's number.
        repeated: whether the same key was asked with before.
    """

    who: str
    began: float
    ended: float
    fate: Fate
    code: str | None
    reference: str | None = None
    repeated: bool = False


@define
class Crowd:
    """Readers that send requests; made by `open_crowd`.

    Attributes:
        ports: of the processes, the one that serves first.
        asked: all requests that have ended.
    """

    ports: list[int]
    asked: list[Asked]
    _fresh: httpx2.AsyncClient
    _kept: httpx2.AsyncClient
    _proofs: dict[str, dict[str, str]]
    _done: asyncio.Event
    _numbers: "count[int]"
    _working: list["asyncio.Task[None]"]

    @property
    def made(self) -> list[str]:
        """The references of writes that were answered as done."""
        return [one.reference for one in self.asked if one.reference is not None and one.fate == 201]

    def fates(self, asked: Iterable[Asked] | None = None) -> dict[str, int]:
        """Count what became of requests."""
        result = (f"{one.fate} {one.code or ''}".strip() for one in (self.asked if asked is None else asked))
        return dict(sorted(Counter(result).items()))

    @property
    def per_s(self) -> float:
        """Requests per second."""
        return len(self.asked) / (self.asked[-1].ended - self.asked[0].began)

    def proof(self, who: str) -> dict[str, str]:
        """Return the header that proves who asks."""
        return self._proofs[who]

    def ports_are_open(self) -> bool:
        """Return whether any process accepts connections."""
        return any(listens(port) for port in self.ports)

    async def stop(self) -> None:
        """Let everybody get the answers that they wait for, and go."""
        self._done.set()
        await asyncio.gather(*self._working)

    async def _read_on(self, per_s: float) -> None:
        running: set[asyncio.Task[Any]] = set()
        running_of: Counter[str] = Counter()

        def leave(who: str, task: asyncio.Task[Any]) -> None:
            running.discard(task)
            running_of[who] -= 1

        began = time.monotonic()
        for number in count():
            await asyncio.sleep(began + number / per_s - time.monotonic())
            if self._done.is_set():
                break
            who = READERS[number % len(READERS)]
            if running_of[who] >= AT_ONCE:
                continue
            path = (
                "/api/auth/me",
                f"/api/sl/Orders?$top=1&$skip={number}",
                "/api/sl/Warehouses?$top=20",
                f"/api/sl/Items?$top=1&$skip={number % 7}",
            )[number // len(READERS) % 4]
            task = asyncio.create_task(self._ask(self._fresh, who, "GET", path))
            running.add(task)
            running_of[who] += 1
            task.add_done_callback(partial(leave, who))
        await asyncio.gather(*running)

    async def _write_on(self, who: str, *, keyed: bool, pause_s: float) -> None:
        """Write one order after the other; with a key ask again until there is an answer."""
        while not self._done.is_set():
            reference = f"{who}-{next(self._numbers)}"
            headers = {"Idempotency-Key": reference} if keyed else {}
            body = {**ORDER, "NumAtCard": reference}
            repeated = False
            while True:
                result = await self._ask(
                    self._kept, who, "POST", "/api/sl/Orders", body, headers, reference, repeated
                )
                if isinstance(result.fate, int) or (result.fate == "broken" and not keyed):
                    break
                if self._done.is_set() and not self.ports_are_open():
                    return  # nobody is left who could answer
                repeated = repeated or result.fate == "broken"
                await asyncio.sleep(0.05)
            await asyncio.sleep(pause_s)

    async def _ask(
        self,
        client: httpx2.AsyncClient,
        who: str,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        reference: str | None = None,
        repeated: bool = False,
    ) -> Asked:
        began = time.monotonic()
        result: Fate = "refused"
        code: str | None = None
        for port in tuple(self.ports):
            url = f"http://127.0.0.1:{port}{path}"
            try:
                answer = await client.request(
                    method, url, json=body, headers={**self._proofs[who], **(headers or {})}
                )
            except httpx2.ConnectError:
                continue
            except httpx2.TransportError:
                result = "broken"
            else:
                result = answer.status_code
                code = answer.json().get("code") if answer.is_error else None
            break
        requested = Asked(
            who=who,
            began=began,
            ended=time.monotonic(),
            fate=result,
            code=code,
            reference=reference,
            repeated=repeated,
        )
        self.asked.append(requested)
        return requested


@asynccontextmanager
async def open_crowd(port: int, *, reads_per_s: float = 50.0, pause_s: float = 0.3) -> AsyncIterator[Crowd]:
    """Sign everybody in at a port, and let them work until the block ends.

    Args:
        port: of the process that serves now; `Crowd.ports` is for whoever makes others serve.
        reads_per_s: of all readers together.
        pause_s: between an answer and the next order of a writer.
    """
    async with AsyncExitStack() as stack:
        timeout = httpx2.Timeout(60.0)
        no_keeping = httpx2.Limits(max_keepalive_connections=0)
        fresh = httpx2.AsyncClient(trust_env=False, timeout=timeout, limits=no_keeping)
        kept = httpx2.AsyncClient(trust_env=False, timeout=timeout)
        await stack.enter_async_context(fresh)
        await stack.enter_async_context(kept)
        proofs = {}
        for who in (*WRITERS, *READERS):
            answer = await fresh.post(
                f"http://127.0.0.1:{port}/api/auth/login", json={"username": who, "password": who}
            )
            assert answer.status_code == 200, answer.text
            proofs[who] = {"Authorization": f"Bearer {answer.json()['token']}"}
        crowd = Crowd([port], [], fresh, kept, proofs, asyncio.Event(), count(1), [])
        crowd._working.append(asyncio.create_task(crowd._read_on(reads_per_s)))
        for number, who in enumerate(WRITERS):
            writing = crowd._write_on(who, keyed=number % 2 == 0, pause_s=pause_s)
            crowd._working.append(asyncio.create_task(writing))
        try:
            yield crowd
        finally:
            await crowd.stop()
