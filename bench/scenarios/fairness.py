"""Light users beside users with slow reads, and an attack on the queue, on the simulated ERP.

One call at a time reaches the ERP. A light read takes 0.2 s there, a slow one 12 s. Light users pause between
their reads. Slow users and attackers send the next read as soon as the last one is answered.
"""

import asyncio
import itertools
import json
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
from attrs import define, field, frozen
from stack.addresses import Addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.exchange import exchange
from stack.processes import LOOPBACK
from stack.stack import erpsim_process, gateway_process
from typing_extensions import override

from bench import servers
from servicekit.testing.ports import free_port

LIGHT: Final = "Items"
SLOW: Final = "BusinessPartners"
ERP_SECONDS: Final = {LIGHT: 0.2, SLOW: 12.0, "EmployeesInfo": 0.2}
LIGHT_USERS: Final = 20
PAUSE_S: Final = 10.0
SLOW_USERS: Final = (1, 2, 10)
RUN_S: Final = 240.0
ATTACKERS: Final = 2
READS_EACH: Final = 300
"""More than one user may keep waiting, so that the user's share stays full."""
ATTACK_S: Final = 20.0
PASSWORD: Final = "bench-password"
ADMINISTRATOR: Final = "bench_admin"
_NEWCOMER: Final = "bench_newcomer"


@define
class Waits:
    """Seconds until each answer, and how many answers had each code; `ok` stands for 200."""

    seconds: list[float] = field(factory=list)
    codes: Counter[str] = field(factory=Counter)

    @override
    def __str__(self) -> str:
        """Median and longest time, refusals included, and the codes."""
        if not self.seconds:
            return "no answer"
        codes = ", ".join(f"{number} {code}" for code, number in self.codes.most_common())
        return f"median {statistics.median(self.seconds):.2f} s, worst {max(self.seconds):.2f} s; {codes}"


@frozen
class Fairness:
    """Results of each group of users under one load."""

    load: str
    groups: dict[str, Waits]


def measure(folder: Path, *, run_s: float = RUN_S) -> list[Fairness]:
    """Measure the loads with slow users side by side, then the attack."""
    with ThreadPoolExecutor(len(SLOW_USERS)) as pool:
        found = list(pool.map(lambda slow: measure_slow_users(folder, slow, run_s=run_s), SLOW_USERS))
    return [*found, measure_attack(folder)]


def measure_slow_users(folder: Path, slow_users: int, *, run_s: float) -> Fairness:
    """Measure light users beside so many slow ones, who start after 15 s, all at once."""
    light = [f"light{number}" for number in range(LIGHT_USERS)]
    slow = [f"slow{number}" for number in range(slow_users)]
    with _gateway(folder, f"slow-{slow_users}", [*light, *slow]) as (port, tokens):

        def loops(crowd: "_Crowd") -> Iterator[Coroutine[Any, Any, None]]:
            for number, name in enumerate(light):
                delay_s = PAUSE_S * number / LIGHT_USERS
                yield crowd.read_on("light users", LIGHT, tokens[name], pause_s=PAUSE_S, delay_s=delay_s)
            for name in slow:
                yield crowd.read_on("slow users", SLOW, tokens[name], delay_s=15)
            yield from _bystanders(crowd, tokens, pause_s=PAUSE_S)

        return Fairness(f"{slow_users} slow beside {LIGHT_USERS} light users", _run(port, loops, run_s))


def measure_attack(folder: Path) -> Fairness:
    """Measure other users while two users without a right keep as many reads waiting as allowed."""
    attackers = [f"attacker{number}" for number in range(ATTACKERS)]
    with _gateway(folder, "attack", attackers) as (port, tokens):

        def loops(crowd: "_Crowd") -> Iterator[Coroutine[Any, Any, None]]:
            for name in attackers * READS_EACH:
                yield crowd.read_on("attackers", LIGHT, tokens[name], retry_s=0.5)
            yield from _bystanders(crowd, tokens, pause_s=0.3, delay_s=2.0)

        load = f"{ATTACKERS} users with {READS_EACH} reads each"
        return Fairness(load, _run(port, loops, ATTACK_S))


def table(found: Sequence[Fairness]) -> list[str]:
    """Return a line for each group under each load."""
    return [
        line
        for each in found
        for line in (each.load, *(f"  {name:<16}{waits}" for name, waits in each.groups.items()))
    ]


def _bystanders(
    crowd: "_Crowd", tokens: dict[str, str], *, pause_s: float, delay_s: float = 0.0
) -> Iterator[Coroutine[Any, Any, None]]:
    yield crowd.read_on("administrator", LIGHT, tokens[ADMINISTRATOR], pause_s=pause_s, delay_s=delay_s)
    yield crowd.sign_in_again("sign-ins", _NEWCOMER, pause_s=pause_s, delay_s=delay_s)


def _run(
    port: int, loops: Callable[["_Crowd"], Iterator[Coroutine[Any, Any, None]]], run_s: float
) -> dict[str, Waits]:
    async def run() -> dict[str, Waits]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(f"http://{LOOPBACK}:{port}", connector=connector) as client:
            crowd = _Crowd(client, time.monotonic() + run_s)
            await asyncio.gather(*loops(crowd))
            return crowd.groups

    return asyncio.run(run())


@define
class _Crowd:
    """Users who send requests until the deadline; each is counted in the group it is named for."""

    client: aiohttp.ClientSession
    until: float
    groups: dict[str, Waits] = field(factory=dict)
    _numbers: Iterator[int] = field(factory=itertools.count)

    async def read_on(
        self,
        group: str,
        resource: str,
        token: str,
        *,
        pause_s: float = 0.0,
        delay_s: float = 0.0,
        retry_s: float = 1.0,
    ) -> None:
        """Send reads, no two of them alike."""
        headers = {"Authorization": f"Bearer {token}"}

        async def read() -> bool:
            path = f"/api/sl/{resource}?$top=1&$skip={next(self._numbers)}"
            return await self._send(group, "GET", path, headers=headers)

        await self._repeat(read, pause_s=pause_s, delay_s=delay_s, retry_s=retry_s)

    async def sign_in_again(self, group: str, name: str, *, pause_s: float, delay_s: float) -> None:
        """Sign one user in repeatedly."""

        async def sign_in() -> bool:
            body = {"username": name, "password": PASSWORD}
            return await self._send(group, "POST", "/api/auth/login", json=body)

        await self._repeat(sign_in, pause_s=pause_s, delay_s=delay_s)

    async def _send(self, group: str, method: str, path: str, **how: Any) -> bool:
        began = time.monotonic()
        async with self.client.request(method, path, **how) as answer:
            body = await answer.json()
        waits = self.groups.setdefault(group, Waits())
        waits.seconds.append(time.monotonic() - began)
        waits.codes["ok" if answer.ok else str(body["code"])] += 1
        return answer.ok

    async def _repeat(
        self,
        act: Callable[[], Awaitable[bool]],
        *,
        pause_s: float,
        delay_s: float,
        retry_s: float = 1.0,
    ) -> None:
        """Act until the deadline, with one pause after a response and another one after a refusal."""
        await asyncio.sleep(delay_s)
        while time.monotonic() < self.until:
            done = await act()
            await asyncio.sleep(pause_s if done else retry_s)


@contextmanager
def _gateway(folder: Path, name: str, users: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Run the simulated ERP and a gateway with one place; give its port and a token for each user."""
    own = folder / name
    own.mkdir()
    ports = [free_port() for _ in range(4)]
    at = Addresses(origin=0, gateway=ports[0], metrics=ports[1], erpsim=ports[2], control=ports[3])
    settings = {**servers.gateway_settings(1), "REFERENCE_FRESH_S": "0", "ADMIN_WEB_USERS": ADMINISTRATOR}
    with (
        erpsim_process(own, at, penalty_s=0) as erpsim,
        gateway_process(own, at, settings) as gateway,
    ):
        erpsim.wait_until_it_answers(at.erpsim, "/ping/", timeout_s=60)
        gateway.wait_until_it_answers(at.gateway, "/api/health")
        _add_employees(at.erpsim, [ADMINISTRATOR, _NEWCOMER, *users])
        tokens = {user: _log_in(at.gateway, user) for user in (ADMINISTRATOR, *users)}
        for user in users:
            if user.startswith("slow"):
                body = {"paths": [servers.MENU]}
                exchange(at.gateway, "PUT", f"/api/permissions/{user}", body, token=tokens[ADMINISTRATOR])
        for resource, seconds in ERP_SECONDS.items():
            fault = {"path": resource, "times": None, "action": {"kind": "delay", "seconds": seconds}}
            exchange(at.control, "POST", "/faults", fault)
        yield at.gateway, tokens


def _add_employees(port: int, names: Sequence[str]) -> None:
    person = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    session = exchange(port, "POST", "/b1s/v1/Login", person).body["SessionId"]
    cookie = {"Cookie": f"B1SESSION={session}"}
    for name in names:
        employee = {"FirstName": name, "LastName": name, "U_WEB_USER": name, "U_WEB_PASS": PASSWORD}
        answer = exchange(port, "POST", "/b1s/v1/EmployeesInfo", employee, headers=cookie)
        if answer.status != 201:
            raise RuntimeError(json.dumps(answer.body))


def _log_in(port: int, name: str) -> str:
    answer = exchange(port, "POST", "/api/auth/login", {"username": name, "password": PASSWORD})
    token: str = answer.body["token"]
    return token
