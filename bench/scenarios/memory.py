"""Memory of the gateway while it answers many different lists."""

from collections.abc import Callable
from pathlib import Path

import uvloop
from attrs import frozen

from bench import servers
from bench.load import send
from bench.queries import different_lists
from bench.scenarios.throughput import CONCURRENCY, CONNECTIONS

REQUESTS = 50_000
SETTLED_AFTER = 10_000


@frozen
class Memory:
    """Resident bytes after warm-up and at the end."""

    settled_bytes: int
    end_bytes: int

    @property
    def growth(self) -> float:
        """Relative growth over the last requests."""
        return self.end_bytes / self.settled_bytes - 1


def measure(folder: Path, *, say: Callable[[str], None]) -> Memory:
    """Send the requests in slices and measure the process after each."""
    own = folder / "memory"
    own.mkdir()
    with (
        servers.upstream_stub(own) as stub,
        servers.gateway(own, stub.port, concurrency=CONCURRENCY) as (gateway, _),
    ):
        observed = {}
        for done in range(SETTLED_AFTER, REQUESTS + 1, SETTLED_AFTER):
            requests = different_lists(SETTLED_AFTER, token=gateway.token)
            uvloop.run(send(gateway.port, requests, connections=CONNECTIONS))
            observed[done] = gateway.rss_bytes()
            say(f"after {done} requests: {observed[done] / 2**20:.1f} MiB")
        return Memory(observed[SETTLED_AFTER], observed[REQUESTS])
