"""Processor time of a request in two builds: a list of 50 rows, and an order that audit and ledger record.

Both builds run at the same time on one CPU, and each round measures them in turn, so other load on the
machine affects both. The upstream responds at once.
"""

import asyncio
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from attrs import frozen

from bench import servers
from bench.kept import Figure
from bench.load import send
from bench.queries import different_lists, orders
from bench.servers import Server

CONNECTIONS = 4
CONCURRENCY = 16
LIST, ORDER = "a list of 50 rows", "an audited order"
REQUESTS = {LIST: 800, ORDER: 400}
THIS, BEFORE = "this commit", "before"


@frozen
class CpuCost:
    """The processor time of one kind of request.

    Attributes:
        case: `LIST` or `ORDER`.
        this_us: median over the rounds, in microseconds.
        before_us: the same of the other build.
        over: this build's time by the other's in the same round.
    """

    case: str
    this_us: float
    before_us: float
    over: Figure


def measure(
    folder: Path, *, before: Path | None, rounds: int, say: Callable[[str], None]
) -> list[CpuCost] | None:
    """Measure both builds in turn, round by round; None without another build to compare with."""
    if before is None:
        return None
    own = folder / "cpu"
    own.mkdir()
    found: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as running:
        stub = running.enter_context(servers.upstream_stub(own))
        checkouts: dict[str, Path | None] = {THIS: None, BEFORE: before}
        builds = {
            name: running.enter_context(
                servers.build(own / name.replace(" ", "-"), stub.port, checkout, concurrency=CONCURRENCY)
            )
            for name, checkout in checkouts.items()
        }
        for number in range(rounds + 1):
            for case in REQUESTS:
                for name, server in sorted(builds.items(), reverse=bool(number % 2)):
                    cpu_us = _measure(server, case)
                    if number:  # the first round warms up
                        found.setdefault((case, name), []).append(cpu_us)
            say(f"cpu: round {number} of {rounds}")
    return [cost(case, found[case, THIS], found[case, BEFORE]) for case in REQUESTS]


def _measure(server: Server, case: str) -> float:
    """Return the microseconds that one request takes of the server's processor."""
    count = REQUESTS[case]
    requests = _requests(case, count, server.token)
    started = server.cpu_s()
    asyncio.run(send(server.port, requests, connections=CONNECTIONS))
    return (server.cpu_s() - started) / count * 1e6


def _requests(case: str, count: int, token: str | None) -> Iterator[bytes]:
    return orders(count, token=token) if case == ORDER else different_lists(count, token=token, select=False)


def cost(case: str, this: list[float], before: list[float]) -> CpuCost:
    """Return the medians of the rounds, and how the builds compare within each round."""
    ratios = [mine / other for mine, other in zip(this, before, strict=True)]
    return CpuCost(case, statistics.median(this), statistics.median(before), Figure.of(ratios))


def table(costs: list[CpuCost]) -> list[str]:
    """Return the table; quartiles tell how far the rounds lie apart."""
    head = f"{'processor time of':<22}{'this µs':>9}{'before µs':>11}{'this/before':>13}{'quartiles':>16}"
    rows = [
        f"{each.case:<22}{each.this_us:>9.0f}{each.before_us:>11.0f}{each.over.middle:>13.3f}"
        f"{f'{each.over.low:.3f} to {each.over.high:.3f}':>16}"
        for each in costs
    ]
    return [head, *rows]
