"""Throughput and latency of authenticated, authorized and validated requests, compared with the peers."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import uvloop
from attrs import frozen
from tools.node import SkippedError

from bench import servers
from bench.kept import Figure
from bench.load import send
from bench.peers import node_proxies
from bench.queries import different_lists, orders
from bench.servers import Server

CONNECTIONS = 16
CONCURRENCY = 16
"""Limit of the gateway's concurrent calls to the ERP; the peers have no limit."""

GATEWAY = "erp-gateway"
BARE = "(a) bare proxy"


@frozen
class Case:
    """A measured request, its concurrency, and its share of the number of requests."""

    name: str
    connections: int
    rows: int = 50
    select: bool = False
    write: bool = False
    share: float = 0.25

    def requests(self, server: Server, administrator: str | None, count: int) -> Iterator[bytes]:
        """Return so many requests for a server; the gateway's writes are an administrator's."""
        if self.write:
            return orders(count, token=administrator or server.token)
        return different_lists(count, token=server.token, select=self.select, rows=self.rows)


LIST = Case("50 rows, 16 connections", CONNECTIONS, share=1.0)
WITH_SELECT = Case("50 rows, $select, 16 connections", CONNECTIONS, select=True, share=1.0)
CASES = (
    LIST,
    WITH_SELECT,
    Case("50 rows, 1 connection", 1),
    Case("50 rows, 64 connections", 64),
    Case("500 rows, 16 connections", CONNECTIONS, rows=500),
    Case("an order, 16 connections", CONNECTIONS, write=True),
)


@frozen
class Measured:
    """Medians over the rounds of one server in one case.

    Attributes:
        spread: of its requests a second, as a share.
        gateway_over: the gateway's processor time of a request by its own in the same round.
    """

    case: str
    name: str
    per_second: float
    spread: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    gateway_over: Figure


@frozen
class Contender:
    """A server and its approximate speed as a share of the gateway's."""

    server: Server
    pace: float = 1.0
    administrator: str | None = None


@frozen
class _Burst:
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def measure(folder: Path, *, rounds: int, requests: int, say: Callable[[str], None]) -> list[Measured]:
    """Run every contender in turn, round by round, so that a slow moment of the machine affects all.

    Args:
        folder: for logs.
        rounds: number of rounds.
        requests: requests a round for the gateway in the largest cases; slower peers get fewer.
        say: receives progress messages.
    """
    with ExitStack() as running:
        stub = running.enter_context(servers.upstream_stub(folder))
        gateway, _ = running.enter_context(servers.gateway(folder, stub.port, concurrency=CONCURRENCY))
        administrator = servers.sign_in_administrator(gateway.port)
        contenders = [
            Contender(gateway, administrator=administrator),
            Contender(running.enter_context(servers.bare_proxy(folder, stub.port))),
            Contender(running.enter_context(servers.fastapi_server(folder, stub.port)), pace=0.25),
            Contender(running.enter_context(servers.nginx_server(folder, stub.port)), pace=3.0),
            *_node_contenders(running, folder, stub.port, say),
        ]
        measured = []
        for case in CASES:
            measured += _rounds(case, contenders, rounds=rounds, requests=requests, say=say)
        return measured


def _node_contenders(
    running: ExitStack, folder: Path, upstream_port: int, say: Callable[[str], None]
) -> list[Contender]:
    try:
        node = node_proxies.install()
    except SkippedError as reason:
        say(f"SKIPPED: NestJS and Fastify are not measured: {reason}")
        return []
    return [
        Contender(running.enter_context(servers.node_server(folder, upstream_port, name, node)))
        for name in node_proxies.PEERS
    ]


def _rounds(
    case: Case, contenders: Sequence[Contender], *, rounds: int, requests: int, say: Callable[[str], None]
) -> list[Measured]:
    bursts: dict[str, list[_Burst]] = {contender.server.name: [] for contender in contenders}
    for number in range(rounds + 1):
        first = number % len(contenders)
        for contender in [*contenders[first:], *contenders[:first]]:
            count = max(int(requests * case.share * contender.pace), case.connections)
            if number == 0:
                _burst(case, contender, max(count // 5, 1))  # warm-up
            else:
                bursts[contender.server.name].append(_burst(case, contender, count))
    for name, found in bursts.items():
        say(f"{case.name}: {name:<20} {statistics.median(each.per_second for each in found):8.0f}/s")
    gateway = bursts[GATEWAY]
    return [_median(case, name, found, gateway) for name, found in bursts.items()]


def _burst(case: Case, contender: Contender, count: int) -> _Burst:
    server = contender.server
    requests = case.requests(server, contender.administrator, count)
    cpu_before_s = server.cpu_s()
    result = uvloop.run(send(server.port, requests, connections=case.connections))
    cpu_s = server.cpu_s() - cpu_before_s
    return _Burst(
        per_second=result.per_second,
        p50_ms=result.quantile_ms(0.5),
        p99_ms=result.quantile_ms(0.99),
        cpu_us=cpu_s / count * 1e6,
    )


def _median(case: Case, name: str, bursts: Sequence[_Burst], gateway: Sequence[_Burst]) -> Measured:
    rates = [burst.per_second for burst in bursts]
    return Measured(
        case=case.name,
        name=name,
        per_second=statistics.median(rates),
        spread=(max(rates) - min(rates)) / statistics.median(rates),
        p50_ms=statistics.median(burst.p50_ms for burst in bursts),
        p99_ms=statistics.median(burst.p99_ms for burst in bursts),
        cpu_us=statistics.median(burst.cpu_us for burst in bursts),
        gateway_over=Figure.of(own.cpu_us / burst.cpu_us for own, burst in zip(gateway, bursts, strict=True)),
    )
