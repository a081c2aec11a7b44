"""Users who act through a proxy: each signs in, sends requests, disconnects at times, and records
responses.
"""

import asyncio
import json
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx2
from stack.processes import LOOPBACK

from soak.values import Outcome, outcome_of

PATIENCE_S = 20.0
PAUSE_S = (0.05, 0.6)
VANISHES = 0.01


@dataclass(frozen=True)
class Seen:
    """A recorded response; the status is None without a complete response."""

    status: int | None
    code: str | None = None
    body: Any = None
    headers: Mapping[str, str] | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome of a write according to the response."""
        return outcome_of(self.status, self.code)

    @property
    def ok(self) -> bool:
        """True if it is a success."""
        return self.outcome is Outcome.MADE


class Person(ABC):
    """One user with a session.

    Args:
        name: of the user.
        port: of the proxy.
        seed: of the user's choices.
    """

    def __init__(self, name: str, port: int, *, seed: int) -> None:
        self.name = name
        self.dice = random.Random(f"{seed}/{type(self).__name__}/{name}")
        self.did: Counter[str] = Counter()
        self.vanishes = VANISHES
        self._count = 0
        self._client = httpx2.AsyncClient(
            base_url=f"http://{LOOPBACK}:{port}", timeout=PATIENCE_S, trust_env=False
        )

    @abstractmethod
    async def sign_in(self) -> bool:
        """Sign in; return whether it worked."""

    @abstractmethod
    async def act(self) -> None:
        """Do one typical action."""

    def reference(self) -> str:
        """Return a name for something new."""
        self._count += 1
        return f"~{self.name}-{self._count}"

    async def work(self, done: asyncio.Event) -> None:
        """Act until the run is over."""
        while not done.is_set():
            await self.act()
            with suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), self.dice.uniform(*PAUSE_S))

    async def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Seen:
        """Send a request; sign in first if there is no session."""
        answer = await self._once(method, path, body, headers)
        if answer.status == 401:
            for _ in range(20):
                if await self.sign_in():
                    return await self._once(method, path, body, headers)
                await asyncio.sleep(1)
        return answer

    async def _once(self, method: str, path: str, body: object, headers: Mapping[str, str] | None) -> Seen:
        patience = self.dice.uniform(0.0, 0.3) if self.dice.random() < self.vanishes else 2 * PATIENCE_S
        try:
            async with asyncio.timeout(patience):
                answer = await self._client.request(method, path, json=body, headers=dict(headers or {}))
        except (httpx2.TransportError, TimeoutError):
            self.did["without an answer"] += 1
            return Seen(None)
        value, code = None, None
        if "json" in answer.headers.get("content-type", ""):
            with suppress(json.JSONDecodeError):
                value = answer.json()
        if answer.is_error and isinstance(value, dict):
            code = value.get("code")
        self.did[f"{answer.status_code} {code or ''}".strip()] += 1
        return Seen(answer.status_code, code, value, answer.headers)

    async def until(self, holds: Callable[[Seen], bool], method: str, path: str, body: object = None) -> Seen:
        """Repeat a request until the response is accepted or the time is over."""
        answer = Seen(None)
        for _ in range(60):
            answer = await self.ask(method, path, body)
            if holds(answer):
                break
            await asyncio.sleep(1)
        return answer

    async def leave(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def use(self, headers: Mapping[str, str]) -> None:
        """Send these headers with every following request."""
        self._client.headers.update(headers)
