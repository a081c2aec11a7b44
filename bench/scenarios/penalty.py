"""Twenty users read at once on an upstream that charges seconds for parallel calls."""

from collections.abc import Sequence
from pathlib import Path

import uvloop
from attrs import frozen

from bench import servers
from bench.load import LoadResult, get_request, send
from bench.queries import list_path

USERS = 20
LATENCY_S = 0.02
PENALTY_S = 7.0


@frozen
class Penalty:
    """Seconds until the last of the reads was answered, and calls in flight upstream at most."""

    gateway_s: float
    gateway_in_flight: int
    naive_s: float
    naive_in_flight: int

    @property
    def times_sooner(self) -> float:
        """Speed-up of the gateway."""
        return self.naive_s / self.gateway_s


def measure(folder: Path) -> Penalty:
    """Send the twenty reads, all different, through the gateway and through the naive proxy."""
    own = folder / "penalty"
    own.mkdir()
    web_users = tuple(f"bench{number:02d}" for number in range(USERS))
    with servers.upstream_stub(own, latency_s=LATENCY_S, penalty_s=PENALTY_S) as stub:
        with servers.gateway(own, stub.port, concurrency=1, web_users=web_users) as (gateway, tokens):
            servers.stub_tally(stub)
            through_gateway = _all_at_once(gateway.port, [tokens[web_user] for web_user in web_users])
            gateway_tally = servers.stub_tally(stub)
        with servers.bare_proxy(own, stub.port) as naive:
            through_naive = _all_at_once(naive.port, [None] * USERS)
            naive_tally = servers.stub_tally(stub)
    return Penalty(
        gateway_s=through_gateway.elapsed_s,
        gateway_in_flight=gateway_tally["mostInFlight"],
        naive_s=through_naive.elapsed_s,
        naive_in_flight=naive_tally["mostInFlight"],
    )


def _all_at_once(port: int, tokens: Sequence[str | None]) -> LoadResult:
    requests = [get_request(list_path(number), token=token) for number, token in enumerate(tokens)]
    return uvloop.run(send(port, iter(requests), connections=len(requests)))
