"""A hundred identical reads at once share calls to the upstream."""

from pathlib import Path

import uvloop
from attrs import frozen

from bench import servers
from bench.load import get_request, send
from bench.queries import list_path

READS = 100
LATENCY_S = 0.2
"""Minimum duration of a list on a real ERP, long enough for all reads to arrive."""


@frozen
class Identical:
    """Calls that reached the upstream, and seconds until the last read was answered."""

    upstream_calls: int
    elapsed_s: float


def measure(folder: Path) -> Identical:
    """Send them over as many connections through a gateway with one place upstream."""
    own = folder / "identical"
    own.mkdir()
    with (
        servers.upstream_stub(own, latency_s=LATENCY_S) as stub,
        servers.gateway(own, stub.port, concurrency=1) as (gateway, _),
    ):
        servers.stub_tally(stub)
        request = get_request(list_path(0), token=gateway.token)
        result = uvloop.run(send(gateway.port, iter([request] * READS), connections=READS))
        return Identical(servers.stub_tally(stub)["reads"], result.elapsed_s)
