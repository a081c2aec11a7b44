"""Cost of the ledger for a create: two builds in turn, one without it, on an ERP that takes 50 ms."""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from attrs import frozen

from bench import servers
from bench.queries import ORDER, list_path
from bench.servers import Server

LATENCY_S = 0.05
CONCURRENCY = 16
CONNECTIONS = (1, 16)
REQUESTS = {1: 40, 16: 320}
WITH, WITHOUT = "with ledger", "without"


@frozen
class WriteCost:
    """Medians over the rounds, in milliseconds; `spread_ms` is between the fastest and the slowest round.

    Attributes:
        build: `with ledger` or `without`.
        what: `create`, `create, key` or `read`.
        connections: number of concurrent connections.
    """

    build: str
    what: str
    connections: int
    p50_ms: float
    spread_ms: float


def measure(folder: Path, *, before: Path | None, rounds: int, say: Callable[[str], None]) -> list[WriteCost]:
    """Measure each build in turn, round by round.

    Args:
        folder: for logs.
        before: a checkout of a commit without the ledger (`git worktree add FOLDER COMMIT`); None for no
            comparison.
        rounds: number of rounds.
        say: receives progress messages.
    """
    found: dict[tuple[str, str, int], list[float]] = {}
    with ExitStack() as running:
        stub = running.enter_context(servers.upstream_stub(folder, latency_s=LATENCY_S))
        checkouts: dict[str, Path | None] = {WITH: None}
        if before is not None:
            checkouts[WITHOUT] = before
        builds = {
            name: running.enter_context(
                servers.build(folder / name.replace(" ", "-"), stub.port, checkout, concurrency=CONCURRENCY)
            )
            for name, checkout in checkouts.items()
        }
        numbers = count()
        for number in range(rounds + 1):
            for build, server in sorted(builds.items(), reverse=bool(number % 2)):
                for what in ("create", "create, key", "read"):
                    if what == "create, key" and build == WITHOUT:
                        continue
                    for connections in CONNECTIONS:
                        p50_ms = asyncio.run(_burst(server, what, connections, numbers)) * 1000
                        if number:  # the first round warms up
                            found.setdefault((build, what, connections), []).append(p50_ms)
            say(f"writes: round {number} of {rounds}")
    return [
        WriteCost(build, what, connections, statistics.median(times), max(times) - min(times))
        for (build, what, connections), times in sorted(found.items(), key=lambda each: each[0][1:])
    ]


def table(costs: list[WriteCost]) -> list[str]:
    """Return the table, with the ledger's additional cost."""
    plain = {
        (each.what.removesuffix(", key"), each.connections): each.p50_ms
        for each in costs
        if each.build == WITHOUT
    }
    rows = [f"{'what':<14}{'connections':>12}{'build':>14}{'p50 ms':>9}{'spread ms':>11}{'added':>9}"]
    for each in costs:
        base = plain.get((each.what.removesuffix(", key"), each.connections))
        added = "" if base is None or each.build == WITHOUT else f"{each.p50_ms / base - 1:+.1%}"
        rows.append(
            f"{each.what:<14}{each.connections:>12}{each.build:>14}{each.p50_ms:>9.2f}{each.spread_ms:>11.2f}"
            f"{added:>9}"
        )
    return rows


async def _burst(server: Server, what: str, connections: int, numbers: Iterator[int]) -> float:
    times_s: list[float] = []
    share = REQUESTS[connections] // connections
    await asyncio.gather(*(_ask(server, what, share, numbers, times_s) for _ in range(connections)))
    return statistics.median(times_s)


async def _ask(
    server: Server, what: str, requests: int, numbers: Iterator[int], times_s: list[float]
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    for _ in range(requests):
        number = next(numbers)
        started = time.perf_counter()
        writer.write(_request(server, what, number))
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith((b"HTTP/1.1 20",)):
            raise RuntimeError(f"{what}: {head.splitlines()[0].decode()}")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        await reader.readexactly(int(length))
        times_s.append(time.perf_counter() - started)
    writer.close()


def _request(server: Server, what: str, number: int) -> bytes:
    shared = f"Host: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
    if what == "read":
        return f"GET {list_path(number, select=True)} HTTP/1.1\r\n{shared}\r\n".encode()
    key = f"Idempotency-Key: {number}\r\n" if what == "create, key" else ""
    head = (
        f"POST /api/sl/Orders HTTP/1.1\r\n{shared}{key}Content-Type: application/json\r\n"
        f"Content-Length: {len(ORDER)}\r\n\r\n"
    )
    return head.encode() + ORDER
