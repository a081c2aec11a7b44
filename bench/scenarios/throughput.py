"""Throughput and latency of one authenticated, permission-checked, validated list, beside the peers."""

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import uvloop
from attrs import frozen

from bench import servers
from bench.load import send
from bench.queries import different_lists
from bench.servers import Server

CONNECTIONS = 16
CONCURRENCY = 16
GATEWAY = "erp-gateway"
GATEWAY_WITH_SELECT = "erp-gateway, $select"


@frozen
class Measured:
    """Medians over the rounds of one server."""

    name: str
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


@frozen
class Contender:
    """A server, the requests it gets, and how many a round."""

    name: str
    server: Server
    requests: int
    select: bool = True


@frozen
class _Burst:
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def measure(folder: Path, *, rounds: int, requests: int, say: Callable[[str], None]) -> list[Measured]:
    """Run every contender in turn, round by round, so that a slow moment of the machine hits all alike.

    Args:
        folder: for logs.
        rounds: how many.
        requests: requests a round for the gateway; slower peers get fewer, nginx more.
        say: told what goes on.
    """
    with ExitStack() as running:
        stub = running.enter_context(servers.upstream_stub(folder))
        gateway, _ = running.enter_context(servers.gateway(folder, stub.port, concurrency=CONCURRENCY))
        bare = running.enter_context(servers.bare_proxy(folder, stub.port))
        fastapi = running.enter_context(servers.fastapi_server(folder, stub.port))
        nginx = running.enter_context(servers.nginx_server(folder, stub.port))
        contenders = [
            Contender(GATEWAY, gateway, requests, select=False),
            Contender(GATEWAY_WITH_SELECT, gateway, requests),
            Contender(bare.name, bare, requests),
            Contender(fastapi.name, fastapi, max(requests // 4, 1)),
            Contender(nginx.name, nginx, requests * 3),
        ]
        return _rounds(contenders, rounds=rounds, say=say)


def _rounds(contenders: Sequence[Contender], *, rounds: int, say: Callable[[str], None]) -> list[Measured]:
    bursts: dict[str, list[_Burst]] = {contender.name: [] for contender in contenders}
    for contender in contenders:
        _burst(contender, max(contender.requests // 5, 1))  # warm-up
    for number in range(rounds):
        first = number % len(contenders)
        for contender in [*contenders[first:], *contenders[:first]]:
            burst = _burst(contender, contender.requests)
            bursts[contender.name].append(burst)
            say(f"round {number + 1}: {contender.name:<22} {burst.per_second:8.0f}/s")
    return [_median(name, found) for name, found in bursts.items()]


def _burst(contender: Contender, count: int) -> _Burst:
    server = contender.server
    requests = different_lists(count, token=server.token, select=contender.select)
    cpu_before_s = server.cpu_s()
    result = uvloop.run(send(server.port, requests, connections=CONNECTIONS))
    cpu_s = server.cpu_s() - cpu_before_s
    return _Burst(
        per_second=result.per_second,
        p50_ms=result.quantile_ms(0.5),
        p99_ms=result.quantile_ms(0.99),
        cpu_us=cpu_s / count * 1e6,
    )


def _median(name: str, bursts: Sequence[_Burst]) -> Measured:
    return Measured(
        name=name,
        per_second=statistics.median(burst.per_second for burst in bursts),
        p50_ms=statistics.median(burst.p50_ms for burst in bursts),
        p99_ms=statistics.median(burst.p99_ms for burst in bursts),
        cpu_us=statistics.median(burst.cpu_us for burst in bursts),
    )
