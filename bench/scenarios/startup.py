"""Time from the start of a service's process to its first healthy response, with an unreachable ERP.

Compared with peer (a), which only loads hypercorn, Starlette and aiohttp.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen
from stack.addresses import any_addresses
from stack.stack import gateway_process, returns_process

from bench import servers
from bench.kept import Figure
from bench.servers import Server
from servicekit.testing.ports import free_port

STARTS = 7
PEER = "(a) bare proxy"
SERVICES = ("erp-gateway", "supplier-returns")


@frozen
class Start:
    """Medians of the turns; `over_peer`: processor time by the peer's in the same turn."""

    name: str
    seconds: float
    cpu_s: float
    over_peer: Figure


def measure(folder: Path) -> list[Start]:
    """Start each of them several times, turn by turn, the services on a fresh store."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in (PEER, *SERVICES)}
    for number in range(STARTS + 1):
        for name, turns in found.items():
            own = folder / f"startup-{number}-{name.split()[0]}"
            own.mkdir()
            started = time.perf_counter()
            with servers.bare_proxy(own, free_port()) if name == PEER else _service(name, own) as server:
                turn = time.perf_counter() - started, server.cpu_s()
            if number:  # the first turn warms up
                turns.append(turn)
    return [_medians(name, turns, found[PEER]) for name, turns in found.items()]


def table(starts: Sequence[Start]) -> list[str]:
    """Return the table of all of them."""
    head = f"{'start to the first healthy answer':<36}{'s':>7}{'CPU s':>8}{'CPU by the peer':>17}"
    rows = [
        f"{each.name:<36}{each.seconds:>7.2f}{each.cpu_s:>8.2f}{each.over_peer.middle:>17.2f}"
        for each in starts
    ]
    return [head, *rows]


@contextmanager
def _service(name: str, folder: Path) -> Iterator[Server]:
    addresses = any_addresses()
    if name == SERVICES[0]:
        port, process = (
            addresses.gateway,
            gateway_process(folder, addresses, servers.gateway_settings(1)),
        )
    else:
        port, process = addresses.returns, returns_process(folder, addresses, {"ENVIRONMENT": "production"})
    with process as child:
        servers.pin(child.pid, servers.SERVER_CPU)
        child.wait_until_it_answers(port, "/api/health")
        yield Server(name, child, port)


def _medians(name: str, turns: Sequence[tuple[float, float]], peer: Sequence[tuple[float, float]]) -> Start:
    shares = [own / of_peer for (_, own), (_, of_peer) in zip(turns, peer, strict=True)]
    return Start(
        name,
        seconds=statistics.median(seconds for seconds, _ in turns),
        cpu_s=statistics.median(cpu_s for _, cpu_s in turns),
        over_peer=Figure.of(shares),
    )
